"""Compute observed agreement and label shares, from which Fleiss' and Gwet's coefficients follow.

chance_corrected(ratings, labels, weights, expected)    (observed - expected) / (1 - expected)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.agreement.percent_agreement import TOO_FEW
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, as_codes, as_floats, label_codes
from analysis.stats.intervals.bootstrap import cluster_sums, weighted_sums, with_interval


def chance_corrected(
    ratings: ArrayLike,
    labels: ArrayLike,
    weights: Floats,
    expected: Callable[[Floats], Floats],
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Correct weighted agreement for the agreement that the labels' shares lead to expect.

    ratings: (units, raters), NaN = missing; labels: the whole scale (K,); weights of agreement
    (K, K), 1 for equal labels; expected: agreement by chance (D,) of shares (D, K);
    clusters: (units,). Estimate.n: units with two ratings or more. NaN where there is none, or
    where chance leaves no disagreement, as of equal ratings in Fleiss' κ. Raises ValueError for
    ratings off the scale and bad shapes.
    Source: Gwet (2014), Handbook of Inter-Rater Reliability, ch. 2.5 and 4.4 (missing ratings).
    """
    table = label_table(ratings, labels)
    sums = unit_columns(table, weights)

    def values(sums: Floats) -> Floats:
        return _coefficient(sums, expected)

    def draws(clusters: Ints, counts: NDArray[Any]) -> Floats:
        return values(weighted_sums(counts, cluster_sums(clusters, counts.shape[1], *sums.T)))

    value = float(values(sums.sum(axis=0)[None, :])[0])
    n_units = int(sums[:, 1].sum())
    reason = "" if not np.isnan(value) else "all ratings are equal" if n_units else TOO_FEW
    if clusters is not None:
        clusters = as_codes(clusters, "clusters", len(table))
    return with_interval(Estimate(value, n=n_units, reason=reason), clusters, counts, draws)


def label_table(ratings: ArrayLike, labels: ArrayLike) -> Floats:
    """Count how many raters gave each unit each label: (units, K)."""
    array = as_floats(ratings, "ratings", ndim=2)
    size = len(np.asarray(labels))
    unit, rater = np.nonzero(~np.isnan(array))
    cells = unit * size + label_codes(array[unit, rater], labels, "ratings")
    flat = np.bincount(cells, minlength=len(array) * size)
    return flat.astype(np.float64).reshape(len(array), size)


def unit_columns(table: Floats, weights: Floats) -> Floats:
    """Return columns (units, 3 + K) whose sums give the coefficient.

    1 where rated, 1 where rated twice, the agreeing share of its pairs of ratings, and the share
    of its ratings with each label.
    """
    sizes = table.sum(axis=1, keepdims=True)
    agreeing = (table * (table @ weights - 1)).sum(axis=1, keepdims=True)
    pairs = sizes * (sizes - 1)
    agreement = np.divide(agreeing, pairs, out=np.zeros_like(pairs), where=pairs > 0)
    shares = np.divide(table, sizes, out=np.zeros_like(table), where=sizes > 0)
    return np.hstack([sizes > 0, sizes > 1, agreement, shares])


def _coefficient(sums: Floats, expected: Callable[[Floats], Floats]) -> Floats:
    """Return coefficients (D,) of sums (D, 3 + K); NaN without pairs, or if chance agrees fully."""
    rated, paired, agreement = sums[:, 0], sums[:, 1], sums[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = expected(sums[:, 3:] / rated[:, None])
        value = (agreement / paired - chance) / (1 - chance)
    return np.where(chance < 1, value, np.nan)
