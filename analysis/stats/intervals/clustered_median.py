"""Compute the median of values that share clusters, for example a rater's seconds.

clustered_median(values, clusters=codes, counts=draws)      the median, with its interval
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, as_codes, as_floats
from analysis.stats.intervals.bootstrap import blocks, with_interval


def clustered_median(
    values: ArrayLike, *, clusters: Ints | None = None, counts: NDArray[Any] | None = None
) -> Estimate:
    """Return the median, in the values' unit; for an even number the mean of the middle two.

    values, clusters: (N,); NaN is a missing value and left out; Estimate.n counts the rest. NaN
    without values. Raises ValueError for other shapes and for counts that do not fit.
    Source: the median of each draw's rows, Davison & Hinkley (1997), ch. 2.3 and 3.8.
    """
    array = as_floats(values, "values")
    present = ~np.isnan(array)
    array = array[present]
    if clusters is not None:
        clusters = as_codes(clusters, "clusters", len(present))[present]
    estimate = Estimate(
        float(np.median(array)) if len(array) else np.nan,
        n=len(array),
        reason="" if len(array) else "there is no value",
    )
    return with_interval(estimate, clusters, counts, lambda c, drawn: _medians(array, c, drawn))


def _medians(values: Floats, clusters: Ints, counts: NDArray[Any]) -> Floats:
    """Return the median of each draw (D,), NaN in a draw without any of the rows."""
    order = np.argsort(values, kind="stable")
    ranked, of_ranked = values[order], clusters[order]
    medians = []
    for block in blocks(counts, len(values)):
        reached = np.cumsum(block[:, of_ranked], axis=1)
        total = reached[:, -1]
        middle = [
            ranked[np.minimum((reached <= place[:, None]).sum(axis=1), len(ranked) - 1)]
            for place in ((total - 1) // 2, total // 2)
        ]
        medians.append(np.where(total > 0, (middle[0] + middle[1]) / 2, np.nan))
    return np.concatenate(medians)
