"""Compute the intraclass correlation in the six forms of McGraw and Wong.

icc(ratings, "A,1")     forms: "1,1" "A,1" "C,1" (one rater) and "1,k" "A,k" "C,k" (mean of k)
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, as_codes, as_floats, choose
from analysis.stats.intervals.bootstrap import cluster_sums, weighted_sums, with_interval

FEWEST_UNITS = 2
NOISE = 1e-12  # mean squares this small beside the total are rounding


def icc(
    ratings: ArrayLike,
    form: str,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Estimate the share of the variance that is between units; at most 1, may be negative.

    ratings: (units, raters), NaN = missing. "A" and "C" take the units that every rater rated.
    One-way "1" takes every unit with two ratings or more, however many it has; k is then
    k0 = (N - sum(k_i**2) / N) / (n - 1). Estimate.n is the number of units taken.
    clusters: (units,). NaN below two such units or two raters, when all ratings are equal, or
    when the form's denominator is zero. Raises ValueError for other shapes or forms.
    Source: McGraw & Wong (1996), Psychological Methods 1, table 4; unequal k: Searle, Casella &
    McCulloch (1992), Variance Components, ch. 3.6.
    """
    formula = choose(FORMS, form, "form")
    array = as_floats(ratings, "ratings", ndim=2)
    one_way = form in ONE_WAY
    n_raters = array.shape[1]
    taken = (~np.isnan(array)).sum(axis=1) >= (2 if one_way else max(n_raters, 1))
    units = array[taken] - (np.nanmean(array[taken]) if taken.any() else 0.0)
    columns = _one_way_columns(units) if one_way else _two_way_columns(units)

    def values(sums: Floats) -> Floats:
        mean_squares = _one_way(sums) if one_way else _two_way(sums, n_raters)
        return _icc_of(formula, *mean_squares)

    def draws(clusters: Ints, counts: NDArray[Any]) -> Floats:
        return values(weighted_sums(counts, cluster_sums(clusters, counts.shape[1], *columns)))

    enough = len(units) >= FEWEST_UNITS and n_raters >= 2
    value = float(values(np.stack(columns, 1).sum(0)[None, :])[0]) if enough else np.nan
    reason = _why_undefined(value, units, n_raters, one_way)
    estimate = Estimate(value, n=len(units), reason=reason)
    if clusters is not None:
        clusters = as_codes(clusters, "clusters", len(array))[taken]
    return with_interval(estimate, clusters, counts, draws)


def _why_undefined(value: float, units: Floats, n_raters: int, one_way: bool) -> str:
    if not np.isnan(value):
        return ""
    if n_raters < 2:
        return f"fewer than two raters ({n_raters})"
    if len(units) < FEWEST_UNITS:
        whom = "two raters or more" if one_way else f"all {n_raters} raters"
        return f"fewer than two units are rated by {whom} ({len(units)})"
    equal = np.nanmax(units) == np.nanmin(units)
    return "all ratings are equal" if equal else "the units' means do not differ"


def _one_way_columns(units: Floats) -> list[Floats]:
    """Return per unit: 1, k, k², sum, squares, squared sum over k."""
    k = (~np.isnan(units)).sum(axis=1).astype(np.float64)
    total = np.nansum(units, axis=1)
    return [np.ones(len(units)), k, k**2, total, np.nansum(units**2, axis=1), total**2 / k]


def _one_way(sums: Floats) -> tuple[Any, ...]:
    """Return rows, two blanks, within, n, k0 and whether all ratings are equal, of sums (D, 6)."""
    n, ratings, squared_k, total, squares, rows = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        correction = total**2 / ratings
        noise = NOISE * squares
        ms_rows = _clean(rows - correction, noise) / (n - 1)
        ms_within = _clean(squares - rows, noise) / (ratings - n)
        k0 = (ratings - squared_k / ratings) / (n - 1)
    return ms_rows, 0.0, 0.0, ms_within, n, k0, squares - correction <= noise


def _two_way_columns(units: Floats) -> list[Floats]:
    """Return per unit: 1, squares, squared sum, and the rating by each rater."""
    return [np.ones(len(units)), (units**2).sum(1), units.sum(1) ** 2, *units.T]


def _two_way(sums: Floats, k: int) -> tuple[Any, ...]:
    """Return rows, columns, error, within (none), n, k and whether all is equal, of sums."""
    n, squares, squared_rows = sums[:, :3].T
    by_rater = sums[:, 3:]
    with np.errstate(divide="ignore", invalid="ignore"):
        correction = by_rater.sum(axis=1) ** 2 / (n * k)
        total = squares - correction
        rows = squared_rows / k - correction
        columns = (by_rater**2).sum(axis=1) / n - correction
        noise = NOISE * squares
        ms_rows = _clean(rows, noise) / (n - 1)
        ms_columns = _clean(columns, noise) / (k - 1)
        ms_error = _clean(total - rows - columns, noise) / ((n - 1) * (k - 1))
    return ms_rows, ms_columns, ms_error, 0.0, n, k, total <= noise


def _icc_of(
    formula: Any, r: Floats, c: Any, e: Any, w: Any, n: Floats, k: Any, equal: Any
) -> Floats:
    """Return the ICC (D,) of the mean squares; NaN where they do not define it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = formula(r, c, e, w, n, k)
    undefined = (n < FEWEST_UNITS) | equal | ~np.isfinite(value)
    return np.where(undefined, np.nan, value)


def _clean(sum_of_squares: Floats, noise: Floats) -> Floats:
    return np.where(sum_of_squares <= noise, 0.0, sum_of_squares)


# Each formula takes the mean squares of rows (units), columns (raters), error and within rows.
def _icc_1_1(r: Floats, c: Any, e: Any, w: Any, n: Floats, k: Any) -> Floats:
    return (r - w) / (r + (k - 1) * w)


def _icc_a_1(r: Floats, c: Any, e: Any, w: Any, n: Floats, k: Any) -> Floats:
    return (r - e) / (r + (k - 1) * e + k / n * (c - e))


def _icc_c_1(r: Floats, c: Any, e: Any, w: Any, n: Floats, k: Any) -> Floats:
    return (r - e) / (r + (k - 1) * e)


def _icc_1_k(r: Floats, c: Any, e: Any, w: Any, n: Floats, k: Any) -> Floats:
    return (r - w) / r


def _icc_a_k(r: Floats, c: Any, e: Any, w: Any, n: Floats, k: Any) -> Floats:
    return (r - e) / (r + (c - e) / n)


def _icc_c_k(r: Floats, c: Any, e: Any, w: Any, n: Floats, k: Any) -> Floats:
    return (r - e) / r


FORMS = {
    "1,1": _icc_1_1,
    "A,1": _icc_a_1,
    "C,1": _icc_c_1,
    "1,k": _icc_1_k,
    "A,k": _icc_a_k,
    "C,k": _icc_c_k,
}
ONE_WAY = ("1,1", "1,k")
