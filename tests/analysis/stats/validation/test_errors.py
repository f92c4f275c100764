"""Tests and bounds of a quantity, against scipy."""

import numpy as np
import pytest
from scipy import stats

from analysis.stats.validation.people import (
    Errors,
    Quantity,
    covariance_by_cluster,
    covariance_by_rater,
)


def test_tests_and_bounds_are_students():
    quantity = Quantity(0.4, 0.2, 9)
    assert quantity.p_above(0.1) == pytest.approx(stats.t.sf(1.5, 9))
    assert quantity.p_below(0.1) == pytest.approx(stats.t.cdf(1.5, 9))
    assert quantity.p_two_sided() == pytest.approx(2 * stats.t.sf(2, 9))
    assert quantity.p_within(0.7) == pytest.approx(stats.t.sf(1.5, 9))
    assert quantity.lower() == pytest.approx(0.4 - 0.2 * stats.t.ppf(0.95, 9))
    assert quantity.upper(0.025) == pytest.approx(0.4 + 0.2 * stats.t.ppf(0.975, 9))


def test_without_error_the_bound_decides():
    sure = Quantity(0.5, 0.0, 9)
    assert (sure.p_above(0.4), sure.p_above(0.5), sure.p_above(0.6)) == (0, 1, 1)
    assert (sure.p_below(0.6), sure.p_below(0.5)) == (0, 1)
    assert sure.lower() == sure.upper() == 0.5


@pytest.mark.parametrize("quantity", [Quantity(np.nan), Quantity(0.5), Quantity(0.5, 0.1, 0)])
def test_what_is_undefined_has_no_p(quantity):
    assert np.isnan([quantity.p_above(), quantity.p_within(1), quantity.upper()]).all()
    assert np.isnan(quantity.p_two_sided())


def test_items_as_clusters_give_the_standard_error_of_a_mean():
    values = np.array([3.0, 1, 4, 1, 5])
    psi = (values - values.mean())[None]
    variance = covariance_by_cluster(psi, np.arange(5), 5).item()
    assert variance == pytest.approx(stats.sem(values) ** 2)
    assert np.isnan(covariance_by_cluster(psi, np.zeros(5, int), 1)).all()


def test_an_addition_counts_only_above_zero():
    errors = Errors(np.eye(2), np.diag([0.5, -0.5]), n_clusters=40, n_raters=12)
    first, second = np.eye(2)
    assert (errors.variance(first), errors.df(first)) == (1.5, 11)
    assert (errors.variance(second), errors.df(second)) == (1, 39)


def test_a_rater_with_most_ratings_does_not_hide_how_raters_differ():
    """Raters who differ by constants of variance 1: of a mean sum p^2 is the variance, by draws."""
    counts = np.array([60, *[6] * 20])
    rater = np.repeat(np.arange(21), counts)
    rng, n = np.random.default_rng(1), 60
    variances = []
    for _ in range(2000):
        parts = rng.normal(size=21)[rater]
        between, _ = covariance_by_rater((parts - parts.mean())[None] / 3, rater, 21, n)
        variances.append(between.item())
    assert np.mean(variances) == pytest.approx(((counts / 180) ** 2).sum(), rel=0.05)
    even = np.repeat(np.arange(9), 20)
    u = rng.normal(size=(1, 180))
    sums = np.bincount(even, u[0])
    between, _ = covariance_by_rater(u, even, 9, n)
    assert between.item() == pytest.approx(9 / 8 * (sums**2).sum() / n**2)


def test_raters_count_as_many_as_equally_busy_ones():
    errors = Errors(np.eye(1), np.eye(1), n_clusters=40, n_raters=13.9)
    assert errors.df(np.ones(1)) == pytest.approx(12.9)


def test_a_single_rater_has_no_variance_between_raters():
    between, cells = covariance_by_rater(np.ones((1, 4)), np.zeros(4, int), 1, 4)
    assert np.isnan(between).all()
    assert cells.item() == pytest.approx(0.25)
