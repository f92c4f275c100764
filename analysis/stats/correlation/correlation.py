"""Correlate a judge with a reference over the dataset, within groups and over systems.

    dataset_correlation(x, y, "pearson")                    all pairs at once
    grouped_correlation(x, y, groups, "kendall")            mean of r within groups
    system_correlation(x, y, systems, "spearman")           r of the systems' mean scores
    group_coefficients(x, y, groups, "pearson")             r and size of each group, for figures

x is the judge, y the reference, both (N,) floats; pairs with NaN on either side are dropped and
Estimate.n counts the rest. groups, systems, clusters: integer codes (N,), 0, 1, ...
With clusters and counts (`bootstrap.draw_counts`) each estimate has a cluster-bootstrap interval.
coefficient: "pearson", "spearman" or "kendall" (tau-b).
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation.coefficients import COEFFICIENTS
from analysis.stats.correlation.correlation_draws import dataset_draws
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Flags, Floats, Ints, choose, complete_pairs, without_rounding
from analysis.stats.intervals.bootstrap import (
    cluster_sums,
    cluster_table,
    fitting_clusters,
    weighted_sums,
    with_interval,
)

UNDEFINED = {"skip": False, "zero": True}


def dataset_correlation(
    x: Floats,
    y: Floats,
    coefficient: str,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Correlate all pairs at once: r in -1..1.

    x, y, clusters: (N,). NaN when one side is constant or fewer than two pairs are complete.
    Raises ValueError for unknown coefficients, unequal lengths, counts that do not fit.
    """
    correlate = choose(COEFFICIENTS, coefficient, "coefficient").of_rows
    x, y, clusters = complete_pairs(x, y, clusters)
    value = float(correlate(x, y, np.zeros(len(x), dtype=np.int64), 1)[0])
    estimate = Estimate(value, n=len(x), reason=_why_undefined(value, x, y))
    return with_interval(
        estimate, clusters, counts, lambda g, c: dataset_draws(coefficient, x, y, g, c)
    )


def _why_undefined(value: float, x: Floats, y: Floats) -> str:
    if not np.isnan(value):
        return ""
    if len(x) < 2:
        return f"fewer than two complete pairs ({len(x)})"
    side = "judge" if x.min() == x.max() else "reference"
    return f"all values of the {side} are equal"


def group_coefficients(x: Floats, y: Floats, groups: Ints, coefficient: str) -> tuple[Floats, Ints]:
    """Correlate within each group: r (G,) and complete pairs (G,), by group code.

    r is NaN in groups with a constant side or fewer than two complete pairs.
    Raises ValueError for unknown coefficients or unequal lengths.
    """
    correlate = choose(COEFFICIENTS, coefficient, "coefficient").of_rows
    x, y, groups = complete_pairs(x, y, groups)
    n_groups = int(groups.max(initial=-1)) + 1
    return correlate(x, y, groups, n_groups), np.bincount(groups, minlength=n_groups)


def grouped_correlation(
    x: Floats,
    y: Floats,
    groups: Ints,
    coefficient: str,
    *,
    undefined: str = "skip",
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Average r over groups, unweighted: the user and the pair level.

    x, y, groups, clusters: (N,). Groups where r is undefined are left out ("skip") or count as
    r = 0 ("zero"); Estimate.skipped is their number under both, of Estimate.groups.
    A cluster drawn twice brings its groups twice; groups that span clusters get no interval.
    NaN when no group is defined ("skip") or there is none. Raises ValueError for bad input.
    """
    as_zero = choose(UNDEFINED, undefined, "undefined")
    x, y, groups, clusters = complete_pairs(x, y, groups, clusters)
    r, sizes = group_coefficients(x, y, groups, coefficient)
    used = sizes > 0 if as_zero else ~np.isnan(r)
    total: Floats = np.where(np.isnan(r), 0.0, r)
    estimate = _mean_over_groups(r, sizes, used)
    if counts is not None and used.any():
        cluster_of = np.zeros(len(r), dtype=np.int64)
        cluster_of[groups] = fitting_clusters(clusters, counts)
        if not np.array_equal(cluster_of[groups], clusters):
            return replace(estimate, reason="no interval: groups span several clusters")

    def means(_: Ints, counts: NDArray[Any]) -> Floats:
        sums = cluster_sums(cluster_of, counts.shape[1], total, used.astype(np.float64))
        numerators, denominators = weighted_sums(counts, sums).T
        return numerators / np.where(denominators > 0, denominators, np.nan)

    return with_interval(estimate, clusters, counts, means)


def _mean_over_groups(r: Floats, sizes: Ints, used: Flags) -> Estimate:
    """Average r (G,) over the groups used, an undefined r counting 0."""
    n_groups, n_used = int((sizes > 0).sum()), int(used.sum())
    reason = f"r is undefined in each of {n_groups} groups" if n_groups else "no complete pairs"
    return Estimate(
        float(np.nansum(r[used])) / n_used if n_used else np.nan,
        n=int(sizes.sum()),
        groups=n_groups,
        skipped=n_groups - int((~np.isnan(r)).sum()),
        reason="" if n_used else reason,
    )


def system_correlation(
    x: Floats,
    y: Floats,
    systems: Ints,
    coefficient: str,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Correlate the systems' mean scores: r in -1..1 over Estimate.groups systems.

    x, y, systems, clusters: (N,). A draw without any pair of a system is correlated over the rest.
    NaN when the means of one side are equal or fewer than two systems have pairs.
    Raises ValueError for bad input.
    """
    correlate = choose(COEFFICIENTS, coefficient, "coefficient").of_rows
    x, y, systems, clusters = complete_pairs(x, y, systems, clusters)
    n_systems = int(systems.max(initial=-1)) + 1
    sums = cluster_sums(systems, n_systems, np.ones(len(x)), x, y)
    value = float(_correlate_means(correlate, sums.T[:, None, :])[0])
    estimate = Estimate(
        value,
        n=len(x),
        groups=int((sums[:, 0] > 0).sum()),
        skipped=0,
        reason="" if not np.isnan(value) else "fewer than two different means of systems",
    )

    def draws(clusters: Ints, counts: NDArray[Any]) -> Floats:
        sums = [
            weighted_sums(
                counts, cluster_table(clusters, counts.shape[1], systems, n_systems, values)
            )
            for values in (None, x, y)
        ]
        return _correlate_means(correlate, np.stack(sums))

    return with_interval(estimate, clusters, counts, draws)


def _correlate_means(correlate: Any, sums: Floats) -> Floats:
    """Correlate, in each draw, the systems' means; sums: (3, draws, systems) of 1, x and y."""
    sizes, sum_x, sum_y = sums
    draw, system = np.nonzero(sizes)
    present = sizes[draw, system]
    mean_x, mean_y = sum_x[draw, system] / present, sum_y[draw, system] / present
    return correlate(without_rounding(mean_x), without_rounding(mean_y), draw, len(sizes))
