"""Compute Kendall's W: how far several raters put the units in the same order.

kendall_w(ratings)
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.correlation.coefficients import midranks_of_counts
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, as_codes, as_floats, scale_codes
from analysis.stats.intervals.bootstrap import blocks, cluster_table, with_interval

FEWEST_UNITS = 2


def kendall_w(
    ratings: ArrayLike,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Divide the variance of the units' rank sums by the largest possible, ties corrected: 0..1.

    ratings: (units, raters), NaN = missing; only units that every rater rated are taken, and
    Estimate.n counts them. clusters: (units,). NaN below two such units or two raters, or where
    every rater gives all units one and the same rating. Raises ValueError for other shapes.
    Source: Kendall & Gibbons (1990), Rank Correlation Methods, ch. 6; with C_jk the sum of
    products of the centred midranks of raters j and k, W = sum_jk C_jk / (m sum_j C_jj), which is
    (12 S) / (m^2 (n^3 - n) - m sum(t^3 - t)).
    """
    array = as_floats(ratings, "ratings", ndim=2)
    n_raters = array.shape[1]
    taken = ~np.isnan(array).any(axis=1) & (n_raters > 0)
    columns = [scale_codes(values)[1] for values in array[taken].T]
    n_units = int(taken.sum())
    value = np.nan
    if n_units >= FEWEST_UNITS and n_raters >= 2:
        everything = np.zeros(n_units, dtype=np.int64)
        value = float(_concordance(columns, everything, np.ones((1, 1), dtype=np.uint8))[0])
    estimate = Estimate(value, n=n_units, reason=_why_undefined(value, n_units, n_raters))
    if clusters is not None:
        clusters = as_codes(clusters, "clusters", len(array))[taken]
    return with_interval(
        estimate, clusters, counts, lambda units, counts: _concordance(columns, units, counts)
    )


def _why_undefined(value: float, n_units: int, n_raters: int) -> str:
    if not np.isnan(value):
        return ""
    if n_raters < 2:
        return f"fewer than two raters ({n_raters})"
    if n_units < FEWEST_UNITS:
        return f"fewer than two units are rated by all {n_raters} raters ({n_units})"
    return "all ratings of each rater are equal"


def _concordance(columns: list[Ints], clusters: Ints, counts: NDArray[Any]) -> Floats:
    """Return W (D,) of the raters' codes (N,) in every draw; NaN if no rater tells units apart."""
    sizes = [int(codes.max()) + 1 for codes in columns]
    tables = [
        cluster_table(clusters, counts.shape[1], codes, size)
        for codes, size in zip(columns, sizes, strict=True)
    ]
    pairs = _products(columns, sizes, clusters, counts.shape[1])
    values = [_w(block, tables, pairs) for block in blocks(counts, 4 * sum(sizes))]
    return np.concatenate(values)


def _w(block: Floats, tables: list[Any], pairs: list[Callable[..., Floats]]) -> Floats:
    occurrences = [block @ table for table in tables]
    middle = (occurrences[0].sum(axis=1, keepdims=True) + 1) / 2
    ranks = [midranks_of_counts(counted) - middle for counted in occurrences]
    own = sum((c * r**2).sum(axis=1) for c, r in zip(occurrences, ranks, strict=True))
    between = sum(product(block, ranks) for product in pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        w = (own + 2 * between) / (len(tables) * own)
    constant = [np.count_nonzero(counted, axis=1) < 2 for counted in occurrences]
    return np.where(np.logical_and.reduce(constant), np.nan, np.clip(w, 0, 1))


def _products(
    columns: list[Ints], sizes: list[int], clusters: Ints, n_clusters: int
) -> list[Callable[..., Floats]]:
    """Return a function per pair of raters: (block, ranks) -> sum of products of ranks (D,).

    Only the pairs of ratings that occur are held.
    """

    def product_of(j: int, k: int) -> Callable[..., Floats]:
        used, cells = np.unique(columns[j] * sizes[k] + columns[k], return_inverse=True)
        table = cluster_table(clusters, n_clusters, cells, len(used))
        first, second = np.divmod(used, sizes[k])
        return lambda block, ranks: np.einsum(
            "du,du,du->d", block @ table, ranks[j][:, first], ranks[k][:, second]
        )

    return [product_of(j, k) for j, k in combinations(range(len(columns)), 2)]
