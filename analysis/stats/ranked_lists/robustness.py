"""Measure how far answers move when a prompt is changed, and when it is not.

    moved(changed, same)                     how far, per unit: (U,) and (U,) of the floor
    compared(moves, floors)                  their means, and the excess over the floor
    compared_ranks(changed, same, "kendall") the same of a rank correlation
    robustness(compared, span)               1 − mean move / span

changed: (U, R), same: (U, S), the answers to a changed prompt and to the unchanged one, each asked
several times; NaN is a missing answer. Every answer to the changed prompt is compared with every
answer to the unchanged one of its unit; the noise floor compares the latter with one another. So
where the change is of no account both have one expectation, however noisy the answers are.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, choose
from analysis.stats.intervals.bootstrap import percentile_interval, why_no_interval
from analysis.stats.intervals.clustered_mean import clustered_mean

NO_FLOOR = "the unchanged prompt was not answered twice on any unit with a changed one"
RANKS = {"spearman": "spearman", "kendall": "kendall"}


@dataclass(frozen=True)
class Compared:
    """A statistic of the changed prompt, the same of the unchanged prompt, and their difference."""

    value: Estimate
    floor: Estimate
    excess: Estimate


def distance(first: Floats, second: Floats) -> Floats:
    """Return |first − second|: how far an answer on a scale moved, in its unit."""
    return np.abs(first - second)


def differs(first: Floats, second: Floats) -> Floats:
    """Return 1 where two answers differ, 0 where they are the same; NaN where one is missing."""
    unknown = np.isnan(first) | np.isnan(second)
    return np.where(unknown, np.nan, (first != second).astype(np.float64))


def moved(
    changed: Floats, same: Floats, by: Callable[[Floats, Floats], Floats] = distance
) -> tuple[Floats, Floats]:
    """Return each unit's mean move (U,) and its floor (U,); NaN without answers to compare.

    Raises ValueError for arrays that are not (U, R) and (U, S).
    """
    changed, same = _answers(changed, same)
    between = by(changed[:, :, None], same[:, None, :]).reshape(
        len(changed), changed.shape[1] * same.shape[1]
    )
    first, second = np.triu_indices(same.shape[1], k=1)
    return _means(between), _means(by(same[:, first], same[:, second]))


def compared(
    moves: Floats,
    floors: Floats,
    *,
    is_share: bool = False,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Compared:
    """Average moves and floors over the units that have both (U,), and their differences.

    is_share: both are shares, in 0..1.

    NaN, with the reason, where no unit has both. Raises ValueError for other shapes.
    """
    if moves.shape != floors.shape:
        raise ValueError(f"moves and floors differ in shape: {moves.shape} and {floors.shape}")
    both = ~np.isnan(moves) & ~np.isnan(floors)
    resampling = {"clusters": clusters, "counts": counts}
    estimates = [
        clustered_mean(np.where(both, values, np.nan), is_share=one_of, **resampling)
        for values, one_of in ((moves, is_share), (floors, is_share), (moves - floors, False))
    ]
    if not both.any():
        estimates = [replace(estimate, reason=NO_FLOOR) for estimate in estimates]
    return Compared(*estimates)


def compared_ranks(
    changed: Floats,
    same: Floats,
    coefficient: str,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Compared:
    """Correlate the ranks (spearman, or kendall: τ-b) of all pairs of answers, in −1..1.

    x is an answer to the changed prompt, y one to the unchanged one; of the floor both are to the
    unchanged one, in both orders. Units as in `compared`; n is these units, not the pairs. NaN
    where all answers are equal. Raises ValueError for other coefficients or shapes.
    """
    choose(RANKS, coefficient, "coefficient")
    changed, same = _answers(changed, same)
    moves, floors = moved(changed, same)
    both = ~np.isnan(moves) & ~np.isnan(floors)
    changed, same = changed[both], same[both]
    own = None if clusters is None else clusters[both]
    columns = product(changed.T, same.T), permutations(same.T, 2)
    value, floor = (
        _of_pairs(list(pairs), coefficient, own, counts, int(both.sum())) for pairs in columns
    )
    return Compared(value, floor, _difference(value, floor))


def robustness(moves: Compared, span: float) -> Compared:
    """Return 1 − mean move / span: 1 where nothing moves, 0 where all goes from end to end.

    span: what a move is at most, above 0: the scale's range; 1 where moves are `differs`.
    excess: of the changed prompt less that of the unchanged one, so below 0 where it is worse.
    Raises ValueError for another span.
    """
    if not span > 0:
        raise ValueError(f"need a span above 0, found {span}")
    return Compared(
        _turned(moves.value, span, 1.0),
        _turned(moves.floor, span, 1.0),
        _turned(moves.excess, span, 0.0),
    )


def _answers(changed: Floats, same: Floats) -> tuple[Floats, Floats]:
    changed, same = np.asarray(changed, dtype=np.float64), np.asarray(same, dtype=np.float64)
    if changed.ndim != 2 or same.ndim != 2 or len(changed) != len(same):
        raise ValueError(f"expected (units, answers) twice, found {changed.shape} and {same.shape}")
    return changed, same


def _means(values: Floats) -> Floats:
    """Average the defined values of each row; NaN where there are none."""
    defined = ~np.isnan(values)
    n = defined.sum(axis=1)
    return np.where(defined, values, 0.0).sum(axis=1) / np.where(n > 0, n, np.nan)


def _of_pairs(
    pairs: list[tuple[Floats, Floats]],
    coefficient: str,
    clusters: Ints | None,
    counts: NDArray[Any] | None,
    n: int,
) -> Estimate:
    """Correlate the ranks of all pairs of columns of answers, one below the other."""
    if not pairs or not n:
        return Estimate(np.nan, reason=NO_FLOOR)
    first, second = (np.concatenate(columns) for columns in zip(*pairs, strict=True))
    own = None if clusters is None else np.tile(clusters, len(pairs))
    estimate = dataset_correlation(first, second, coefficient, clusters=own, counts=counts)
    equal = estimate.reason.startswith("all values")
    return replace(estimate, n=n, reason="all answers are equal" if equal else estimate.reason)


def _difference(value: Estimate, floor: Estimate) -> Estimate:
    """Subtract two values, whose draws are of the same clusters."""
    difference = Estimate(value.value - floor.value, n=value.n, reason=value.reason or floor.reason)
    if value.draws is None or floor.draws is None:
        return difference
    draws = value.draws - floor.draws
    low, high, undefined = percentile_interval(draws)
    reason = difference.reason or (why_no_interval(draws) if np.isnan(low) else "")
    return replace(
        difference, low=low, high=high, undefined_draws=undefined, reason=reason, draws=draws
    )


def _turned(estimate: Estimate, span: float, origin: float) -> Estimate:
    """Return origin − x / span of an estimate, its interval and its draws."""
    draws = None if estimate.draws is None else origin - estimate.draws / span
    return replace(
        estimate,
        value=origin - estimate.value / span,
        low=origin - estimate.high / span,
        high=origin - estimate.low / span,
        draws=draws,
    )
