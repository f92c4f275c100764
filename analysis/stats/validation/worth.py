"""Express a judge's agreement as a number of raters, and as a share of one rater's.

worth_in_raters(0.4, 0.3)       K
largest_worth(...)              K_low
smaller_root(...)               k_low
Source: Spearman (1904, 1910), Brown (1910); Fieller (1954), JRSS B 16.
"""

from math import exp, inf, log, nan, sqrt

import numpy as np

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
