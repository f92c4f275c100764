"""How much a judge narrows an interval: the worked value, and simulated intervals."""

from math import inf, nan

import numpy as np
import pytest

from analysis.stats.replacement.interval_narrowing import interval_narrowing
from analysis.stats.replacement.prediction_powered import prediction_powered_mean


def test_the_worked_value():
    # R² .25, 300 rated of 2,000: "11 %"
    assert interval_narrowing(0.25, 300, 2000) == pytest.approx(0.11, abs=0.005)
    assert interval_narrowing(0.25, 300, 2000) == pytest.approx(1 - 0.7875**0.5)


def test_it_is_what_prediction_powered_intervals_lose():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=60_000)
    labels = 0.6 * scores + 0.8 * rng.normal(size=60_000)
    rated = 20_000
    powered = prediction_powered_mean(labels[:rated], scores[:rated], scores[rated:])
    alone = labels[:rated].std(ddof=1) / rated**0.5
    expected = interval_narrowing(0.36, rated, 60_000)
    assert 1 - powered.error / alone == pytest.approx(expected, abs=0.005)


def test_a_perfect_judge_leaves_the_share_of_the_rated():
    assert interval_narrowing(1.0, 500, 2000) == 0.5
    assert interval_narrowing(1.0, 1, 10**9) == pytest.approx(1, abs=1e-4)


def test_nothing_is_won_without_correlation_or_where_all_is_rated():
    assert interval_narrowing(0.0, 300, 2000) == 0
    assert interval_narrowing(0.25, 300, 300) == 0


def test_only_the_share_of_rated_items_counts():
    assert interval_narrowing(0.25, 3, 20) == interval_narrowing(0.25, 300, 2000)


def test_without_rated_items_or_a_correlation_it_is_undefined():
    assert np.isnan(interval_narrowing(0.25, 0, 2000))
    assert np.isnan(interval_narrowing(0.25, 0, 0))
    assert np.isnan(interval_narrowing(nan, 300, 2000))


@pytest.mark.parametrize("r_squared", [-0.1, 1.1, inf])
def test_a_squared_correlation_is_a_share(r_squared):
    with pytest.raises(ValueError, match="r_squared: expected"):
        interval_narrowing(r_squared, 300, 2000)


@pytest.mark.parametrize(("rated", "judged"), [(-1, 10), (11, 10)])
def test_the_rated_are_among_the_judged(rated, judged):
    with pytest.raises(ValueError, match="rated <= judged"):
        interval_narrowing(0.25, rated, judged)
