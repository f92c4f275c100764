"""Do metrics order systems alike, and means of many columns: against scipy and numpy."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from analysis.stats.correlation.rank_agreement import rank_agreement
from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.intervals.clustered_mean import clustered_mean, means_of_columns

NAN = np.nan


def test_it_is_tau_b_of_the_means():
    dice = np.random.default_rng(2)
    means = dice.integers(0, 4, (5, 7)).astype(float)
    for (i, j), found in rank_agreement(means).items():
        assert found.value == pytest.approx(kendalltau(means[i], means[j]).statistic)
        assert found.n == 7


def test_by_hand():
    """Systems a < b < c; the other metric swaps b and c: two pairs of three alike, 1/3."""
    found = rank_agreement([[1, 2, 3], [1, 3, 2]])
    assert found[0, 1].value == pytest.approx(1 / 3)


def test_only_systems_that_both_have_are_compared():
    found = rank_agreement([[1, 2, 3, NAN], [NAN, 5, 4, 9]])
    assert (found[0, 1].value, found[0, 1].n) == (-1, 2)


@pytest.mark.parametrize(
    ("means", "reason"),
    [
        ([[1, NAN], [NAN, 2]], "fewer than two systems"),
        ([[1, 1, 1], [1, 2, 3]], "a metric has the same mean for all systems"),
    ],
)
def test_without_an_order_it_is_undefined(means, reason):
    found = rank_agreement(means)[0, 1]
    assert np.isnan(found.value)
    assert found.reason == reason


def test_intervals_are_those_of_the_draws():
    dice = np.random.default_rng(3)
    means, draws = dice.normal(size=(2, 4)), dice.normal(size=(2, 50, 4))
    found = rank_agreement(means, draws)[0, 1]
    taus = [kendalltau(x, y).statistic for x, y in zip(*draws, strict=True)]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(taus, [0.025, 0.975])))
    with pytest.raises(ValueError, match="metrics, draws, systems"):
        rank_agreement(means, draws[:, :, :3])


def test_each_column_is_a_clustered_mean_of_its_own():
    dice = np.random.default_rng(4)
    values, clusters = dice.normal(size=(40, 3)), dice.integers(0, 8, 40)
    values[dice.random((40, 3)) < 0.3] = NAN
    values[:, 2] = NAN
    counts = draw_counts(8, 100, dice)
    found = means_of_columns(values, clusters=clusters, counts=counts)
    for column, one in zip(values.T, found, strict=True):
        alone = clustered_mean(column, clusters=clusters, counts=counts)
        assert one.value == pytest.approx(alone.value, nan_ok=True)
        assert (one.low, one.high) == pytest.approx((alone.low, alone.high), nan_ok=True)
        assert (one.n, one.reason) == (alone.n, alone.reason)
    assert means_of_columns(np.empty((0, 2)))[1].reason == "there is no value"
