"""Plans of a verdict: what is predicted of all checks together, and what can never be shown."""

import numpy as np
import pytest

from analysis.stats.planning.planning import (
    Targets,
    beyond_known,
    judge_agreement,
    level_margin,
    plan_items,
    predict_power,
    taken_out,
)
from analysis.stats.validation.criteria import Scale

# rho, items, targets, simulated by the whole verdict (250 or 400 studies): raters of ten items or
# of thirty, a tenth of the noise their leniency, a quality that correlates .4 with the length,
# 4 systems × 5 topics with 20 cells.
FIVE = {"rating_variance": 1.018, "known": 0.16, "groups": 20}
SIMULATED = [
    (0.3, 300, FIVE, 0.816),
    (0.3, 300, FIVE | {"session_items": 30.0}, 0.740),
    (0.3, 300, FIVE | {"rating_variance": 0.966, "is_skewed": True}, 0.720),
    (0.3, 300, FIVE | {"known": 0.328}, 0.748),
    (0.5, 100, FIVE, 0.584),
]


@pytest.mark.parametrize(("rho", "items", "targets", "simulated"), SIMULATED)
def test_studies_get_a_yes_as_often_as_predicted(rho, items, targets, simulated):
    power = predict_power(rho, rho, 3, items, Targets(**targets))
    assert power.joint == pytest.approx(simulated, abs=0.05)


def test_what_is_known_without_reading_leaves_the_rest():
    # rho' = .3 .8 / (1 - .06) and, for a judge of q = .8, r' = .8 sqrt(.3) .8 / sqrt(.872 .94)
    assert beyond_known(0.3, 0.3, 0.2) == pytest.approx((0.2553191, 0.2553191))
    rho, r = beyond_known(0.3, 0.8 * 0.3**0.5, 0.2)
    assert (rho, r) == pytest.approx((0.2553191, 0.3871849), abs=1e-6)
    assert beyond_known(0.0, 0.1, 0.2) == (0.0, 0.1)


def test_the_joint_check_takes_out_groups_and_clusters():
    assert taken_out(100, Targets()) == 12
    assert taken_out(100, Targets(groups=4, cluster_items=5)) == 12 + 4 + 20
    # With no more items than that there is nothing left to agree on.
    power = predict_power(0.9, 0.9, 5, [72, 73, 400], Targets(groups=60))
    assert power.joint[0] == 0 and power.joint[1] < power.joint[2]


def test_the_level_s_margin_is_at_least_a_fifth_of_the_sd():
    assert level_margin(Scale(1, 5), 1.5) == 0.25
    assert level_margin(Scale(1, 2), 0.25) == pytest.approx(0.1)
    assert level_margin(Scale(1, 7), 3.0) == pytest.approx(0.2 * 3**0.5)


def test_raters_leniency_needs_more_items_where_each_rates_many():
    few, many = (
        predict_power(0.5, 0.7, 3, 200, Targets(rating_variance=1.5, session_items=each))
        for each in (10, 30)
    )
    # level: .25 over the root of 1.5 (1 + 2/3 - 1.4 + .05 (each - 1) / 3) / 200
    assert few.level > many.level and few.retention > many.retention - 0.02
    assert np.isnan(predict_power(0.5, 0.7, 3, 200).level)


def test_answers_at_one_end_need_more_items():
    even, skewed = (plan_items(0.3, 0.3, 3, targets=Targets(is_skewed=s)) for s in (0, 1))
    assert 1.1 < skewed / even < 1.5


def test_clusters_need_more_items():
    single, clustered = (
        plan_items(0.3, 0.3, 3, targets=Targets(cluster_items=size)) for size in (1, 5)
    )
    assert 1.3 < clustered / single < 1.6  # 1 + .1 (5 - 1), and one number a cluster taken out


def test_the_items_are_the_first_with_the_power():
    items = plan_items(0.3, 0.3, 3, 0.8, Targets(rating_variance=1.5))
    power = predict_power(0.3, 0.3, 3, [items - 1, items], Targets(rating_variance=1.5)).joint
    assert power[0] < 0.8 <= power[1]


def test_more_items_and_more_raters_never_hurt():
    items = np.arange(100, 400)
    powers = np.array([predict_power(0.3, 0.35, m, items).joint for m in (2, 3, 5)])
    assert (np.diff(powers, axis=1) >= 0).all() and (np.diff(powers, axis=0) >= 0).all()


@pytest.mark.parametrize(("rho", "r"), [(0.3, 0.2), (0.3, 0.1), (0.1, 0.1), (0.0, 0.0)])
def test_what_no_number_of_items_can_show(rho, r):
    assert plan_items(rho, r, 3) == np.inf
    assert predict_power(rho, r, 3, 10**8).joint < 0.501


def test_without_a_floor_a_low_agreement_only_needs_many_items():
    assert np.isfinite(plan_items(0.1, 0.1, 3, targets=Targets(floor=0)))


def test_one_rating_an_item_can_decide_nothing():
    assert plan_items(0.3, 0.3, 1) == np.inf
    assert predict_power(0.3, 0.3, 1, 10_000).joint == 0


def test_a_verdict_needs_thirty_items_and_ten_clusters():
    power = predict_power(0.95, 0.95, 5, [29, 30], Targets(known=0.0))
    assert power.joint[0] == 0 and power.joint[1] > 0.5
    assert predict_power(0.95, 0.95, 5, 49, Targets(cluster_items=5)).joint == 0


def test_raters_who_always_agree_need_the_fewest_items():
    assert plan_items(1.0, 1.0, 5) == 30


def test_a_judge_that_contradicts_its_raters_has_no_plan():
    assert np.isnan(predict_power(0.1, 0.9, 3, 100).joint)
    assert plan_items(0.1, 0.9, 3) == np.inf


def test_impossible_targets_are_refused():
    for name, value in (("alpha", 0.6), ("known", 1.5), ("cluster_items", 0.0)):
        with pytest.raises(ValueError, match=f"{name}|items: expected"):
            predict_power(0.3, 0.3, 3, 100, Targets(**{name: value}))
    with pytest.raises(ValueError, match="rho: expected"):
        predict_power(1.3, judge_agreement(0.3), 3, 100)
