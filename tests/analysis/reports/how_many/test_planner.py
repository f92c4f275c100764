"""Plans: the items that all checks together need, the cheapest design, and what cannot be shown."""

from math import inf, isnan

import numpy as np
import pytest

from analysis.reports.how_many import planner
from analysis.reports.how_many.options import PlanOptions
from analysis.reports.how_many.planner import Plan


def designs(**options):
    """{ratings per item: its row}"""
    return {row["raters_per_item"]: row for row in Plan(PlanOptions(**options)).rows}


def test_the_items_are_the_first_with_the_power_asked_for():
    for options in (PlanOptions(), PlanOptions(use="compare_systems"), PlanOptions(rho=0.5)):
        plan = Plan(options)
        for row in plan.rows:
            step = 2 if plan.is_comparison else 1
            items = np.array([row["items"] - step, row["items"]])
            below, reached = plan.power(row["raters_per_item"], items)
            assert below < 0.8 <= reached
            assert reached == pytest.approx(row["power"])
    assert Plan(PlanOptions()).power(3, np.array([29]))[0] == 0


def test_sessions_and_costs():
    three = designs(fee=100 / 3)[3]
    assert three["ratings"] == 3 * three["items"]
    assert three["sessions"] == np.ceil(three["ratings"] / 10)
    # a session of ten items at 40 s, 9 an hour and a third on top: 1.3333
    assert three["cost"] == pytest.approx(three["sessions"] * 4 / 3)


def hardest(m=None, **options):
    """What decides most in the cheapest study, or in that of so many ratings per item."""
    plan = Plan(PlanOptions(**options))
    return plan.hardest(designs(**options)[m] if m else plan.cheapest)


def test_the_cheapest_study_and_its_hardest_check():
    plan = Plan(PlanOptions())
    assert plan.cheapest["cost"] == min(row["cost"] for row in plan.rows)
    assert hardest() == "whether the judge keeps enough of a rater’s agreement"
    # A good judge is soon shown to be one; its level is not, and less so by raters of 50 items.
    assert hardest(3, judge=0.9, session_items=50) == "whether the judge’s level is people’s"
    assert "beyond what is known" in hardest(3, judge=0.9, known=0.9)
    assert Plan(PlanOptions(hourly_pay=0)).cheapest["cost"] == 0


def test_two_systems_take_the_items_of_each():
    found = designs(use="compare_systems")
    # PLANNING, section 2b: 267 items a system at power .8 for a variance of 1.4
    assert (found[3]["items"], found[3]["ratings"]) == (2 * 267, 1602)
    assert hardest(use="compare_systems") == "whether the judge favours neither system"
    assert 0.8 <= found[3]["power"] < 0.81
    # whatever the judge has to keep of a rater's agreement
    assert designs(use="compare_systems", retention="4/5") == found


def test_ten_clusters_and_thirty_items_are_the_fewest():
    assert designs(rho=1.0, cluster_items=8)[3]["items"] == 80
    assert designs(rho=1.0)[2]["items"] == 30
    assert hardest(2, rho=1.0) == "the fewest items of a verdict"


def test_what_is_taken_out_needs_more_items():
    usual = designs()[3]["items"]
    assert designs(systems=20)[3]["items"] > usual
    assert designs(known=0.5)[3]["items"] > usual
    assert designs(answers="one_end")[3]["items"] > usual
    assert designs(session_items=40)[3]["items"] > usual


@pytest.mark.parametrize(
    ("scale", "margin", "variance"),
    [("2", 0.1, 0.25), ("5", 0.25, 1.5), ("7", 0.34641, 3.0), ("10", 0.551135, 7.59375)],
)
def test_a_scale_has_its_margin_and_variance(scale, margin, variance):
    targets = Plan(PlanOptions(scale=scale)).targets
    assert targets.level_margin == pytest.approx(margin, abs=1e-5)
    assert targets.rating_variance == pytest.approx(variance)


def test_another_range_is_planned_in_proportion():
    wide = Plan(PlanOptions(scale="range", scale_range=100))
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
    plan = Plan(PlanOptions(**options))
    assert plan.cheapest is None
    assert {row["items"] for row in plan.rows} == {inf}
    assert {row["cost"] for row in plan.rows} == {inf}
    assert all(isnan(row["power"]) for row in plan.rows)
    assert (plan.power(3, np.array([100.0, 10_000.0])) <= 0.501).all()


def test_better_raters_need_fewer_items():
    counts = [designs(rho=rho)[3]["items"] for rho in (0.2, 0.3, 0.4, 0.5)]
    assert counts == sorted(counts, reverse=True)


def answer(**options):
    return planner.sentences(Plan(PlanOptions(**options)))


def notes(**options):
    return " ".join(planner.notes(Plan(PlanOptions(**options))))


def test_the_answer_is_one_sentence_and_what_its_probability_is_of():
    first, second = answer()
    assert first == "454 items with 2 ratings each decide: 908 ratings, 91 sessions, about 121.33."
    assert second == (
        "The chance of a yes for a judge like this is then .80. What decides most: whether the "
        "judge keeps enough of a rater’s agreement."
    )


def test_two_systems():
    first, second = answer(use="compare_systems")
    assert first.startswith("300 items of each of two systems with 2 ratings each decide")
    assert second.startswith(
        "The chance is then .80 that a judge which favours neither system is shown to favour "
        "neither."
    )


def test_few_raters_are_warned_of():
    *_, last = answer(rho=1.0)
    assert last.startswith("These are fewer than 10 raters")
    assert len(answer(session_items=10)) == 2


def test_why_nothing_can_be_shown():
    first, second = answer(rho=0.1)
    assert first == "With these numbers no number of items is enough."
    assert second.startswith("Two raters of an item agree by .10. At .10 or less no judge")
    _, reason = answer(judge=0.3)
    assert reason.startswith("A judge like this agrees with a rater by .16. That is not more than")
    assert len(answer(rho=0.1, judge=-1)) == 3


def test_why_nothing_can_be_shown_of_systems():
    systems = {"use": "compare_systems"}
    _, reason = answer(**systems, rho=0.1)
    assert reason.startswith("Two raters of an item agree by .10. At .10 or less no judge")
    first, reason = answer(**systems, judge=-1)
    assert first == "With these numbers no number of items is enough."
    assert reason.startswith("A judge like this agrees with a rater by -.55: it does not follow")
    assert len(answer(**systems, judge=0)) == 2


def test_the_fewest_items_are_named():
    assert "What decides most: the fewest items of a verdict." in answer(rho=1.0)[1]


def test_notes_say_what_is_assumed_and_left_out():
    text = notes()
    for part in ("joint check", "text length", "several judges", "0.25 points", "leniency"):
        assert part in text
    assert "takes out 12 numbers" in text and "takes out 16 numbers" in notes(systems=4)
    assert "At least 10 raters, else the verdict is about these raters only." in text
    assert "One rating per item can decide nothing" in text
    assert "at one end" in notes(answers="one_end") and "at one end" not in text
    assert "1.4 times as many" in notes(cluster_items=5) and "assumed" in notes(cluster_items=5)
    assert "0.3 points" in notes(use="compare_systems")
    assert "in proportion" in notes(scale="range")
