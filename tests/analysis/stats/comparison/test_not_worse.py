"""The one-sided test of a margin: by counting, against the interval, and in simulated studies."""

from math import isnan, sqrt

import numpy as np
import pytest

from analysis.stats.comparison.differences import not_worse, paired_difference
from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.intervals.clustered_mean import clustered_mean

LEVEL = 0.025


def test_the_draws_at_or_below_the_margin_are_counted():
    draws = np.array([-0.3, -0.1, -0.05, 0.0, 0.2, 0.4, 0.1, 0.3, 0.05])
    assert not_worse(draws, 0.1) == pytest.approx(3 / 10)
    assert not_worse(draws, 0.0) == pytest.approx(5 / 10)
    assert not_worse(draws, 1.0) == pytest.approx(1 / 10)


def test_an_undefined_draw_counts_against_it():
    assert not_worse(np.array([0.5, np.nan, 0.5]), 0.1) == pytest.approx(2 / 4)


def test_without_draws_there_is_no_test_and_a_negative_margin_is_refused():
    assert isnan(not_worse(np.empty(0), 0.1))
    with pytest.raises(ValueError, match="margin: expected 0 or more, found -0.1"):
        not_worse(np.zeros(3), -0.1)


@pytest.mark.parametrize("shift", [-0.2, 0.0, 0.1])
def test_it_is_the_lower_end_of_the_interval(shift):
    draws = np.random.default_rng(3).normal(shift, 0.05, size=1999)
    low = np.quantile(draws, LEVEL)
    for margin in np.linspace(0, 0.5, 101):
        if abs(low + margin) > 1e-3:  # but for the draws next to it
            assert (not_worse(draws, margin) <= LEVEL) == (low > -margin)


def simulated(rng, worse_by, n=60):
    """Draws of the difference of two judges of clustered items, the first worse by so much."""
    clusters = np.repeat(np.arange(n), 3)
    other = rng.normal(size=n)[clusters] + rng.normal(size=3 * n)
    apart = (rng.normal(size=n)[clusters] + rng.normal(size=3 * n)) / 2
    counts = draw_counts(n, 399, rng)
    both = (
        clustered_mean(x, clusters=clusters, counts=counts)
        for x in (other + apart - worse_by, other)
    )
    return paired_difference(*both).estimate.draws


def test_at_the_margin_it_errs_as_often_as_stated_and_within_it_rarely_fails():
    rng, runs, margin = np.random.default_rng(7), 400, 0.3
    called = sum(not_worse(simulated(rng, margin), margin) <= LEVEL for _ in range(runs)) / runs
    error = sqrt(LEVEL * (1 - LEVEL) / runs)
    assert LEVEL - 3 * error <= called <= LEVEL + 3 * error
    equal = [not_worse(simulated(rng, 0), margin) <= LEVEL for _ in range(100)]
    assert np.mean(equal) > 0.9
