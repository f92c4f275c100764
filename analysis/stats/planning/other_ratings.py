"""Plan other numbers of ratings an item from a pilot's own variances.

needed = items_by_ratings(pilot_variances, [2, 3, 4, 5])
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats
from analysis.stats.planning.design import FEWEST_ITEMS
from analysis.stats.planning.grids import as_grid
from analysis.stats.planning.power import (
    POWER,
    items_for_agreement,
    items_for_equivalence,
    items_for_superiority,
)
from analysis.stats.planning.variances import (
    agreement_variance,
    level_variance,
    retention_effect,
    retention_variance,
)


@dataclass(frozen=True)
class PilotVariances:
    """A pilot's estimates, and the variance that one of its items adds to each.

    rho, r: agreement of two raters, of judge and rater; m: ratings an item, on average; agreement,
    retention, level: squared standard errors times the number of items; level is NaN where there is
    none. k, floor, margin: what a verdict asks for.
    """

    rho: float
    r: float
    m: float
    agreement: float
    retention: float
    level: float
    k: float
    floor: float
    margin: float


def items_by_ratings(pilot: PilotVariances, m: ArrayLike, power: float = POWER) -> Floats:
    """Compute how many items give every check this power with m ratings an item.

    The variances of the planner at the pilot's rho and r, times what the pilot's are of those at
    its own m; none where the pilot has none, as of raters who always agree. inf where no number of
    items can show it; NaN where a variance is not known, or is no multiple of the planner's, which
    is 0. A level is taken to be right. Raises ValueError for values out of range.
    """
    ratings = as_grid(m, "m", 2)
    rho, r = pilot.rho, pilot.r

    def scale(variances: Floats, there: Floats, measured: float) -> Floats:
        if measured == 0:
            return np.zeros_like(variances)
        return variances * (measured / there if there > 0 else np.nan)

    of_rho = scale(
        agreement_variance(rho, ratings), agreement_variance(rho, pilot.m), pilot.agreement
    )
    of_theta = scale(
        retention_variance(rho, r, ratings, pilot.k),
        retention_variance(rho, r, pilot.m, pilot.k),
        pilot.retention,
    )
    effect = retention_effect(rho, r, pilot.k)
    needs = [
        np.full(ratings.shape, float(FEWEST_ITEMS)),
        items_for_agreement(rho, of_rho, power, pilot.floor),
        items_for_superiority(effect, of_theta, power),
    ]
    if not np.isnan(pilot.level):
        of_level = scale(
            level_variance(rho, r, ratings), level_variance(rho, r, pilot.m), pilot.level
        )
        needs.append(items_for_equivalence(pilot.margin, of_level, power))
    return np.stack(np.broadcast_arrays(*needs)).max(axis=0)
