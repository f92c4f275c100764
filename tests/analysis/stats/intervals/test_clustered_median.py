"""The median with its interval: by hand, by repeated rows, and where there is none."""

import numpy as np
import pytest

from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.intervals.clustered_median import clustered_median


@pytest.mark.parametrize(
    ("values", "median", "n"), [([9, 1, 5], 5, 3), ([1, 2, np.nan, 4, 8], 3, 4), ([7], 7, 1)]
)
def test_the_median_by_hand(values, median, n):
    found = clustered_median(values)
    assert (found.value, found.n) == (median, n)
    assert np.isnan(found.low)


def test_each_draw_is_the_median_of_the_repeated_rows():
    rng = np.random.default_rng(5)
    values, clusters = rng.integers(1, 9, 31).astype(float), rng.integers(0, 6, 31)
    values[4] = np.nan
    counts = draw_counts(6, 100, rng)
    found = clustered_median(values, clusters=clusters, counts=counts)
    expected = [np.nanmedian(np.repeat(values, draw[clusters])) for draw in counts]
    assert found.draws == pytest.approx(expected)
    assert (found.low, found.high) == pytest.approx(np.quantile(expected, [0.025, 0.975]))
    order = rng.permutation(31)
    again = clustered_median(values[order], clusters=clusters[order], counts=counts)
    assert again.draws == pytest.approx(found.draws), "the order of the rows changes nothing"


def test_a_draw_without_any_row_is_left_out():
    counts = np.array([[2, 0, 0], [0, 0, 2], [1, 1, 0]])
    found = clustered_median([3, 5], clusters=np.array([0, 1]), counts=counts)
    assert found.undefined_draws == 1
    assert found.draws[[0, 2]].tolist() == [3, 4]


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [
        ([np.nan], [0], "there is no value"),
        ([1, 2], [0, 0], "no interval: all observations are in one cluster"),
    ],
)
def test_what_cannot_be_said_has_its_reason(values, clusters, reason):
    found = clustered_median(values, clusters=np.array(clusters), counts=np.array([[1], [1]]))
    assert found.reason == reason and np.isnan(found.low)
