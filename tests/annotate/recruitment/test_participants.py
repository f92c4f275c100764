"""How the participants of a platform are found again."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.design import platform
from annotate.models import Rater, Session
from annotate.sessions.session import begin_visit

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["PROLIFIC_PID", "workerId"])
def test_a_participant_is_found_by_an_index_among_many(study, name):
    Rater.objects.bulk_create(
        Rater(study=study, key=f"r{n}", platform_ids={name: f"p{n}"}) for n in range(3_000)
    )
    wanted = Rater.objects.get(key="r77")
    session = Session.objects.create(study=study, rater=wanted)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE annotate_rater")
        with CaptureQueriesContext(connection) as seen:
            found = platform.earlier_visit(study, {name: "p77"})
        assert found == (session, False)
        plan = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
        cursor.execute(f"{plan} {seen[0]['sql']}")
        assert "rater_participant" in str(cursor.fetchall())


@pytest.mark.parametrize(
    "ids",
    [
        {},
        {"PROLIFIC_PID": "é 1"},
        {"workerId": "w1"},
        {"PROLIFIC_PID": "p1", "workerId": "w1"},
        {"hitId": "h1"},
    ],
)
def test_the_column_of_participants_follows_the_ids(study, ids):
    rater = Rater.objects.create(study=study, key="r", platform_ids=ids)
    rater.refresh_from_db()
    assert (rater.participant or "") == platform.participant(ids)[1]
    Rater.objects.update(platform_ids={"workerId": "other"})
    rater.refresh_from_db()
    assert rater.participant == "other"


def test_ids_of_two_platforms_that_look_alike_are_two_people(study):
    session = begin_visit(study, {"PROLIFIC_PID": "x", "SESSION_ID": "v"}, consents=True)
    assert platform.earlier_visit(study, {"workerId": "x"}) == (None, False)
    assert platform.earlier_visit(study, {"PROLIFIC_PID": "x"}) == (session, False)
