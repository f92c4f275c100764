"""Measure how far values moved between two readings of the same items.

mean_change(before, after)
"""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from analysis.stats.estimate import Estimate


def mean_change(before: NDArray[np.float64], after: NDArray[np.float64]) -> Estimate:
    """Average after - before over the items with both, with the interval of a paired t-test.

    before, after: (items,), floats, NaN where missing. In the unit of the values; n counts the
    pairs. Undefined without a pair; one pair has no interval. Where all pairs moved alike the
    interval is that one number, which says nothing of other items.
    Raises ValueError where the lengths differ.
    Source: the paired t interval, mean ± t(n - 1; .975) · s / sqrt(n), with ddof 1.
    """
    if before.shape != after.shape:
        raise ValueError("mean_change: before and after have other lengths")
    moved = after - before
    moved = moved[~np.isnan(moved)]
    n = len(moved)
    if not n:
        return Estimate(np.nan, reason="no item has both values")
    mean = float(moved.mean())
    if n == 1:
        return Estimate(mean, n=1, reason="one item has no interval")
    half = float(t.ppf(0.975, n - 1) * moved.std(ddof=1) / np.sqrt(n))
    return Estimate(mean, mean - half, mean + half, n=n)
