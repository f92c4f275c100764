"""Average the same people's values over iterations, and test whether two conditions differ.

mean_of_iterations(values)      mean over iterations of each one's mean over people, and its spread
welch(first, second)            unpaired t-test of two conditions' iterations
sign_flip(differences, rng)     permutation test of two conditions, paired by person

The units of `welch` are iterations, as in the paper, so it says nothing of other people. Read it
beside `sign_flip`, whose units are people.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, as_floats
from analysis.stats.intervals.bootstrap import BLOCK_CELLS, weighted_sums, with_interval

SAME = 1e-12  # values that spread by less than this are equal but for rounding
MOST_EXACT = 14  # people up to whom all signs are tried: 2^14 of them
DRAWS = 10_000


@dataclass(frozen=True)
class Iterations:
    """A mean over iterations of means over people.

    mean: over iterations, its Estimate.n the people with a value, its groups the iterations.
    sd: of the iterations' means, ddof 1, NaN below two; means: (R,), NaN where nobody has a value.
    """

    mean: Estimate
    sd: float
    means: Floats


def mean_of_iterations(values: ArrayLike, *, counts: NDArray[Any] | None = None) -> Iterations:
    """Average over iterations the means over people, in the values' unit.

    values: (people, R), NaN = missing; an iteration's mean is over those who have a value in it.
    counts: draws of people (draws, people), each person a cluster of their own.
    NaN without values. Raises ValueError for counts that do not fit.
    """
    table = as_floats(values, "values", ndim=2)
    present = ~np.isnan(table)
    used = present.any(axis=1)
    if counts is not None and counts.shape[1] != len(table):
        raise ValueError(f"counts are of {counts.shape[1]} people, values of {len(table)}")
    filled = np.where(present, table, 0.0)
    means = _ratio(filled.sum(axis=0), present.sum(axis=0))
    defined_means = means[~np.isnan(means)]
    estimate = Estimate(
        float(defined_means.mean()) if len(defined_means) else nan,
        n=int(used.sum()),
        groups=table.shape[1],
        skipped=int(np.isnan(means).sum()),
        reason="" if len(defined_means) else "no list can be compared",
    )

    def draws(_people: Ints, drawn: NDArray[Any]) -> Floats:
        drawn_means = _ratio(
            weighted_sums(drawn, filled), weighted_sums(drawn, present.astype(np.float64))
        )
        defined = ~np.isnan(drawn_means)
        return _ratio(np.where(defined, drawn_means, 0.0).sum(axis=1), defined.sum(axis=1))

    mean = with_interval(estimate, np.flatnonzero(used), counts, draws)
    return Iterations(
        mean, float(defined_means.std(ddof=1)) if len(defined_means) > 1 else nan, means
    )


def _ratio(total: Any, size: Any) -> Floats:
    return np.asarray(total / np.where(size > 0, size, np.nan), dtype=np.float64)


@dataclass(frozen=True)
class Welch:
    """Welch's t with `df` degrees of freedom and its two-sided p.

    NaN is undefined: reason says why.
    """

    t: float = nan
    df: float = nan
    p: float = nan
    reason: str = ""


def welch(first: ArrayLike, second: ArrayLike) -> Welch:
    """Test by Welch's unpaired t H0: both have one mean, whatever their variances.

    first, second: (R,), (R',), an iteration a value; NaN is left out. Undefined below two values
    on a side, and where no side spreads. Equals scipy.stats.ttest_ind(equal_var=False).
    Source: Welch (1947), Biometrika 34.
    """
    sides = [
        side[~np.isnan(side)] for side in (as_floats(first, "first"), as_floats(second, "second"))
    ]
    if min(len(side) for side in sides) < 2:
        return Welch(reason="fewer than two iterations")
    means = [float(side.mean()) for side in sides]
    errors = [float(side.var(ddof=1)) / len(side) for side in sides]
    if sum(errors) <= (SAME * max(1.0, *map(abs, means))) ** 2:
        return Welch(reason="all iterations are equal, so that t is undefined")
    t = (means[0] - means[1]) / np.sqrt(sum(errors))
    weights = [error**2 / (len(side) - 1) for error, side in zip(errors, sides, strict=True)]
    df = sum(errors) ** 2 / sum(weights)
    return Welch(float(t), float(df), float(2 * stats.t.sf(abs(t), df)))


@dataclass(frozen=True)
class Permutation:
    """The result of a permutation test.

    mean: of the differences of n people; p: two-sided, NaN without people; exact: all signs.
    """

    mean: float
    n: int
    p: float
    exact: bool


def sign_flip(differences: ArrayLike, rng: np.random.Generator, draws: int = DRAWS) -> Permutation:
    """Test by permutation H0: each person's difference might as well have the other sign.

    differences: (N,), a person a value, NaN left out. p: share of the signs under which the mean is
    at least as far from 0; of all 2^N of them up to 14 people, else of `draws` random ones and the
    observed one, (k + 1) / (draws + 1).
    Source: Fisher (1935), The Design of Experiments, section 21; Phipson & Smyth (2010), SAGMB 9.
    """
    values = as_floats(differences, "differences")
    values = values[~np.isnan(values)]
    n = len(values)
    if n == 0:
        return Permutation(nan, 0, nan, True)
    exact = n <= MOST_EXACT
    every = [np.array(list(product((1.0, -1.0), repeat=n)))] if exact else _signs(rng, draws, n)
    # As far but for rounding: equal sums in another order must not come out as smaller ones.
    least = abs(values.sum()) - SAME * max(1.0, float(np.abs(values).sum()))
    as_far = sum(int((np.abs(signs @ values) >= least).sum()) for signs in every)
    p = as_far / 2**n if exact else (as_far + 1) / (draws + 1)
    return Permutation(float(values.mean()), n, p, exact)


def _signs(rng: np.random.Generator, draws: int, n: int) -> Iterator[Floats]:
    """Yield (some, n) draws at a time, so that many people need no more memory than few."""
    step = max(1, BLOCK_CELLS // n)
    for start in range(0, draws, step):
        yield (2 * rng.integers(0, 2, (min(step, draws - start), n)) - 1).astype(np.float64)
