"""Compute shares of the rows of a confusion matrix, with intervals.

row_shares(human, judge, labels, clusters=codes, counts=draws)      K × K shares, their ends

Where no item of a row has a label, or all have it, every draw says the same, which would make the
interval a point. There it is Wilson's, of as many observations as the row has clusters. Any other
share that every draw repeats has none.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.classification.classification import confusion_matrix
from analysis.stats.inputs import Floats, Ints, as_floats, label_codes
from analysis.stats.intervals.bootstrap import (
    LEVEL,
    are_alike,
    cluster_table,
    fitting_clusters,
    weighted_sums,
)
from analysis.stats.intervals.wilson_interval import wilson_interval


@dataclass(frozen=True)
class RowShares:
    """A confusion matrix and its row shares, all (K, K), rows human, columns judge.

    shares: in 0..1, NaN in a row without items; low, high: 95 % interval, NaN without draws, in a
    row whose items are all in one cluster, and of a share that no draw moves; undefined_draws: of a
    row (K,), draws that have no item of it and are left out.
    """

    matrix: Ints
    shares: Floats
    low: Floats
    high: Floats
    undefined_draws: Ints


def row_shares(
    human: ArrayLike,
    judge: ArrayLike,
    labels: ArrayLike,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> RowShares:
    """Return the judge's share of each label among the items with each label by people.

    human, judge, clusters: (N,); a pair with a missing side is left out; labels (K,): the scale.
    Raises ValueError for values off the scale, unequal lengths and counts that do not fit.
    Source: ratios of weighted sums in each draw, Davison & Hinkley (1997), ch. 3.8.
    """
    rows, columns = as_floats(human, "human"), as_floats(judge, "judge")
    matrix = confusion_matrix(rows, columns, labels)
    sizes = matrix.sum(axis=1, keepdims=True)
    shares = np.divide(matrix, sizes, out=np.full(matrix.shape, np.nan), where=sizes > 0)
    low, high = np.full((2, *matrix.shape), np.nan)
    undefined = np.zeros(len(matrix), dtype=np.int64)
    result = RowShares(matrix, shares, low, high, undefined)
    if counts is None or not matrix.sum():
        return result
    complete = ~np.isnan(rows) & ~np.isnan(columns)
    own = fitting_clusters(clusters, counts)[complete]
    size = len(matrix)
    codes = label_codes(rows[complete], labels, "human")
    cells = codes * size + label_codes(columns[complete], labels, "judge")
    drawn = weighted_sums(counts, cluster_table(own, counts.shape[1], cells, size**2))
    drawn = drawn.reshape(-1, size, size)
    for place in range(size):
        of_row = len(np.unique(own[codes == place]))
        if of_row > 1:
            ends, undefined[place] = _ends(drawn[:, place], matrix[place], of_row)
            low[place], high[place] = ends
    return result


def _ends(drawn: Floats, counted: Ints, n_clusters: int) -> tuple[Floats, int]:
    """Return ends (2, K) of one row's shares over draws (D, K), and the undefined draws' number."""
    totals = drawn.sum(axis=1)
    defined = totals > 0
    shares = drawn[defined] / totals[defined, None]
    ends = np.full((2, len(counted)), np.nan)
    if defined.any():
        ends = np.quantile(shares, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        ends[:, are_alike(*ends)] = np.nan
    ends[:, counted == 0] = np.array([wilson_interval(0, n_clusters)]).T
    ends[:, counted == counted.sum()] = np.array([wilson_interval(n_clusters, n_clusters)]).T
    return ends, int((~defined).sum())
