"""Predict with which probability the checks of a verdict are passed.

pass_together((margin, shared), ...)       of checks that say much the same of the same items
fewest_that_reach(power, predict)          the smallest number for which predict(numbers) reaches it
fewest(is_enough)                          the smallest number that is enough
"""

from collections.abc import Callable
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.stats.inputs import Flags, Floats
from analysis.stats.validation.criteria import USUAL

ALPHA = USUAL.alpha  # of each check, one-sided
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


def fewest_that_reach(power: float, predict: Callable[[Floats], Floats]) -> float:
    """Return the smallest whole number whose predicted power is this; inf beyond a billion.

    predict: of numbers, at least 1, in rising order; its power is taken to rise with them.
    Raises ValueError for a power outside .5..1.
    """
    return fewest(lambda numbers: predict(numbers) >= check_power(power))


def fewest(is_enough: Callable[[Floats], Flags], more_than: float = 0) -> float:
    """Return the smallest whole number above more_than that is enough; inf beyond a billion.

    is_enough: of numbers in rising order; once true, it is taken to stay true.
    """
    low, high = float(more_than), MOST  # low is not enough, high is
    if not is_enough(np.array([high]))[0]:
        return inf
    while high - low > 1:
        tried = np.unique(np.geomspace(low + 1, high, STEPS).round())
        place = int(np.argmax(is_enough(tried)))
        low, high = (tried[place - 1] if place else low), tried[place]
        if high == low + 1 or not place:
            break
    return float(high)


def check_power(power: float) -> float:
    """Return a power within .5..1, below 1; else raises ValueError."""
    if not 0.5 <= power < 1:
        raise ValueError(f"power: expected a number in .5..1, below 1, got {power:g}")
    return power
