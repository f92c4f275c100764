"""Bound an estimate at every look, however often and whenever somebody looks.

margin(t)                      half width in standard deviations after t clusters
sequence_bounds(value, error, t)    lower and upper bound
needed_clusters(effect, sd)    clusters after which a bound excludes 0
share_alpha(alpha, pairs)      the level of each of many decisions
"""

from math import inf, isinf, isnan, log, nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats
from analysis.stats.planning.grids import as_grid, check_share
from analysis.stats.planning.power import ALPHA, fewest

PLANNED = 200  # clusters at which the bounds are about narrowest
FIRST_LOOK = 50  # clusters


def mixing_variance(alpha: float = ALPHA, planned: float = PLANNED) -> float:
    """Return rho², which makes the bounds about narrowest after the planned number of clusters.

    alpha: of a one-sided bound, below .5; planned: clusters, above 0. Both are fixed before
    anything is collected. Raises ValueError for other values.
    Source: Waudby-Smith et al. (2024), Annals of Statistics 52.
    """
    length = -2 * log(2 * check_share(alpha, "alpha", 0, 0.5))
    return (length + log(length + 1)) / check_share(planned, "planned", 0, inf)


def margin(t: ArrayLike, alpha: float = ALPHA, planned: float = PLANNED) -> Floats:
    """Return the half width of the bounds after t clusters, in SDs of what a cluster adds.

    t: numbers of clusters, at least 1, of any shape; it falls with t. All bounds of a collection
    together miss the true value with probability alpha on either side, if t >= 50 at every look.
    Raises ValueError as mixing_variance does, and for t below 1.
    Source: Robbins (1970), Annals of Mathematical Statistics 41; Waudby-Smith et al. (2024).
    """
    clusters, variance = as_grid(t, "t", 1), mixing_variance(alpha, planned)
    growth = clusters * variance + 1
    squares = 2 * growth / (clusters**2 * variance) * np.log1p(np.sqrt(growth) / (2 * alpha))
    return np.sqrt(squares)


def sequence_bounds(
    value: ArrayLike,
    error: ArrayLike,
    t: ArrayLike,
    alpha: float = ALPHA,
    planned: float = PLANNED,
) -> tuple[Floats, Floats]:
    """Return the lower and the upper bound of estimates after t clusters.

    value, error: estimates and their standard errors, from these t clusters; the shapes
    broadcast. Both bounds are NaN where value or error is. Raises ValueError as margin does.
    """
    clusters = as_grid(t, "t", 1)
    reach = as_grid(error, "error", 0) * np.sqrt(clusters) * margin(clusters, alpha, planned)
    estimate = as_grid(value, "value")
    return estimate - reach, estimate + reach


def needed_clusters(
    effect: float, sd: float, alpha: float = ALPHA, planned: float = PLANNED
) -> float:
    """Return the first number of clusters, 50 or more, after which the bound excludes 0.

    effect: distance of the estimate from what it has to exclude; sd: of what a cluster adds,
    standard error times sqrt(t). inf where the effect is not above 0, and beyond a billion; NaN in,
    NaN out.
    Raises ValueError as margin does, and for a negative sd.
    """
    if isnan(effect) or isnan(as_grid(sd, "sd", 0)):
        return nan
    if effect <= 0 or isinf(sd):
        return inf
    return fewest(lambda t: sd * margin(t, alpha, planned) <= effect, more_than=FIRST_LOOK - 1)


def share_alpha(alpha: float, pairs: int) -> float:
    """Return the level of each pair of judge and question that are decided on together.

    Raises ValueError below one pair, and for a level outside 0..1/2.
    """
    if pairs < 1:
        raise ValueError(f"pairs: expected at least 1, got {pairs}")
    return check_share(alpha, "alpha", 0, 0.5) / pairs
