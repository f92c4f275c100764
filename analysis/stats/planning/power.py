"""Predict with which probability the checks of a verdict are passed.

pass_together((margin, shared), ...)       of checks that say much the same of the same items
equivalence_power(margin, variance, n)     that a difference is shown to be small
items_for_equivalence(margin, variance)    the items that this takes
fewest_that_reach(power, predict)          the smallest number for which predict(numbers) reaches it
"""

from collections.abc import Callable
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.stats.inputs import Floats
from analysis.stats.planning.grids import as_grid, check_share

ALPHA = 0.05  # of each check, one-sided
POWER = 0.8
NODES, WEIGHTS = special.roots_hermitenorm(32)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
MOST = 1e9  # items, more than can be collected
STEPS = 64


def pass_together(*checks: tuple[ArrayLike, float]) -> Floats:
    """Return the probability that checks are all passed that share something.

    checks: (margin in standard errors, share of its variance that is common to all, below 1) of
    each. Given what they share, each is passed by itself.
    """
    given = [
        special.ndtr((np.asarray(margin)[..., None] + sqrt(shared) * NODES) / sqrt(1 - shared))
        for margin, shared in checks
    ]
    return np.asarray(np.prod(np.broadcast_arrays(*given), axis=0) @ WEIGHTS)


def equivalence_power(
    margin: ArrayLike, variance: ArrayLike, items: ArrayLike, alpha: float = ALPHA
) -> Floats:
    """Return the probability that a difference whose true value is 0 is shown to be small.

    margin: the largest difference that is small, at least 0; variance: of one item; items: at least
    1. Both one-sided tests must succeed. Raises ValueError for other values.
    """
    error = np.sqrt(as_grid(variance, "variance", 0) / as_grid(items, "items", 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = as_grid(margin, "margin", 0) / error
    quantile = special.ndtri(1 - check_share(alpha, "alpha", 0, 0.5))
    return np.maximum(2 * special.ndtr(reach - quantile) - 1, 0.0)


def items_for_equivalence(
    margin: ArrayLike, variance: ArrayLike, power: float = POWER, alpha: float = ALPHA
) -> Floats:
    """Return how many items show with this power that a true difference of 0 is within the margin.

    power: .5..1. inf where the margin is 0 or the variance infinite. Otherwise as
    equivalence_power.
    """
    check_share(alpha, "alpha", 0, 0.5)
    quantiles = special.ndtri(1 - alpha) + special.ndtri((1 + _check_power(power)) / 2)
    reach, spread = as_grid(margin, "margin", 0), as_grid(variance, "variance", 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        items = np.maximum(np.ceil(spread * (quantiles / reach) ** 2), 1.0)
    return np.where((reach == 0) & ~np.isnan(spread), inf, items)


def fewest_that_reach(power: float, predict: Callable[[Floats], Floats]) -> float:
    """Return the smallest whole number whose predicted power is this; inf beyond a billion.

    predict: of numbers, at least 1, in rising order; its power is taken to rise with them.
    Raises ValueError for a power outside .5..1.
    """
    _check_power(power)
    low, high = 0.0, MOST  # low does not reach it, high does
    if not predict(np.array([high]))[0] >= power:
        return inf
    while high - low > 1:
        tried = np.unique(np.geomspace(low + 1, high, STEPS).round())
        place = int(np.argmax(predict(tried) >= power))
        low, high = (tried[place - 1] if place else low), tried[place]
        if high == low + 1 or not place:
            break
    return float(high)


def _check_power(power: float) -> float:
    if not 0.5 <= power < 1:
        raise ValueError(f"power: expected a number in .5..1, below 1, got {power:g}")
    return power
