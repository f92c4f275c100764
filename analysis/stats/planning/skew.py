"""Predict how much an item tells where most answers are at one end of the scale.

skewed_variances(points, rho, r, m, k)     in place of agreement_variance and retention_variance

Raters and judge are normal scores cut at the points; the chance of every set of answers that m
raters and a judge can give to an item is summed over its quality.
"""

from functools import cache
from itertools import combinations_with_replacement
from math import sqrt

import numpy as np
from scipy import optimize, special, stats

from analysis.stats.inputs import Floats
from analysis.stats.planning.variances import RETENTION, agreement_variance, retention_variance

NODES, WEIGHTS = special.roots_hermitenorm(32)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
MOST = 0.999  # correlation of an answer, before it is cut, with quality


def skewed_shares(points: int) -> Floats:
    """Return shares of answers (points,) of which each is twice the one before; of two .75, .25."""
    weights = np.array([1.0, 3.0]) if points == 2 else 2.0 ** np.arange(points)
    return weights / weights.sum()


@cache
def skewed_variances(
    points: int, rho: float, r: float, m: int, k: float = RETENTION
) -> tuple[float, float]:
    """Return what an item adds to the variances of the agreement rho and the retention r - k rho.

    points: of the scale, 2 or more; the others as in retention_variance. The variances of normal
    scores where rho or r is not above 0, or higher than answers on these points can reach.
    """
    plain = float(agreement_variance(rho, m)), float(retention_variance(rho, r, m, k))
    shares = skewed_shares(points)
    values = np.arange(points) - shares @ np.arange(points)
    spread = float(shares @ values**2)
    cuts = special.ndtri(np.cumsum(shares)[:-1])

    def means(load: float) -> Floats:
        return _chances(cuts, load) @ values

    def excess(load: float, other: Floats, wanted: float) -> float:
        return float(WEIGHTS @ (means(load) * other)) / spread - wanted

    if m < 2 or not 0 < rho < excess(MOST, means(MOST), 0.0):
        return plain
    load = optimize.brentq(lambda own: excess(own, means(own), rho), 0, MOST)
    if not 0 < r < excess(MOST, means(load), 0.0):
        return plain
    of_judge = optimize.brentq(lambda own: excess(own, means(load), r), 0, MOST)

    sets = np.array(list(combinations_with_replacement(range(points), m)))
    counts = (sets[:, :, None] == np.arange(points)).sum(axis=1)
    chances = np.array([stats.multinomial.pmf(counts, m, p) for p in _chances(cuts, load)])
    joint = (chances * WEIGHTS[:, None]).T @ _chances(cuts, of_judge)  # (sets, points)
    sums, squares = counts @ values, counts @ values**2
    of_people = ((sums**2 - squares) / (m * (m - 1)) - rho * squares / m) / spread
    with_judge = np.outer(sums / m, values) / spread
    with_judge -= r / 2 * (values**2 + (squares / m)[:, None]) / spread
    retention = with_judge - k * of_people[:, None]
    return float(joint.sum(axis=1) @ of_people**2), float((joint * retention**2).sum())


def _chances(cuts: Floats, load: float) -> Floats:
    """Return the probability (nodes, points) of each answer to items of each quality."""
    below = special.ndtr((cuts - load * NODES[:, None]) / sqrt(1 - load**2))
    return np.diff(below, prepend=0, append=1, axis=1)
