"""Compare a judge with one rater: agreement, retention, and its worth in raters.

agreement = compare_judge(people, judge)    of the n items of `people`, all with a judgment
agreement.r, agreement.rho                  quantities with errors
agreement.retention(2 / 3)                  theta_k = r - k rho
agreement.worth, agreement.least_worth()    K and K_low
agreement.share_proven()                    k_low
Source: Spearman (1904), American Journal of Psychology 15; Spearman (1910), Brown (1910), British
Journal of Psychology 3; retention of effect: Pigeot et al. (2003), Statistics in Medicine 22;
Fieller (1954), JRSS B 16.
"""

from dataclasses import dataclass, field
from functools import cached_property
from math import exp, inf, log, nan, sqrt

import numpy as np
from scipy.special import stdtrit

from analysis.stats.inputs import Floats
from analysis.stats.validation.errors import FLAT, TINY, Errors, Quantity, bounded
from analysis.stats.validation.people import People

CONSTANT = "the judge gives the same answer to every item"


@dataclass(frozen=True)
class Agreement:
    """How a judge agrees with one rater (r), and two raters with each other (rho).

    errors: of (r, rho). n: items; v_f: variance of the judge. reason: why r is NaN. psi: (2, n),
    the influence of each item on r and rho; None where r is NaN.
    """

    r_value: float
    rho_value: float
    errors: Errors
    n: int
    v_f: float
    reason: str = ""
    psi: Floats | None = field(default=None, compare=False, repr=False)

    @property
    def is_constant(self) -> bool:
        """Say whether r is undefined because the judge gives one answer."""
        return self.reason == CONSTANT

    @cached_property
    def r(self) -> Quantity:
        """Return the agreement of judge and rater, a correlation."""
        return self._quantity(self.r_value, 1.0, 0.0)

    @cached_property
    def rho(self) -> Quantity:
        """Return the agreement of two raters, a correlation."""
        return self._quantity(self.rho_value, 0.0, 1.0)

    def retention(self, k: float) -> Quantity:
        """Return theta_k = r - k rho: above 0 if the judge keeps more than the share k."""
        return self._quantity(self.r_value - k * self.rho_value, 1.0, -k)

    @cached_property
    def excess(self) -> Quantity:
        """Return r^2 - rho: above 0 if the judge follows people closer than people can."""
        value = self.r_value**2 - self.rho_value
        return self._quantity(value, 2 * self.r_value, -1.0)

    def _quantity(self, value: float, of_r: float, of_rho: float) -> Quantity:
        if np.isnan(value):
            return Quantity(nan, reason=self.reason)
        return self.errors.quantity(value, np.array([of_r, of_rho]))

    @property
    def worth(self) -> float:
        """Return K: as many raters' mean follows the shared opinion as well as the judge.

        NaN where rho <= 0 or r is undefined; 0 for r <= 0; inf where q^2 >= 1: more than can be
        measured.
        """
        return worth_in_raters(self.r_value, self.rho_value)

    def least_worth(self, alpha: float = 0.05) -> float:
        """Return K_low, the largest K that is significantly reached: 0 is nothing, 1000 the most.

        NaN where r is undefined, nothing can be tested, or raters always agree, so that one says
        as much as a thousand.
        """
        if np.isnan(self.r_value) or self.errors.n_clusters < 2 or self.rho_value > 1 - TINY:
            return nan
        if not self.rho_value > 0:
            return 0.0
        return largest_worth(self.r_value, self.rho_value, self.t_of(alpha), self.joint_variances)

    def most_worth(self, alpha: float = 0.05) -> float:
        """Return the largest K that is not excluded; NaN as least_worth, and where rho <= 0."""
        if np.isnan(self.least_worth(alpha)) or not self.rho_value > 0:
            return nan
        return largest_worth(self.r_value, self.rho_value, -self.t_of(alpha), self.joint_variances)

    def t_of(self, alpha: float) -> float:
        """Return t_{1 - alpha} with the degrees of freedom of r, rho and theta_1 together."""
        return float(stdtrit(self.joint_df, 1 - alpha))

    def share_proven(self, alpha: float = 0.05) -> float:
        """Return k_low, the largest k at which theta_k > 0 is significant (Fieller).

        Below 0 where r itself is not significant; NaN where it has no such bound.
        """
        if np.isnan(self.r_value) or self.errors.n_clusters < 2:
            return nan
        return smaller_root(self.r_value, self.rho_value, self.t_of(alpha), self.joint_variances)

    @cached_property
    def joint_variances(self) -> tuple[float, float, float]:
        """Return v_FF, v_HH and v_FH = (v_FF + v_HH - SE^2(theta_1)) / 2."""
        v_ff, v_hh, v_theta = (self.errors.variance(c) for c in COMBINATIONS)
        return v_ff, v_hh, (v_ff + v_hh - v_theta) / 2

    @cached_property
    def joint_df(self) -> float:
        """Return the smallest degrees of freedom of r, rho and theta_1."""
        return min(self.errors.df(c) for c in COMBINATIONS)


COMBINATIONS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]])


def compare_judge(people: People, judge: Floats, floor: float | None = None) -> Agreement:
    """Compare a judge with the raters of the same items.

    judge: (n, K), a row for each item of `people`, none missing. floor: a variance of the judge up
    to it is none; by default what rounding leaves. r is NaN for a constant judge, rho for constant
    ratings.
    """
    if judge.shape != people.means.shape or np.isnan(judge).any():
        raise ValueError(f"judge: expected {people.means.shape} values without NaN")
    centred = judge - people.average(judge)
    g = people.products(centred, centred)
    v_f = float(people.average(g))
    least = FLAT * float(np.mean(judge**2)) if floor is None and people.n else floor or 0.0
    if people.is_flat or v_f <= least:
        return _without_judge(people, v_f, is_constant=people.n > 0 and v_f <= least)
    f = people.products(centred, people.z_means)
    scale = sqrt(v_f * people.v_h)
    c_fh = float(people.average(f))
    r = bounded(c_fh / scale)
    psi = f / scale - r / 2 * (g / v_f + people.a / people.v_h)
    u = None
    if people.adds_raters:
        u = np.stack([_parts_of_ratings(people, centred, (r, c_fh, scale)), people.u])
    both = np.stack([psi, people.psi])
    return Agreement(r, people.rho, people.errors(both, u), people.n, v_f, psi=both)


def _parts_of_ratings(
    people: People, centred: Floats, values: tuple[float, float, float]
) -> Floats:
    """Return the part of each rating in the influence on r, (N,)."""
    r, c_fh, scale = values
    products = np.einsum("nk,nk->n", people.less_others(centred)[people.item], people.z)
    parts = (products - c_fh) / scale - r / 2 * people.square_deviations / people.v_h
    return parts / people.m[people.item]


def _without_judge(people: People, v_f: float, *, is_constant: bool) -> Agreement:
    rho, none = people.agreement, np.zeros((2, 2))
    errors = Errors(none, none, 1, people.effective_raters)
    if not np.isnan(rho.value):
        u = np.stack([0 * people.u, people.u]) if people.adds_raters else None
        errors = people.errors(np.stack([0 * people.psi, people.psi]), u)
    return Agreement(nan, rho.value, errors, people.n, v_f, CONSTANT if is_constant else rho.reason)


LEAST, MOST = 1e-4, 1e3  # of K_low
STEPS = 60  # halvings of log K


def worth_in_raters(r: float, rho: float) -> float:
    """Return K = q^2 (1 - rho) / (rho (1 - q^2)), q = r / sqrt(rho).

    NaN where rho <= 0; 0 where r <= 0; inf where q^2 >= 1.
    """
    if np.isnan(r) or not rho > 0:
        return nan
    if r <= 0:
        return 0.0
    squared = r**2 / rho
    return inf if squared >= 1 else squared * (1 - rho) / (rho * (1 - squared))


def agreement_of_mean(k: float, rho: float) -> tuple[float, float]:
    """Return h, a rater's correlation with the mean of k others, and its derivative in rho."""
    size = 1 + (k - 1) * rho
    return rho * sqrt(k / size), sqrt(k) * (1 + (k - 1) * rho / 2) / size**1.5


def largest_worth(r: float, rho: float, t: float, variances: tuple[float, float, float]) -> float:
    """Return the largest K in .0001..1000 with r - h(K) - t SE > 0 by bisection; 0 for none.

    variances: v_FF, v_HH, v_FH of r and rho.
    """
    v_ff, v_hh, v_fh = variances

    def is_proven(k: float) -> bool:
        h, slope = agreement_of_mean(k, rho)
        variance = v_ff + slope**2 * v_hh - 2 * slope * v_fh
        return r - h - t * sqrt(max(0.0, variance)) > 0

    if not is_proven(LEAST):
        return 0.0
    if is_proven(MOST):
        return MOST
    low, high = log(LEAST), log(MOST)
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_proven(exp(middle)) else (low, middle)
    return exp(low)


def smaller_root(r: float, rho: float, t: float, variances: tuple[float, float, float]) -> float:
    """Return the smaller root k of k^2 (rho^2 - t^2 v_HH) - 2k (r rho - t^2 v_FH) + r^2 - t^2 v_FF.

    NaN where rho is not significant (the quadratic then opens downwards) or there is no root.
    """
    v_ff, v_hh, v_fh = variances
    square, half, rest = rho**2 - t**2 * v_hh, r * rho - t**2 * v_fh, r**2 - t**2 * v_ff
    inside = half**2 - square * rest
    if np.isnan(rho) or rho <= 0 or square <= 0 or inside < 0:
        return nan
    return (half - sqrt(inside)) / square
