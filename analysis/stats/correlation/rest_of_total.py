"""Predict the total of units that were not looked at, from a random sample of all units.

rest_of_total(sample, rest)
"""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from analysis.stats.estimate import Estimate


def rest_of_total(sample: NDArray[np.float64], rest: int) -> Estimate:
    """Predict the sum of `rest` units outside a random sample, with a 95 % prediction interval.

    sample: (n,), floats from 0, what each drawn unit took; NaN where that is unknown. In the unit
    of the values; the interval does not go below 0. Undefined where a value is unknown or there is
    none; one unit gives no interval. With nothing left it is 0.
    Raises ValueError where `rest` is below 0.
    Source: Cochran (1977), Sampling Techniques, 3rd ed., ch. 2: the total by expansion has variance
    N (N - n) s² / n, which is that of its unknown part; s² with ddof 1, t with n - 1.
    """
    if rest < 0:
        raise ValueError("rest_of_total: rest is below 0")
    n = len(sample)
    if rest == 0:
        return Estimate(0.0, 0.0, 0.0, n=n)
    if n == 0:
        return Estimate(np.nan, reason="no unit was drawn")
    if np.isnan(sample).any():
        return Estimate(np.nan, n=n, reason="what some drawn units took is unknown")
    value = float(rest * sample.mean())
    if n == 1:
        return Estimate(value, n=1, reason="one unit has no interval")
    spread = float(sample.std(ddof=1)) * np.sqrt(rest * (rest + n) / n)
    half = float(t.ppf(0.975, n - 1) * spread)
    return Estimate(value, max(0.0, value - half), value + half, n=n)
