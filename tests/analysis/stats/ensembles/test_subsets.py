"""Subsets of judges: scipy on each subset one by one, and a winner that is chosen elsewhere."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.ensembles.subsets import (
    folds_of,
    memberships,
    subset_coefficients,
    winner_elsewhere,
)
from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.intervals.subset_draws import group_draws, pearson_draws

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def judges_and_people(seed=3, n=60):
    rng = np.random.default_rng(seed)
    y = rng.integers(1, 6, n).astype(float)
    noise = np.array([0.5, 1.0, 2.0, 3.0])[:, None]
    return np.clip(np.round(y + noise * rng.standard_normal((4, n))), 1, 5), y


def test_every_subset_is_there_once_the_smallest_first():
    members = memberships(4)
    as_sets = [tuple(np.flatnonzero(row)) for row in members]
    assert as_sets == [c for size in (1, 2, 3, 4) for c in combinations(range(4), size)]


@pytest.mark.parametrize("coefficient", SCIPY)
def test_each_subset_equals_scipy_on_its_mean(coefficient):
    x, y = judges_and_people()
    members = memberships(4)
    found = subset_coefficients(x, y, members, coefficient)
    wanted = [SCIPY[coefficient](np.round(x[row].mean(axis=0), 12), y)[0] for row in members]
    assert found == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("coefficient", SCIPY)
def test_groups_are_averaged_without_the_undefined_ones(coefficient):
    x, y = judges_and_people()
    groups = np.arange(60) // 12
    x[:, groups == 2] = 3.0  # constant: no coefficient there
    members = memberships(4)
    found = subset_coefficients(x, y, members, coefficient, groups)
    for row, value in zip(members, found, strict=True):
        mean = np.round(x[row].mean(axis=0), 12)
        each = [SCIPY[coefficient](mean[groups == g], y[groups == g])[0] for g in (0, 1, 3, 4)]
        assert value == pytest.approx(np.mean(each), abs=1e-12)
    as_zero = subset_coefficients(x, y, members, coefficient, groups, undefined_as_zero=True)
    assert as_zero == pytest.approx(found * 4 / 5, abs=1e-12)


def test_draws_of_pearson_are_those_of_repeated_items():
    x, y = judges_and_people()
    clusters = np.arange(60) // 5
    counts = draw_counts(12, 40, np.random.default_rng(2))
    members = memberships(4)
    found = pearson_draws(x, y, members, clusters, counts)
    for draw in (0, 7, 39):
        rows = np.repeat(np.arange(60), counts[draw][clusters])
        wanted = subset_coefficients(x[:, rows], y[rows], members, "pearson")
        assert found[:, draw] == pytest.approx(wanted, abs=1e-10)


def test_a_draw_with_a_constant_side_is_undefined():
    x = np.array([[1.0, 1, 2, 3], [1, 1, 3, 2]])
    y, clusters = np.array([1.0, 2, 3, 4]), np.array([0, 0, 1, 1])
    counts = np.array([[2, 0], [1, 1], [0, 2]], dtype=np.uint8)
    found = pearson_draws(x, y, memberships(2), clusters, counts)
    assert np.isnan(found[:, 0]).all() and not np.isnan(found[:, 1]).any()
    assert np.isnan(found[2, 2])  # the mean of both is 2.5 throughout


def test_draws_of_groups_are_means_of_repeated_groups():
    table = np.array([[0.5, np.nan, 0.1], [np.nan, np.nan, 0.2]])
    counts = np.array([[1, 1], [2, 0], [0, 2]], dtype=np.uint8)
    cluster_of = np.array([0, 0, 1])
    found = group_draws(table, cluster_of, counts, False)
    assert found == pytest.approx(np.array([[0.3, 0.5, 0.1], [0.2, np.nan, 0.2]]), nan_ok=True)
    found = group_draws(table, cluster_of, counts, True)
    assert found == pytest.approx(np.array([[0.2, 0.25, 0.1], [0.2 / 3, 0, 0.2]]))


def test_the_order_of_the_judges_changes_nothing():
    x, y = judges_and_people()
    found = subset_coefficients(x, y, memberships(4), "kendall")
    turned = subset_coefficients(x[::-1], y, memberships(4)[:, ::-1], "kendall")
    assert found == pytest.approx(turned, abs=1e-12)


def test_constant_and_empty_data_have_no_coefficient():
    members = memberships(2)
    assert np.isnan(subset_coefficients(np.ones((2, 5)), np.arange(5.0), members, "pearson")).all()
    assert np.isnan(subset_coefficients(np.ones((2, 0)), np.ones(0), members, "kendall")).all()


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="subsets: found x"):
        subset_coefficients(np.ones((2, 5)), np.ones(4), memberships(2), "pearson")
    with pytest.raises(ValueError, match="coefficient"):
        subset_coefficients(np.ones((2, 5)), np.ones(5), memberships(2), "cosine")


def test_the_winner_is_chosen_on_the_other_folds():
    # Subset 0 is best on the rows of fold 1, subset 1 on those of fold 0.
    inside = np.array([[0.2, 0.9], [0.8, 0.1]])
    found = winner_elsewhere(inside, inside[::-1], np.array([True, True]))
    assert found.chosen.tolist() == [0, 1]
    assert found.values.tolist() == [0.2, 0.1]
    only_second = winner_elsewhere(inside, inside[::-1], np.array([False, True]))
    assert only_second.chosen.tolist() == [1, 1]


def test_of_judges_that_are_all_noise_the_best_is_worth_nothing_elsewhere():
    rng = np.random.default_rng(11)
    members, naive, fair = memberships(6), [], []
    for _ in range(40):
        x, y = rng.standard_normal((6, 60)), rng.standard_normal(60)
        folds = folds_of(np.arange(60) // 3, 5, rng)

        def fits(rows, x=x, y=y):
            return subset_coefficients(x[:, rows], y[rows], members, "pearson")

        naive.append(fits(np.ones(60, dtype=bool)).max())
        inside, others = (
            np.stack([fits((folds == fold) == is_inside) for fold in range(5)])
            for is_inside in (True, False)
        )
        fair.append(winner_elsewhere(inside, others, members.any(axis=1)).values.mean())
    assert np.mean(naive) > 0.15
    assert abs(np.mean(fair)) < 0.08


def test_folds_keep_clusters_whole_and_even():
    clusters = np.repeat(np.arange(10), 7)
    folds = folds_of(clusters, 5, np.random.default_rng(1))
    assert all(len(set(folds[clusters == c])) == 1 for c in range(10))
    assert np.bincount(folds).tolist() == [14] * 5
