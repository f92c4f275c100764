"""Fit the slope of a straight line where observations share clusters.

clustered_slope(x, y, clusters)     least squares, standard error by cluster
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Ints, complete_pairs

LEVEL = 0.95
FEWEST = 3  # observations: two always lie on a line
SAME = 1e-12  # a standard error below this, relative to the slope, is rounding


class Line(NamedTuple):
    """The slope with its interval, its standard error, and where the line meets x = 0."""

    slope: Estimate
    standard_error: float
    intercept: float


def clustered_slope(x: ArrayLike, y: ArrayLike, clusters: Ints) -> Line:
    """Fit the least-squares slope of y on x, in y per x, with a cluster-robust interval.

    x, y, clusters: (N,); pairs with NaN are dropped. With residuals e,
    se² = c · Σ_g (Σ_{i in g} (x_i - x̄) e_i)² / Sxx² and c = G/(G-1) · (N-1)/(N-2); the interval is
    by t with G - 1 degrees of freedom. Estimate.n: pairs; groups: clusters. NaN below three pairs
    or where x is constant; no interval below two clusters, or where all lie on the line.
    Raises ValueError for unequal lengths.
    Source: Liang & Zeger (1986); the small-sample factor as in Cameron & Miller (2015), Journal of
    Human Resources 50, section II.C.
    """
    a, b, clusters = complete_pairs(x, y, clusters)
    n = len(a)
    across = a - a.mean() if n else a
    sxx = float(across @ across)
    if n < FEWEST or sxx <= 1e-12 * max(1.0, float(np.abs(a).max()) ** 2):
        few = f"fewer than three pairs ({n})"
        reason = few if n < FEWEST else "all values of x are equal"
        return Line(Estimate(np.nan, n=n, reason=reason), np.nan, np.nan)
    slope = float(across @ b) / sxx
    intercept = float(b.mean() - slope * a.mean())
    present, codes = np.unique(clusters, return_inverse=True)
    groups = len(present)
    if groups < 2:
        reason = "no interval: all observations are in one cluster"
        return Line(Estimate(slope, n=n, groups=groups, reason=reason), np.nan, intercept)
    scores = np.bincount(codes, across * (b - intercept - slope * a))
    factor = groups / (groups - 1) * (n - 1) / (n - 2)
    error = float(np.sqrt(factor * (scores @ scores)) / sxx)
    if error <= SAME * max(1.0, abs(slope)):
        reason = "no interval: all observations lie on one line"
        return Line(Estimate(slope, n=n, groups=groups, reason=reason), error, intercept)
    reach = float(stats.t.ppf((1 + LEVEL) / 2, groups - 1)) * error
    estimate = Estimate(slope, slope - reach, slope + reach, n=n, groups=groups, skipped=0)
    return Line(estimate, error, intercept)
