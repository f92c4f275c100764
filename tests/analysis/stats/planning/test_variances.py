"""Variances of an item: the worked values, classical formulas, and the definition itself."""

import numpy as np
import pytest

from analysis.stats.planning.planning import (
    RATING_VARIANCES,
    RELIABILITIES,
    agreement_variance,
    design_factor,
    judge_agreement,
    level_variance,
    mean_variance,
    retention_effect,
    retention_variance,
    usual_variance,
)
from analysis.stats.validation.criteria import Scale

# rho, r, ratings per item, k, variance of theta, variance of rho
WORKED = [
    (0.3, 0.4, 3, 2 / 3, 0.246815, 0.418133),
    (0.3, 0.3, 3, 2 / 3, 0.375304, 0.418133),
    (0.5, 0.5, 5, 2 / 3, 0.170833, 0.225000),
    (0.2, 0.3, 2, 0.8, 0.688164, 0.921600),
]


@pytest.mark.parametrize(("rho", "r", "m", "k", "of_theta", "of_rho"), WORKED)
def test_the_worked_values(rho, r, m, k, of_theta, of_rho):
    assert retention_variance(rho, r, m, k) == pytest.approx(of_theta, abs=5e-7)
    assert agreement_variance(rho, m) == pytest.approx(of_rho, abs=5e-7)


def test_the_variance_of_agreement_is_fishers_of_an_intraclass_correlation():
    # Fisher (1925), Statistical Methods for Research Workers, ch. 7
    rho, m = np.array([[-0.1], [0.0], [0.35], [0.9]]), np.array([2, 3, 7])
    fisher = 2 * (1 - rho) ** 2 * (1 + (m - 1) * rho) ** 2 / (m * (m - 1))
    np.testing.assert_allclose(agreement_variance(rho, m), fisher)


def test_with_raters_who_are_always_equal_it_is_the_variance_of_a_correlation():
    # rho = 1 and nothing to be kept: a plain Pearson r of normal scores has (1 - r²)²
    r = np.array([-0.5, 0.0, 0.3, 0.8])
    np.testing.assert_allclose(retention_variance(1.0, r, 3, 0.0), (1 - r**2) ** 2)


def test_the_definition_with_matrices():
    rho, r, m, k = 0.27, 0.36, 4, 0.55
    spread = rho + (1 - rho) / m
    beta = r / 2 - k * rho
    form = np.array([[-r / 2, 0.5], [0.5, -(beta + k)]])
    normal = form @ np.array([[1, r], [r, spread]])
    rest = 2 * (m - 1) * (1 - rho) ** 2 * (beta / m - k / (m * (m - 1))) ** 2
    expected = 2 * np.trace(normal @ normal) + rest
    assert retention_variance(rho, r, m, k) == pytest.approx(expected, rel=1e-12)


def test_a_grid_is_its_cells():
    rho, m = np.array([[0.1], [0.3], [0.5]]), np.array([2, 3, 5])
    grid = retention_variance(rho, rho, m)
    assert grid.shape == (3, 3)
    for (row, column), value in np.ndenumerate(grid):
        own = rho[row, 0]
        assert value == retention_variance(own, own, m[column])


def test_one_rating_an_item_tells_nothing_of_agreement():
    assert agreement_variance(0.3, 1) == np.inf
    assert retention_variance(0.3, 0.3, 1) == np.inf
    assert np.isnan(agreement_variance(np.nan, 1))


def test_a_judge_that_follows_raters_closer_than_possible_has_no_variance():
    # the mean of two ratings at rho .2 has variance .6
    assert mean_variance(0.2, 2) == pytest.approx(0.6)
    assert np.isnan(retention_variance(0.2, 0.8, 2))
    assert np.isfinite(retention_variance(0.2, 0.77, 2))


def test_missing_numbers_stay_missing():
    assert np.isnan(agreement_variance(np.nan, 3))
    assert np.isnan(retention_variance(0.3, np.nan, 3))
    assert np.isnan(level_variance(0.3, np.nan, 3))


def test_the_level_varies_by_judge_and_peoples_mean():
    # 1.5 (1 + .533333 - .6): the 1.4 of the worked plan of a level
    assert level_variance(0.3, 0.3, 3, RATING_VARIANCES[5]) == pytest.approx(1.4)


def test_a_judge_is_as_good_as_a_rater_or_has_a_quality():
    assert judge_agreement(0.3) == 0.3
    assert judge_agreement(0.25, 0.7) == pytest.approx(0.35)
    assert judge_agreement(np.array([0.0, 1.0]), -1).tolist() == [0, -1]


def test_clusters_raise_the_variance():
    assert design_factor(1) == 1
    assert design_factor(5) == pytest.approx(1.4)
    assert design_factor(5, 0.3) == pytest.approx(2.2)


def test_what_a_plan_takes_without_a_pilot():
    assert RELIABILITIES == {"poor": 0.1, "fair": 0.2, "usual": 0.3, "good": 0.5}
    assert RATING_VARIANCES == {2: 0.25, 5: 1.5, 7: 3.0}
    assert level_variance(0.3, 0.3, 3) == pytest.approx(1.4 / 1.5)


def test_a_judge_that_keeps_just_the_share_has_no_retention_left():
    assert retention_effect(0.3, 0.2) == 0  # .2 - 2/3 * .3 is 3e-17
    assert retention_effect(0.3, 0.4) == pytest.approx(0.2)
    assert retention_effect([0.5, np.nan], 0.5, 0.8)[0] == pytest.approx(0.1)
    assert np.isnan(retention_effect(np.nan, 0.5))


@pytest.mark.parametrize("rho", [-1.001, 1.001])
def test_an_agreement_lies_within_minus_one_and_one(rho):
    for function in (mean_variance, agreement_variance):
        with pytest.raises(ValueError, match="^rho: expected"):
            function(rho, 3)
    for function in (retention_effect, retention_variance, level_variance):
        with pytest.raises(ValueError, match="^rho: expected"):
            function(rho, 0.3, 3)
        with pytest.raises(ValueError, match="^r: expected"):
            function(0.3, rho, 3)
    with pytest.raises(ValueError, match="^quality: expected"):
        judge_agreement(0.3, rho)
    with pytest.raises(ValueError, match="^icc: expected"):
        design_factor(5, rho)


def test_the_ends_of_the_ranges_are_allowed():
    assert agreement_variance(1.0, 2) == retention_variance(1.0, 1.0, 2) == 0
    assert agreement_variance(-1.0, 2) == 0
    assert np.isnan(retention_variance(-1.0, -1.0, 2))
    assert level_variance(1.0, -1.0, 1, 0) == 0
    assert design_factor(1, 1) == design_factor(1, -1) == 1


@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [
        (agreement_variance, (1.2, 3), "rho"),
        (agreement_variance, (0.3, 0), "m"),
        (retention_variance, (0.3, -1.1, 3), "r"),
        (retention_variance, (0.3, 0.3, 3, -1), "k"),
        (level_variance, (0.3, 0.3, 3, -1), "rating_variance"),
        (level_variance, (0.3, 0.3, 3, -0.001), "rating_variance"),
        (judge_agreement, (-0.1,), "rho"),
        (judge_agreement, (1.001,), "rho"),
        (judge_agreement, (0.1, 1.1), "quality"),
        (design_factor, (0,), "items"),
        (design_factor, (2, 1.5), "icc"),
    ],
)
def test_impossible_numbers_are_refused(function, arguments, name):
    with pytest.raises(ValueError, match=f"^{name}: expected"):
        function(*arguments)


def test_the_variance_of_a_rating_is_that_of_its_points_or_in_proportion_to_five():
    assert [usual_variance(Scale(1, points)) for points in (2, 5, 7)] == [0.25, 1.5, 3.0]
    assert usual_variance(Scale(0, 100, None)) == 1.5 * 25**2
    assert usual_variance(Scale(0, 4, None)) == 1.5
    assert usual_variance(Scale(1, 9)) == 1.5 * 2**2
