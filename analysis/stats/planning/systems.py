"""Plan a study whose verdict is whether a judge may compare systems.

items_a_system(difference_variance)     items of each of two systems
systems_power(difference_variance, n)   that a judge without a bias passes
"""

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats
from analysis.stats.planning.grids import as_grid
from analysis.stats.planning.power import (
    ALPHA,
    POWER,
    equivalence_power,
    items_for_equivalence,
)

SYSTEMS_MARGIN = 0.3  # points on a 5-point scale
FEWEST = 30  # items of a system; below, a verdict says "too few"


def items_a_system(
    difference_variance: ArrayLike,
    margin: ArrayLike = SYSTEMS_MARGIN,
    power: float = POWER,
    alpha: float = ALPHA,
) -> Floats:
    """Return how many items of each system show that a judge has no bias between two systems.

    difference_variance: of judge less people's mean over items, in squared points; margin: the
    largest bias, in points; power: .5..1, of a judge without any bias, for one pair of systems.
    Items of the two systems are taken for independent. At least 30. inf where the margin is 0.
    Raises ValueError for other values.
    """
    spread = 2 * as_grid(difference_variance, "difference_variance", 0)
    items = items_for_equivalence(margin, spread, power, alpha)
    return np.maximum(items, FEWEST)


def systems_power(
    difference_variance: ArrayLike,
    items: ArrayLike,
    margin: ArrayLike = SYSTEMS_MARGIN,
    alpha: float = ALPHA,
) -> Floats:
    """Return the power for one pair of systems, of a judge that has no bias between them.

    items: of each system, at least 1; the power is 0 below 30. Otherwise as items_a_system. That
    people tell the systems apart, and the judge with them, is not part of it.
    """
    counts = as_grid(items, "items", 1)
    spread = 2 * as_grid(difference_variance, "difference_variance", 0)
    power = equivalence_power(margin, spread, counts, alpha)
    return np.where(counts >= FEWEST, power, 0.0)
