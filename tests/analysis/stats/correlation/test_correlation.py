"""Correlations against scipy, group by group."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.stats.correlation import coefficients
from analysis.stats.correlation.correlation import (
    dataset_correlation,
    group_coefficients,
    grouped_correlation,
    system_correlation,
)

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
NAMES = sorted(SCIPY)


def scipy_r(x, y, coefficient):
    """scipy's value; NaN where it is undefined (pearsonr raises below two values)."""
    if len(x) < 2:
        return np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(SCIPY[coefficient](x, y)[0])


def scipy_by_group(x, y, groups, coefficient):
    codes = range(int(groups.max(initial=-1)) + 1)
    return np.array([scipy_r(x[groups == g], y[groups == g], coefficient) for g in codes])


@st.composite
def rated_groups(draw):
    """Likert or finer scores with ties, constants, gaps in the codes and groups of one."""
    n = draw(st.integers(1, 60))
    fineness = draw(st.sampled_from([1, 3, 1000]))
    n_groups = draw(st.integers(1, 12))
    numbers = st.lists(st.integers(1, 5 * fineness), min_size=n, max_size=n)
    groups = draw(st.lists(st.integers(0, n_groups - 1), min_size=n, max_size=n))
    x, y = (np.array(draw(numbers)) / fineness for _ in range(2))
    return x, y, np.array(groups)


@pytest.mark.parametrize("coefficient", NAMES)
@given(data=rated_groups())
def test_each_group_equals_scipy(coefficient, data):
    x, y, groups = data
    r, sizes = group_coefficients(x, y, groups, coefficient)
    np.testing.assert_allclose(r, scipy_by_group(x, y, groups, coefficient), atol=1e-12, rtol=0)
    assert sizes.tolist() == np.bincount(groups).tolist()


@pytest.mark.parametrize("coefficient", NAMES)
@pytest.mark.parametrize("dense", [0, 10**9])
@given(data=rated_groups())
def test_tables_and_sorting_give_the_same(dense, coefficient, data):
    x, y, groups = data
    before, coefficients.DENSE = coefficients.DENSE, dense
    try:
        r, _ = group_coefficients(x, y, groups, coefficient)
    finally:
        coefficients.DENSE = before
    np.testing.assert_allclose(r, scipy_by_group(x, y, groups, coefficient), atol=1e-12, rtol=0)


@pytest.mark.parametrize("coefficient", NAMES)
def test_large_groups_of_continuous_scores_equal_scipy(coefficient):
    rng = np.random.default_rng(4)
    groups = rng.integers(0, 4, 5000)
    x = rng.normal(size=5000)
    y = np.round(x + rng.normal(size=5000), 1)
    r, _ = group_coefficients(x, y, groups, coefficient)
    np.testing.assert_allclose(r, scipy_by_group(x, y, groups, coefficient), atol=1e-12, rtol=0)


@pytest.mark.parametrize("coefficient", NAMES)
def test_the_dataset_level_equals_scipy(coefficient):
    rng = np.random.default_rng(5)
    x, y = rng.integers(1, 6, (2, 400)).astype(float)
    found = dataset_correlation(x, y, coefficient)
    assert found.value == pytest.approx(scipy_r(x, y, coefficient), abs=1e-12)
    assert found.n == 400


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([3.0], [4.0], "fewer than two complete pairs (1)"),
        ([], [], "fewer than two complete pairs (0)"),
        ([3.0, 3.0], [1.0, 2.0], "all values of the judge are equal"),
        ([1.0, 2.0], [0.1, 0.1], "all values of the reference are equal"),
    ],
)
@pytest.mark.parametrize("coefficient", NAMES)
def test_an_undefined_correlation_says_why(coefficient, x, y, reason):
    found = dataset_correlation(x, y, coefficient)
    assert np.isnan(found.value)
    assert found.reason == reason


def test_undefined_groups_are_skipped_or_count_as_zero():
    x = np.array([1, 2, 3, 5, 5, 4, 3, 2, 1, 3], dtype=float)
    y = np.array([1, 2, 3, 1, 2, 1, 2, 3, 4, 5], dtype=float)
    groups = np.array([0, 0, 0, 1, 1, 3, 3, 3, 3, 4])  # r = 1, undefined, no group 2, -1, one row
    skipped = grouped_correlation(x, y, groups, "spearman")
    zero = grouped_correlation(x[:5], y[:5], groups[:5], "spearman", undefined="zero")
    assert skipped.value == pytest.approx(0.0, abs=1e-12)
    assert (skipped.groups, skipped.skipped) == (4, 2)
    assert zero.value == pytest.approx(0.5, abs=1e-12)
    assert (zero.groups, zero.skipped) == (2, 1)


def test_no_defined_group_is_undefined_not_zero():
    found = grouped_correlation([1.0, 1.0, 2.0], [1.0, 2.0, 3.0], [0, 0, 1], "pearson")
    assert np.isnan(found.value)
    assert found.reason == "r is undefined in each of 2 groups"
    assert (found.groups, found.skipped) == (2, 2)


@pytest.mark.parametrize("undefined", ["skip", "zero"])
def test_no_pairs_at_all_are_undefined(undefined):
    found = grouped_correlation([np.nan], [1.0], [0], "kendall", undefined=undefined)
    assert np.isnan(found.value)
    assert (found.reason, found.n, found.groups) == ("no complete pairs", 0, 0)


def test_the_system_level_correlates_means():
    x = np.array([1, 3, 2, 2, 5, 4, 1], dtype=float)  # means 2, 2, 4.5, 1
    y = np.array([1, 2, 4, 4, 4, 5, 2], dtype=float)  # means 1.5, 4, 4.5, 2
    systems = np.array([0, 0, 1, 1, 4, 4, 2])
    for name in NAMES:
        found = system_correlation(x, y, systems, name)
        expected = scipy_r([2, 2, 4.5, 1], [1.5, 4, 4.5, 2], name)
        assert found.value == pytest.approx(expected, abs=1e-12)
        assert (found.groups, found.n) == (4, 7)


def test_one_system_is_undefined():
    found = system_correlation([1.0, 2.0], [1.0, 2.0], [0, 0], "pearson")
    assert np.isnan(found.value)
    assert found.reason == "fewer than two different means of systems"


def test_pairs_with_a_missing_side_are_dropped_and_n_says_so():
    x = [1.0, np.nan, 3.0, 4.0, 2.0]
    y = [1.0, 2.0, 3.0, np.nan, 4.0]
    found = dataset_correlation(x, y, "pearson")
    assert found.n == 3
    assert found.value == pytest.approx(scipy_r([1, 3, 2], [1, 3, 4], "pearson"), abs=1e-12)


@pytest.mark.parametrize("coefficient", NAMES)
def test_the_order_of_rows_changes_nothing(coefficient):
    rng = np.random.default_rng(6)
    x, y = rng.integers(1, 6, (2, 200)).astype(float)
    groups = rng.integers(0, 20, 200)
    shuffled = rng.permutation(200)
    first = grouped_correlation(x, y, groups, coefficient)
    second = grouped_correlation(x[shuffled], y[shuffled], groups[shuffled], coefficient)
    assert first.value == pytest.approx(second.value, abs=1e-12)
    assert first.skipped == second.skipped


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 2.0], [1.0], [0, 0], "pearson"), "x and y differ in length: 2 and 1"),
        (([1.0, 2.0], [1.0, 2.0], [0], "pearson"), "expected 2 codes"),
        (([1.0, 2.0], [1.0, 2.0], [0.0, 1.0], "pearson"), "must be integers"),
        (([1.0, 2.0], [1.0, 2.0], [0, -1], "pearson"), "must not be negative"),
        (([1.0, np.inf], [1.0, 2.0], [0, 0], "pearson"), "expected values within 1e100, found inf"),
        (([1e200, 1.0], [1.0, 2.0], [0, 0], "pearson"), "x: expected values within 1e100"),
        (([1.0, 2.0], [1.0, 2.0], [0, 0], "tau"), "'tau' is not one of pearson, spearman, kendall"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        grouped_correlation(*arguments)


def test_an_unknown_policy_is_refused():
    with pytest.raises(ValueError, match="'drop' is not one of skip, zero"):
        grouped_correlation([1.0], [1.0], [0], "pearson", undefined="drop")


@pytest.mark.parametrize(
    ("coefficient", "library"), [("spearman", stats.spearmanr), ("kendall", stats.kendalltau)]
)
def test_systems_with_the_same_mean_tie_whatever_the_order_of_rows(coefficient, library):
    """Sums of tenths depend on the order of adding; the means here are .2, .2 and .6."""
    x = np.array([1, 2, 3, 2, 2, 2, 6, 6, 6]) / 10
    y = np.array([1, 1, 1, 2, 2, 2, 3, 3, 3.0])
    systems = np.repeat([0, 1, 2], 3)
    expected = library([2, 2, 6], [1, 2, 3]).statistic
    for seed in range(50):
        order = np.random.default_rng(seed).permutation(9)
        found = system_correlation(x[order], y[order], systems[order], coefficient=coefficient)
        assert found.value == pytest.approx(expected)
