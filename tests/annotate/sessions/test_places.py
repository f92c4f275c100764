"""Places: the hard cap, the order of claims, and the way back."""

import subprocess
import sys
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotate.models import Item, Place, Rater, Session
from annotate.sessions import places
from tests import factories

State = Session.State
KINDS = [Item.Kind.EXPLANATION]
NOW = timezone.now()


def new_session(study, key="ann", state=State.INSTRUCTIONS, **fields):
    return factories.make_session(study, key, state=state, source="web", **fields)


def claim(study, key, count=4):
    """The items of a new session."""
    return places.claim(new_session(study, key), KINDS, count)


@pytest.mark.django_db
def test_a_session_gets_different_items(study):
    assert len(set(claim(study, "ann"))) == 4


@pytest.mark.django_db
def test_a_session_gets_no_more_items_than_there_are(study):
    assert len(claim(study, "ann", count=9)) == 4


@pytest.mark.django_db
def test_no_item_gets_more_raters_than_the_study_asks_for(study):
    given = Counter(item for key in "abcde" for item in claim(study, key))
    assert set(given.values()) == {3} and len(given) == 4


@pytest.mark.django_db
def test_the_least_filled_items_come_first(study):
    first = set(claim(study, "ann", count=2))
    assert set(claim(study, "bob", count=2)) == set(
        study.items.exclude(pk__in=first).values_list("pk", flat=True)
    )


@pytest.mark.django_db
def test_an_item_whose_place_opened_again_is_the_least_filled(study):
    ann = new_session(study)
    places.claim(ann, KINDS, 4)
    claim(study, "bob")
    last = study.items.last()
    ann.places.filter(item=last).update(state="open", rater=None, session=None)
    assert claim(study, "cat", count=1) == [last.pk]


@pytest.mark.django_db
def test_a_claimed_place_is_held_by_its_rater(study):
    claim(study, "ann", count=1)
    place = Place.objects.get(state="held")
    assert place.rater.key == "ann" and place.session.rater == place.rater


@pytest.mark.django_db
def test_a_rater_who_is_a_recipient_gets_only_what_was_recommended_to_them(study):
    own = factories.make_item(study, "own", recipient="r2")
    session = new_session(study)
    session.rater.recipient = own.recipient
    assert places.claim(session, KINDS, 9) == [own.pk]


@pytest.mark.django_db
def test_children_of_a_pair_and_kinds_without_questions_are_not_offered(study):
    parent = study.items.first()
    study.items.exclude(pk=parent.pk).update(parent=parent)
    assert claim(study, "ann") == [parent.pk]
    assert places.claim(new_session(study, "bob"), [Item.Kind.TEXT], 4) == []


@pytest.mark.django_db
def test_items_of_another_study_are_not_offered(study):
    other = factories.make_study("other", items=1)
    assert claim(other, "ann") == [other.items.get().pk]


@pytest.mark.django_db
def test_a_claim_is_one_statement_however_many_places(study, django_assert_num_queries):
    session = new_session(study)
    with django_assert_num_queries(1):
        places.claim(session, KINDS, 4)


@pytest.mark.django_db
def test_places_of_one_statement_are_those_that_single_claims_would_give():
    study = factories.make_study(items=6)
    at_once, single = new_session(study, "bob"), new_session(study, "cat")
    for item, taken in zip(study.items.all(), (1, 2, 0, 2, 0, 1), strict=True):
        for number in range(1, taken + 1):
            rater = factories.make_session(study, f"{item.pk}-{number}").rater
            item.places.filter(number=number).update(state="filled", rater=rater)
    got = set(places.claim(at_once, KINDS, 4))
    at_once.places.update(state="open", rater=None, session=None)
    assert got == {places.claim(single, KINDS, 1)[0] for _ in range(4)}
    assert {item.key for item in study.items.filter(pk__in=got)} == {
        "item-0",
        "item-2",
        "item-4",
        "item-5",
    }


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_place_locked_by_another_claim_does_not_hide_the_second_of_its_item(study):
    session = new_session(study)
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT id FROM annotate_place WHERE number = 1 FOR UPDATE")
        assert len(set(places.claim(session, KINDS, 4))) == 4
        assert set(session.places.values_list("number", flat=True)) == {2}
    finally:
        other.close()


@pytest.mark.django_db
def test_the_order_of_items_is_drawn_for_each_session_and_is_the_same_when_drawn_again():
    study = factories.make_study(items=8)
    sessions = [new_session(study, key) for key in ("ann", "bob")]
    orders = []
    for session in [*sessions, sessions[0]]:
        places.claim(session, KINDS, 8)
        places.put_in_order(session, first=[])
        orders.append(list(session.places.order_by("position").values_list("item", "position")))
    assert [position for _, position in orders[0]] == list(range(1, 9))
    assert orders[0] == orders[2] != orders[1]


@pytest.mark.django_db
def test_a_quiet_session_is_abandoned_and_its_places_open(study):
    quiet, awake = new_session(study, "ann", State.RATING), new_session(study, "bob", State.RATING)
    for session in (quiet, awake):
        places.claim(session, KINDS, 2)
    quiet.places.filter(item=quiet.places.first().item).update(state="filled")
    Session.objects.filter(pk=quiet.pk).update(last_seen_at=NOW - timedelta(minutes=61))
    assert places.release_expired(NOW) == 1
    assert list(Session.objects.values_list("state", flat=True)) == ["abandoned", "rating"]
    assert set(study.places.values_list("state", "session")) == {("open", None), ("held", awake.pk)}
    assert places.release_expired(NOW) == 0


@pytest.mark.django_db
def test_each_study_has_its_own_patience(study):
    hasty = factories.make_study("hasty", items=1, hold_minutes=5)
    for each in (study, hasty):
        new_session(each, state=State.RATING)
    Session.objects.update(last_seen_at=NOW - timedelta(minutes=10))
    places.release_expired(NOW)
    assert list(Session.objects.values_list("state", flat=True)) == ["rating", "abandoned"]


@pytest.mark.django_db
def test_completed_sessions_and_unread_consents_are_never_abandoned(study):
    for state in (State.COMPLETED, State.CONSENT, State.DECLINED):
        new_session(study, state, state)
    Session.objects.update(last_seen_at=NOW - timedelta(days=9))
    assert places.release_expired(NOW) == 0


@pytest.mark.django_db
def test_the_sweep_asks_the_same_few_questions_however_many_are_quiet(
    study, django_assert_max_num_queries
):
    for key in "abcdef":
        places.claim(new_session(study, key, State.RATING), KINDS, 2)
    Session.objects.update(last_seen_at=NOW - timedelta(hours=3))
    with django_assert_max_num_queries(7):
        assert places.release_expired(NOW) == 6


# Real concurrency: processes of their own, each with its connection.

CLAIMER = """
import sys, django
django.setup()
from django.conf import settings
from django.db import connection
settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = sys.argv[1]
from annotate.sessions import session as sessions
from annotate.models import Session
number, processes = map(int, sys.argv[2:])
mine = [session for session in Session.objects.order_by("pk") if session.pk % processes == number]
print("ready", flush=True)
sys.stdin.readline()
for session in mine:
    sessions.begin(session)
"""


def claim_in_processes(raters, items, processes=8):
    """Many raters begin at once in a study with fewer places than they want."""
    study = factories.make_study(items=items, raters_per_item=3, items_per_session=4)
    begin_in_processes(study, raters, processes)
    return study


def begin_in_processes(study, raters, processes=8):
    """So many raters of a study begin, as nearly at once as processes can."""
    people = Rater.objects.bulk_create(Rater(study=study, key=f"r{n}") for n in range(raters))
    Session.objects.bulk_create(
        Session(study=study, rater=rater, state=State.INSTRUCTIONS) for rater in people
    )
    command = [sys.executable, "-c", CLAIMER, connection.settings_dict["NAME"]]
    running = [
        subprocess.Popen(
            [*command, str(n), str(processes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(processes)
    ]
    assert [process.stdout.readline() for process in running] == ["ready\n"] * processes
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.wait() for process in running] == [0] * processes


def assert_exact(study, raters):
    """Every place used, none twice, nobody with the same item twice or too many items."""
    held = study.places.filter(state=Place.State.HELD)
    assert held.count() == study.places.count() == 3 * study.items.count()
    pairs = list(held.values_list("rater", "item"))
    assert len(pairs) == len(set(pairs))
    assert max(Counter(rater for rater, _ in pairs).values()) <= 4
    begun = Session.objects.filter(state=State.RATING).count()
    assert begun == len({rater for rater, _ in pairs}) <= raters


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_200_raters_at_once_use_every_place_once():
    assert_exact(claim_in_processes(raters=200, items=200), raters=200)


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_20_raters_at_once_use_every_place_once():
    assert_exact(claim_in_processes(raters=20, items=20), raters=20)
