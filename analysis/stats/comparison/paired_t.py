"""Test whether the same people value one thing above another, by a one-tailed paired t-test.

upper_paired_t(first, second)     the alternative: first is above second
"""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, complete_pairs

LEVEL = 0.95
SAME = 1e-12  # differences that spread by less than this are equal but for rounding


@dataclass(frozen=True)
class PairedT:
    """A paired t-test with both sides' means.

    difference: mean of first − second over `difference.n` people, with its two-sided 95 % t
    interval; mean, sd, other_mean, other_sd: of each side over these people, ddof 1; t with n − 1
    degrees of freedom; p: of a t at least so large. NaN is undefined: difference.reason says why.
    """

    difference: Estimate
    mean: float
    sd: float
    other_mean: float
    other_sd: float
    t: float = nan
    p: float = nan


def upper_paired_t(first: ArrayLike, second: ArrayLike) -> PairedT:
    """Test, one-tailed, H0 the mean of first − second is 0 against H1 it is above 0.

    first, second: (N,), a pair a person; pairs with NaN are dropped. t and p are NaN below two
    pairs, and where all differences are equal, however large they are. Raises ValueError for
    unequal lengths.
    Source: Student (1908), Biometrika 6; equals scipy.stats.ttest_rel(alternative="greater").
    """
    a, b = complete_pairs(first, second)
    n, differences = len(a), a - b
    sides = (_mean(a), _sd(a), _mean(b), _sd(b))
    if n < 2:
        few = "nobody rated both" if n == 0 else "only one person rated both"
        return PairedT(Estimate(_mean(differences), n=n, reason=few), *sides)
    center, spread = _mean(differences), _sd(differences)
    if spread <= SAME * max(1.0, float(np.abs(differences).max())):
        reason = "all differences are equal, so that t is undefined"
        return PairedT(Estimate(center, n=n, reason=reason), *sides)
    error = spread / np.sqrt(n)
    reach = float(stats.t.ppf((1 + LEVEL) / 2, n - 1)) * error
    t = float(center / error)
    estimate = Estimate(center, float(center - reach), float(center + reach), n=n)
    return PairedT(estimate, *sides, t=t, p=float(stats.t.sf(t, n - 1)))


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else nan


def _sd(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else nan
