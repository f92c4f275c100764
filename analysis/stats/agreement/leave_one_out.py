"""Correlate each rater with the mean of the other raters, which leaves the rater's own out.

correlation_with_others(units, raters, values)      r of every rater, and on how many units
"""

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.correlation.correlation import group_coefficients
from analysis.stats.inputs import Floats, Ints, as_codes, as_floats, without_rounding


def correlation_with_others(
    units: ArrayLike, raters: ArrayLike, values: ArrayLike
) -> tuple[Floats, Ints]:
    """Correlate each rater's ratings with the mean of all others on the same unit: -1..1.

    units, raters: codes (N,), 0, 1, ...; values: (N,), NaN = no rating. A unit that nobody else
    rated is left out; a rater's several ratings of one unit are averaged first. Returns r (R,)
    and the units it rests on (R,), by rater code. r is NaN with fewer than two units, or where
    the rater's ratings or the others' means are all equal. Raises ValueError for unequal lengths.
    Source: the corrected item-total correlation of test theory, Nunnally & Bernstein (1994),
    Psychometric Theory, with raters as the test's items; here over means, as ratings may lack.
    """
    values = as_floats(values, "values")
    units = as_codes(units, "units", len(values))
    raters = as_codes(raters, "raters", len(values))
    n_raters = int(raters.max(initial=-1)) + 1
    units, raters, values = one_a_unit(units, raters, values, n_raters)
    others = mean_of_others(units, values)
    r, n = group_coefficients(values, others, raters, "pearson")
    missing = n_raters - len(r)
    return np.append(r, np.full(missing, np.nan)), np.append(n, np.zeros(missing, dtype=np.int64))


def one_a_unit(
    units: Ints, raters: Ints, values: Floats, n_raters: int
) -> tuple[Ints, Ints, Floats]:
    """Return units, raters, values (M,) without NaN: each rater's mean on each unit."""
    there = ~np.isnan(values)
    cells = units[there] * n_raters + raters[there]
    used, place, counts = np.unique(cells, return_inverse=True, return_counts=True)
    means = np.bincount(place, values[there], minlength=len(used)) / counts
    means = without_rounding(means, values, counts)
    return used // n_raters if n_raters else used, used % n_raters if n_raters else used, means


def mean_of_others(units: Ints, values: Floats) -> Floats:
    """Return the mean (M,) of the other values on the same unit; NaN without other values."""
    if not len(values):
        return np.empty(0)
    total, count = np.bincount(units, values), np.bincount(units)
    others = count[units] - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(others > 0, (total[units] - values) / others, np.nan)
    return without_rounding(means, values, others)
