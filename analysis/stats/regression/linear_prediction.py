"""Measure how well a line through a score predicts people on items that it was not fitted on.

random_splits(n, number, rng)          which of n items the line is fitted on, split by split
split_error(x, y, train)                mean squared error on the rest, over the splits
"""

from dataclasses import dataclass, replace
from math import ceil, nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Flags, Floats, as_floats
from analysis.stats.intervals.bootstrap import BLOCK_CELLS, are_alike

TEST = 0.3  # share of the items that a line is tested on
FEWEST = 5  # items: three for a line that does not meet all its points, and two to test it
SAME = 1e-12  # a spread below this share of the values is rounding


@dataclass(frozen=True)
class Predicted:
    """The test error of a line and of the training items' mean, over random splits.

    error: mean squared error over the splits, low and high the middle 95 % of the splits (no
    confidence interval; NaN of one split, or where all have the same error), n the items; sd: of
    the splits' errors, ddof 1; of_mean, of_mean_sd: the same of predicting the training items'
    mean; splits: how many have an error.
    """

    error: Estimate
    of_mean: Estimate
    sd: float = nan
    of_mean_sd: float = nan
    splits: int = 0


def random_splits(n: int, number: int, rng: np.random.Generator) -> Flags:
    """Flag (number, n) the items of each split's training part; 30 %, rounded up, are for the test.

    rng is the only source of chance. Raises ValueError without splits.
    """
    if number < 1:
        raise ValueError(f"need splits, found {number}")
    first = np.arange(n) < n - ceil(TEST * n)
    return np.stack([rng.permutation(first) for _ in range(number)])


def split_error(x: ArrayLike, y: ArrayLike, train: Flags) -> Predicted:
    """Fit y on x by least squares on each split's training items and test on the other items.

    x, y: (N,) without NaN; train: (S, N) of random_splits. A split whose training items have one
    value of x has no line and is left out: error.undefined_draws. NaN below five items.
    Raises ValueError for lengths that do not fit.
    Source: Yao, Wang & Li (2022), section 5.2; equals scikit-learn's LinearRegression.
    """
    a, b = as_floats(x, "x"), as_floats(y, "y")
    n = len(a)
    if a.shape != b.shape or train.ndim != 2 or train.shape[1] != n:
        raise ValueError("split_error: x, y and the splits have other lengths")
    if n < FEWEST:
        return _undefined(Estimate(nan, n=n, reason=f"fewer than {FEWEST} items with both ({n})"))
    errors, plain = _errors(a - a.mean(), b - b.mean(), train)
    fitted = ~np.isnan(errors)
    lost = len(errors) - int(fitted.sum())
    if not fitted.any():
        reason = "no split has two different values of the score to fit a line to"
        return _undefined(Estimate(nan, n=n, undefined_draws=lost, reason=reason))
    summaries = [_over_splits(losses[fitted], n, lost) for losses in (errors, plain)]
    (error, sd), (of_mean, of_mean_sd) = summaries
    return Predicted(error, of_mean, sd, of_mean_sd, int(fitted.sum()))


def _undefined(why: Estimate) -> Predicted:
    return Predicted(why, why)


def _over_splits(errors: Floats, n: int, lost: int) -> tuple[Estimate, float]:
    """Average the splits' errors with the middle 95 % of them, and their SD."""
    mean = Estimate(float(errors.mean()), n=n, undefined_draws=lost)
    if len(errors) == 1:
        return replace(mean, reason="no spread: there is one split"), nan
    sd = float(errors.std(ddof=1))
    low, high = np.quantile(errors, [0.025, 0.975])
    if are_alike(low, high):
        return replace(mean, reason="no spread: the splits have the same error"), sd
    return replace(mean, low=float(low), high=float(high)), sd


def _errors(x: Floats, y: Floats, train: Flags) -> tuple[Floats, Floats]:
    """Return mean squared errors (S,) of line and mean, from sums over centred values."""
    table = np.stack([np.ones(len(x)), x, y, x * x, x * y, y * y], axis=1)
    rows = max(1, BLOCK_CELLS // len(x))
    inside = np.concatenate(
        [
            train[first : first + rows].astype(np.float64) @ table
            for first in range(0, len(train), rows)
        ]
    )
    n, sx, sy, sxx, sxy, _ = inside.T
    mean_x, mean_y = sx / n, sy / n
    across = sxx - n * mean_x**2
    constant = across <= SAME * max(float(x @ x), np.finfo(float).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(constant, nan, (sxy - n * mean_x * mean_y) / across)
    start = mean_y - slope * mean_x
    m, tx, ty, txx, txy, tyy = (table.sum(axis=0) - inside).T
    squares = tyy + m * start**2 + slope**2 * txx
    squares += 2 * (slope * start * tx - start * ty - slope * txy)
    of_mean = tyy - 2 * mean_y * ty + m * mean_y**2
    return np.maximum(squares, 0.0) / m, np.maximum(of_mean, 0.0) / m
