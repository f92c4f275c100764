"""Each rater against the mean of the others: published values, gaps, what is undefined."""

import numpy as np
import pytest
from scipy.stats import pearsonr

from analysis.stats.agreement.leave_one_out import correlation_with_others
from tests.analysis.stats.published import ATTITUDE, ATTITUDE_R_DROP, CANONICAL

_ = np.nan


def of_table(table):
    """r and n of a table of units in rows and raters in columns."""
    table = np.asarray(table, dtype=float)
    units, raters = np.indices(table.shape)
    return correlation_with_others(units.ravel(), raters.ravel(), table.ravel())


def test_the_published_item_rest_correlations():
    r, n = of_table(ATTITUDE)
    assert np.round(r, 2).tolist() == ATTITUDE_R_DROP
    assert set(n) == {30}


def test_with_gaps_it_is_pearsons_r_with_the_mean_of_who_is_there():
    r, n = of_table(CANONICAL)
    for rater in range(CANONICAL.shape[1]):
        others = np.delete(CANONICAL, rater, axis=1)
        both = ~np.isnan(CANONICAL[:, rater]) & ~np.isnan(others).all(axis=1)
        expected = pearsonr(CANONICAL[both, rater], np.nanmean(others[both], axis=1))[0]
        assert r[rater] == pytest.approx(expected, abs=1e-12)
        assert n[rater] == both.sum()


def test_the_order_of_raters_and_units_changes_nothing():
    rng = np.random.default_rng(3)
    raters, units = rng.permutation(4), rng.permutation(12)
    r, n = of_table(CANONICAL)
    shuffled, shuffled_n = of_table(CANONICAL[units][:, raters])
    assert shuffled == pytest.approx(r[raters], abs=1e-12)
    assert shuffled_n.tolist() == n[raters].tolist()


@pytest.mark.parametrize(
    ("table", "n"),
    [
        ([[1, 2], [2, _], [3, _]], [1, 1]),  # one common unit
        ([[3, 1], [3, 2], [3, 3]], [3, 3]),  # one rater is constant, so nobody can be judged
        ([[1, _], [2, _], [_, 3]], [0, 0]),  # no common unit
    ],
)
def test_what_is_undefined_is_nan(table, n):
    r, found = of_table(table)
    assert np.isnan(r).all() and found.tolist() == n


def test_a_constant_mean_of_the_others_is_seen_through_rounding_errors():
    second, third = 2 / 6, 3 / 6
    table = [[1 / 6, second, third], [0, second, third], [1, third, second]]
    assert np.isnan(of_table(table)[0][0])


def test_several_ratings_of_one_unit_are_averaged_and_never_compared_with_each_other():
    units, raters = [0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 0, 1, 0, 1]
    r, n = correlation_with_others(units, raters, [1, 3, 1, 4, 5, 6, 4])
    assert r[0] == pytest.approx(pearsonr([2, 4, 6], [1, 5, 4])[0])
    assert n.tolist() == [3, 3]


def test_nothing_gives_nothing():
    r, n = correlation_with_others([], [], [])
    assert len(r) == len(n) == 0


def test_a_rater_whose_answers_are_all_missing_has_no_units():
    r, n = correlation_with_others([0, 1, 0], [0, 0, 1], [1, 2, _])
    assert np.isnan(r).all() and n.tolist() == [0, 0]


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="expected 2 codes"):
        correlation_with_others([0], [0, 0], [1, 2])
