"""Plans: the worked values of the planner, the check that decides, and what cannot be shown."""

from math import inf, isnan

import numpy as np
import pytest

from analysis.planner.options import PlanOptions
from analysis.planner.plan import Assumed, curve, fewest_items, make_plan

# rho: items by which the judge keeps enough, for 2, 3 and 5 ratings an item; judge equal, of .7
BY_RELIABILITY = {
    0.2: [(1018, 603, 390), (106, 56, 33)],
    0.3: [(374, 233, 160), (87, 50, 32)],
    0.4: [(165, 107, 77), (82, 50, 35)],
    0.5: [(78, 52, 39), (85, 57, 42)],
}


def designs(**options):
    """{ratings an item: its Design}"""
    return {design.raters_per_item: design for design in make_plan(PlanOptions(**options)).designs}


@pytest.mark.parametrize("rho", BY_RELIABILITY)
def test_the_worked_items_by_reliability(rho):
    for judge, expected in zip((None, 0.7), BY_RELIABILITY[rho], strict=True):
        found = designs(rho=rho, judge=judge)
        assert tuple(found[m].needs["retention"] for m in (2, 3, 5)) == expected


def test_the_usual_plan_is_the_worked_one():
    found = designs(fee=100 / 3)
    three = found[3]
    assert (three.items, three.ratings, three.sessions, three.deciding) == (
        233,
        699,
        70,
        "retention",
    )
    assert three.cost == pytest.approx(93.33, abs=0.005)
    assert three.needs == {"agreement": 29, "retention": 233, "level": 192}
    assert (found[2].ratings, found[2].deciding) == (748, "retention")


def test_the_level_may_need_more_items_than_the_judges_retention():
    five = designs()[5]
    # The worked 160 items are of retention alone. v_D = 1.5 (1 + .44 - .6) = 1.26, and
    # 1.26 (2.926405 / .25)^2 = 172.65
    assert (five.needs["retention"], five.needs["level"]) == (160, 173)
    assert (five.items, five.ratings, five.deciding) == (173, 865, "level")


def test_the_cheapest_design():
    assert make_plan(PlanOptions()).cheapest.raters_per_item == 3
    free = make_plan(PlanOptions(hourly_pay=0)).cheapest
    assert (free.cost, free.ratings) == (0, 699)


def test_the_power_of_all_checks_together():
    # Three items' worth by hand: retention Phi(.1 / sqrt(.375304 / 233) - 1.644854) = Phi(.84699)
    # = .80150; level 2 Phi(.25 / sqrt(1.4 / 233) - 1.644854) - 1 = 2 Phi(1.58030) - 1 = .88596;
    # agreement Phi(.3 / sqrt(.418133 / 233) - 1.644854) = 1, and .2 above the floor: 1.
    assert designs()[3].power == pytest.approx(0.80150 + 0.88596 - 1, abs=1e-4)


def test_two_systems_take_the_items_of_each():
    found = designs(use="compare_systems")
    assert (found[3].items, found[3].ratings, found[3].deciding) == (2 * 267, 1602, "systems")
    assert 0.8 <= found[3].power < 0.81
    # whatever the judge has to keep of a rater's agreement
    assert designs(use="compare_systems", retention="4/5") == found


def test_clusters_need_more_items_and_ten_clusters():
    found = designs(cluster_items=5)
    # 1 + .1 (5 - 1) = 1.4 times 232.06 items of the worked plan
    assert found[3].items == 325
    assert designs(rho=1.0, cluster_items=8)[3].items == 80
    assert fewest_items(Assumed(PlanOptions(cluster_items=8))) == 80


def test_thirty_items_are_the_fewest():
    sure = designs(rho=1.0)[2]
    assert (sure.items, sure.deciding) == (30, "fewest")


@pytest.mark.parametrize(
    ("scale", "margin", "variance"), [("2", 0.05, 0.25), ("5", 0.25, 1.5), ("7", 0.3, 3.0)]
)
def test_a_scale_has_its_margin_and_variance(scale, margin, variance):
    assumed = Assumed(PlanOptions(scale=scale))
    assert assumed.scale.level_margin == pytest.approx(margin)
    assert assumed.rating_variance == variance


def test_another_range_is_planned_in_proportion():
    wide = Assumed(PlanOptions(scale="range", scale_range=100))
    assert (wide.scale.level_margin, wide.scale.system_margin) == (5, 6)
    assert wide.rating_variance == 1.5 * 25**2
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
    assert (curve(plan.assumed, 3, np.array([100.0, 10_000.0])) <= 0.5).all()


def test_the_curve_reaches_the_power_at_the_planned_items():
    for options in (PlanOptions(), PlanOptions(use="compare_systems"), PlanOptions(rho=0.5)):
        assumed = Assumed(options)
        for design in make_plan(options).designs:
            if design.deciding == "fewest":
                continue
            step = 2 if assumed.is_comparison else 1
            items = np.array([design.items - step, design.items])
            below, reached = curve(assumed, design.raters_per_item, items)
            assert below < 0.8 <= reached
    assert curve(Assumed(PlanOptions()), 3, np.array([29]))[0] == 0


def test_better_raters_need_fewer_items():
    counts = [designs(rho=rho)[3].items for rho in (0.2, 0.3, 0.4, 0.5)]
    assert counts == sorted(counts, reverse=True)
