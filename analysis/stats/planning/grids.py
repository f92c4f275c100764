"""Check the numbers that a plan is made of; arrays of them span a grid of designs."""

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats


def as_grid(values: ArrayLike, name: str, low: float = -inf, high: float = inf) -> Floats:
    """Return a number or an array of any shape as floats that all lie within low..high.

    NaN passes: what is computed from it is NaN. Raises ValueError for a value outside.
    """
    array = np.asarray(values, dtype=np.float64)
    outside = array[(array < low) | (array > high)]
    if outside.size:
        raise ValueError(f"{name}: expected values within {low:g}..{high:g}, got {outside[0]:g}")
    return array


def check_share(value: float, name: str, low: float, high: float) -> float:
    """Return a number that lies strictly between low and high; else raises ValueError."""
    if not low < value < high:
        raise ValueError(f"{name}: expected a number between {low:g} and {high:g}, got {value:g}")
    return value
