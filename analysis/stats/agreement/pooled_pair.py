"""Pool the agreement of two raters over questions with different scales, in each draw.

pooled_pair([Shared(...), ...], by_cluster)      value of each bootstrap draw
"""

from typing import NamedTuple

import numpy as np

from analysis.stats.agreement.pair_tables import FEWEST_COMMON_UNITS
from analysis.stats.inputs import Floats, Ints


class Shared(NamedTuple):
    """Answers of two raters on one scale of K labels: both raters' codes (n,), clusters (n,).

    disagreement: weights (K, K), for weighted kappa; None for the share of equal answers.
    """

    first: Ints
    second: Ints
    size: int
    clusters: Ints
    disagreement: Floats | None


def pooled_pair(parts: list[Shared], by_cluster: Floats) -> Floats:
    """Average agreement over the scales, by the answers in common, in each draw (draws,).

    by_cluster: how often each cluster stands in each draw (clusters, draws), as floats. NaN where
    no scale has a value in the draw; it equals `kappa_of_tables` of the draw's table of counts.
    Source: Davison & Hinkley (1997), ch. 3.8: count-weighted sums of whole clusters.
    """
    total, size = np.zeros((2, by_cluster.shape[1]))
    for part in parts:
        n, value = _of_scale(part, by_cluster)
        defined = ~np.isnan(value)
        total += np.where(defined, value * n, 0.0)
        size += np.where(defined, n, 0.0)
    return np.asarray(total / np.where(size > 0, size, np.nan), dtype=np.float64)


def _of_scale(part: Shared, by_cluster: Floats) -> tuple[Floats, Floats]:
    """Return how many answers are in common, and their agreement, in each draw (draws,)."""
    present, codes = np.unique(part.clusters, return_inverse=True)
    drawn = by_cluster[present]
    apart = None if part.disagreement is None else part.disagreement[part.first, part.second]
    weights = (part.first == part.second).astype(np.float64) if apart is None else apart
    n = np.bincount(codes, minlength=len(present)).astype(np.float64) @ drawn
    summed = np.bincount(codes, weights, minlength=len(present)) @ drawn
    with np.errstate(divide="ignore", invalid="ignore"):
        if part.disagreement is None:
            return n, summed / np.where(n > 0, n, np.nan)
        sides = [
            _margin(side, codes, part.size, len(present)) @ drawn
            for side in (part.first, part.second)
        ]
        expected = ((part.disagreement @ sides[1]) * sides[0]).sum(axis=0)
        kappa = 1 - summed * n / expected
    return n, np.where((n >= FEWEST_COMMON_UNITS) & (expected > 0), kappa, np.nan)


def _margin(labels: Ints, codes: Ints, size: int, n_clusters: int) -> Floats:
    """Count how often each label stands in each cluster (K, clusters)."""
    flat = np.bincount(labels * n_clusters + codes, minlength=size * n_clusters)
    return flat.reshape(size, n_clusters).astype(np.float64)
