"""An interval of no width would say that nothing else is possible: what stands there instead."""

import numpy as np
import pytest
from scipy.stats import binomtest

from analysis.stats.agreement.percent_agreement import percent_agreement
from analysis.stats.classification.classification import auc
from analysis.stats.classification.curves import average_precision, roc_band
from analysis.stats.classification.row_shares import row_shares
from analysis.stats.comparison.differences import paired_difference, paired_differences
from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.intervals.bootstrap import draw_counts, percentile_interval, why_no_interval
from analysis.stats.intervals.clustered_mean import clustered_mean, means_by_group
from analysis.stats.intervals.clustered_median import clustered_median
from analysis.stats.regression.clustered_slope import clustered_slope
from analysis.stats.regression.linear_prediction import random_splits, split_error
from analysis.stats.replacement.selection import misfit_precision

CLUSTERS = np.repeat(np.arange(12), 3)
COUNTS = draw_counts(12, 200, np.random.default_rng(3))
HOW = {"clusters": CLUSTERS, "counts": COUNTS}
ALIKE = "no interval: the same in every draw"


def wilson(k, n):
    found = binomtest(k, n).proportion_ci(method="wilson")
    return pytest.approx((found.low, found.high), abs=1e-12)


@pytest.mark.parametrize("value", [0, 1])
def test_a_share_of_none_or_all_has_wilsons_interval_of_as_many_as_there_are_clusters(value):
    values = np.full(36, float(value))
    found = clustered_mean(values, is_share=True, **HOW)
    assert (found.value, found.n, found.reason) == (value, 36, "")
    assert (found.low, found.high) == wilson(12 * value, 12)


def test_each_group_has_that_of_its_own_clusters():
    groups = (CLUSTERS >= 8).astype(int)
    found = means_by_group(np.ones(36), groups, is_share=True, **HOW)
    assert (found[0].low, found[0].high) == wilson(8, 8)
    assert (found[1].low, found[1].high) == wilson(4, 4)


def test_a_share_between_has_that_of_its_draws():
    values = (np.arange(36) % 4 == 0).astype(float)
    share, mean = clustered_mean(values, is_share=True, **HOW), clustered_mean(values, **HOW)
    assert (share.low, share.high) == (mean.low, mean.high)
    assert share.low < share.value < share.high


def test_a_share_of_one_cluster_has_none():
    found = clustered_mean(np.ones(3), is_share=True, clusters=CLUSTERS[:3], counts=COUNTS)
    assert np.isnan([found.low, found.high]).all()
    assert found.reason == "no interval: all observations are in one cluster"


def test_shares_of_other_statistics():
    ratings = np.tile(np.arange(36) % 5, (2, 1)).T
    found = percent_agreement(ratings, **HOW)
    assert found.value == 1
    assert (found.low, found.high) == wilson(12, 12)
    low, flags = np.ones(36), np.ones(36)
    precise = misfit_precision(low, flags, strongly=1.0, **HOW)
    assert precise.value == 1
    assert (precise.low, precise.high) == wilson(12, 12)


def test_a_mean_that_never_moves_has_no_interval():
    found = clustered_mean(np.full(36, 0.1), **HOW)
    assert np.isnan([found.low, found.high]).all()
    assert found.reason == ALIKE


def test_nor_has_a_perfect_correlation():
    x = np.random.default_rng(1).normal(size=36)
    found = dataset_correlation(x, 3 * x + 1, "pearson", **HOW)
    assert found.value == pytest.approx(1)
    assert np.isnan([found.low, found.high]).all()
    assert found.reason == ALIKE


@pytest.mark.parametrize("statistic", [auc, average_precision])
@pytest.mark.parametrize("positive", [0, 1])
def test_a_class_in_one_cluster_gives_no_interval(statistic, positive):
    scores = np.random.default_rng(2).normal(size=36)
    classes = np.where(CLUSTERS == 5, positive, 1 - positive)
    found = statistic(scores, classes, **HOW)
    assert 0 <= found.value <= 1
    assert np.isnan([found.low, found.high]).all()
    assert found.reason == "no interval: all items of one class are in one cluster"
    two = np.where((CLUSTERS == 5) | (CLUSTERS == 6), positive, 1 - positive)
    assert statistic(scores, two, **HOW).low < statistic(scores, two, **HOW).high


def test_two_judges_that_are_the_same_differ_by_nothing_in_every_draw():
    x, y = np.random.default_rng(4).normal(size=(2, 36))
    one = dataset_correlation(x, y, "pearson", **HOW)
    for found in (paired_difference(one, one), paired_differences([one, one], [(0, 1)])[0]):
        assert (found.estimate.value, found.p) == (0, 1)
        assert np.isnan([found.estimate.low, found.estimate.high]).all()
        assert found.estimate.reason == ALIKE


def test_what_the_draws_say():
    nan = np.nan
    assert why_no_interval(np.array([nan, nan])) == "no interval: undefined in every draw"
    assert why_no_interval(np.array([0.3, nan, 0.1 + 0.2])) == ALIKE
    assert why_no_interval(np.array([1e9, 1e9 + 1e-5])) == ALIKE
    assert why_no_interval(np.array([0.3, nan, 0.3001])) == ""
    rare = np.where(np.arange(200) == 7, 0.3, 1.0)  # one draw of 200 moves no end
    assert why_no_interval(rare) == "no interval: the same in 95 % of the draws"
    assert np.isnan(percentile_interval(rare)[:2]).all()


def test_a_median_that_hardly_ever_moves_has_none():
    found = clustered_median(np.where(np.arange(36) < 6, 20.0, 30.0), **HOW)
    assert (found.value, np.unique(found.draws).size > 1) == (30, True)
    assert np.isnan([found.low, found.high]).all()
    assert found.reason == "no interval: the same in 95 % of the draws"


def test_a_share_of_a_row_that_each_cluster_has_alike_has_none():
    human, judge = np.ones(36), np.tile([1.0, 2.0, 2.0], 12)
    found = row_shares(human, judge, [1, 2, 3], **HOW)
    assert np.isnan([found.low[0, :2], found.high[0, :2]]).all()
    assert (found.low[0, 2], found.high[0, 2]) == wilson(0, 12)


def test_a_judge_that_is_always_right_has_no_band():
    positive = (np.arange(36) % 2).astype(float)
    band = roc_band(positive, positive, [0, 0.5, 1], **HOW)
    assert (band.grid, band.reason) == ([], "no band: it has no width")


def test_splits_with_one_error_have_no_spread():
    train = random_splits(36, 5, np.random.default_rng(1))
    x = np.arange(36.0)
    exact, one = split_error(x, x, train), split_error(x, x % 5, train[:1])
    for found, why in ((exact, "the splits have the same error"), (one, "there is one split")):
        assert np.isnan([found.error.low, found.error.high]).all()
        assert found.error.reason == f"no spread: {why}"


def test_a_slope_that_all_points_lie_on_has_no_interval():
    x = np.random.default_rng(5).normal(size=36)
    found = clustered_slope(x, 0.1 - 0.3 * x, CLUSTERS).slope
    assert found.value == pytest.approx(-0.3)
    assert np.isnan([found.low, found.high]).all()
    assert found.reason == "no interval: all observations lie on one line"
