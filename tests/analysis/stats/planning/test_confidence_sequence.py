"""Bounds that hold at every look: worked values, the exact mixture, and limits."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from analysis.stats.planning.stopping import (
    margin,
    mixing_variance,
    needed_clusters,
    sequence_bounds,
    share_alpha,
)

LOOKS = np.array([50, 100, 200, 400])
# Half widths of the exact one-sided normal mixture, in SDs of the mean, as published with them.
EXACT = [3.015608, 2.820686, 2.766071, 2.792418]


def test_the_worked_margins():
    assert mixing_variance(0.05, 200) == pytest.approx(0.031644, abs=5e-7)
    worked = [3.043193, 2.839679, 2.779094, 2.801331]
    assert margin(LOOKS) * np.sqrt(LOOKS) == pytest.approx(worked, abs=5e-7)


def test_the_worked_lower_bounds():
    lower, upper = sequence_bounds(0.2, 0.5 / np.sqrt(LOOKS), LOOKS)
    assert lower == pytest.approx([-0.015186, 0.058016, 0.101744, 0.129967], abs=5e-7)
    assert lower + upper == pytest.approx([0.4] * 4)


def exact_width(t, alpha=0.05, variance=0.0316442980):
    """Solve the mixture over positive slopes for the sum whose evidence is 1 / alpha."""
    growth = t * variance + 1

    def evidence(total):
        scaled = total * np.sqrt(variance / growth)
        return np.log(2 * alpha / np.sqrt(growth)) + scaled**2 / 2 + norm.logcdf(scaled)

    return brentq(evidence, 0, 100 * np.sqrt(t)) / np.sqrt(t)


def test_the_closed_form_is_a_little_wider_than_the_exact_mixture():
    exact = np.array([exact_width(t) for t in LOOKS])
    assert exact == pytest.approx(EXACT, abs=5e-7)
    ratio = margin(LOOKS) * np.sqrt(LOOKS) / exact
    assert ((ratio > 1) & (ratio < 1.01)).all()


def test_the_margin_falls_with_every_cluster():
    assert (np.diff(margin(np.arange(1, 3000))) < 0).all()


def test_the_bounds_are_narrowest_about_the_planned_number():
    for planned in (100, 400):
        widths = margin(np.arange(50, 2000), planned=planned) * np.sqrt(np.arange(50, 2000))
        assert 50 + widths.argmin() == pytest.approx(planned, rel=0.25)


def test_less_alpha_is_a_wider_margin():
    assert (margin(LOOKS, 0.01) > margin(LOOKS, 0.05)).all()
    assert (share_alpha(0.05, 1), share_alpha(0.05, 4)) == (0.05, 0.0125)


def test_the_worked_clusters_that_are_needed():
    assert needed_clusters(0.1, 0.612620) == 291


def test_they_are_the_fewest():
    for effect in (0.02, 0.1, 0.2):
        t = needed_clusters(effect, 0.6)
        assert 0.6 * margin(t) <= effect < 0.6 * margin(t - 1)


def test_another_unit_changes_nothing():
    assert needed_clusters(10, 60) == needed_clusters(0.1, 0.6)


def test_nobody_looks_before_fifty_clusters():
    assert needed_clusters(5.0, 0.1) == 50
    assert needed_clusters(0.1, 0.0) == 50


def test_without_an_effect_no_number_is_enough():
    assert needed_clusters(0.0, 0.6) == np.inf
    assert needed_clusters(-0.1, 0.0) == np.inf
    assert needed_clusters(0.1, np.inf) == np.inf
    assert needed_clusters(1e-300, 1.0) == np.inf
    assert np.isnan(needed_clusters(np.nan, 0.6)) and np.isnan(needed_clusters(0.1, np.nan))


def test_undefined_estimates_have_no_bounds():
    lower, upper = sequence_bounds([np.nan, 0.1, 0.1], [0.1, np.nan, 0.0], 100)
    assert np.isnan(lower).tolist() == np.isnan(upper).tolist() == [True, True, False]
    assert (lower[2], upper[2]) == (0.1, 0.1)


def test_impossible_numbers_are_refused():
    with pytest.raises(ValueError, match="alpha: expected a number between 0 and 0.5"):
        margin(100, 0.5)
    with pytest.raises(ValueError, match="planned: expected"):
        mixing_variance(0.05, 0)
    with pytest.raises(ValueError, match="t: expected"):
        margin(0)
    with pytest.raises(ValueError, match="error: expected"):
        sequence_bounds(0.1, -0.1, 100)
    with pytest.raises(ValueError, match="sd: expected"):
        needed_clusters(0.1, -1)
    with pytest.raises(ValueError, match="pairs: expected"):
        share_alpha(0.05, 0)
    with pytest.raises(ValueError, match="alpha: expected"):
        share_alpha(0, 2)
