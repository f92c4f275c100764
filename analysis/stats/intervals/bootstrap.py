"""Bootstrap whole clusters: recipients (or contents, or items) are drawn again, never single rows.

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
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints
from analysis.stats.intervals.wilson_interval import wilson_interval

BLOCK_CELLS = 2**22  # floats held at once by a block of draws: 32 MB
LEVEL = 0.95
ALIKE = "no interval: the same in every draw"
NEARLY_ALIKE = "no interval: the same in 95 % of the draws"
SAME = 1e-12  # draws that differ by less, relative to their size, differ by rounding


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

    low and high are NaN where `why_no_interval` says why: an interval of no width would claim
    that nothing else is possible.
    """
    defined = values[~np.isnan(values)]
    lost = len(values) - len(defined)
    if not len(defined):
        return np.nan, np.nan, lost
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return (np.nan, np.nan, lost) if are_alike(low, high) else (float(low), float(high), lost)


def why_no_interval(values: Floats) -> str:
    """Say why these draws (D,), NaN where undefined, give no interval; empty where they do."""
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    if np.isnan(low):
        return "no interval: undefined in every draw"
    if are_alike(low, high):
        return ALIKE
    # Of few values, as a median or the order of three systems has, a rare draw moves neither end.
    return "" if np.isfinite(percentile_interval(values)[0]) else NEARLY_ALIKE


def are_alike(low: ArrayLike, high: ArrayLike) -> NDArray[np.bool_]:
    """Return whether draws from `low` to `high`, of any shape, differ by rounding at most."""
    ends = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    return np.asarray(ends[1] - ends[0] <= SAME * np.maximum(1.0, np.abs(ends[0])))


def with_interval(
    estimate: Estimate,
    clusters: Ints | None,
    counts: NDArray[Any] | None,
    statistic: Callable[[Ints, NDArray[Any]], Floats],
    *,
    is_share: bool = False,
) -> Estimate:
    """Return the estimate with the percentile interval of its draws.

    statistic(clusters, counts) gives the value of each draw (draws,), NaN where undefined.
    A share (is_share) of none or of all, which every draw repeats, has Wilson's interval, of as
    many observations as there are clusters. No interval without counts, for an undefined value,
    or (with the reason) below two clusters and where all draws are alike.
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
    reason = why_no_interval(values) if np.isnan(low) else ""
    if reason and is_share and estimate.value in (0.0, 1.0) and undefined < len(values):
        n = len(np.unique(clusters))
        (low, high), reason = wilson_interval(round(estimate.value) * n, n), ""
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
