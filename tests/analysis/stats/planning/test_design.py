"""Plans of a verdict: the worked table, grids, and what no number of items can show."""

import numpy as np
import pytest

from analysis.stats.planning.design import Targets, plan_items, predict_power
from analysis.stats.planning.variances import judge_agreement

# rho: items for a judge equal to one rater (of quality .7) with 2, 3, 5 ratings an item
BY_RELIABILITY = {
    0.2: [(1018, 106), (603, 56), (390, 33)],
    0.3: [(374, 87), (233, 50), (160, 32)],
    0.4: [(165, 82), (107, 50), (77, 35)],
    0.5: [(78, 85), (52, 57), (39, 42)],
}


def test_the_worked_items_by_reliability():
    rho, m = np.array([[0.2], [0.3], [0.4], [0.5]]), np.array([2, 3, 5])
    equal = plan_items(rho, judge_agreement(rho), m)
    good = plan_items(rho, judge_agreement(rho, 0.7), m)
    expected = np.array(list(BY_RELIABILITY.values()))
    assert equal.retention.tolist() == expected[:, :, 0].tolist()
    assert good.retention.tolist() == expected[:, :, 1].tolist()


def test_three_ratings_an_item_are_cheapest():
    m = np.array([2, 3, 5])
    assert (plan_items(0.3, 0.3, m).items * m).tolist() == [748, 699, 800]


def test_powers_that_were_simulated():
    # a judge equal to one rater, 300 items of 3 ratings; simulated .46, .76, 1.00
    rho = np.array([0.18, 0.27, 0.46])
    power = predict_power(rho, rho, 3, 300)
    assert power.retention == pytest.approx([0.467, 0.799, 1.000], abs=5e-4)


def test_the_most_needed_items_decide():
    targets = Targets(level_variance=1.4)
    needs = plan_items(0.3, 0.4, 3, targets=targets)
    assert (needs.agreement, needs.retention, needs.level, needs.items) == (29, 39, 192, 192)
    # people's agreement may need more than the judge does
    assert plan_items(0.2, judge_agreement(0.2, 0.7), 2).items == 143


def test_clusters_need_as_many_times_the_items():
    single, clustered = (
        plan_items(0.3, 0.3, 3, targets=Targets(factor=factor, level_variance=1.4))
        for factor in (1, 2)
    )
    for check in ("agreement", "retention", "level"):
        assert getattr(clustered, check) == pytest.approx(2 * getattr(single, check), abs=1)
    power = predict_power(0.3, 0.3, 3, 200, Targets(factor=2, level_variance=1.4))
    half = predict_power(0.3, 0.3, 3, 100, Targets(level_variance=1.4))
    assert power == half


def test_all_checks_together_by_hand():
    power = predict_power(0.3, 0.4, 3, 50)
    assert power.joint == pytest.approx(0.885273 + 0.949050 - 1, abs=1e-6)
    assert np.isnan(power.level)
    with_level = predict_power(0.3, 0.4, 3, 200, Targets(level_variance=1.4))
    # 2 Phi(.25 / sqrt(1.4 / 200) - 1.644854) - 1 with Phi(1.343218) = .910400
    assert with_level.level == pytest.approx(0.820799, abs=2e-6)
    # Agreement has to reach .10 too: Phi(.2 / sqrt(.418133 / 200)) = Phi(4.374) = .999994
    assert with_level.agreement == pytest.approx(0.999994, abs=1e-6)
    assert with_level.joint == pytest.approx(0.820799 - 0.000026 - 0.000006, abs=3e-6)


def test_a_grid_has_the_shape_of_all_arguments_together():
    rho = np.array([0.1, 0.2, 0.3, 0.5])[:, None, None]
    power = predict_power(rho, rho, np.array([2, 3, 5])[:, None], np.array([50, 100]))
    assert {power.agreement.shape, power.retention.shape, power.level.shape} == {(4, 3, 2)}
    assert power.joint.shape == (4, 3, 2)
    single = predict_power(0.3, 0.3, 3, 100)
    assert power.joint[2, 1, 1] == single.joint
    assert plan_items(rho, rho, np.array([2, 3])).items.shape == (4, 1, 2)


def test_more_items_and_more_raters_never_hurt():
    items = np.arange(30, 400)
    power = predict_power(0.3, 0.35, np.array([2, 3, 5])[:, None], items)
    for values in (power.agreement, power.retention, power.joint):
        assert (np.diff(values, axis=1) >= 0).all()
        assert (np.diff(values, axis=0) >= 0).all()


def test_what_no_number_of_items_can_show():
    # retention 0 and below; agreement at the floor
    needs = plan_items(np.array([0.3, 0.3, 0.1]), np.array([0.2, 0.1, 0.1]), 3)
    assert needs.retention[:2].tolist() == [np.inf, np.inf]
    assert needs.items.tolist() == [np.inf] * 3
    # without a floor a low agreement only needs many items
    assert np.isfinite(plan_items(0.1, 0.1, 3, targets=Targets(floor=0)).items)


def test_one_rating_an_item_can_decide_nothing():
    assert plan_items(0.3, 0.3, 1).items == np.inf
    power = predict_power(0.3, 0.3, 1, 10_000)
    assert (power.agreement, power.retention, power.joint) == (0, 0, 0)


def test_a_verdict_needs_thirty_items_and_ten_clusters():
    assert plan_items(0.9, 0.9, 5).items == 30
    assert plan_items(0.9, 0.9, 5, targets=Targets(cluster_items=5)).items == 50
    power = predict_power(0.9, 0.9, 5, [29, 30])
    assert power.joint[0] == 0 and power.joint[1] > 0.99
    assert predict_power(0.9, 0.9, 5, 49, Targets(cluster_items=5)).joint == 0


def test_a_judge_that_contradicts_its_raters_has_no_plan():
    needs = plan_items(0.1, np.array([0.1, 0.9]), 3, targets=Targets(floor=0))
    assert np.isnan(needs.items).tolist() == [False, True]
    assert np.isnan(predict_power(0.1, 0.9, 3, 100).joint)


def test_impossible_targets_are_refused():
    with pytest.raises(ValueError, match="factor: expected"):
        plan_items(0.3, 0.3, 3, targets=Targets(factor=-1))
    with pytest.raises(ValueError, match="level_variance: expected"):
        predict_power(0.3, 0.3, 3, 100, Targets(level_variance=-1))
    with pytest.raises(ValueError, match="cluster_items: expected"):
        plan_items(0.3, 0.3, 3, targets=Targets(cluster_items=0))
