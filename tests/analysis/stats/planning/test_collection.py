"""Sessions and money of a plan."""

import numpy as np
import pytest

from analysis.stats.planning.collection import plan_collection

CROWD = {"session_items": 10, "item_seconds": 40, "hourly_pay": 9, "fee": 1 / 3}


def test_the_worked_costs():
    plan = plan_collection(233, 3, **CROWD)
    assert (plan.ratings, plan.sessions) == (699, 70)
    assert plan.cost == pytest.approx(93.33, abs=0.005)
    assert plan.seconds == 28_000


def test_an_item_needs_as_many_sessions_as_ratings():
    plan = plan_collection(2, 5, **CROWD)
    assert (plan.ratings, plan.sessions) == (10, 5)


def test_a_session_begun_is_one_more():
    assert plan_collection([45, 46], 2, **CROWD).sessions.tolist() == [9, 10]


def test_a_grid_has_the_shape_of_all_arguments_together():
    plan = plan_collection(np.array([100, 200, 300]), np.array([[2], [3]]), **CROWD)
    assert plan.cost.shape == (2, 3)
    assert plan.cost[1, 2] == plan_collection(300, 3, **CROWD).cost


def test_what_cannot_be_shown_costs_without_end():
    plan = plan_collection([np.inf, np.nan], 3, **CROWD)
    assert plan.cost[0] == np.inf
    assert np.isnan(plan.cost[1])


def test_twice_the_pay_is_twice_the_cost():
    once, twice = (plan_collection(50, 3, **{**CROWD, "hourly_pay": pay}) for pay in (9, 18))
    assert twice.cost == 2 * once.cost


@pytest.mark.parametrize(
    "changed",
    [{"session_items": 0}, {"item_seconds": -1}, {"hourly_pay": -1}, {"fee": -0.1}],
)
def test_impossible_numbers_are_refused(changed):
    with pytest.raises(ValueError, match=f"{next(iter(changed))}: expected"):
        plan_collection(100, 3, **{**CROWD, **changed})
    with pytest.raises(ValueError, match="m: expected"):
        plan_collection(100, 0, **CROWD)
