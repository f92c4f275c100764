"""Describe the checks of a verdict as they stand at a look.

agreement_check(rho, error)                that raters agree
retention_check(rho, r, error)             that the judge keeps enough of it
level_check(bias, error, level_margin)     that judge and people rate equally high
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf

from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats
from analysis.stats.planning.variances import (
    RETENTION,
    agreement_variance,
    level_variance,
    retention_effect,
    retention_variance,
)


@dataclass(frozen=True)
class Check:
    """An estimate of which a verdict asks that it is shown to lie within low..high.

    value, error: the estimate and its standard error, NaN where undefined; variance: predicts
    from the ratings an item what an item adds to the squared error, in any unit; None where more
    ratings an item are not known to help.
    """

    name: str
    value: float
    error: float
    low: float = 0.0
    high: float = inf
    variance: Callable[[ArrayLike], Floats] | None = None

    @property
    def effect(self) -> float:
        """Return the distance of the estimate from the nearer end; negative outside of them."""
        return min(self.value - self.low, self.high - self.value)


def agreement_check(rho: float, error: float, name: str = "agreement") -> Check:
    """Describe the check that the agreement rho of two raters is above 0."""
    return Check(name, rho, error, variance=partial(agreement_variance, rho))


def retention_check(
    rho: float, r: float, error: float, k: float = RETENTION, name: str = "retention"
) -> Check:
    """Describe the check that the judge keeps the share k of what raters agree: r - k rho > 0.

    rho: agreement of two raters; r: of judge and rater; error: the standard error of r - k rho.
    """
    effect = float(retention_effect(rho, r, k))
    return Check(name, effect, error, variance=partial(_retention_variance, rho, r, k))


def level_check(
    bias: float,
    error: float,
    level_margin: float,
    rho: float,
    r: float,
    name: str = "level",
) -> Check:
    """Describe the check that judge less people's mean lies within -level_margin..level_margin.

    bias, error, level_margin: in points; rho, r: as in retention_check.
    """
    variance = partial(level_variance, rho, r)
    return Check(name, bias, error, -level_margin, level_margin, variance)


def _retention_variance(rho: float, r: float, k: float, m: ArrayLike) -> Floats:
    return retention_variance(rho, r, m, k)
