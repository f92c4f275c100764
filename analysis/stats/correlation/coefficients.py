"""Compute Pearson r, Spearman rho and Kendall tau-b of many groups at once, without a loop.

Two forms of data, one function each per coefficient:
- rows: x, y (N,), group codes (N,): `COEFFICIENTS[name].of_rows(x, y, groups, n_groups)`
- joint counts (groups, KX, KY):     `COEFFICIENTS[name].of_tables(tables, x_scale, y_scale)`
Every function returns r (groups,), in -1..1, NaN where one side is constant or below two rows.
Source: scipy.stats pearsonr, spearmanr, kendalltau (variant b), which they equal.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from analysis.stats.inputs import Flags, Floats, Ints, scale_codes

DENSE = 10  # count tables may hold this many cells for each row of data


def constant_groups(values: Floats, groups: Ints, n_groups: int) -> Flags:
    """Return the groups (G,) that hold fewer than two different values. Exact."""
    one_of_group = np.zeros(n_groups)
    one_of_group[groups] = values
    return np.bincount(groups[values != one_of_group[groups]], minlength=n_groups) == 0


def grouped_pearson(x: Floats, y: Floats, groups: Ints, n_groups: int) -> Floats:
    """Compute Pearson's r within each group, from sums about the group means."""
    undefined = constant_groups(x, groups, n_groups) | constant_groups(y, groups, n_groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.bincount(groups, minlength=n_groups)
        dx = x - (np.bincount(groups, x, minlength=n_groups) / sizes)[groups]
        dy = y - (np.bincount(groups, y, minlength=n_groups) / sizes)[groups]
        sxy = np.bincount(groups, dx * dy, minlength=n_groups)
        sxx = np.bincount(groups, dx * dx, minlength=n_groups)
        syy = np.bincount(groups, dy * dy, minlength=n_groups)
        r = np.clip(sxy / (np.sqrt(sxx) * np.sqrt(syy)), -1, 1)
    r[undefined] = np.nan
    return r


def grouped_spearman(x: Floats, y: Floats, groups: Ints, n_groups: int) -> Floats:
    """Compute Spearman's rho within each group: Pearson's r of the midranks."""
    ranks_x = midranks(x, groups, n_groups)
    ranks_y = midranks(y, groups, n_groups)
    return grouped_pearson(ranks_x, ranks_y, groups, n_groups)


def midranks(values: Floats, groups: Ints, n_groups: int) -> Floats:
    """Rank values within their group (N,), from 1; ties share the mean of their ranks."""
    scale, codes = scale_codes(values)
    if n_groups * len(scale) > DENSE * len(values):
        return _midranks_by_sorting(values, groups)
    cells = groups * len(scale) + codes
    table = np.bincount(cells, minlength=n_groups * len(scale)).reshape(n_groups, len(scale))
    return midranks_of_counts(table.astype(np.float64)).ravel()[cells]


def _midranks_by_sorting(values: Floats, groups: Ints) -> Floats:
    order = np.lexsort((values, groups))
    sorted_groups = groups[order]
    starts, lengths = _runs(sorted_groups, values[order])
    group_starts, group_lengths = _runs(sorted_groups)
    before_group = np.repeat(group_starts, group_lengths)[starts]
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(starts - before_group + (lengths + 1) / 2, lengths)
    return ranks


def grouped_kendall(x: Floats, y: Floats, groups: Ints, n_groups: int) -> Floats:
    """Compute Kendall's tau-b within each group."""
    return tau_b(concordance(x, y, groups, n_groups))


class Concordance(NamedTuple):
    """Counts of pairs of rows, for each group or draw (G,).

    balance: concordant less discordant pairs; untied_x, untied_y: pairs that differ in x, in y.
    """

    balance: Floats
    untied_x: Floats
    untied_y: Floats


def tau_b(pairs: Concordance) -> Floats:
    """Compute Kendall's tau-b (G,), NaN where no pair differs in x or none in y."""
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = np.clip(pairs.balance / np.sqrt(pairs.untied_x) / np.sqrt(pairs.untied_y), -1, 1)
    return np.where((pairs.untied_x > 0) & (pairs.untied_y > 0), tau, np.nan)


def concordance(x: Floats, y: Floats, groups: Ints, n_groups: int) -> Concordance:
    """Count concordant pairs in each group: by count tables on short scales, else by sorting."""
    x_scale, x_codes = scale_codes(x)
    y_scale, y_codes = scale_codes(y)
    shape = n_groups, len(x_scale), len(y_scale)
    if np.prod(shape) > DENSE * len(x):
        return _concordance_by_sorting(x, y, groups, n_groups)
    cells = (groups * shape[1] + x_codes) * shape[2] + y_codes
    tables = np.bincount(cells, minlength=int(np.prod(shape))).astype(np.float64)
    return concordance_of_tables(tables.reshape(shape))


def _concordance_by_sorting(x: Floats, y: Floats, groups: Ints, n_groups: int) -> Concordance:
    by_x = np.lexsort((y, x, groups))
    by_y = np.lexsort((y, groups))
    sizes = np.bincount(groups, minlength=n_groups).astype(np.float64)
    pairs = sizes * (sizes - 1) / 2
    tied_x = _tied_pairs(n_groups, groups[by_x], x[by_x])
    tied_y = _tied_pairs(n_groups, groups[by_y], y[by_y])
    tied_both = _tied_pairs(n_groups, groups[by_x], x[by_x], y[by_x])
    balance = pairs - tied_x - tied_y + tied_both - 2 * _discordant(y, groups, by_x, n_groups)
    return Concordance(balance, pairs - tied_x, pairs - tied_y)


def _runs(*sorted_keys: Floats | Ints) -> tuple[Ints, Ints]:
    """Return starts and lengths of the runs of equal keys."""
    length = len(sorted_keys[0])
    change = np.ones(length, dtype=bool)
    change[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in sorted_keys])
    starts = np.flatnonzero(change)
    lengths: Ints = np.diff(starts, append=length)
    return starts, lengths


def _tied_pairs(n_groups: int, groups: Ints, *keys: Floats) -> Floats:
    starts, lengths = _runs(groups, *keys)
    tied: Floats = lengths * (lengths - 1) / 2
    return np.bincount(groups[starts], tied, minlength=n_groups).astype(np.float64)


def _discordant(y: Floats | Ints, groups: Ints, by_x: Ints, n_groups: int) -> Floats:
    """Count, per group (G,), the pairs that x orders one way and y the other."""
    total = np.zeros(n_groups)
    for rows, upper, first in halvings(y, groups, by_x):
        before: Ints = np.cumsum(upper) - upper
        smaller = np.where(upper, 0, before - before[first])
        total += np.bincount(groups[rows], smaller, minlength=n_groups)
    return total


def halvings(y: Floats | Ints, groups: Ints, by_x: Ints) -> Iterator[tuple[Ints, Flags, Ints]]:
    """Yield the levels of a merge count of the pairs that x and y order differently.

    by_x sorts the rows by group, x, y. Each level yields (rows, upper, first), all (N,): rows in
    blocks, sorted by y within the block; whether a row is in the upper half of its block by x;
    where its block begins. A discordant pair is an upper row before a lower one, in one level only.
    """
    starts, lengths = _runs(groups[by_x])
    place = np.arange(len(by_x)) - np.repeat(starts, lengths)
    order = np.lexsort((y[by_x], groups[by_x]))  # stable: equal y stay ordered by x
    place, rows = place[order], by_x[order]
    for bit in reversed(range(int(lengths.max(initial=1) - 1).bit_length())):
        upper = (place >> bit) & 1 == 1
        first, sizes = _runs(groups[rows], place >> (bit + 1))
        block_first = np.repeat(first, sizes)
        yield rows, upper, block_first
        order = _lower_half_first(upper, first, sizes)
        place, rows = place[order], rows[order]


def _lower_half_first(upper: Flags, first: Ints, sizes: Ints) -> Ints:
    """Return the order that puts each block's lower half first and keeps the rest."""
    uppers = np.add.reduceat(upper, first, dtype=np.int64)
    block_first = np.repeat(first, sizes)
    before: Ints = np.cumsum(upper) - upper
    uppers_before: Ints = before - before[block_first]
    lowers_before = np.arange(len(upper)) - block_first - uppers_before
    target = block_first + np.where(
        upper, np.repeat(sizes - uppers, sizes) + uppers_before, lowers_before
    )
    order = np.empty(len(upper), dtype=np.int64)
    order[target] = np.arange(len(upper))
    return order


def pearson_of_tables(tables: Floats, x_scale: Floats, y_scale: Floats) -> Floats:
    """Compute Pearson's r of each table of joint counts (G, KX, KY) over two scales."""
    shape = tables.shape
    return _pearson_of_scores(
        tables,
        np.broadcast_to(x_scale, shape[:2]),
        np.broadcast_to(y_scale, (shape[0], shape[2])),
    )


def spearman_of_tables(tables: Floats, x_scale: Floats, y_scale: Floats) -> Floats:
    """Compute Spearman's rho of each table of joint counts (G, KX, KY)."""
    ranks_x = midranks_of_counts(tables.sum(axis=2))
    ranks_y = midranks_of_counts(tables.sum(axis=1))
    return _pearson_of_scores(tables, ranks_x, ranks_y)


def midranks_of_counts(counts: Floats) -> Floats:
    """Return the midrank (G, K) of each value of a scale that occurs so often (G, K)."""
    return np.cumsum(counts, axis=1) - (counts - 1) / 2


def _pearson_of_scores(tables: Floats, x: Floats, y: Floats) -> Floats:
    x_counts, y_counts = tables.sum(axis=2), tables.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        totals = x_counts.sum(axis=1, keepdims=True)
        dx = x - (x_counts * x).sum(axis=1, keepdims=True) / totals
        dy = y - (y_counts * y).sum(axis=1, keepdims=True) / totals
        sxy = (np.matmul(tables, dy[:, :, None])[:, :, 0] * dx).sum(axis=1)
        norm = np.sqrt((x_counts * dx**2).sum(axis=1)) * np.sqrt((y_counts * dy**2).sum(axis=1))
        r = np.clip(sxy / norm, -1, 1)
    r[(np.count_nonzero(x_counts, axis=1) < 2) | (np.count_nonzero(y_counts, axis=1) < 2)] = np.nan
    return r


def kendall_of_tables(tables: Floats, x_scale: Floats, y_scale: Floats) -> Floats:
    """Compute Kendall's tau-b of each table of joint counts (G, KX, KY), scales ascending."""
    return tau_b(concordance_of_tables(tables))


def concordance_of_tables(tables: Floats) -> Concordance:
    """Count concordant pairs in each table of joint counts (G, KX, KY), scales ascending."""
    x_counts, y_counts = tables.sum(axis=2), tables.sum(axis=1)
    squared_totals = x_counts.sum(axis=1) ** 2
    untied_x = (squared_totals - (x_counts**2).sum(axis=1)) / 2
    untied_y = (squared_totals - (y_counts**2).sum(axis=1)) / 2
    lower_y = np.cumsum(tables, axis=2) - tables
    # of the rows lower in y, those lower in x count one, those equal in x a half
    won = np.cumsum(lower_y, axis=1) - lower_y / 2
    return Concordance(2 * np.einsum("gij,gij->g", tables, won) - untied_y, untied_x, untied_y)


class Coefficient(NamedTuple):
    """A coefficient: its name on pages, and both its functions."""

    label: str
    of_rows: Callable[[Floats, Floats, Ints, int], Floats]
    of_tables: Callable[[Floats, Floats, Floats], Floats]


COEFFICIENTS = {
    "pearson": Coefficient("Pearson's r", grouped_pearson, pearson_of_tables),
    "spearman": Coefficient("Spearman's ρ", grouped_spearman, spearman_of_tables),
    "kendall": Coefficient("Kendall's τ-b", grouped_kendall, kendall_of_tables),
}
