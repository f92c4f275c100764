"""Compute percent agreement: how often two raters give a unit the same rating.

percent_agreement(ratings)                      people among themselves
percent_agreement(ratings, judge=scores)        a judge against each of them
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.agreement.rating_pairs import rating_pairs
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, as_codes
from analysis.stats.intervals.bootstrap import cluster_sums, weighted_sums, with_interval

TOO_FEW = "no unit has two ratings"


def percent_agreement(
    ratings: ArrayLike,
    *,
    judge: ArrayLike | None = None,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Return the share of agreeing pairs of ratings, over all pairs on all units: 0..1.

    ratings: (units, raters), NaN = missing; judge (units,): only its pairs with the raters count;
    clusters: (units,). Estimate.n counts the units with a pair. NaN when there is none.
    Raises ValueError for other shapes.
    Source: Gwet (2014), Handbook of Inter-Rater Reliability, ch. 2.
    """
    pairs = rating_pairs(ratings, judge)
    agree = (pairs.first_value == pairs.second_value).astype(np.float64)
    value = float(agree.mean()) if len(agree) else np.nan
    estimate = Estimate(value, n=pairs.n_units, reason="" if len(agree) else TOO_FEW)

    def draws(clusters: Ints, counts: NDArray[Any]) -> Floats:
        sums = cluster_sums(clusters, counts.shape[1], agree, np.ones(len(agree)))
        agreeing, compared = weighted_sums(counts, sums).T
        return agreeing / compared

    return with_interval(
        estimate, pair_clusters(clusters, ratings, pairs.unit), counts, draws, is_share=True
    )


def pair_clusters(clusters: Ints | None, ratings: ArrayLike, unit: Ints) -> Ints | None:
    """Return the cluster code of each pair, from codes of the units (units,); None stays None."""
    if clusters is None:
        return None
    return as_codes(clusters, "clusters", len(np.asarray(ratings)))[unit]
