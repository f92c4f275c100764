"""In which order items stand: the policies, and who takes which row of a design."""

from collections import Counter
from itertools import pairwise
from threading import Thread

import pytest
from django.db import connections

from annotate.models import Session
from annotate.sessions import places
from annotate.sessions import session as sessions
from annotate.sessions.order import in_blocks, in_rounds, williams
from tests import factories

SYSTEMS = ["a", "b", "c", "d"]


@pytest.fixture
def four(owner):
    """A study of four systems with three items each; sessions have four items."""
    study = factories.make_study(owner=owner, items_per_session=12, raters_per_item=40)
    for number in range(12):
        factories.make_item(study, f"item-{number}", system=SYSTEMS[number % 4])
    return study


def begin(study):
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    return Session.objects.select_related("study", "rater").get(pk=session.pk)


def order(session, what="item__key"):
    return list(session.places.order_by("position").values_list(what, flat=True))


def policy(study, name, **extra):
    study.extra |= {"order": name} | extra
    study.save()


def test_a_williams_design_of_four_written_by_hand():
    """The first row alternates between both ends of the names; the others shift it."""
    assert williams(["A", "B", "C", "D"]) == [
        ["A", "B", "D", "C"],
        ["B", "C", "A", "D"],
        ["C", "D", "B", "A"],
        ["D", "A", "C", "B"],
    ]


@pytest.mark.parametrize("count", range(2, 9))
def test_each_treatment_stands_equally_often_everywhere_and_after_each_other(count):
    rows = williams(range(count))
    times = 2 if count % 2 else 1
    assert len(rows) == times * count
    places = Counter((at, one) for row in rows for at, one in enumerate(row))
    follow = Counter(pair for row in rows for pair in pairwise(row))
    assert set(places.values()) == {times} and len(places) == count**2
    assert set(follow.values()) == {times} and len(follow) == count * (count - 1)


def test_rounds_and_blocks_by_hand():
    systems = {1: "a", 2: "a", 3: "b", 4: "b", 5: "a", 6: None}
    rows = [["a", "b", None], ["b", "a", None]]
    assert in_rounds([5, 4, 3, 2, 1, 6], systems, rows, 0) == [5, 4, 6, 3, 2, 1]
    assert in_rounds([5, 4, 3, 2, 1, 6], systems, rows, 3) == [4, 5, 6, 2, 3, 1]
    assert in_blocks([5, 4, 3, 2, 1, 6], systems, rows, 1) == [4, 3, 5, 2, 1, 6]


@pytest.mark.django_db
def test_systems_are_counterbalanced_over_four_sessions(four):
    policy(four, "latin_square")
    seen = [order(begin(four), "item__system__key") for _ in range(4)]
    for start in (0, 4, 8):
        for at in range(start, start + 4):
            assert sorted(row[at] for row in seen) == SYSTEMS
        follow = Counter(pair for row in seen for pair in pairwise(row[start : start + 4]))
        assert len(follow) == 12 and set(follow.values()) == {1}


@pytest.mark.django_db
def test_blocks_keep_a_system_together_in_a_counterbalanced_order(four):
    policy(four, "blocks")
    visits = [begin(four) for _ in range(4)]
    firsts = []
    for session in visits:
        systems = order(session, "item__system__key")
        blocks = [systems[start : start + 3] for start in (0, 3, 6, 9)]
        assert all(len(set(block)) == 1 for block in blocks)
        firsts.append(systems[0])
    assert sorted(firsts) == SYSTEMS
    assert len({tuple(order(session)) for session in visits}) == 4


@pytest.mark.django_db
def test_fixed_is_the_order_of_the_file_with_profiles_first(four):
    factories.make_item(four, "profile", kind="profile", system=None)
    four.items_per_session = 13
    policy(four, "fixed")
    expected = ["profile", *(f"item-{number}" for number in range(12))]
    assert [order(begin(four)) for _ in range(2)] == [expected, expected]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["random", "latin_square", "blocks", "fixed"])
def test_a_session_gets_its_order_again_however_often_it_is_drawn(four, name):
    policy(four, name, repeats=2)
    first, session = begin(four), begin(four)
    before = (
        order(session),
        list(session.screens.values_list("position", "item__key")),
    )
    for _ in range(2):
        places.put_in_order(Session.objects.get(pk=session.pk), first=[])
        again = (
            order(session),
            list(session.screens.values_list("position", "item__key")),
        )
        assert again == before
    assert (order(first) == order(session)) == (name == "fixed")


@pytest.mark.django_db
def test_another_seed_of_the_study_gives_another_order(four):
    session = begin(four)
    before = order(session)
    policy(four, "random", order_seed=7)
    places.put_in_order(Session.objects.get(pk=session.pk), first=[])
    assert sorted(order(session)) == sorted(before) and order(session) != before


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_sessions_that_begin_at_once_take_different_rows(four):
    policy(four, "latin_square")
    visits = [sessions.begin_visit(four, {}, consents=True) for _ in range(16)]
    failed = []

    def start(some):
        try:
            for session in some:
                assert sessions.begin(session)
        except Exception as error:  # noqa: BLE001 (told to the test)
            failed.append(error)
        finally:
            connections.close_all()

    threads = [Thread(target=start, args=[visits[number::4]]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert sorted(Session.objects.values_list("order_row", flat=True)) == list(range(16))


@pytest.mark.django_db
def test_rows_belong_to_a_study_and_random_ones_take_none(four, owner):
    other = factories.make_study("other", owner=owner, items=2)
    assert begin(other).order_row is None
    policy(other, "blocks")
    policy(four, "blocks")
    assert [begin(study).order_row for study in (other, four, four)] == [0, 0, 1]
