"""The mean of several estimates: value, interval from shared draws, what makes it undefined."""

from math import nan

import numpy as np
import pytest

from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.ensembles.average import average
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.bootstrap import draw_counts


def test_value_and_counts_by_hand():
    mean = average(
        [Estimate(0.2, n=10, groups=4, skipped=1), Estimate(0.5, n=20, groups=6, skipped=0)]
    )
    assert mean.value == pytest.approx(0.35)
    assert (mean.n, mean.groups, mean.skipped) == (30, 10, 1)
    assert np.isnan(mean.low)


def test_the_interval_is_that_of_the_draws_means():
    one = Estimate(0.1, draws=np.array([0.0, 0.1, 0.2]))
    two = Estimate(0.3, draws=np.array([0.2, 0.3, 0.4]))
    mean = average([one, two])  # the draws' means are .1, .2 and .3
    assert (mean.low, mean.high) == (pytest.approx(0.105), pytest.approx(0.295))


def test_no_interval_where_the_mean_is_the_same_in_every_draw():
    one = Estimate(0.1, draws=np.array([0.0, 0.1, 0.2]))
    two = Estimate(0.3, draws=np.array([0.4, 0.3, 0.2]))
    mean = average([one, two])
    assert np.isnan([mean.low, mean.high]).all()
    assert mean.reason == "no interval: the same in every draw"


def test_the_average_of_one_estimate_is_that_estimate():
    rng = np.random.default_rng(1)
    x, clusters = rng.normal(size=60), np.repeat(np.arange(12), 5)
    counts = draw_counts(12, 300, rng)
    one = dataset_correlation(
        x, x + rng.normal(size=60), "pearson", clusters=clusters, counts=counts
    )
    mean = average([one])
    assert (mean.value, mean.low, mean.high) == pytest.approx((one.value, one.low, one.high))


def test_order_does_not_matter():
    parts = [Estimate(v, draws=np.array([v, v + 0.1])) for v in (0.1, 0.4, 0.7)]
    one, other = average(parts), average(parts[::-1])
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_one_undefined_value_makes_it_undefined():
    mean = average([Estimate(0.2), Estimate(nan, reason="constant")])
    assert np.isnan(mean.value)
    assert mean.reason == "undefined in 1 of 2"


def test_one_shared_reason_is_kept():
    assert average([Estimate(nan, reason="constant")] * 2).reason == "constant"


def test_without_an_interval_it_says_why():
    one = Estimate(0.1, draws=np.array([0.0, 0.1, 0.2]))
    mean = average([one, Estimate(0.3, reason="no interval: one cluster")])
    assert (mean.value, mean.reason) == (pytest.approx(0.2), "no interval: one cluster")
    assert average([Estimate(0.1), Estimate(0.3)]).reason == "", "none was asked for"


def test_nothing_to_average_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        average([])
