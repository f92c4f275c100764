"""Test whether one judge is better than another on the same items.

paired_difference(first, second)    difference of two estimates that share their draws
paired_differences(all, pairs)      the same of many pairs, fast
two_sided(draws)                    p of the draws of a difference
not_worse(draws, margin)            one-sided p of a difference of −margin or less
holm(p)                             p-values adjusted for their number
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats
from analysis.stats.intervals.bootstrap import (
    ALIKE,
    BLOCK_CELLS,
    LEVEL,
    NEARLY_ALIKE,
    are_alike,
    percentile_interval,
    why_no_interval,
)


@dataclass(frozen=True)
class Difference:
    """The first estimate less the second, with the two-sided p of no difference."""

    estimate: Estimate
    p: float


def paired_difference(first: Estimate, second: Estimate) -> Difference:
    """Subtract two estimates of the same items, whose draws come from the same `counts`.

    The interval is the percentile interval of the differences in each draw; p inverts it: twice the
    smaller of (k + 1) / (B + 1) for the k of B draws at or below 0, and at or above; at most 1.
    NaN where either is undefined, p also without draws. Raises ValueError for unequal numbers of
    observations or draws.
    Source: Davison & Hinkley (1997), ch. 4 and 5; paired by using one resample for both.
    """
    if first.n != second.n:
        raise ValueError(f"expected the same observations, found {first.n} and {second.n}")
    value = first.value - second.value
    reason = "" if not np.isnan(value) else first.reason or second.reason
    plain = Estimate(value, n=first.n, reason=reason)
    if np.isnan(value) or first.draws is None or second.draws is None:
        why = reason or first.reason or second.reason
        return Difference(Estimate(value, n=first.n, reason=why), np.nan)
    if len(first.draws) != len(second.draws):
        raise ValueError("expected estimates that share their draws")
    draws = first.draws - second.draws
    low, high, lost = percentile_interval(draws)
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return Difference(Estimate(value, n=first.n, reason="no draw has both"), np.nan)
    reason = why_no_interval(draws) if np.isnan(low) else ""
    estimate = Estimate(value, low, high, plain.n, undefined_draws=lost, reason=reason, draws=draws)
    return Difference(estimate, two_sided(defined))


def paired_differences(estimates: list[Estimate], pairs: list[tuple[int, int]]) -> list[Difference]:
    """Compute `paired_difference` of many pairs of places in estimates; draws are not kept.

    All intervals of a block of pairs are found at once; pairs with an undefined draw, or without
    draws, one by one. Raises ValueError as `paired_difference` does.
    """
    both = [(estimates[first], estimates[second]) for first, second in pairs]
    whole = [_is_whole(estimate, estimates[0]) for estimate in estimates]
    easy = [place for place, (first, second) in enumerate(pairs) if whole[first] and whole[second]]
    widths = [len(estimate.draws) for estimate in estimates if estimate.draws is not None]
    step = max(1, BLOCK_CELLS // max(widths, default=1))
    differences: dict[int, Difference] = {}
    for start in range(0, len(easy), step):
        block = easy[start : start + step]
        differences |= zip(block, _together([both[place] for place in block]), strict=True)
    return [differences.get(place) or _without_draws(*two) for place, two in enumerate(both)]


def _is_whole(estimate: Estimate, first: Estimate) -> bool:
    """Return whether an estimate has all draws, as many as the first, of as many observations."""
    if estimate.draws is None or first.draws is None or np.isnan(estimate.value):
        return False
    same = estimate.n == first.n and len(estimate.draws) == len(first.draws)
    return same and len(estimate.draws) > 0 and not np.isnan(estimate.draws).any()


def _without_draws(first: Estimate, second: Estimate) -> Difference:
    difference = paired_difference(first, second)
    if difference.estimate.draws is None:
        return difference
    return replace(difference, estimate=replace(difference.estimate, draws=None))


def _together(both: list[tuple[Estimate, Estimate]]) -> list[Difference]:
    """Return the differences of pairs whose draws are all defined."""
    sides = [
        np.stack([own.draws for own in side if own.draws is not None])
        for side in zip(*both, strict=True)
    ]
    draws = sides[0] - sides[1]
    ends = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1).T
    whys = np.where(are_alike(draws.min(axis=1), draws.max(axis=1)), ALIKE, NEARLY_ALIKE)
    same = are_alike(ends[:, 0], ends[:, 1])
    ends[same] = np.nan
    tails = np.minimum((draws <= 0).sum(axis=1), (draws >= 0).sum(axis=1))
    p = np.minimum(1.0, 2 * (tails + 1) / (draws.shape[1] + 1)).tolist()
    return [
        Difference(Estimate(first.value - second.value, low, high, first.n, reason=why), own)
        for (first, second), (low, high), why, own in zip(
            both, ends.tolist(), np.where(same, whys, "").tolist(), p, strict=True
        )
    ]


def two_sided(draws: Floats) -> float:
    """Return the two-sided p of no difference from draws (D,) without NaN, as paired_difference."""
    tails = (draws <= 0).sum(), (draws >= 0).sum()
    return float(min(1.0, 2 * (min(tails) + 1) / (len(draws) + 1)))


def not_worse(draws: Floats, margin: float) -> float:
    """Return the one-sided p of a difference of −margin or less, from its draws (D,).

    (k + 1) / (D + 1) for the k draws at or below −margin, undefined draws (NaN) among them: p of at
    most .025 is the lower end of the 95 % percentile interval above −margin. margin: in the unit of
    the difference. NaN without draws. Raises ValueError for a negative margin.
    Source: as paired_difference; Piaggio et al. (2012), JAMA 308, on margins.
    """
    if margin < 0:
        raise ValueError(f"margin: expected 0 or more, found {margin}")
    if not len(draws):
        return np.nan
    return float(((~(draws > -margin)).sum() + 1) / (len(draws) + 1))


def holm(p: ArrayLike) -> Floats:
    """Adjust p-values (M,) for their number: p' <= .05 holds the familywise error at 5 %.

    NaN is no test: it does not count and stays NaN. Raises ValueError for values outside 0..1.
    Source: Holm (1979), Scandinavian Journal of Statistics 6.
    """
    values = np.asarray(p, dtype=np.float64)
    if ((values < 0) | (values > 1)).any():
        raise ValueError("p: expected values within 0..1")
    adjusted = np.full(len(values), np.nan)
    defined = np.flatnonzero(~np.isnan(values))
    order = defined[np.argsort(values[defined], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return adjusted
