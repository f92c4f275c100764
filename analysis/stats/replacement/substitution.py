"""Run the alternative annotator test: is a judge as close to a rater's colleagues as the rater?

alternative_annotator_test(ratings, judge, "likert")    one test a rater
result.p_values(epsilons)                               of "worse than the rater, less epsilon"
rejections(p_values)                                    which hypotheses are rejected
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Flags, Floats, Ints, as_codes, as_floats, choose
from analysis.stats.intervals.bootstrap import cluster_table, weighted_sums, with_interval

FEWEST_ITEMS = 30
LEVEL = 0.05  # of the false discovery rate
TIE = 1e-9  # relative: sums of squares this close are equal


@dataclass(frozen=True)
class RaterTests:
    """A test for each rater (M,) with enough items.

    rater: columns of the ratings; n: items; groups: clusters of these; judge_wins, rater_wins:
    share of items in which the judge is at least as close to the others as the rater, and the
    rater as the judge; error: standard error of rater_wins - judge_wins, with `df` degrees of
    freedom, NaN with a single cluster. n_items: items of any test. advantage: the mean of
    judge_wins. reason: why there is no test.
    """

    rater: Ints
    n: Ints
    groups: Ints
    judge_wins: Floats
    rater_wins: Floats
    error: Floats
    df: Ints
    n_items: int
    advantage: Estimate = field(compare=False)
    reason: str = ""

    @property
    def difference(self) -> Floats:
        """Return the mean advantage of the rater over the judge (M,): -1..1."""
        return self.rater_wins - self.judge_wins

    def t_values(self, epsilon: ArrayLike) -> Floats:
        """Return Student's t (E, M) of H0 "rater_wins - judge_wins >= epsilon" per epsilon (E,).

        Without variance -inf or inf, by the sign; NaN where difference and epsilon are equal.
        """
        distance = self.difference - as_floats(epsilon, "epsilon")[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            return distance / self.error

    def p_values(self, epsilon: ArrayLike) -> Floats:
        """Return P(T <= t) (E, M), NaN where t is undefined."""
        t = self.t_values(epsilon)
        df = np.broadcast_to(np.maximum(self.df, 1), t.shape)
        return np.where(np.isnan(t), np.nan, stats.t.cdf(t, df))


def alternative_annotator_test(
    ratings: ArrayLike,
    judge: ArrayLike,
    scale: str,
    *,
    fewest: int = FEWEST_ITEMS,
    robust: ArrayLike | None = None,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> RaterTests:
    """Compare the judge with each rater by closeness to the other raters of the same item.

    ratings: (units, raters), NaN = missing; judge (units,). Items with two ratings and a
    judgment count; raters with `fewest` of them are tested. scale: "likert", closeness is minus
    the root of the mean squared distance, or "nominal", the share of equal labels; a tie is a win
    for both. robust (units,): cluster codes for standard errors that allow for dependent items
    (each item its own cluster gives the plain test, as does None). clusters (units,) and counts
    give the interval of `advantage`. Raises ValueError for other shapes or scales.
    Source: Calderon, Reichart & Dror (2025), ACL, "The Alternative Annotator Test"; errors by
    cluster: Cameron & Miller (2015), Journal of Human Resources 50.
    """
    array, values = as_floats(ratings, "ratings", ndim=2), as_floats(judge, "judge")
    if len(values) != len(array):
        raise ValueError(f"judge: expected {len(array)} values, found {len(values)}")
    compare = choose(CLOSENESS, scale, "scale")
    unit, rater = _tested(array, values, fewest)
    own, other = compare(array, values, unit, rater)
    judge_wins, rater_wins = own <= other, other <= own
    codes = np.arange(len(array)) if robust is None else as_codes(robust, "robust", len(array))
    return tests_of_wins(unit, rater, judge_wins, rater_wins, codes, (clusters, counts), fewest)


def rejections(p: Floats) -> Flags:
    """Correct the p-values of each row by Benjamini and Yekutieli; flag those at most LEVEL.

    p: (E, m), m p-values of any dependence. NaN is no test: it does not count in m and is never
    flagged. Returns flags (E, m). Raises ValueError for values outside 0..1.
    Source: Benjamini & Yekutieli (2001), Annals of Statistics 29, theorem 1.3.
    """
    flags = np.zeros(p.shape, dtype=bool)
    for row, is_test in enumerate(~np.isnan(p)):
        corrected = stats.false_discovery_control(p[row, is_test], method="by")
        flags[row, is_test] = corrected <= LEVEL
    return flags


def _tested(array: Floats, judge: Floats, fewest: int) -> tuple[Ints, Ints]:
    """Return units and raters (E,) of the ratings that are compared."""
    tested = ~np.isnan(array)
    tested &= ((tested.sum(axis=1) >= 2) & ~np.isnan(judge))[:, None]
    tested &= tested.sum(axis=0) >= fewest
    unit, rater = np.nonzero(tested)
    return unit, rater


def _by_squares(array: Floats, judge: Floats, unit: Ints, rater: Ints) -> tuple[Floats, Floats]:
    """Return summed squared distances (E,) from the other raters: the judge's, and the rater's.

    Sum_k (a - r_k)^2 = c (a - mean)^2 + sum_k (r_k - mean)^2; the mean of fewer squares, and its
    root, put judge and rater in the same order. Rounded, so that ties are ties.
    """
    sizes = (~np.isnan(array)).sum(axis=1)
    sums = np.nansum(array, axis=1)
    means = np.divide(sums, sizes, out=np.zeros(len(array)), where=sizes > 0)
    spread = np.nansum((array - means[:, None]) ** 2, axis=1)
    rating, score = array[unit, rater], judge[unit]
    c, mean = sizes[unit], means[unit]
    rater_far = c * (rating - mean) ** 2 + spread[unit]
    judge_far = c * (score - mean) ** 2 + spread[unit] - (score - rating) ** 2
    step = TIE * max(rater_far.max(initial=0.0), judge_far.max(initial=0.0), 1.0)
    return np.round(judge_far / step), np.round(rater_far / step)


def _by_labels(array: Floats, judge: Floats, unit: Ints, rater: Ints) -> tuple[Floats, Floats]:
    """Return minus the numbers (E,) of other raters with the same label as judge, and as rater."""
    everything = np.column_stack([array, judge])
    scale = np.unique(everything[~np.isnan(everything)])
    counts = [(array == label).sum(axis=1) for label in scale]
    table = np.array(counts, dtype=np.int64).reshape(len(scale), len(array)).T
    rating, score = array[unit, rater], judge[unit]
    judge_same = table[unit, np.searchsorted(scale, score)] - (score == rating)
    rater_same = table[unit, np.searchsorted(scale, rating)] - 1
    return -judge_same.astype(np.float64), -rater_same.astype(np.float64)


CLOSENESS = {"likert": _by_squares, "nominal": _by_labels}


def tests_of_wins(
    unit: Ints,
    rater: Ints,
    judge_wins: Flags,
    rater_wins: Flags,
    codes: Ints,
    resampling: tuple[Ints | None, NDArray[Any] | None] = (None, None),
    fewest: int = FEWEST_ITEMS,
) -> RaterTests:
    """Make the tests from who wins each rating of a tested rater.

    unit, rater, judge_wins, rater_wins: (E,); codes (units,): the clusters of the errors.
    """
    raters, which = np.unique(rater, return_inverse=True)
    n = np.bincount(which, minlength=len(raters))
    won, lost = (np.bincount(which, w, minlength=len(raters)) / n for w in (judge_wins, rater_wins))
    d = rater_wins.astype(np.float64) - judge_wins
    error, groups = _errors(d - (lost - won)[which], which, codes[unit], n)
    reason = "" if len(raters) else f"no rater has {fewest} items that another rater rated too"
    advantage = _advantage(won, unit, which, judge_wins, *resampling)
    n_items = advantage.n
    return RaterTests(raters, n, groups, won, lost, error, groups - 1, n_items, advantage, reason)


def _errors(deviations: Floats, which: Ints, codes: Ints, n: Ints) -> tuple[Floats, Ints]:
    """Return standard errors, cluster numbers (M,): sqrt(G / (G - 1) sum of squared sums) / n.

    With an item a cluster this is s / sqrt(n), s with ddof 1.
    """
    width = int(codes.max(initial=0)) + 1
    cells, place = np.unique(which * width + codes, return_inverse=True)
    sums = np.bincount(place, deviations, minlength=len(cells))
    sums[np.abs(sums) < TIE] = 0.0
    of_rater = cells // width
    groups = np.bincount(of_rater, minlength=len(n)).astype(np.int64)
    squares = np.bincount(of_rater, sums**2, minlength=len(n))
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(groups / (groups - 1) * squares) / n
    return np.where(groups > 1, error, np.nan), groups


def _advantage(
    won: Floats,
    unit: Ints,
    which: Ints,
    judge_wins: Flags,
    clusters: Ints | None,
    counts: NDArray[Any] | None,
) -> Estimate:
    """Average over raters the share of items in which the judge wins, with its interval."""
    value = float(won.mean()) if len(won) else np.nan
    n_items = int(np.count_nonzero(np.bincount(unit)))
    estimate = Estimate(value, n=n_items, groups=len(won), skipped=0)

    def draws(codes: Ints, counts: NDArray[Any]) -> Floats:
        wins = judge_wins.astype(np.float64)
        tables = [
            cluster_table(codes, counts.shape[1], which, len(won), weights)
            for weights in (wins, None)
        ]
        share = np.divide(*(weighted_sums(counts, table) for table in tables))
        defined = ~np.isnan(share)
        mean: Floats = np.where(defined, share, 0).sum(axis=1) / defined.sum(axis=1)
        return mean

    of_row = None if clusters is None else as_codes(clusters, "clusters", len(clusters))[unit]
    return with_interval(estimate, of_row, counts, draws, is_share=True)
