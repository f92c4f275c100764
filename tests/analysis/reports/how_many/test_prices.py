"""Sessions and money of what is to be collected."""

from math import inf

import pytest

from analysis.reports.how_many.prices import Prices

CROWD = Prices(session_items=10, item_seconds=40, hourly_pay=9, fee=1 / 3)


def test_the_worked_costs():
    taken = CROWD.collect(233, 3)
    assert (taken["ratings"], taken["sessions"]) == (699, 70)
    assert taken["cost"] == pytest.approx(93.33, abs=0.005)


def test_an_item_needs_as_many_sessions_as_ratings():
    taken = CROWD.collect(2, 5)
    assert (taken["ratings"], taken["sessions"]) == (10, 5)


def test_a_session_begun_is_one_more():
    assert [CROWD.collect(items, 2)["sessions"] for items in (45, 46)] == [9, 10]


def test_what_cannot_be_shown_costs_without_end():
    assert CROWD.collect(inf, 3) == {"ratings": inf, "sessions": inf, "cost": inf}


def test_an_item_costs_its_ratings_without_a_fee():
    assert CROWD.of_item(3) == pytest.approx(3 * 40 * 9 / 3600)
    assert Prices(10, 40, 9, is_known=False).of_item(3) is None
