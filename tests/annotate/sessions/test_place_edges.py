"""Places at their edges: shares that others took, rows that others lock, items without places."""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from annotate.models import Place
from annotate.sessions import places
from tests import factories
from tests.annotate.sessions.test_mix import make_mixed
from tests.annotate.sessions.test_places import KINDS, new_session

pytestmark = pytest.mark.django_db


# Claims


def test_a_session_of_two_items_has_one_of_each_kind(db):
    study = make_mixed(4, 8, items_per_session=2)
    items = places.claim(new_session(study), ["explanation", "statement"], 2)
    kinds = Place.objects.filter(item__in=items, session__source="web").values_list("item__kind")
    assert sorted(kind for (kind,) in kinds) == ["explanation", "statement"]


def test_what_a_share_lacks_is_filled_from_all_kinds_and_never_more(study, monkeypatch):
    monkeypatch.setattr(places, "_shares", lambda *_: {"explanation": 1})
    assert len(set(places.claim(new_session(study), KINDS, 3))) == 3


def test_a_claim_ends_when_it_found_nothing_twice(study, monkeypatch):
    """Another claim may hold the lock of every open place for a moment, and then take one."""
    answers, asked = iter([[1], [], [2], [3], [], []]), []

    def claimed(_session, _only, _values, count):
        asked.append(count)
        return next(answers)

    monkeypatch.setattr(places, "_claimed", claimed)
    assert places._claim_while_open(new_session(study), "", [], 5) == [1, 2, 3]
    assert asked == [5, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(("column", "waits"), [("recipient", True), (None, False)])
def test_who_returns_to_a_survey_waits_for_whoever_chooses_one(study, column, waits):
    study.extra = {"sessions_by": column} if column else {}
    study.save()
    session, item = new_session(study), study.items.first().pk
    with CaptureQueriesContext(connection) as captured:
        assert places.claim_again(session, [item]) == [item]
    assert ("annotate_ordercounter" in captured[0]["sql"]) is waits
    assert places.claim_again(session, []) == []


# More places


def test_an_item_without_places_gets_them_from_number_1(study):
    item = factories.make_item(study, "bare")
    item.places.all().delete()
    places.add(study, [item.pk], 2)
    assert list(item.places.order_by("number").values_list("number", "shuffle")) == [(1, 0), (2, 0)]
    places.add(study, [item.pk], 1)
    assert item.places.count() == 3 and item.places.filter(number=3).exists()


def test_no_item_has_more_than_a_thousand_places(study):
    item = study.items.first()
    places.add(study, [item.pk], 5000)
    assert item.places.count() == 1000
    places.add(study, [item.pk], 1)
    assert item.places.count() == 1000


def test_the_study_is_locked_before_its_places_are_counted(study):
    item = study.items.first().pk
    with transaction.atomic(), CaptureQueriesContext(connection) as captured:
        places.add(study, [item], 1)
    assert 'FROM "annotate_study"' in captured[0]["sql"]
    assert "annotate_place" not in captured[0]["sql"]
    if connection.vendor == "postgresql":
        assert "FOR NO KEY UPDATE" in captured[0]["sql"]


# Order


def test_the_items_named_come_first_and_others_that_the_session_lacks_are_passed_over(study):
    session = new_session(study)
    held = places.claim(session, KINDS, 3)
    (absent,) = study.items.exclude(pk__in=held).values_list("pk", flat=True)
    places.put_in_order(session, [absent, held[2], held[0]])
    order = session.places.order_by("position").values_list("item_id", "position")
    assert list(order) == [(held[2], 1), (held[0], 2), (held[1], 3)]
