"""Advice at a look: the worked example, the check that needs most, and what cannot help."""

import numpy as np
import pytest

from analysis.stats.planning.stopping import (
    Check,
    State,
    StoppingRule,
    advise,
    agreement_check,
    level_check,
    look,
    retention_check,
)

RULE = StoppingRule()
ERROR = 0.612620 / np.sqrt(120)
WORKED = agreement_check(0.3, 0.05), retention_check(0.3, 0.3, ERROR)


def advice(agreement, retention, *others, clusters=120, items=120, m=3, rating_cost=0.4, rule=RULE):
    seen = look(rule, agreement, retention, others, clusters=clusters)
    return advise(rule, seen, items=items, m=m, rating_cost=rating_cost)


def test_the_worked_advice():
    worked = advice(*WORKED)
    same, four, five = worked.options[:3]
    assert (same.clusters, same.more_items, same.ratings) == (291, 171, 513)
    assert (four.clusters, four.more_items, four.ratings) == (230, 110, 560)
    assert (five.clusters, five.ratings) == (199, 635)
    assert worked.cheapest == same
    assert same.cost == pytest.approx(513 * 0.4)
    assert worked.raters_alone is None
    assert worked.course is None


def test_the_worked_price_of_an_item():
    # "~$68 at $.40 an item (three ratings)"
    assert advice(*WORKED, rating_cost=0.4 / 3).cheapest.cost == pytest.approx(68.4)


def test_the_range_of_a_standard_error():
    # the first t with .612620 margin(t) <= .1 + .055924, and <= .1 - .055924, by counting up
    worked = advice(*WORKED)
    assert (worked.fewest_items, worked.most_items) == (122 - 120, 1700 - 120)


def test_a_range_without_an_end():
    wide = advice(WORKED[0], retention_check(0.3, 0.25, ERROR))
    assert np.isfinite(wide.cheapest.cost)
    assert wide.most_items == np.inf


def test_clusters_of_five_items_take_five_times_the_items():
    single, clustered = advice(*WORKED), advice(*WORKED, items=600)
    assert clustered.cheapest.clusters == single.cheapest.clusters
    assert clustered.cheapest.more_items == 5 * 171
    # items are whole
    assert advice(*WORKED, items=181).cheapest.more_items == np.ceil(171 * 181 / 120)


def test_of_the_open_checks_the_most_needed_decides():
    within = retention_check(0.2, 0.16, ERROR, 0.5, "retention within system")
    both = advice(*WORKED, within)
    alone = advice(WORKED[0], Check("retention", 0.5, 0.01), within)
    assert both.options == alone.options
    assert both.cheapest.clusters > 291


def test_a_check_that_is_shown_needs_nothing():
    done = advice(agreement_check(0.3, 0.05), retention_check(0.3, 0.6, 0.05))
    assert {option.more_items for option in done.options} == {0}
    assert (done.cheapest.ratings, done.cheapest.cost, done.raters_alone) == (0, 0, 0)
    assert (done.fewest_items, done.most_items) == (0, 0)


def test_more_raters_alone_may_be_enough():
    # Two ratings per item, and a bound at .1 - 2.812777 * .04 < 0. A third rating cuts the variance
    # from .604469 to .375304, and the bound to .1 - 2.812777 * .031519 > 0.
    close = advice(agreement_check(0.3, 0.01), retention_check(0.3, 0.3, 0.04), m=2)
    assert close.options[0].more_items > 0
    assert (close.raters_alone, close.options[1].more_items) == (1, 0)
    assert close.options[1].ratings == 120
    # The items cost less: the first t with .04 sqrt(120) margin(t) <= .1 is 150.
    assert close.cheapest == close.options[0]
    assert close.cheapest.ratings == 2 * (150 - 120)


def test_a_check_that_more_raters_do_not_help():
    stuck = advice(WORKED[0], Check("retention", 0.1, ERROR))
    assert {option.more_items for option in stuck.options} == {171}
    assert stuck.cheapest.more_raters == 0


def test_the_level_is_helped_by_more_raters_only_a_little():
    level = level_check(0.1, 0.07, 0.25, 0.3, 0.3)
    one, two = advice(agreement_check(0.3, 0.01), Check("retention", 1, 0.01), level).options[:2]
    # v_D falls from 1 + .533333 - .6 to 1 + .475 - .6
    assert two.clusters / one.clusters == pytest.approx(0.875 / 0.933333, rel=0.02)
    assert 120 < two.clusters < one.clusters


def test_on_course_for_something_else_there_is_no_advice():
    for agreement, retention, others, course in [
        (agreement_check(0.3, 0.05), retention_check(0.3, 0.2, ERROR), (), State.MAY_NOT),
        (agreement_check(0.3, 0.05), retention_check(0.3, 0.1, ERROR), (), State.MAY_NOT),
        (agreement_check(0.09, 0.05), retention_check(0.09, 0.3, ERROR), (), State.RATERS_DISAGREE),
        (agreement_check(-0.1, 0.2), retention_check(-0.1, 0.0, ERROR), (), State.RATERS_DISAGREE),
        (*WORKED, (level_check(-0.3, 0.1, 0.25, 0.3, 0.3),), State.LIMIT),
        (*WORKED, (Check("agreement within system", -0.01, 0.1),), State.LIMIT),
    ]:
        hopeless = advice(agreement, retention, *others)
        assert hopeless.course == course
        assert hopeless.cheapest is None and hopeless.raters_alone is None
        assert {option.cost for option in hopeless.options} == {np.inf}
        assert np.isnan(hopeless.fewest_items) and np.isnan(hopeless.most_items)


def test_at_the_edges_of_the_course():
    agreed = agreement_check(0.1, 0.02)
    assert advice(agreed, WORKED[1]).course is None  # the floor itself is reached
    rule = StoppingRule(floor=0)
    assert advice(agreement_check(0.0, 0.02), WORKED[1], rule=rule).course == State.RATERS_DISAGREE
    at_the_margin = Check("level", 0.25, 0.1, -0.25, 0.25)
    assert advice(*WORKED, at_the_margin).course == State.LIMIT


def test_up_to_five_more_raters_are_tried():
    assert [option.more_raters for option in advice(*WORKED).options] == [0, 1, 2, 3, 4, 5]


def test_with_one_rating_an_item_more_raters_cannot_be_weighed():
    options = advice(*WORKED, m=1, items=1, clusters=1, rating_cost=0).options
    assert options[0].cost == 0 and np.isfinite(options[0].clusters)
    assert all(np.isnan(option.clusters) for option in options[1:])


def test_without_variance_more_raters_change_nothing():
    equal = retention_check(1.0, 1.0, ERROR)
    needs = {option.clusters for option in advice(agreement_check(1.0, 0.01), equal).options}
    assert len(needs) == 1


def test_an_undefined_check_has_no_advice():
    lost = advice(WORKED[0], Check("retention", np.nan, np.nan))
    assert lost.cheapest is None and lost.course is None
    assert all(np.isnan(option.cost) for option in lost.options)


def test_before_fifty_clusters_the_first_look_is_the_least():
    early = advice(
        agreement_check(0.5, 0.001), retention_check(0.5, 0.5, 0.001), clusters=20, items=40
    )
    assert (early.cheapest.clusters, early.cheapest.more_items) == (50, 60)


def test_the_price_only_scales_the_cost():
    first, second = (advice(*WORKED, rating_cost=cost) for cost in (0.1, 0.2))
    assert [2 * option.cost for option in first.options] == [o.cost for o in second.options]
    assert first.cheapest.more_raters == second.cheapest.more_raters


@pytest.mark.parametrize("wrong", [{"items": 0}, {"clusters": 0}, {"m": 0.5}, {"rating_cost": -1}])
def test_impossible_numbers_are_refused(wrong):
    with pytest.raises(ValueError, match="expected"):
        advice(*WORKED, **wrong)
