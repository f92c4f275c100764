"""Check whether a judge's values are the shares of positives among items of that value.

bins_of(values)                                     bin of each value
calibration_curve(values, positive)                 per bin the judge's mean and people's share
expected_calibration_error(probabilities, positive) mean distance of the two, with interval
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, as_floats, complete_pairs
from analysis.stats.intervals.bootstrap import cluster_table, weighted_sums, with_interval
from analysis.stats.replacement.selection import share

MOST_BINS = 10
MOST_VALUES = 11  # different values that are bins of their own: every point of a scale


@dataclass(frozen=True)
class Bin:
    """Items with values from `least` to `most`: their mean value, and their share of positives."""

    least: float
    most: float
    mean: float
    share: Estimate


def bins_of(values: ArrayLike) -> Ints:
    """Number each value's bin 0, 1, ... (N,): a bin per value for few values, else deciles.

    Equal values share a bin, so bins may be fewer and of unequal size. Raises ValueError for NaN.
    """
    numbers = as_floats(values, "values")
    if np.isnan(numbers).any():
        raise ValueError("values: expected no missing value")
    different, codes = np.unique(numbers, return_inverse=True)
    if len(different) > MOST_VALUES:
        edges = np.quantile(numbers, np.linspace(0, 1, MOST_BINS + 1)[1:-1])
        codes = np.unique(np.searchsorted(edges, numbers), return_inverse=True)[1]
    return codes.astype(np.int64, copy=False)


def calibration_curve(
    values: ArrayLike,
    positive: ArrayLike,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> list[Bin]:
    """Return the bins of the judge's values, lowest first, each with its share of positives.

    values, positive (1 or 0), clusters: (N,); NaN drops the item. Estimate.n: items of the bin.
    Empty without complete pairs. Raises ValueError for unequal lengths.
    Source: reliability diagram; DeGroot & Fienberg (1983), The Statistician 32.
    """
    xs, ys, units = complete_pairs(values, positive, clusters)
    if not len(xs):
        return []
    codes = bins_of(xs)
    bins = []
    for code in range(int(codes.max()) + 1):
        inside = codes == code
        estimate = share((ys == 1) & inside, inside, "no item in the bin", units, counts)
        own = xs[inside]
        bins.append(Bin(float(own.min()), float(own.max()), float(own.mean()), estimate))
    return bins


def expected_calibration_error(
    probabilities: ArrayLike,
    positive: ArrayLike,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Average |share of positives - mean probability| of each item's bin over items: 0..1.

    probabilities in 0..1, positive, clusters: (N,). The bins are those of `bins_of`, the same in
    every draw. Chance alone makes it larger than 0, and larger again in a draw: its interval may
    lie above it. NaN without complete pairs. Raises ValueError for values outside 0..1.
    Source: Naeini, Cooper & Hauskrecht (2015), AAAI.
    """
    xs, ys, units = complete_pairs(probabilities, positive, clusters)
    if len(xs) and (xs.min() < 0 or xs.max() > 1):
        raise ValueError(f"probabilities: expected 0..1, found {xs.min():g} to {xs.max():g}")
    if not len(xs):
        return Estimate(np.nan, reason="no complete pairs")
    codes = bins_of(xs)
    gaps, n_bins = (ys == 1) - xs, int(codes.max()) + 1
    value = float(np.abs(np.bincount(codes, gaps, minlength=n_bins)).sum() / len(xs))

    def draws(units: Ints, counts: NDArray[Any]) -> Floats:
        sums, sizes = (
            weighted_sums(counts, cluster_table(units, counts.shape[1], codes, n_bins, weights))
            for weights in (gaps, None)
        )
        return np.abs(sums).sum(axis=1) / sizes.sum(axis=1)

    return with_interval(Estimate(value, n=len(xs)), units, counts, draws)
