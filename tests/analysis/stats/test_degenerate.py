"""Statistics at their edges: constant sides, rounding, one observation, values just at a limit."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from analysis.stats.agreement import label_shares
from analysis.stats.agreement.cohen_kappa import kappa_of_tables
from analysis.stats.agreement.variance_components import variance_components
from analysis.stats.classification.curves import roc_band
from analysis.stats.comparison.differences import paired_difference, paired_differences
from analysis.stats.estimate import Estimate
from analysis.stats.intervals import few_raters
from analysis.stats.intervals.subset_draws import pearson_draws
from analysis.stats.ranked_lists.ranked_lists import overlap
from analysis.stats.replacement import human_ceiling
from analysis.stats.replacement.outliers import low_outliers

NOMINAL = 1.0 - np.eye(2)


def test_kappa_of_several_tables_whose_margins_differ():
    tables = np.array([[[20.0, 10], [1, 15]], [[3, 9], [0, 2]]])
    expected = []
    for table in tables.astype(int):
        rows = np.repeat([0, 0, 1, 1], table.ravel())
        columns = np.repeat([0, 1, 0, 1], table.ravel())
        expected.append(cohen_kappa_score(rows, columns))
    assert kappa_of_tables(tables, NOMINAL) == pytest.approx(expected, abs=1e-12)


def test_a_value_at_the_limit_is_no_outlier_and_one_below_it_is():
    # The median is 0 and the median distance from it 1, whatever the first value is.
    far = [-9.0, -1, 0, 1, 2]
    limit = low_outliers(far).limit
    assert limit == pytest.approx(-3 * 1.4826, abs=1e-4)
    assert low_outliers(far).places == (0,)
    assert low_outliers([limit, *far[1:]]).places == ()


def test_no_outlier_is_named_among_three():
    found = low_outliers([0.1, 0.2, np.nan, 0.3])
    assert (found.places, found.reason) == ((), "it takes 4 raters, there are 3")


def test_lists_can_be_compared_by_their_first_entry_alone():
    first, second = np.array([[1, 2], [1, 2]]), np.array([[1, 3], [2, 1]])
    assert overlap(first, second, 1).tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match="1 or more"):
        overlap(first, second, 0)


def test_a_unit_without_ratings_is_not_counted():
    table = np.array([[2.0, 0], [0, 0], [1, 1]])
    rated, twice = label_shares.unit_columns(table, np.eye(2))[:, :2].T
    assert (rated.tolist(), twice.tolist()) == ([1, 0, 1], [1, 0, 1])


def test_a_band_without_width_names_the_draws_that_lack_a_class():
    scores, positive = [1, 2, 3, 4], [False, False, True, True]
    counts = np.array([[1, 1, 1, 1], [2, 0, 1, 1], [2, 2, 0, 0]])
    band = roc_band(scores, positive, [0, 0.5, 1], clusters=np.arange(4), counts=counts)
    assert (band.grid, band.undefined_draws) == ([], 1)
    assert band.reason == "no band: it has no width"


def test_pairs_that_lack_a_draw_are_compared_by_the_draws_that_they_have():
    values = [[0.5, 0.6, 0.4, 0.5], [0.2, np.nan, 0.3, 0.1], [0.1, 0.1, 0.2, 0.4]]
    estimates = [Estimate(np.nanmean(each), n=10, draws=np.array(each)) for each in values]
    pairs = [(0, 1), (0, 2), (1, 2)]
    for found, (one, other) in zip(paired_differences(estimates, pairs), pairs, strict=True):
        alone = paired_difference(estimates[one], estimates[other])
        assert (found.p, found.estimate.undefined_draws) == (alone.p, 1 if 1 in (one, other) else 0)
        assert (found.estimate.low, found.estimate.high) == pytest.approx(
            (alone.estimate.low, alone.estimate.high)
        )


# A constant side, of numbers whose squares are not exact, has no correlation


@pytest.mark.parametrize("constant", [0.1, 1000.1, 1e-5])
@pytest.mark.parametrize("side", [0, 1])
def test_a_constant_side_of_a_split_has_no_correlation(constant, side):
    both = [np.array([[1.0], [2], [4]]), np.full((3, 1), constant)]
    columns = few_raters._columns(both[side], both[1 - side])
    sums = columns.reshape(3, 6, 1).sum(axis=0)[None]
    assert np.isnan(few_raters._r_of(sums)).all()


def test_one_unit_has_no_correlation_and_varying_sides_have():
    x, y = np.array([[1.0], [2], [4]]), np.array([[2.0], [1], [9]])
    columns = few_raters._columns(x, y).reshape(3, 6, 1)
    assert np.isnan(few_raters._r_of(columns[:1].sum(axis=0)[None])).all()
    r = few_raters._r_of(columns.sum(axis=0)[None])[0, 0]
    assert r == pytest.approx(np.corrcoef(x.ravel(), y.ravel())[0, 1], abs=1e-12)


@pytest.mark.parametrize("constant", [0.1, 1000.1])
def test_a_rater_without_a_correlation_counts_neither_for_the_judge_nor_for_people(constant):
    rng = np.random.default_rng(3)
    x, y, z = rng.normal(size=(3, 8))
    rater = np.repeat([0, 1], 4)
    z[:4] = constant  # the judge is constant over what the first rater rated
    moments = human_ceiling._Moments(x, z, y, rater)
    judge, people = moments.draws(np.arange(8), np.ones((1, 8), dtype=int), 2)
    assert judge[0] == pytest.approx(np.corrcoef(z[4:], y[4:])[0, 1], abs=1e-9)
    assert people[0] == pytest.approx(np.corrcoef(x[4:], y[4:])[0, 1], abs=1e-9)


def test_a_subset_has_no_correlation_in_a_draw_in_which_people_are_constant():
    x, y = np.array([[1.0, 2, 3, 5], [2, 1, 4, 4]]), np.array([0.1, 0.1, 0.7, 0.2])
    counts = np.array([[2, 2, 0, 0], [1, 1, 1, 1]])
    members = np.array([[1.0, 0], [1, 1]])
    draws = pearson_draws(x, y, members, np.arange(4), counts)
    assert np.isnan(draws[:, 0]).all()
    expected = [np.corrcoef(each, y)[0, 1] for each in (x[0], x.mean(axis=0))]
    assert draws[:, 1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [6, 60, 6000])
def test_factors_that_go_together_cannot_be_told_apart(n):
    values = np.random.default_rng(5).normal(size=n)
    levels = np.arange(n) % 3
    assert np.isnan(variance_components(values, [levels, levels])).all()
    crossed = [levels, np.arange(n) // 3 % 2]
    assert np.isfinite(variance_components(values, crossed)).all()
