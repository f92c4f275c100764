"""Define Estimate, which every statistic of one number returns."""

from dataclasses import dataclass, field
from math import nan

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Estimate:
    """A statistic with its interval, its n, and what could not be used.

    value: the statistic; NaN means undefined, and `reason` says why.
    low, high: 95 % percentile interval; NaN without draws, or for the reason named.
    n: observations used (complete pairs, units, ...; each function says which).
    groups: groups, rater pairs or systems looked at; None where there are none.
    skipped: how many of `groups` are undefined; None where there are none.
    undefined_draws: bootstrap draws in which the statistic was undefined (left out).
    reason: why the value, or else the interval, is NaN; empty otherwise.
    draws: the value in each bootstrap draw (D,), NaN where undefined; None without draws.
    """

    value: float
    low: float = nan
    high: float = nan
    n: int = 0
    groups: int | None = None
    skipped: int | None = None
    undefined_draws: int = 0
    reason: str = ""
    draws: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)
