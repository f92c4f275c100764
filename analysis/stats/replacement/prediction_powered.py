"""Estimate prediction-powered means from few human labels and a judge's scores of everything.

prediction_powered_mean(labels, scores, unlabelled)    mean, interval, what the labels are worth
"""

from dataclasses import dataclass, replace
from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from analysis.stats.inputs import Floats, as_floats

FEWEST, ROUGH = 15, 50  # labels: below, no interval; below, a rough one
LEVEL = 0.95
MOST_TRIED = 100_000  # labels
SAME = 1e-12  # a standard error below this, relative to the mean, is rounding
NO_DOUBT = "the judge misses all labels by the same, and all its other scores are equal"


@dataclass(frozen=True)
class PredictionPowered:
    """A prediction-powered mean with its interval.

    power: the weight lambda of the judge's scores, 0 = human labels alone; error: the standard
    error; n: labels; n_unlabelled: scores without a label; n_effective: labels that would give
    the same standard error without a judge; to_halve: further labels that would halve it, taken
    from the unlabelled while there are any. reason: why mean or interval is NaN.
    """

    value: float
    low: float = nan
    high: float = nan
    power: float = 0.0
    error: float = nan
    n: int = 0
    n_unlabelled: int = 0
    n_effective: float = nan
    to_halve: float = nan
    reason: str = ""


def prediction_powered_mean(
    labels: ArrayLike, scores: ArrayLike, unlabelled: ArrayLike
) -> PredictionPowered:
    """Average the labels, corrected by the judge's scores with the weight of least variance.

    labels, scores: (n,), of the same units; unlabelled: (N,) scores of further units, of which
    the labelled ones are a random part. Nothing may be NaN. Interval: Student's t with n - 1
    degrees of freedom. NaN below 15 labels; no interval where all labels are equal.
    Raises ValueError for unequal lengths or NaN.
    Source: Angelopoulos, Duchi & Zrnic (2023), PPI++; n_effective as in Boyeau et al. (2024).
    """
    y, f, more = (
        as_floats(values, name)
        for values, name in ((labels, "labels"), (scores, "scores"), (unlabelled, "unlabelled"))
    )
    if len(y) != len(f):
        raise ValueError(f"labels and scores differ in length: {len(y)} and {len(f)}")
    if np.isnan(y).any() or np.isnan(f).any() or np.isnan(more).any():
        raise ValueError("labels, scores, unlabelled: expected no missing values")
    if len(y) < FEWEST:
        reason = f"{FEWEST} human labels are needed, there are {len(y)}"
        return PredictionPowered(nan, n=len(y), n_unlabelled=len(more), power=nan, reason=reason)
    power = best_power(y, f, more)
    value, error = powered(y, f, more, power)
    result = PredictionPowered(value, power=power, n=len(y), n_unlabelled=len(more))
    if np.ptp(y) == 0 or error <= SAME * max(1.0, abs(value)):
        reason = "all human labels are equal" if np.ptp(y) == 0 else NO_DOUBT
        return replace(result, reason=f"no interval: {reason}")
    alone = powered(y, f, more, 0.0)[1]
    half = float(stats.t.ppf((1 + LEVEL) / 2, len(y) - 1)) * error
    return replace(
        result,
        low=value - half,
        high=value + half,
        error=error,
        n_effective=len(y) * (alone / error) ** 2,
        to_halve=labels_to_halve(y, f, more),
    )


def best_power(y: Floats, f: Floats, more: Floats) -> float:
    """Return the weight lambda of least variance, in 0..1; 0 where the scores tell nothing.

    Cov_n(Y, F) / ((1 + n / N) Var(F with F')): covariance over n, pooled variance with ddof 1.
    """
    if len(more) < 2:
        return 0.0
    variance = np.concatenate([f, more]).var(ddof=1)
    if variance == 0:
        return 0.0
    return float(np.clip(_covariance(y, f) / ((1 + len(y) / len(more)) * variance), 0, 1))


def _covariance(y: Floats, f: Floats) -> float:
    """Return the covariance over n, not n - 1, as the definition of the weight has it."""
    return float(((y - y.mean()) * (f - f.mean())).mean())


def powered(y: Floats, f: Floats, more: Floats, power: float, ddof: int = 1) -> tuple[float, float]:
    """Return mean and standard error with a given weight of the judge's scores."""
    rest = y - power * f
    variance = rest.var(ddof=ddof) / len(y)
    if power == 0:
        return float(rest.mean()), float(np.sqrt(variance))
    variance += power**2 * more.var(ddof=ddof) / len(more)
    return float(power * more.mean() + rest.mean()), float(np.sqrt(variance))


def labels_to_halve(y: Floats, f: Floats, more: Floats) -> float:
    """Return how many further labels would halve the standard error, by today's variances.

    New labels are of units that have scores only, while there are any; from then on the judge
    adds nothing and the error is that of the labels alone. inf beyond 100,000.
    """
    total, variance = len(y) + len(more), y.var(ddof=1)
    pooled = np.concatenate([f, more]).var(ddof=1)
    tried = np.arange(len(y), max(total, 4 * len(y)) + 1, dtype=np.float64)
    left = np.maximum(total - tried, 0)
    of_scores, covariance = f.var(ddof=1), np.cov(y, f)[0, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.clip(_covariance(y, f) / ((1 + tried / left) * pooled), 0, 1)
        # Var(Y - λF) of the labelled, as in `powered`: with the pooled variance of F it could fall
        # below 0 beside a judge that is nearly right.
        squares = (variance - 2 * power * covariance + power**2 * of_scores) / tried
        squares += power**2 * (more.var(ddof=1) if len(more) > 1 else 0.0) / left
    squares = np.where((left >= 2) & (pooled > 0), squares, variance / tried)
    enough = np.flatnonzero(squares <= squares[0] / 4)
    if len(enough):
        return float(tried[enough[0]] - len(y))
    needed = np.ceil(4 * variance / squares[0]) - len(y)
    return float(needed) if needed <= MOST_TRIED else inf
