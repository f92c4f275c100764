"""Compute Krippendorff's alpha: nominal, ordinal, interval; any raters, missing ratings.

krippendorff_alpha(ratings, "ordinal")
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.stats.agreement.percent_agreement import TOO_FEW, pair_clusters
from analysis.stats.agreement.rating_pairs import rating_pairs
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, choose, scale_codes, used_codes
from analysis.stats.intervals.bootstrap import blocks, cluster_table, with_interval


def krippendorff_alpha(
    ratings: ArrayLike,
    metric: str,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Return 1 - observed / expected disagreement: 1 perfect, 0 as by chance, below 0 worse.

    ratings: (units, raters), NaN = missing; units with one rating are dropped, Estimate.n counts
    the rest. metric: "nominal", "ordinal" (Krippendorff's, from the margins) or "interval".
    clusters: (units,). NaN when no unit has two ratings, or all ratings are equal.
    Raises ValueError for other shapes or metrics.
    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    squared_distances = choose(METRICS, metric, "metric")
    pairs = rating_pairs(ratings)
    scale, codes = scale_codes(pairs.values)
    size, half = len(scale), len(pairs.unit)
    used, cells, _ = used_codes(codes[:half] * size + codes[half:], size**2)
    weights = 1.0 / (pairs.n_ratings - 1)
    values = np.divmod(used, max(size, 1))

    def alphas(coincidences: Floats) -> Floats:
        return alpha_of_coincidences(coincidences, values, scale, squared_distances)

    def draws(clusters: Ints, counts: NDArray[Any]) -> Floats:
        table = cluster_table(clusters, counts.shape[1], cells, len(used), weights)
        width = 4 * (len(used) + size)
        return np.concatenate([alphas(block @ table) for block in blocks(counts, width)])

    table = np.bincount(cells, weights, minlength=len(used)).astype(np.float64)
    value = float(alphas(table[None, :])[0]) if half else np.nan
    estimate = Estimate(value, n=pairs.n_units, reason=_why_undefined(value, half))
    return with_interval(estimate, pair_clusters(clusters, ratings, pairs.unit), counts, draws)


def _why_undefined(value: float, n_pairs: int) -> str:
    if not np.isnan(value):
        return ""
    return "all ratings are equal" if n_pairs else TOO_FEW


def alpha_of_coincidences(
    coincidences: Floats, values: tuple[Ints, Ints], scale: Floats, squared_distances: Any
) -> Floats:
    """Return alpha (D,) of weighted coincidences (D, U) of U pairs of values; NaN if all are equal.

    values: the places (U,), (U,) of both values on the scale (K,); a pair and its mirror image
    are counted once, here or there. Only pairs that occur are held: long scales stay small.
    """
    first, second = values
    pairs = np.arange(len(first))
    shape = len(first), len(scale)
    incidence = np.ones(len(first))
    ends = sparse.coo_array((incidence, (pairs, first)), shape=shape)
    others = sparse.coo_array((incidence, (pairs, second)), shape=shape)
    margins = coincidences @ (ends + others).tocsr()
    totals = margins.sum(axis=1)
    squared, expected = squared_distances(margins, scale, first, second)
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = 2 * (coincidences * squared).sum(axis=1)
        alpha = 1 - (totals - 1) * observed / expected
    return np.where(np.count_nonzero(margins, axis=1) < 2, np.nan, alpha)


# Each metric returns the squared distances (D or 1, U) of the pairs first, second and the sum (D,)
# of n_c n_k x squared distance over all c, k; margins n: (D, K).
def nominal(margins: Floats, scale: Floats, first: Ints, second: Ints) -> tuple[Floats, Floats]:
    """Return squared distances, 1 for different values, else 0, and their sum by the margins."""
    different = (first != second).astype(np.float64)[None, :]
    return different, margins.sum(axis=1) ** 2 - (margins**2).sum(axis=1)


def interval(margins: Floats, scale: Floats, first: Ints, second: Ints) -> tuple[Floats, Floats]:
    """Return squared distances (c - k)^2, and their sum by the margins."""
    return _squared_distances(scale[None, :], margins, first, second)


def ordinal(margins: Floats, scale: Floats, first: Ints, second: Ints) -> tuple[Floats, Floats]:
    """Return squared distances by ranks, and their sum by the margins.

    A distance is (sum of n_g over g = c..k, less (n_c + n_k) / 2)^2. That sum is the distance
    between the midpoints of c and k in the cumulated margins.
    """
    return _squared_distances(np.cumsum(margins, axis=1) - margins / 2, margins, first, second)


def _squared_distances(
    points: Floats, margins: Floats, first: Ints, second: Ints
) -> tuple[Floats, Floats]:
    squared = (points[:, first] - points[:, second]) ** 2
    with np.errstate(invalid="ignore"):
        totals = margins.sum(axis=1, keepdims=True)
        centred = points - (margins * points).sum(axis=1, keepdims=True) / totals
    return squared, 2 * totals[:, 0] * (margins * centred**2).sum(axis=1)


METRICS = {"nominal": nominal, "ordinal": ordinal, "interval": interval}
