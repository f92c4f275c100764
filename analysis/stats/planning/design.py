"""Plan a study whose verdict is whether a judge may rate items.

predict_power(rho, r, m, items)     power of every check, and of all together
plan_items(rho, r, m)               items that every check needs, and the most of them

All arguments are numbers or arrays whose shapes broadcast, as (reliabilities, 1, 1),
(ratings an item, 1) and (items,); every result has the shape of them together.
"""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats
from analysis.stats.planning.grids import as_grid
from analysis.stats.planning.power import (
    ALPHA,
    POWER,
    agreement_power,
    equivalence_power,
    items_for_agreement,
    items_for_equivalence,
    items_for_superiority,
    joint_power,
    superiority_power,
)
from analysis.stats.planning.variances import (
    RETENTION,
    agreement_variance,
    retention_effect,
    retention_variance,
)

FLOOR = 0.10  # agreement of raters below which no judge is validated
LEVEL_MARGIN = 0.25  # points on a 5-point scale
FEWEST_ITEMS, FEWEST_CLUSTERS = 30, 10  # below, a verdict says "too few"


@dataclass(frozen=True)
class Targets:
    """What a verdict asks for, and how the items will come.

    retention: share k of a rater's agreement that the judge has to keep; floor: least agreement
    of raters; level_margin: largest difference of level, in points; level_variance: of judge less
    people's mean, in squared points, None where the level is not checked; factor: the design
    factor D of clusters; cluster_items: items of a cluster; alpha: of every check, one-sided.
    """

    retention: float = RETENTION
    floor: float = FLOOR
    level_margin: float = LEVEL_MARGIN
    level_variance: ArrayLike | None = None
    factor: ArrayLike = 1.0
    cluster_items: ArrayLike = 1.0
    alpha: float = ALPHA


@dataclass(frozen=True)
class Power:
    """Power of the checks of a verdict, each of the shape of the arguments together.

    agreement: that raters agree; retention: that the judge keeps enough of it; level: that judge
    and people rate equally high, NaN where not checked; joint: least power of all together, 0
    where there are too few items or clusters for a verdict.
    """

    agreement: Floats
    retention: Floats
    level: Floats
    joint: Floats


@dataclass(frozen=True)
class NeededItems:
    """Items that the checks of a verdict need, each of the shape of the arguments together.

    agreement, retention, level: of one check; inf: no number of items can show it; level is NaN
    where not checked. items: the most of them, and no fewer than a verdict needs. It is a
    minimum: each check alone has the power then.
    """

    agreement: Floats
    retention: Floats
    level: Floats
    items: Floats


def predict_power(
    rho: ArrayLike, r: ArrayLike, m: ArrayLike, items: ArrayLike, targets: Targets | None = None
) -> Power:
    """Predict the power of the verdict's checks by the normal approximation.

    rho: agreement of two raters; r: of judge and rater (judge_agreement gives it from the judge's
    quality); m: ratings an item; items: at least 1. NaN where the numbers contradict each other.
    The joint check, the rest check and corrections for many judges are not predicted.
    Raises ValueError for values out of range.
    """
    aims = targets or Targets()
    factor, counts = as_grid(aims.factor, "factor", 0), as_grid(items, "items", 1)
    agreement = agreement_power(
        rho, agreement_variance(rho, m) * factor, counts, aims.floor, aims.alpha
    )
    variance = retention_variance(rho, r, m, aims.retention)
    retention = superiority_power(
        retention_effect(rho, r, aims.retention), variance * factor, counts, aims.alpha
    )
    powers = [agreement, retention]
    level: Floats = np.asarray(nan)
    if aims.level_variance is not None:
        spread = as_grid(aims.level_variance, "level_variance", 0) * factor
        level = equivalence_power(aims.level_margin, spread, counts, aims.alpha)
        powers.append(level)
    joint = joint_power(np.stack(np.broadcast_arrays(*powers)))
    is_enough = counts >= _fewest_items(aims)
    return Power(*_broadcast(agreement, retention, level, np.where(is_enough, joint, 0.0)))


def plan_items(
    rho: ArrayLike,
    r: ArrayLike,
    m: ArrayLike,
    power: float = POWER,
    targets: Targets | None = None,
) -> NeededItems:
    """Compute how many items give every check of a verdict this power.

    rho, r, m: as in predict_power; power: .5..1. Raises ValueError for values out of range.
    """
    aims = targets or Targets()
    factor = as_grid(aims.factor, "factor", 0)
    agreement = items_for_agreement(
        rho, agreement_variance(rho, m) * factor, power, aims.floor, aims.alpha
    )
    variance = retention_variance(rho, r, m, aims.retention)
    retention = items_for_superiority(
        retention_effect(rho, r, aims.retention), variance * factor, power, aims.alpha
    )
    needs = [agreement, retention, _fewest_items(aims)]
    level: Floats = np.asarray(nan)
    if aims.level_variance is not None:
        spread = as_grid(aims.level_variance, "level_variance", 0) * factor
        level = items_for_equivalence(aims.level_margin, spread, power, aims.alpha)
        needs.append(level)
    most = np.stack(np.broadcast_arrays(*needs)).max(axis=0)
    return NeededItems(*_broadcast(agreement, retention, level, most))


def _fewest_items(targets: Targets) -> Floats:
    """Return the items below which a verdict says that there are too few."""
    of_clusters = as_grid(targets.cluster_items, "cluster_items", 1)
    return np.maximum(FEWEST_ITEMS, np.ceil(FEWEST_CLUSTERS * of_clusters))


def _broadcast(*arrays: Floats) -> list[Floats]:
    return [array.copy() for array in np.broadcast_arrays(*arrays)]
