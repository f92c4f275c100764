"""Average observations that share clusters, and measure how far the means of groups spread.

clustered_mean(values, clusters=codes, counts=draws)             mean, share, mean difference
means_of_columns(values, clusters=codes, counts=draws)           the same of each column
means_by_group(values, groups, clusters=codes, counts=draws)     the same of each group
spread_of_means(values, groups, clusters=codes, counts=draws)    SD of the groups' means
"""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, as_codes, as_floats
from analysis.stats.intervals.bootstrap import (
    cluster_sums,
    cluster_table,
    fitting_clusters,
    weighted_sums,
    with_interval,
)


def clustered_mean(
    values: ArrayLike,
    *,
    is_share: bool = False,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Average the values, in their unit; is_share: they are zeros and ones, or parts of one.

    values, clusters: (N,); NaN is a missing value and left out; Estimate.n counts the rest. NaN
    without values. Raises ValueError for other shapes and for counts that do not fit.
    Source: the ratio of weighted sums in each draw, Davison & Hinkley (1997), ch. 3.8.
    """
    array = as_floats(values, "values")
    present = ~np.isnan(array)
    array = array[present]
    if clusters is not None:
        clusters = as_codes(clusters, "clusters", len(present))[present]
    estimate = Estimate(
        float(array.mean()) if len(array) else np.nan,
        n=len(array),
        reason="" if len(array) else "there is no value",
    )

    def draws(clusters: Ints, counts: NDArray[Any]) -> Floats:
        table = cluster_sums(clusters, counts.shape[1], array, np.ones(len(array)))
        totals, sizes = weighted_sums(counts, table).T
        return totals / np.where(sizes > 0, sizes, np.nan)

    return with_interval(estimate, clusters, counts, draws, is_share=is_share)


def means_of_columns(
    values: ArrayLike, *, clusters: Ints | None = None, counts: NDArray[Any] | None = None
) -> list[Estimate]:
    """Average each column of values (N, K) as clustered_mean does; all share the draws.

    NaN is a missing value of its column. Raises ValueError for other shapes and for counts that do
    not fit.
    """
    table = as_floats(values, "values", 2)
    present = ~np.isnan(table)
    sizes, sums = present.sum(axis=0), np.where(present, table, 0.0).sum(axis=0)
    estimates = [
        Estimate(
            float(total / n) if n else np.nan, n=int(n), reason="" if n else "there is no value"
        )
        for total, n in zip(sums, sizes, strict=True)
    ]
    if counts is None or not table.size:
        return estimates
    own = fitting_clusters(clusters, counts)
    summed = [np.zeros((counts.shape[1], table.shape[1])) for _ in range(2)]
    np.add.at(summed[0], own, np.where(present, table, 0.0))
    np.add.at(summed[1], own, present.astype(np.float64))
    totals, drawn = (weighted_sums(counts, entry) for entry in summed)
    draws = totals / np.where(drawn > 0, drawn, np.nan)
    return [
        with_interval(entry, own[present[:, column]], counts, partial(_given, draws[:, column]))
        for column, entry in enumerate(estimates)
    ]


def means_by_group(
    values: ArrayLike,
    groups: ArrayLike,
    *,
    is_share: bool = False,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> dict[int, Estimate]:
    """Return {group: mean of its values} by group code, each as clustered_mean gives it.

    values, groups, clusters: (N,), NaN = missing; a group without values is left out. All groups
    share the draws. Raises ValueError for other shapes and for counts that do not fit.
    """
    array = as_floats(values, "values")
    codes = as_codes(groups, "groups", len(array))
    defined = ~np.isnan(array)
    if clusters is not None:
        clusters = as_codes(clusters, "clusters", len(array))[defined]
    array, (present, codes) = array[defined], np.unique(codes[defined], return_inverse=True)
    n_groups = len(present)
    sizes = np.bincount(codes, minlength=n_groups)
    means = np.bincount(codes, array, minlength=n_groups) / sizes
    estimates = [
        Estimate(float(mean), n=int(size)) for mean, size in zip(means, sizes, strict=True)
    ]
    if counts is not None and n_groups:
        own = fitting_clusters(clusters, counts)
        tables = [
            cluster_table(own, counts.shape[1], codes, n_groups, weights)
            for weights in (array, None)
        ]
        totals, drawn = (weighted_sums(counts, table) for table in tables)
        draws = totals / np.where(drawn > 0, drawn, np.nan)
        for place, estimate in enumerate(estimates):
            inside, of_group = own[codes == place], draws[:, place]
            given = partial(_given, of_group)
            estimates[place] = with_interval(estimate, inside, counts, given, is_share=is_share)
    return dict(zip(present.tolist(), estimates, strict=True))


def _given(draws: Floats, _clusters: Ints, _counts: NDArray[Any]) -> Floats:
    """Return the draws of one group, in the form that with_interval asks for."""
    return draws


def spread_of_means(
    values: ArrayLike,
    groups: ArrayLike,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Return the standard deviation (ddof 1) of the groups' means; 0 where all are equal.

    values, groups, clusters: (N,), NaN = missing. It holds the chance of small groups too.
    Estimate.n: values; groups: groups with a value. A cluster drawn twice brings its groups
    twice; groups that span clusters get no interval. NaN below two groups.
    Raises ValueError for other shapes.
    """
    array = as_floats(values, "values")
    codes = as_codes(groups, "groups", len(array))
    defined = ~np.isnan(array)
    if clusters is not None:
        clusters = as_codes(clusters, "clusters", len(array))[defined]
    present, codes = np.unique(codes[defined], return_inverse=True)
    array = array[defined]
    means = np.bincount(codes, array, minlength=len(present)) / np.bincount(codes)
    few = len(present) < 2
    estimate = Estimate(
        np.nan if few else float(np.std(means, ddof=1)),
        n=len(array),
        groups=len(present),
        skipped=0,
        reason="fewer than two groups" if few else "",
    )
    if counts is None or few:
        return estimate
    own = fitting_clusters(clusters, counts)
    of_group = np.zeros(len(present), dtype=np.int64)
    of_group[codes] = own
    if not np.array_equal(of_group[codes], own):
        return replace(estimate, reason="no interval: groups span several clusters")
    return with_interval(
        estimate, of_group, counts, lambda c, drawn: _spreads(means - means.mean(), c, drawn)
    )


def _spreads(means: Floats, clusters: Ints, counts: NDArray[Any]) -> Floats:
    """Return the SD of the groups' centred means (G,) in each draw; NaN below two groups."""
    table = cluster_sums(clusters, counts.shape[1], np.ones(len(means)), means, means**2)
    n, total, squares = weighted_sums(counts, table).T
    variance = (squares - total**2 / np.where(n > 0, n, np.nan)) / np.where(n > 1, n - 1, np.nan)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)), dtype=np.float64)
