"""Compute the human ceiling: how closely raters, and a judge, follow the other raters.

human_ceiling(ratings, judge)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.correlation.coefficients import grouped_pearson
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Flags, Floats, Ints, as_codes, as_floats
from analysis.stats.intervals.bootstrap import cluster_table, weighted_sums, with_interval

NOISE = 1e-12  # a sum of squares this small beside its parts is rounding


@dataclass(frozen=True)
class HumanCeiling:
    """Mean Pearson's r with the mean of the other raters: the judge's and the raters'.

    difference: judge less ceiling, with the interval. All three are of the same items and raters:
    n counts items, groups raters, skipped raters without a defined r of both.
    """

    judge: Estimate
    ceiling: Estimate
    difference: Estimate


def human_ceiling(
    ratings: ArrayLike,
    judge: ArrayLike,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> HumanCeiling:
    """Leave each rater out in turn: r of the rater, and of the judge, with the others' mean.

    ratings: (units, raters), NaN = missing; judge (units,); clusters: (units,). A rater counts
    with the items that another rater and the judge rated too. NaN where no rater has a defined r
    of both, as where there is one rater. Raises ValueError for other shapes.
    Source: leave-one-out as in Calderon, Reichart & Dror (2025); Pearson's r.
    """
    array, values = as_floats(ratings, "ratings", ndim=2), as_floats(judge, "judge")
    if len(values) != len(array):
        raise ValueError(f"judge: expected {len(array)} values, found {len(values)}")
    unit, rater, own, others = left_out(array, values)
    n_raters = int(rater.max(initial=-1)) + 1
    score = values[unit]
    people = grouped_pearson(own, others, rater, n_raters)
    machine = grouped_pearson(score, others, rater, n_raters)
    codes = None
    if clusters is not None:
        codes = as_codes(clusters, "clusters", len(array))[unit]
    drawn = None
    if counts is not None and codes is not None and len(unit):
        centred = own - own.mean(), score - score.mean(), others - others.mean()
        drawn = _Moments(*centred, rater).draws(codes, counts, n_raters)
    return _ceiling(machine, people, len(np.unique(unit)), codes, counts, drawn)


def left_out(array: Floats, judge: Floats) -> tuple[Ints, Ints, Floats, Floats]:
    """Return unit, rater, rating and the mean of the unit's others (E,), raters from 0 on."""
    compared = ~np.isnan(array)
    sizes = compared.sum(axis=1)
    compared &= ((sizes >= 2) & ~np.isnan(judge))[:, None]
    unit, column = np.nonzero(compared)
    own = array[unit, column]
    others = (np.nansum(array, axis=1)[unit] - own) / (sizes[unit] - 1)
    _, rater = np.unique(column, return_inverse=True)
    # equal means must be equal numbers, so that constant ones are seen
    return unit, rater.astype(np.int64), own, np.round(others, 9)


def _ceiling(
    machine: Floats,
    people: Floats,
    n: int,
    clusters: Ints | None,
    counts: NDArray[Any] | None,
    drawn: tuple[Floats, Floats] | None,
) -> HumanCeiling:
    defined = ~(np.isnan(machine) | np.isnan(people))
    reason = "" if defined.any() else _why_undefined(len(defined))

    def estimate(values: Floats, draws: Floats | None) -> Estimate:
        value = float(values[defined].mean()) if defined.any() else np.nan
        skipped = int((~defined).sum())
        plain = Estimate(value, n=n, groups=len(defined), skipped=skipped, reason=reason)
        if draws is None:
            return plain
        return with_interval(plain, clusters, counts, lambda codes, counts: draws)

    if drawn is None:
        return HumanCeiling(
            estimate(machine, None), estimate(people, None), estimate(machine - people, None)
        )
    j, h = drawn
    return HumanCeiling(
        estimate(machine, j), estimate(people, h), estimate(machine - people, j - h)
    )


def _why_undefined(n_raters: int) -> str:
    if n_raters == 0:
        return "no item has two ratings and a judgment"
    return "every rater, or what the rater is compared with, is constant"


class _Moments:
    """Sums by rater, from which r of every draw follows; x rater, z judge, y the others."""

    def __init__(self, x: Floats, z: Floats, y: Floats, rater: Ints) -> None:
        """Keep the columns to sum; x, z, y, rater: (E,), centred."""
        self.columns = {
            "n": np.ones(len(x)),
            "x": x,
            "y": y,
            "z": z,
            "xx": x * x,
            "yy": y * y,
            "zz": z * z,
            "xy": x * y,
            "zy": z * y,
        }
        self.rater = rater

    def draws(self, clusters: Ints, counts: NDArray[Any], n_raters: int) -> tuple[Floats, Floats]:
        """Average r (D,) over raters, of the judge and of the rater, where both are defined."""
        sums = {
            name: weighted_sums(
                counts, cluster_table(clusters, counts.shape[1], self.rater, n_raters, weights)
            )
            for name, weights in self.columns.items()
        }
        judge, people = _r(sums, "z"), _r(sums, "x")
        defined = ~(np.isnan(judge) | np.isnan(people))
        return _mean(judge, defined), _mean(people, defined)


def _r(sums: dict[str, Floats], x: str) -> Floats:
    n, first, second = sums["n"], sums[x], sums["y"]
    with np.errstate(divide="ignore", invalid="ignore"):
        sxx, syy = sums[x + x] - first**2 / n, sums["yy"] - second**2 / n
        r = (sums[x + "y"] - first * second / n) / np.sqrt(sxx * syy)
        flat = (sxx <= NOISE * sums[x + x]) | (syy <= NOISE * sums["yy"]) | (n < 2)
    return np.where(flat, np.nan, np.clip(r, -1, 1))


def _mean(values: Floats, defined: Flags) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        mean: Floats = np.where(defined, values, 0).sum(axis=1) / defined.sum(axis=1)
    return mean
