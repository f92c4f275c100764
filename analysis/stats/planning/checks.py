"""Describe the checks of a verdict as they stand at a look.

checks_of(evidence, criteria)              all of them
agreement_check(rho, error)                that raters agree
retention_check(rho, r, error)             that the judge keeps enough of it
level_check(bias, error, level_margin)     that judge and people rate equally high
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, nan

from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats
from analysis.stats.planning.variances import RETENTION as KEPT
from analysis.stats.planning.variances import (
    agreement_variance,
    level_variance,
    retention_effect,
    retention_variance,
)
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.evidence import Evidence

AGREEMENT, RETENTION, LEVEL = "agreement", "retention", "level"
HOLDS = "the judge's ratings, which it may have seen"
EXTREMES = "the items beside the plainest"
ONE_POINT = "the judge's scale, as rounded it gives one answer"


@dataclass(frozen=True)
class Check:
    """An estimate of which a verdict asks that it is shown to lie within low..high.

    value, error: the estimate and its standard error, NaN where undefined; variance: predicts
    from the ratings per item what an item adds to the squared error, in any unit; None where more
    ratings per item are not known to help.
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


def agreement_check(rho: float, error: float, name: str = AGREEMENT) -> Check:
    """Describe the check that the agreement rho of two raters is above 0."""
    return Check(name, rho, error, variance=partial(agreement_variance, rho))


def retention_check(
    rho: float, r: float, error: float, k: float = KEPT, name: str = RETENTION
) -> Check:
    """Describe the check that the judge keeps the share k of what raters agree: r - k rho > 0.

    rho: agreement of two raters; r: of judge and rater; error: the standard error of r - k rho.
    """
    effect = float(retention_effect(rho, r, k))
    return Check(name, effect, error, variance=lambda m: retention_variance(rho, r, m, k))


def level_check(bias: float, error: float, level_margin: float, rho: float, r: float) -> Check:
    """Describe the check that judge less people's mean lies within -level_margin..level_margin.

    bias, error, level_margin: in points; rho, r: as in retention_check.
    """
    variance = partial(level_variance, rho, r)
    return Check(LEVEL, bias, error, -level_margin, level_margin, variance)


def checks_of(evidence: Evidence, criteria: Criteria) -> tuple[Check, Check, list[Check]]:
    """Return agreement, retention and the other checks of a verdict, as the evidence shows them.

    What keeps the verdict from a yes without any estimate, is a check that stays open.
    """
    whole, margin = evidence.agreement, evidence.level_margin
    parts = [("", whole, criteria.retention)]
    parts += [
        (f" beyond {name}", p, criteria.beyond_retention) for name, p in evidence.beyond.parts
    ]
    checks = []
    for where, part, k in parts:
        rho, r, theta = part.rho, part.r, part.retention(k)
        checks.append(agreement_check(rho.value, rho.error, f"{AGREEMENT}{where}"))
        checks.append(retention_check(rho.value, r.value, theta.error, k, f"{RETENTION}{where}"))
    if evidence.level is None:
        checks.append(Check(LEVEL, nan, nan, -margin, margin))
    else:  # of a choice, one for each label
        checks += [
            level_check(offset.value, offset.error, margin, whole.rho.value, whole.r.value)
            for offset in evidence.level.offsets
        ]
    rest = evidence.rest
    stops = {
        HOLDS: evidence.held,
        EXTREMES: rest and not rest.p < criteria.alpha,
        ONE_POINT: evidence.has_one_point,
    }
    checks += [Check(name, nan, nan) for name, holds in stops.items() if holds]
    return checks[0], checks[1], checks[2:]
