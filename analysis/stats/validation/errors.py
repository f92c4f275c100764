"""Turn influence values into standard errors, degrees of freedom and p-values.

Quantity(value, error, df)          an estimate with its t tests and bounds
covariance_by_cluster(psi, ...)     items as a sample, in clusters
covariance_by_rater(u, ...)         what raters as a sample add
Source: Cameron, Gelbach & Miller (2011), Journal of Business & Economic Statistics 29.
"""

from dataclasses import dataclass
from math import copysign, nan, sqrt

import numpy as np
from scipy.special import stdtr, stdtrit

from analysis.stats.inputs import Floats, Ints

FLAT = 1e-15  # a variance below this share of the mean square is rounding
TINY = 1e-12  # a standard error, or a distance from a bound, that is rounding


def bounded(r: float) -> float:
    """Return a correlation, or its square, as ±1 where rounding alone carries it beyond."""
    return copysign(1.0, r) if 1 < abs(r) < 1 + TINY else r


@dataclass(frozen=True)
class Quantity:
    """An estimate with its standard error and degrees of freedom.

    NaN is undefined, and `reason` says why. Without a test (one cluster) the error is NaN.
    """

    value: float
    error: float = nan
    df: float = 0
    reason: str = ""

    def p_above(self, bound: float = 0.0) -> float:
        """Return the one-sided p of "above the bound"; without error 0 or 1; NaN untestable."""
        return self._upper_tail(self.value - bound)

    def p_below(self, bound: float = 0.0) -> float:
        """Return the one-sided p of "below the bound"; without error 0 or 1; NaN untestable."""
        return self._upper_tail(bound - self.value)

    def p_two_sided(self) -> float:
        """Return the two-sided p of "other than 0"."""
        return float(np.minimum(1.0, 2 * self._upper_tail(abs(self.value))))

    def p_within(self, margin: float) -> float:
        """Return the p of "within -margin..margin": the larger of two one-sided tests (TOST)."""
        return float(np.maximum(self.p_above(-margin), self.p_below(margin)))

    def lower(self, alpha: float = 0.05) -> float:
        """Return the lower one-sided 1 - alpha bound."""
        return self.value - self.reach(alpha)

    def upper(self, alpha: float = 0.05) -> float:
        """Return the upper one-sided 1 - alpha bound."""
        return self.value + self.reach(alpha)

    def interval(self) -> tuple[float, float]:
        """Return the two-sided 95 % interval."""
        reach = self.reach(0.025)
        return self.value - reach, self.value + reach

    def reach(self, alpha: float) -> float:
        """Return t_{1 - alpha, df} standard errors; NaN untestable."""
        if self.df < 1:
            return nan
        return float(stdtrit(self.df, 1 - alpha)) * self.error

    def _upper_tail(self, distance: float) -> float:
        if np.isnan(distance) or np.isnan(self.error) or self.df < 1:
            return nan
        if self.error <= TINY:
            return 0.0 if distance > TINY else 1.0
        return float(stdtr(self.df, -distance / self.error))


@dataclass(frozen=True)
class Errors:
    """Covariances of q quantities: from items in clusters, and what raters as a sample add.

    items: (q, q); raters: (q, q), V_rater - V_cell, zeros where raters are not a sample. Of a
    linear combination the addition counts only where it is above 0. n_raters: R, as many as equally
    busy raters would be worth.
    """

    items: Floats
    raters: Floats
    n_clusters: int
    n_raters: float

    def variance(self, combination: Floats) -> float:
        """Return the variance of a linear combination (q,) of the quantities."""
        return float(combination @ self.items @ combination) + self.addition(combination)

    def addition(self, combination: Floats) -> float:
        """Return what raters as a sample add to the variance: at least 0."""
        return max(0.0, float(combination @ self.raters @ combination))

    def df(self, combination: Floats) -> float:
        """Return G - 1, or min(G, R) - 1 where raters add to the variance."""
        groups: float = self.n_clusters
        if self.addition(combination) > 0:
            groups = min(groups, self.n_raters)
        return groups - 1

    def quantity(self, value: float, combination: Floats) -> Quantity:
        """Return the value of a combination with its error."""
        if self.n_clusters < 2:
            return Quantity(value, reason="all items are of one cluster, so nothing is tested")
        error = sqrt(max(0.0, self.variance(combination)))
        return Quantity(value, error, self.df(combination))


def covariance_by_cluster(
    psi: Floats, cluster: Ints, n_clusters: int, n_counted: int | None = None
) -> Floats:
    """Return G/(G-1) sum_g (sum_{i in g} psi_i)(...)' / n^2 as (q, q); NaN for one cluster.

    psi: (q, n), weighted influence values; cluster: (n,), codes 0..n_clusters-1, all of them used.
    n_counted: G where a quantity rests on fewer of the clusters; by default all of them.
    """
    counted = n_clusters if n_counted is None else n_counted
    if counted < 2:
        return np.full((len(psi), len(psi)), nan)
    sums = _sums_by_code(psi, cluster, n_clusters)
    return counted / (counted - 1) * (sums @ sums.T) / psi.shape[1] ** 2


def covariance_by_rater(u: Floats, rater: Ints, n_raters: int, n: int) -> tuple[Floats, Floats]:
    """Return V_rater = c sum_j (sum_i u_ij)^2 / n^2, V_cell = sum_ij u_ij^2 / n^2: (q, q).

    u: (q, N), the weighted part of each rating; rater: (N,), codes 0..R-1; n: items. A rater who
    has most ratings pulls the mean, from which the parts are, to his or her own: with p_j the
    share of ratings, c = sum p^2 / (sum p^2 - 2 sum p^3 + (sum p^2)^2) makes up for it where
    raters differ by a constant; R / (R - 1) where all are equally busy.
    """
    cells = u @ u.T / n**2
    if n_raters < 2:
        return np.full_like(cells, nan), cells
    sums = _sums_by_code(u, rater, n_raters)
    share = np.bincount(rater, minlength=n_raters) / len(rater)
    second, third = float((share**2).sum()), float((share**3).sum())
    return second / (second - 2 * third + second**2) * (sums @ sums.T) / n**2, cells


def _sums_by_code(rows: Floats, codes: Ints, n_codes: int) -> Floats:
    """Return the sums (q, C) of each row's values by code."""
    return np.array([np.bincount(codes, row, minlength=n_codes) for row in rows])
