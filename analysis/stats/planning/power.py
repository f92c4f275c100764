"""Predict the power of single checks, and the items that a power needs.

superiority_power(effect, variance, items)      that an effect is shown to be above 0
agreement_power(rho, variance, items)           the same, and that it reaches a floor
equivalence_power(margin, variance, items)      that a difference is shown to be small
joint_power(powers)                             at least this of all checks together
items_for_superiority, items_for_agreement, items_for_equivalence     the other way round

variance: of one item, times the design factor where items come in clusters. All arguments are
numbers or arrays whose shapes broadcast; NaN in, NaN out.
"""

from math import inf

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from analysis.stats.inputs import Floats
from analysis.stats.planning.grids import as_grid, check_share

ALPHA = 0.05  # of each check, one-sided
POWER = 0.8


def superiority_power(
    effect: ArrayLike, variance: ArrayLike, items: ArrayLike, alpha: float = ALPHA
) -> Floats:
    """Return the probability that a one-sided test shows the effect to be above 0.

    effect: the true one; items: at least 1. 0 where the variance is infinite.
    Raises ValueError for other values.
    """
    quantile = _normal_quantile(alpha)
    return _above(as_grid(effect, "effect"), _standard_error(variance, items), quantile)


def agreement_power(
    rho: ArrayLike,
    variance: ArrayLike,
    items: ArrayLike,
    floor: float = 0.0,
    alpha: float = ALPHA,
) -> Floats:
    """Return the probability that raters are shown to agree, and by at least the floor.

    The estimate has to be above 0 by a one-sided test and at least as large as the floor; where
    rho is the floor itself the power stays at one half, however many items there are.
    Otherwise as superiority_power.
    """
    agreement, error = as_grid(rho, "rho", -1, 1), _standard_error(variance, items)
    above_zero = _above(agreement, error, _normal_quantile(alpha))
    if floor <= 0:
        return above_zero
    return np.minimum(above_zero, _above(agreement - floor, error, 0.0))


def equivalence_power(
    margin: ArrayLike, variance: ArrayLike, items: ArrayLike, alpha: float = ALPHA
) -> Floats:
    """Return the probability that two one-sided tests show a difference within -margin..margin.

    The true difference is taken to be 0, where this power is largest; margin: at least 0, in the
    unit of the variance's root; items: at least 1. Raises ValueError for other values.
    Source: Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15.
    """
    error = _standard_error(variance, items)
    tail = _above(as_grid(margin, "margin", 0), error, _normal_quantile(alpha))
    return np.maximum(2 * tail - 1, 0.0)


def joint_power(powers: ArrayLike) -> Floats:
    """Return the least probability that all checks pass, however they depend on each other.

    powers: (checks, ...), of single checks, 0..1; returns (...). Raises ValueError for others.
    Source: Bonferroni's inequality, 1 - sum over the checks of (1 - power).
    """
    missing = 1 - as_grid(powers, "powers", 0, 1)
    return np.maximum(1 - missing.sum(axis=0), 0.0)


def items_for_superiority(
    effect: ArrayLike, variance: ArrayLike, power: float = POWER, alpha: float = ALPHA
) -> Floats:
    """Return how many items show with this power that the effect is above 0.

    inf where the effect is not above 0, or the variance infinite: no number of items can show
    it. power: .5..1. Raises ValueError for other values.
    """
    quantiles = _normal_quantile(alpha) + _power_quantile(power)
    return _items(as_grid(effect, "effect"), variance, quantiles)


def items_for_agreement(
    rho: ArrayLike,
    variance: ArrayLike,
    power: float = POWER,
    floor: float = 0.0,
    alpha: float = ALPHA,
) -> Floats:
    """Return how many items show with this power that raters agree, and by at least the floor.

    inf where rho is not above the floor. Otherwise as items_for_superiority.
    """
    agreement = as_grid(rho, "rho", -1, 1)
    items = items_for_superiority(agreement, variance, power, alpha)
    if floor <= 0:
        return items
    return np.maximum(items, _items(agreement - floor, variance, _power_quantile(power)))


def items_for_equivalence(
    margin: ArrayLike, variance: ArrayLike, power: float = POWER, alpha: float = ALPHA
) -> Floats:
    """Return how many items show with this power that a true difference of 0 is within the margin.

    inf where the margin is 0 or the variance infinite. Otherwise as equivalence_power.
    """
    quantiles = _normal_quantile(alpha) + _power_quantile((1 + power) / 2)
    return _items(as_grid(margin, "margin", 0), variance, quantiles)


def _normal_quantile(alpha: float) -> float:
    return float(stats.norm.isf(check_share(alpha, "alpha", 0, 0.5)))


def _power_quantile(power: float) -> float:
    if not 0.5 <= power < 1:
        raise ValueError(f"power: expected a number in .5..1, below 1, got {power:g}")
    return float(stats.norm.ppf(power))


def _standard_error(variance: ArrayLike, items: ArrayLike) -> Floats:
    return np.sqrt(as_grid(variance, "variance", 0) / as_grid(items, "items", 1))


def _above(effect: Floats, error: Floats, quantile: float) -> Floats:
    """Return the probability that an estimate lies more than `quantile` errors above 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = effect / error
    # Without an error an effect of 0 is not above 0, and with an infinite one nothing is shown.
    never = ((effect == 0) & (error == 0)) | (np.isinf(error) & ~np.isnan(effect))
    return np.asarray(np.where(never, 0.0, stats.norm.cdf(ratio - quantile)))


def _items(effect: Floats, variance: ArrayLike, quantiles: float) -> Floats:
    spread = as_grid(variance, "variance", 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        items = np.maximum(np.ceil(spread * (quantiles / effect) ** 2), 1.0)
    hopeless = (effect <= 0) & ~np.isnan(spread)
    return np.where(hopeless, inf, items)
