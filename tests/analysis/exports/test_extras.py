"""The tables of checks and of screens, against values by hand, and the same on a rater's page."""

import csv
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import call_command

from annotate.models import Answer, Place, Screen, Session
from tests import factories
from tests.annotate.sessions.test_screens import BOTH, DISAGREE

pytestmark = pytest.mark.django_db
AT = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)


def rows(table):
    out = StringIO()
    call_command("export", "films", table, stdout=out)
    return list(csv.DictReader(StringIO(out.getvalue())))


@pytest.fixture
def ann(study):
    """item-0, a check, a gold item, an instructed Likert, item-0 once more."""
    session = factories.make_session(study, "ann", source="web", order_row=7)
    own, known = study.items.all()[:2]
    place = own.places.first()
    Place.objects.filter(pk=place.pk).update(
        state="filled", rater=session.rater, session=session, position=1
    )
    accuracy, why = (
        study.questions.get(key="accuracy"),
        factories.make_question(study, "why", scale="text"),
    )
    factories.make_rating(session, own, accuracy, 5)
    spec = {"answers": {"accuracy": 2}, "tolerance": 1}
    for position, fields, answers in (
        (
            2,
            {"kind": "attention", "key": "both", "spec": BOTH},
            [(None, None, "A | C", False, 4.25, [["B", "2026-05-04T03:02:00+00:00"]])],
        ),
        (
            3,
            {"kind": "gold", "item": known, "spec": spec},
            [(accuracy, 3, "", True, 9, []), (why, None, "=1+1", None, 30, [])],
        ),
        (
            4,
            {"kind": "attention", "key": "read", "spec": DISAGREE},
            [(None, 2, "", True, None, [])],
        ),
        (5, {"kind": "repeat", "item": own}, [(accuracy, 4, "", None, 2, [])]),
    ):
        extra = Screen.objects.create(session=session, position=position, is_whole=True, **fields)
        for question, value, text, passed, seconds, changes in answers:
            Answer.objects.create(
                screen=extra,
                key=extra.key,
                item=extra.item,
                question=question,
                value=value,
                text=text,
                passed=passed,
                seconds=seconds,
                changes=changes,
                answered_at=AT,
            )
    return session


def test_a_row_an_answer_with_what_was_expected(study, ann):
    found = rows("checks")
    assert {row["session"] for row in found} == {str(ann.pk)}
    assert {row["rater"] for row in found} == {"ann"}
    assert {row["answered_at"][:19] for row in found} == {"2026-05-04T03:02:01"}
    names = [
        "kind",
        "item",
        "check",
        "question",
        "position",
        "given",
        "expected",
        "passed",
        "seconds",
        "changes",
    ]
    assert [[row[name] for name in names] for row in found] == [
        ["attention", "", "both", "", "2", "A | C", "A | D", "false", "4.25", "1"],
        ["gold", "item-1", "", "accuracy", "3", "3", "2", "true", "9.0", "0"],
        ["gold", "item-1", "", "why", "3", "'=1+1", "", "", "30.0", "0"],
        ["attention", "", "read", "", "4", "Disagree", "Disagree", "true", "", "0"],
        ["repeat", "item-0", "", "accuracy", "5", "4", "5", "", "2.0", "0"],
    ]


def test_what_stood_where(study, ann):
    other = factories.make_session(study, "bob", source="web")
    Screen.objects.create(session=other, position=1, kind="attention", key="x", spec=BOTH)
    names = ["rater", "row", "position", "kind", "item", "check", "system"]
    assert [[row[name] for name in names] for row in rows("screens")] == [
        ["ann", "7", "1", "item", "item-0", "", "good"],
        ["ann", "7", "2", "attention", "", "both", ""],
        ["ann", "7", "3", "gold", "item-1", "", "good"],
        ["ann", "7", "4", "attention", "", "read", ""],
        ["ann", "7", "5", "repeat", "item-0", "", "good"],
        ["bob", "", "1", "attention", "", "x", ""],
    ]


def test_none_of_it_is_among_the_ratings_or_scores(study, ann):
    assert len(rows("ratings")) == 1 and rows("ratings")[0]["value"] == "5"
    assert [row["value"] for row in rows("scores")] == ["5"]
    assert Session.objects.get(rater__key="ann").ratings.count() == 1


def test_a_rater_s_page_shows_them(as_owner, study, ann, django_assert_max_num_queries):
    with django_assert_max_num_queries(12):
        answer = as_owner.get(f"/studies/films/raters/{ann.rater_id}/")
    page = answer.content.decode()
    assert "Checks, gold and repeated items" in page
    for words in ("A | C", "A | D", "=1+1", "Disagree", "Repeated item", "Gold item"):
        assert words in page
    bob = factories.make_session(study, "bob").rater
    assert "Checks, gold" not in as_owner.get(f"/studies/films/raters/{bob.pk}/").content.decode()
