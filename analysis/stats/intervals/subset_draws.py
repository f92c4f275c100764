"""Compute every judge subset's values in each bootstrap draw, without a loop over draws.

pearson_draws(x, y, members, clusters, counts)       r over all items
group_draws(table, cluster_of, counts)               mean over groups, which no draw takes apart
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.intervals.bootstrap import cluster_sums, weighted_sums

SAME = 1e-9  # variance, as a share of the whole data's, below which a draw is constant


def pearson_draws(
    x: Floats, y: Floats, members: Flags, clusters: Ints, counts: NDArray[Any]
) -> Floats:
    """Compute Pearson's r of each subset's mean with y in each draw (subsets, draws).

    x: (judges, N), y: (N,), both without NaN; members: (subsets, judges); clusters: (N,). NaN where
    a side is constant in the draw. From count-weighted sums of products of each two judges, as a
    subset's mean is linear in them.
    """
    weights = members / members.sum(axis=1, keepdims=True)
    columns = np.vstack([x - x.mean(axis=1, keepdims=True), (y - y.mean())[None, :]])
    size = len(columns)
    pairs = [(i, j) for i in range(size) for j in range(i, size)]
    products = [columns[i] * columns[j] for i, j in pairs]
    table = cluster_sums(clusters, counts.shape[1], np.ones(len(y)), *columns, *products)
    sums = weighted_sums(counts, table)
    n = sums[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        means = sums[:, 1 : size + 1] / n[:, None]
        spread = np.empty((len(counts), size, size))
        for column, (i, j) in enumerate(pairs, start=size + 1):
            value = sums[:, column] / n - means[:, i] * means[:, j]
            spread[:, i, j] = spread[:, j, i] = value
        own = np.einsum("sj,djk,sk->sd", weights, spread[:, :-1, :-1], weights, optimize=True)
        with_y = weights @ spread[:, :-1, -1].T
        r = np.clip(with_y / np.sqrt(own) / np.sqrt(spread[:, -1, -1]), -1, 1)
    whole = np.einsum("sj,jk,sk->s", weights, columns[:-1] @ columns[:-1].T, weights) / len(y)
    varied = (own > SAME * whole[:, None]) & (spread[:, -1, -1] > SAME * y.var())
    return np.where(varied, r, np.nan)


def group_draws(table: Floats, cluster_of: Ints, counts: NDArray[Any], zero: bool) -> Floats:
    """Average each subset's r over groups in each draw (subsets, draws).

    table: r of each subset in each group (subsets, groups), NaN undefined: left out, or with
    `zero` counted as 0; cluster_of: the cluster that each group lies in (groups,).
    """
    drawn = counts[:, cluster_of].astype(np.float64)
    counted = np.ones(table.shape, dtype=bool) if zero else ~np.isnan(table)
    sums, sizes = np.where(np.isnan(table), 0.0, table) @ drawn.T, counted @ drawn.T
    return np.asarray(sums / np.where(sizes > 0, sizes, np.nan), dtype=np.float64)
