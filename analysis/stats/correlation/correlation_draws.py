"""Compute the dataset-level correlation in every bootstrap draw, without repeating a row.

Short scales: a draw is one table of joint counts, the weighted sum of the clusters' tables.
Long scales: Pearson from sums per cluster, Spearman from weighted midranks, Kendall from sums
per pair of clusters, or for many rows from a weighted merge count; as exact, and slower.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation.coefficients import (
    COEFFICIENTS,
    Concordance,
    concordance_of_tables,
    halvings,
    midranks_of_counts,
    tau_b,
)
from analysis.stats.inputs import Floats, Ints, scale_codes
from analysis.stats.intervals.bootstrap import (
    BLOCK_CELLS,
    blocks,
    cluster_sums,
    cluster_table,
    weighted_sums,
)

MOST_TABLE_CELLS = 4096
SMALL_TABLE_CELLS = 256
MOST_PAIRWISE_ROWS = 10_000  # every pair of rows is looked at once up to here
MERGE_LEVELS = 16  # passes of a merge count over the rows; a table of so many cells costs as much


def dataset_draws(
    coefficient: str, x: Floats, y: Floats, clusters: Ints, counts: NDArray[Any]
) -> Floats:
    """Correlate x and y (N,) in each draw of counts (draws, clusters): r (draws,), NaN undefined.

    Equals the coefficient of the rows, each repeated as often as its cluster was drawn.
    """
    if coefficient == "kendall":
        return tau_b(concordance_draws(x, y, clusters, counts))
    x_scale, x_codes = scale_codes(x)
    y_scale, y_codes = scale_codes(y)
    most = MOST_TABLE_CELLS
    if coefficient == "pearson":  # sums are quicker than a table with more cells than rows
        most = min(most, max(len(x), SMALL_TABLE_CELLS))
    if len(x_scale) * len(y_scale) <= most:
        correlate = COEFFICIENTS[coefficient].of_tables
        tables = _draw_tables(x_codes, y_codes, clusters, counts)
        return np.concatenate([correlate(table, x_scale, y_scale) for table in tables])
    r = LONG_SCALE_DRAWS[coefficient](x - x.mean(), y - y.mean(), clusters, counts)
    constant = [_constant_draws(codes, clusters, counts) for codes in (x_codes, y_codes)]
    return np.where(constant[0] | constant[1], np.nan, np.clip(r, -1, 1))


def concordance_draws(x: Floats, y: Floats, clusters: Ints, counts: NDArray[Any]) -> Concordance:
    """Count concordant pairs of rows (N,) in each draw of counts (draws, clusters)."""
    x_scale, x_codes = scale_codes(x)
    y_scale, y_codes = scale_codes(y)
    n_cells, n_clusters = len(x_scale) * len(y_scale), len(np.unique(clusters))
    pairwise = len(x) <= MOST_PAIRWISE_ROWS and n_clusters**2 <= BLOCK_CELLS
    if n_cells <= MOST_TABLE_CELLS or (n_cells <= MERGE_LEVELS * len(x) and not pairwise):
        tables = _draw_tables(x_codes, y_codes, clusters, counts)
        parts = [concordance_of_tables(table) for table in tables]
        return Concordance(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    balance_of = _balance_by_cluster_pairs if pairwise else _balance_by_merging
    return Concordance(
        balance_of(x_codes, y_codes, clusters, counts),
        _untied_pairs(x_codes, clusters, counts),
        _untied_pairs(y_codes, clusters, counts),
    )


def _draw_tables(
    x_codes: Ints, y_codes: Ints, clusters: Ints, counts: NDArray[Any]
) -> Iterator[Floats]:
    """Yield blocks of draws as joint counts (rows, KX, KY)."""
    kx, ky = int(x_codes.max()) + 1, int(y_codes.max()) + 1
    table = cluster_table(clusters, counts.shape[1], x_codes * ky + y_codes, kx * ky)
    for block in blocks(counts, 4 * kx * ky):
        yield (block @ table).reshape(-1, kx, ky)


def _constant_draws(codes: Ints, clusters: Ints, counts: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the draws (D,) whose rows share one value: exact, where sums of squares are not."""
    n_clusters = counts.shape[1]
    lowest = np.full(n_clusters, codes.max() + 1)
    highest = np.full(n_clusters, -1)
    np.minimum.at(lowest, clusters, codes)
    np.maximum.at(highest, clusters, codes)
    drawn_lowest = [np.where(block > 0, lowest, codes.max() + 1).min(1) for block in blocks(counts)]
    drawn_highest = [np.where(block > 0, highest, -1).max(1) for block in blocks(counts)]
    return np.concatenate(drawn_lowest) >= np.concatenate(drawn_highest)


def _pearson(x: Floats, y: Floats, clusters: Ints, counts: NDArray[Any]) -> Floats:
    sums = cluster_sums(clusters, counts.shape[1], np.ones(len(x)), x, y, x * x, y * y, x * y)
    return _r_of_sums(*weighted_sums(counts, sums).T)


def _r_of_sums(n: Floats, x: Floats, y: Floats, xx: Floats, yy: Floats, xy: Floats) -> Floats:
    return (xy - x * y / n) / (np.sqrt(xx - x * x / n) * np.sqrt(yy - y * y / n))


def _spearman(x: Floats, y: Floats, clusters: Ints, counts: NDArray[Any]) -> Floats:
    codes = [scale_codes(values)[1] for values in (x, y)]
    tables = [cluster_table(clusters, counts.shape[1], c, int(c.max()) + 1) for c in codes]
    r = []
    for block in blocks(counts, len(x)):
        weights = block[:, clusters]
        occurrences = [block @ table for table in tables]
        ranks = [midranks_of_counts(o) for o in occurrences]
        centred = [rank - (weights.sum(1, keepdims=True) + 1) / 2 for rank in ranks]
        dx, dy = centred
        sxy = np.einsum("bn,bn,bn->b", weights, dx[:, codes[0]], dy[:, codes[1]])
        sxx, syy = ((o * d * d).sum(1) for o, d in zip(occurrences, centred, strict=True))
        r.append(sxy / (np.sqrt(sxx) * np.sqrt(syy)))
    return np.concatenate(r)


def _balance_by_cluster_pairs(x: Ints, y: Ints, clusters: Ints, counts: NDArray[Any]) -> Floats:
    """Return the balance (D,) as a quadratic form: count of g x balance of g and h x count of h."""
    present, codes = np.unique(clusters, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    x, y, codes = x[order], y[order], codes[order]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    between = np.zeros((len(present), len(present)))
    step = max(1, BLOCK_CELLS // (8 * len(x)))
    for start in range(0, len(x), step):
        rows = slice(start, start + step)
        signs = np.sign(x[rows, None] - x) * np.sign(y[rows, None] - y)
        np.add.at(between, codes[rows], np.add.reduceat(signs, starts, axis=1))
    drawn = blocks(counts[:, present])
    return np.concatenate([np.einsum("dg,dg->d", b @ between, b) / 2 for b in drawn])


def _balance_by_merging(x: Ints, y: Ints, clusters: Ints, counts: NDArray[Any]) -> Floats:
    everything = np.zeros(len(x), dtype=np.int64)
    levels = list(halvings(y, everything, np.lexsort((y, x))))
    _, both = np.unique(x * (y.max() + 1) + y, return_inverse=True)
    untied_x, untied_y, untied_both = (
        _untied_pairs(codes, clusters, counts) for codes in (x, y, both)
    )
    discordant = np.concatenate(
        [_discordant(block[:, clusters], levels) for block in blocks(counts, 4 * len(x))]
    )
    # pairs tied in x or in y are neither concordant nor discordant
    return untied_x + untied_y - untied_both - 2 * discordant


def _untied_pairs(codes: Ints, clusters: Ints, counts: NDArray[Any]) -> Floats:
    """Count the pairs of rows with different codes, in each draw (D,)."""
    n_codes = int(codes.max()) + 1
    table = cluster_table(clusters, counts.shape[1], codes, n_codes)
    squares = []
    for block in blocks(counts, n_codes):
        occurrences = block @ table
        squares.append((occurrences.sum(1) ** 2 - (occurrences**2).sum(1)) / 2)
    return np.concatenate(squares)


def _discordant(weights: Floats, levels: list[Any]) -> Floats:
    """Count the weighted discordant pairs (D,) of rows with weights (D, N)."""
    total = np.zeros(len(weights))
    for rows, upper, first in levels:
        ordered = weights[:, rows]
        above = np.zeros((len(weights), len(rows) + 1))
        np.cumsum(ordered * upper, axis=1, out=above[:, 1:])
        smaller = above[:, :-1] - above[:, first]
        total += np.einsum("bn,bn,n->b", ordered, smaller, ~upper)
    return total


LONG_SCALE_DRAWS = {"pearson": _pearson, "spearman": _spearman}
