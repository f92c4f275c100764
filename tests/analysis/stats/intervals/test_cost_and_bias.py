"""Means, spreads, slopes, maps and frontiers: against values by hand and by another route."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.ensembles.frontier import non_dominated
from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.intervals.clustered_mean import clustered_mean, means_by_group, spread_of_means
from analysis.stats.intervals.few_raters import few_raters
from analysis.stats.intervals.jackknife import jackknife
from analysis.stats.intervals.wilson_interval import wilson_interval
from analysis.stats.regression.clustered_slope import clustered_slope
from analysis.stats.regression.isotonic_map import cross_fitted, isotonic_map
from tests.analysis.stats.published import ATTITUDE

NAN = np.nan


def rng():
    return np.random.default_rng(3)


def test_a_mean_leaves_out_what_is_missing():
    found = clustered_mean([1, NAN, 3])
    assert (found.value, found.n, found.reason) == (2, 2, "")
    empty = clustered_mean([NAN])
    assert np.isnan(empty.value)
    assert empty.reason == "there is no value"


def test_a_mean_of_clusters_is_drawn_by_cluster():
    # Two clusters with means 0 and 3: a draw has either one twice, or both.
    counts = np.array([[2, 0], [1, 1], [0, 2]], dtype=np.uint8)
    found = clustered_mean([0, 0, 3], clusters=np.array([0, 0, 1]), counts=counts)
    assert found.draws.tolist() == [0, 1, 3]
    alone = clustered_mean([0, 1], clusters=np.array([1, 1]), counts=counts)
    assert alone.reason == "no interval: all observations are in one cluster"


def test_means_by_group_are_the_means_of_the_groups():
    generator = rng()
    values, groups, clusters = (
        generator.random(60),
        generator.integers(3, size=60),
        np.arange(60) % 7,
    )
    counts = draw_counts(7, 50, generator)
    found = means_by_group(values, groups, clusters=clusters, counts=counts)
    for group, estimate in found.items():
        inside = groups == group
        alone = clustered_mean(values[inside], clusters=clusters[inside], counts=counts)
        assert (estimate.value, estimate.n) == (pytest.approx(alone.value), alone.n)
        assert (estimate.low, estimate.high) == pytest.approx((alone.low, alone.high))
    assert means_by_group([NAN, 1], np.array([0, 1])).keys() == {1}


def test_the_spread_of_means_is_that_of_numpy():
    values, groups = [1, 3, 5, 5, NAN, 9], np.array([0, 0, 1, 1, 1, 2])
    found = spread_of_means(values, groups)
    assert found.value == pytest.approx(np.std([2, 5, 9], ddof=1))
    assert (found.groups, found.n) == (3, 5)
    assert spread_of_means([1, 2], np.array([0, 0])).reason == "fewer than two groups"


def test_draws_of_the_spread_repeat_whole_groups():
    counts = np.array([[1, 1, 1], [2, 0, 1]], dtype=np.uint8)
    groups = np.array([0, 0, 1, 1, 2])
    found = spread_of_means([1, 3, 5, 5, 9], groups, clusters=groups, counts=counts)
    expected = [np.std([2, 5, 9], ddof=1), np.std([2, 2, 9], ddof=1)]
    assert found.draws == pytest.approx(expected)
    other = spread_of_means(
        [1, 3, 5, 5, 9], groups, clusters=np.array([0, 1, 1, 1, 2]), counts=counts
    )
    assert other.reason == "no interval: groups span several clusters"


def test_the_frontier_by_hand():
    # b costs as much as a and is worth less; d is as good as c and dearer; e is unpriced.
    costs, values = [1, 1, 2, 3, NAN, 9], [0.3, 0.2, 0.5, 0.5, 0.9, 0.6]
    assert non_dominated(costs, values).tolist() == [True, False, True, False, False, True]
    assert non_dominated([2, 2], [1, 1]).tolist() == [True, True]
    assert non_dominated([], []).tolist() == []
    with pytest.raises(ValueError, match="differ in length"):
        non_dominated([1], [])


def test_the_frontier_is_the_same_in_any_order_and_unit():
    costs, values = rng().random(20), rng().permutation(20)
    order = rng().permutation(20)
    found = non_dominated(costs, values)
    assert non_dominated(100 * costs[order], values[order]).tolist() == found[order].tolist()


def test_all_raters_but_one_equals_the_mean_of_all_splits():
    # Three raters and k = 2: only one is left, so r is a mean over assignments; units of two
    # ratings have nobody left and are dropped.
    ratings = np.array([[1, 1, 1], [3, 3, 3], [4, 4, 4], [2, 5, NAN]])
    found = few_raters(ratings, 2, rng(), splits=5)
    assert (found.value, found.n, found.groups) == (pytest.approx(1), 3, 5)


def test_few_raters_comes_near_the_mean_over_all_fixed_splits():
    # With fully crossed raters and many splits the mean comes near to that over pairs of raters.
    table = ATTITUDE[:, :4]
    pairs = [
        stats.pearsonr(table[:, [a, b]].mean(1), np.delete(table, [a, b], 1).mean(1))[0]
        for a, b in combinations(range(4), 2)
    ]
    centred = table - table.mean(0) + table.mean()  # raters of one level: who is drawn is chance
    found = few_raters(centred, 2, rng(), splits=400)
    assert found.value == pytest.approx(np.mean(pairs), abs=0.03)


def test_few_raters_draws_weigh_whole_clusters():
    table, clusters = ATTITUDE[:, :3], np.arange(30) % 5
    counts = np.array([[1] * 5, [3] * 5, [5, 0, 0, 0, 0]], dtype=np.uint8)
    found = few_raters(table, 1, rng(), splits=7, clusters=clusters, counts=counts)
    assert found.draws[:2] == pytest.approx(found.value)
    assert found.draws[2] != pytest.approx(found.value)


@pytest.mark.parametrize(
    ("ratings", "words"),
    [
        (np.array([[1, NAN], [2, NAN]]), "fewer than two units have more than 1 ratings"),
        (np.array([[2, 2], [2, 2], [2, 2]]), "all means of a side are equal in every split"),
    ],
)
def test_few_raters_says_why_there_is_no_number(ratings, words):
    found = few_raters(ratings, 1, rng())
    assert np.isnan(found.value)
    assert found.reason == words


def test_the_slope_and_its_error_by_the_sandwich():
    generator = rng()
    x, clusters = generator.random(40) * 5, np.repeat(np.arange(8), 5)
    y = 1 + 0.5 * x + generator.normal(size=8)[clusters] + generator.normal(size=40)
    found = clustered_slope(x, y, clusters)
    design = np.column_stack([np.ones(40), x])
    bread = np.linalg.inv(design.T @ design)
    beta = bread @ design.T @ y
    meat = np.zeros((2, 2))
    for cluster in range(8):
        inside = clusters == cluster
        score = design[inside].T @ (y - design @ beta)[inside]
        meat += np.outer(score, score)
    covariance = 8 / 7 * 39 / 38 * bread @ meat @ bread
    assert found.intercept == pytest.approx(beta[0])
    assert found.slope.value == pytest.approx(beta[1])
    assert found.standard_error == pytest.approx(np.sqrt(covariance[1, 1]))
    reach = stats.t.ppf(0.975, 7) * found.standard_error
    assert (found.slope.low, found.slope.high) == pytest.approx((beta[1] - reach, beta[1] + reach))


def test_the_slope_by_hand():
    found = clustered_slope([0, 1, 2, 3], [1, 1, 1, 2], np.array([0, 0, 1, 1]))
    # slope .3, intercept .8, e = .2, −.1, −.4, .3; Σ(x−x̄)e: −.3+.05 = −.25 and −.2+.45 = .25.
    # c = 2/1 · 3/2 = 3; se = √(3 · 2 · .0625)/5.
    assert found.slope.value == pytest.approx(0.3)
    assert found.standard_error == pytest.approx(np.sqrt(0.375) / 5)


def test_with_each_row_a_cluster_the_error_is_whites():
    generator = rng()
    x, y = generator.random(30), generator.random(30)
    found = clustered_slope(x, y, np.arange(30))
    line = stats.linregress(x, y)
    e = y - line.intercept - line.slope * x
    hc1 = np.sqrt(30 / 28 * (((x - x.mean()) * e) ** 2).sum()) / ((x - x.mean()) ** 2).sum()
    assert found.standard_error == pytest.approx(hc1)


@pytest.mark.parametrize(
    ("x", "clusters", "words"),
    [
        ([1, 1, 1, 1], [0, 1, 2, 3], "all values of x are equal"),
        ([1, 2, NAN, NAN], [0, 1, 2, 3], "fewer than three pairs (2)"),
        ([1, 2, 3, 4], [0, 0, 0, 0], "no interval: all observations are in one cluster"),
    ],
)
def test_a_slope_without_an_interval_says_why(x, clusters, words):
    found = clustered_slope(x, [1, 2, 2, 5], np.array(clusters))
    assert found.slope.reason == words
    assert np.isnan(found.slope.low)


def test_pool_adjacent_violators_by_hand():
    # Means 1, 3, 2, 4 with sizes 1, 1, 3, 1: the middle two pool to (3 + 3·2)/4 = 2.25.
    found = isotonic_map([1, 2, 3, 3, 3, 4], [1, 3, 1, 2, 3, 4])
    assert found.judge.tolist() == [1, 2, 3, 4]
    assert found.human.tolist() == pytest.approx([1, 2.25, 2.25, 4])
    assert found(np.array([0, 1.5, 9, NAN])).tolist() == pytest.approx(
        [1, 1.625, 4, NAN], nan_ok=True
    )


def test_no_value_is_mapped_by_a_map_that_saw_it():
    # Each fold sees the other's constant only.
    mapped = cross_fitted([1, 2, 1, 2, NAN], [5, 5, 1, 1, 3], np.array([0, 0, 1, 1, 1]), 2)
    assert mapped.tolist() == pytest.approx([1, 1, 5, 5, NAN], nan_ok=True)
    assert np.isnan(cross_fitted([1, 2], [1, 2], np.array([0, 0]), 1)).all()
    with pytest.raises(ValueError, match="found none"):
        isotonic_map([NAN], [1])


def test_the_jackknife_of_a_mean_is_its_textbook_error():
    values = rng().normal(size=20)
    found = jackknife(lambda rows: np.array([values[rows].mean()]), np.arange(20))
    error = values.std(ddof=1) / np.sqrt(20)
    assert found.half[0] == pytest.approx(stats.t.ppf(0.975, 19) * error)
    assert found.blocks == 20
    assert np.isnan(jackknife(lambda rows: np.array([1.0]), np.zeros(3, dtype=int)).half[0])


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (0, 40), (40, 40), (3, 20), (517, 1056)])
def test_wilsons_interval_is_scipys(k, n):
    expected = stats.binomtest(k, n).proportion_ci(method="wilson")
    assert wilson_interval(k, n) == pytest.approx(tuple(expected), abs=1e-12)
    low, high = wilson_interval(n - k, n)
    assert (1 - high, 1 - low) == pytest.approx(tuple(expected), abs=1e-12)


@pytest.mark.parametrize(("k", "n"), [(0, 0), (2, 1), (-1, 3)])
def test_a_share_of_nothing_has_no_interval(k, n):
    with pytest.raises(ValueError, match="expected 0 <= k <= n"):
        wilson_interval(k, n)
