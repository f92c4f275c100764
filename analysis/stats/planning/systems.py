"""Plan a study whose verdict is whether a judge may compare systems.

items_a_system(difference_variance)     items of each of two systems
systems_power(difference_variance, n)   that a judge without a bias passes
"""

from math import inf

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.stats.inputs import Floats
from analysis.stats.planning.grids import as_grid, check_share
from analysis.stats.planning.power import ALPHA, POWER, check_power
from analysis.stats.validation.criteria import SYSTEM_MARGIN_OF_FIVE, USUAL

FEWEST = USUAL.fewest_items  # of a system; below, a verdict says "too few"


def items_a_system(
    difference_variance: ArrayLike,
    margin: ArrayLike = SYSTEM_MARGIN_OF_FIVE,
    power: float = POWER,
    alpha: float = ALPHA,
) -> Floats:
    """Return how many items of each system show that a judge has no bias between two systems.

    difference_variance: of judge less people's mean over items, in squared points; margin: the
    largest bias, in points; power: .5..1, of a judge without any bias, for one pair of systems.
    Items of the two systems are taken for independent. At least 30. inf where the margin is 0.
    Raises ValueError for other values.
    """
    check_share(alpha, "alpha", 0, 0.5)
    quantiles = special.ndtri(1 - alpha) + special.ndtri((1 + check_power(power)) / 2)
    reach = as_grid(margin, "margin", 0)
    spread = 2 * as_grid(difference_variance, "difference_variance", 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        items = np.maximum(np.ceil(spread * (quantiles / reach) ** 2), FEWEST)
    return np.where((reach == 0) & ~np.isnan(spread), inf, items)


def systems_power(
    difference_variance: ArrayLike,
    items: ArrayLike,
    margin: ArrayLike = SYSTEM_MARGIN_OF_FIVE,
    alpha: float = ALPHA,
) -> Floats:
    """Return the power for one pair of systems, of a judge that has no bias between them.

    items: of each system, at least 1; the power is 0 below 30. Otherwise as items_a_system. That
    people tell the systems apart, and the judge with them, is not part of it.
    """
    counts = as_grid(items, "items", 1)
    error = np.sqrt(2 * as_grid(difference_variance, "difference_variance", 0) / counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = as_grid(margin, "margin", 0) / error
    quantile = special.ndtri(1 - check_share(alpha, "alpha", 0, 0.5))
    # Both one-sided tests must succeed.
    power = np.maximum(2 * special.ndtr(reach - quantile) - 1, 0.0)
    return np.where(counts >= FEWEST, power, 0.0)
