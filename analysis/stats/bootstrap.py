"""Cluster bootstrap: whole recipients (or contents, or items) are drawn again, never single rows.

All statistics of a report share one matrix of draws:

    counts = draw_counts(n_clusters, draws, rng)          # (draws, clusters)
    dataset_correlation(x, y, "pearson", clusters=codes, counts=counts)

`counts[d, g]` says how often cluster g stands in draw d. A draw's statistic is computed from
count-weighted sums per cluster; it equals the plain statistic on the physically repeated rows.
Source: Davison & Hinkley (1997), Bootstrap Methods and their Application, ch. 3.8 and 5.3.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints

BLOCK_CELLS = 2**22  # floats held at once by a block of draws: 32 MB
LEVEL = 0.95


def draw_counts(n_clusters: int, draws: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draw how often each cluster stands in each draw: (draws, clusters), rows sum to clusters.

    rng is the only source of chance: store its seed with the result.
    Raises ValueError without clusters or draws.
    """
    if n_clusters < 1 or draws < 1:
        raise ValueError(f"need clusters and draws, found {n_clusters} and {draws}")
    # One byte a cell: that a cluster is drawn 256 times has a probability below 1e-500.
    counts = np.empty((draws, n_clusters), dtype=np.uint8)
    for row in counts:
        row[:] = np.bincount(rng.integers(n_clusters, size=n_clusters), minlength=n_clusters)
    return counts


def blocks(counts: NDArray[Any], width: int = 1) -> Iterator[Floats]:
    """Yield consecutive draws as floats, so few that (rows, width) and the block stay small."""
    rows = max(1, BLOCK_CELLS // max(width, counts.shape[1], 1))
    for start in range(0, len(counts), rows):
        yield counts[start : start + rows].astype(np.float64)


def weighted_sums(counts: NDArray[Any], table: Floats | sparse.csr_array) -> Floats:
    """Sum a table (clusters, cells) over the clusters of each draw: (draws, cells)."""
    return np.concatenate([block @ table for block in blocks(counts)])


def cluster_sums(clusters: Ints, n_clusters: int, *columns: Floats) -> Floats:
    """Sum each column (N,) within clusters: (clusters, columns)."""
    sums = [np.bincount(clusters, column, minlength=n_clusters) for column in columns]
    return np.stack(sums, axis=1)


def cluster_table(
    clusters: Ints, n_clusters: int, cells: Ints, n_cells: int, weights: Floats | None = None
) -> Floats | sparse.csr_array:
    """Sum weights (default 1) by cluster and cell: (clusters, cells), sparse where mostly empty."""
    if n_clusters * n_cells <= max(BLOCK_CELLS // 4, 4 * len(cells)):
        flat = np.bincount(clusters * n_cells + cells, weights, minlength=n_clusters * n_cells)
        return flat.astype(np.float64, copy=False).reshape(n_clusters, n_cells)
    values = np.ones(len(cells)) if weights is None else weights
    return sparse.coo_array((values, (clusters, cells)), shape=(n_clusters, n_cells)).tocsr()


def percentile_interval(values: Floats, level: float = LEVEL) -> tuple[float, float, int]:
    """Return low, high and the number of undefined (NaN) draws, which are left out.

    low and high are NaN when every draw is undefined.
    """
    defined = values[~np.isnan(values)]
    if len(defined) == 0:
        return np.nan, np.nan, len(values)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), len(values) - len(defined)


def with_interval(
    estimate: Estimate,
    clusters: Ints | None,
    counts: NDArray[Any] | None,
    statistic: Callable[[Ints, NDArray[Any]], Floats],
) -> Estimate:
    """Return the estimate with the percentile interval of its draws.

    statistic(clusters, counts) gives the value of each draw (draws,), NaN where undefined.
    No interval without counts, for an undefined value, or (with the reason) below two clusters.
    Raises ValueError for counts without clusters, or that do not fit them.
    """
    if counts is None:
        return estimate
    clusters = fitting_clusters(clusters, counts)
    if np.isnan(estimate.value):
        return estimate
    if len(clusters) == 0 or clusters.min() == clusters.max():
        return replace(estimate, reason="no interval: all observations are in one cluster")
    with np.errstate(divide="ignore", invalid="ignore"):
        values = statistic(clusters, counts)
    low, high, undefined = percentile_interval(values)
    reason = "no interval: undefined in every draw" if undefined == len(counts) else ""
    return replace(
        estimate, low=low, high=high, undefined_draws=undefined, reason=reason, draws=values
    )


def fitting_clusters(clusters: Ints | None, counts: NDArray[Any]) -> Ints:
    """Return the cluster codes; raises ValueError where counts (draws, clusters) do not fit."""
    if clusters is None:
        raise ValueError("counts need the cluster codes of the observations")
    if counts.ndim != 2 or not np.issubdtype(counts.dtype, np.integer):
        raise ValueError("counts: expected whole numbers of shape (draws, clusters)")
    if len(clusters) and clusters.max() >= counts.shape[1]:
        raise ValueError(f"cluster {clusters.max()} is not among the {counts.shape[1]} of counts")
    return clusters
