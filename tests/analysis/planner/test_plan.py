"""Plans: the items that all checks together need, the cheapest design, and what cannot be shown."""

from math import inf, isnan

import numpy as np
import pytest

from analysis.planner.options import PlanOptions
from analysis.planner.plan import Assumed, make_plan


def designs(**options):
    """{ratings an item: its Design}"""
    return {design.raters_per_item: design for design in make_plan(PlanOptions(**options)).designs}


def test_the_items_are_the_first_with_the_power_asked_for():
    for options in (PlanOptions(), PlanOptions(use="compare_systems"), PlanOptions(rho=0.5)):
        assumed = Assumed(options)
        for design in make_plan(options).designs:
            step = 2 if assumed.is_comparison else 1
            items = np.array([design.items - step, design.items])
            below, reached = assumed.power(design.raters_per_item, items)
            assert below < 0.8 <= reached
            assert reached == pytest.approx(design.power)
    assert Assumed(PlanOptions()).power(3, np.array([29]))[0] == 0


def test_sessions_and_costs():
    three = designs(fee=100 / 3)[3]
    assert three.ratings == 3 * three.items and three.sessions == np.ceil(three.ratings / 10)
    # a session of ten items at 40 s, 9 an hour and a third on top: 1.3333
    assert three.cost == pytest.approx(three.sessions * 4 / 3)


def test_the_cheapest_design_and_its_hardest_check():
    plan = make_plan(PlanOptions())
    assert plan.cheapest.cost == min(design.cost for design in plan.designs)
    assert plan.cheapest.hardest == "retention"
    # A good judge is soon shown to be one; its level is not, and less so by raters of 50 items.
    assert designs(judge=0.9, session_items=50)[3].hardest == "level"
    assert designs(judge=0.9, known=0.9)[3].hardest == "known"
    assert make_plan(PlanOptions(hourly_pay=0)).cheapest.cost == 0


def test_two_systems_take_the_items_of_each():
    found = designs(use="compare_systems")
    # PLANNING, section 2b: 267 items a system at power .8 for a variance of 1.4
    assert (found[3].items, found[3].ratings, found[3].hardest) == (2 * 267, 1602, "systems")
    assert 0.8 <= found[3].power < 0.81
    # whatever the judge has to keep of a rater's agreement
    assert designs(use="compare_systems", retention="4/5") == found


def test_ten_clusters_and_thirty_items_are_the_fewest():
    assert designs(rho=1.0, cluster_items=8)[3].items == 80
    sure = designs(rho=1.0)[2]
    assert (sure.items, sure.hardest) == (30, "fewest")


def test_what_is_taken_out_needs_more_items():
    usual = designs()[3].items
    assert designs(systems=20)[3].items > usual
    assert designs(known=0.5)[3].items > usual
    assert designs(answers="one_end")[3].items > usual
    assert designs(session_items=40)[3].items > usual


@pytest.mark.parametrize(
    ("scale", "margin", "variance"),
    [("2", 0.1, 0.25), ("5", 0.25, 1.5), ("7", 0.34641, 3.0), ("10", 0.551135, 7.59375)],
)
def test_a_scale_has_its_margin_and_variance(scale, margin, variance):
    targets = Assumed(PlanOptions(scale=scale)).targets
    assert targets.level_margin == pytest.approx(margin, abs=1e-5)
    assert targets.rating_variance == pytest.approx(variance)


def test_another_range_is_planned_in_proportion():
    wide = Assumed(PlanOptions(scale="range", scale_range=100))
    # A fifth of the SD, 25 sqrt(1.5), is more than 5 % of the range.
    assert wide.targets.level_margin == pytest.approx(6.1237, abs=1e-4)
    assert wide.scale.system_margin == 6
    assert wide.targets.rating_variance == 1.5 * 25**2
    # twice the range changes nothing
    assert designs(scale="range", scale_range=200) == designs(scale="range", scale_range=100)


@pytest.mark.parametrize(
    "options",
    [
        {"rho": 0.1},  # the floor itself
        {"rho": 0.0},
        {"judge": 0.3},  # r = .3 sqrt(.3) = .164, two thirds of rho are .2
        {"judge": -0.5},
        {"use": "compare_systems", "judge": -1.0},
        {"use": "compare_systems", "judge": 0.0},
        {"use": "compare_systems", "rho": 0.1},
        {"use": "compare_systems", "rho": 0.0},
    ],
)
def test_what_no_number_of_items_can_show(options):
    plan = make_plan(PlanOptions(**options))
    assert plan.cheapest is None
    assert {design.items for design in plan.designs} == {inf}
    assert {row["cost"] for row in plan.rows} == {inf}
    assert all(isnan(row["power"]) for row in plan.rows)
    assert (plan.assumed.power(3, np.array([100.0, 10_000.0])) <= 0.501).all()


def test_better_raters_need_fewer_items():
    counts = [designs(rho=rho)[3].items for rho in (0.2, 0.3, 0.4, 0.5)]
    assert counts == sorted(counts, reverse=True)
