"""Test whether one judge is better than another on the same items.

paired_difference(first, second)    difference of two estimates that share their draws
paired_differences(all, pairs)      the same of many pairs, fast
two_sided(draws)                    p of the draws of a difference
not_worse(draws, margin)            one-sided p of a difference of −margin or less
holm(p)                             p-values adjusted for their number
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats
from analysis.stats.intervals.bootstrap import BLOCK_CELLS, LEVEL, are_alike, why_no_interval


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
    (difference,) = paired_differences([first, second], [(0, 1)])
    if np.isnan(difference.p) or first.draws is None or second.draws is None:
        return difference
    draws = first.draws - second.draws
    return replace(difference, estimate=replace(difference.estimate, draws=draws))


def paired_differences(estimates: list[Estimate], pairs: list[tuple[int, int]]) -> list[Difference]:
    """Compute `paired_difference` of many pairs of places in estimates; draws are not kept.

    All intervals of a block of pairs are found at once. Raises ValueError as `paired_difference`.
    """
    differences, tested = [], []
    for place, pair in enumerate(pairs):
        first, second = (estimates[own] for own in pair)
        if first.n != second.n:
            raise ValueError(f"expected the same observations, found {first.n} and {second.n}")
        value, reason = first.value - second.value, first.reason or second.reason
        differences.append(Difference(Estimate(value, n=first.n, reason=reason), np.nan))
        if first.draws is not None and second.draws is not None and not np.isnan(value):
            tested.append((place, first.draws, second.draws))
    widths = {len(draws) for _, *sides in tested for draws in sides}
    if len(widths) > 1:
        raise ValueError("expected estimates that share their draws")
    step = max(1, BLOCK_CELLS // max([1, *widths]))
    for start in range(0, len(tested), step):
        places, first_draws, second_draws = zip(*tested[start : start + step], strict=True)
        draws = np.stack(first_draws) - np.stack(second_draws)
        for place, (p, facts) in zip(places, _of_draws(draws), strict=True):
            estimate = replace(differences[place].estimate, **facts)
            differences[place] = Difference(estimate, p)
    return differences


def _of_draws(draws: Floats) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield p and the interval of each row of draws (P, D), NaN where undefined."""
    lost = np.isnan(draws).sum(axis=1)
    defined = draws.shape[1] - lost
    some = defined > 0
    ends = np.full((len(draws), 2), np.nan)
    quantile = np.nanquantile if lost.any() else np.quantile
    if some.any():
        levels = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
        ends[some] = quantile(draws[some], levels, axis=1).T
    tails = np.minimum((draws <= 0).sum(axis=1), (draws >= 0).sum(axis=1))
    p = np.where(some, np.minimum(1.0, 2 * (tails + 1) / (defined + 1)), np.nan)
    for place, (low, high) in enumerate(ends.tolist()):
        if not some[place]:
            yield np.nan, {"reason": "no draw has both"}
        elif are_alike(low, high):
            why = why_no_interval(draws[place])
            yield float(p[place]), {"reason": why, "undefined_draws": int(lost[place])}
        else:
            facts = {"low": low, "high": high, "undefined_draws": int(lost[place]), "reason": ""}
            yield float(p[place]), facts


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
