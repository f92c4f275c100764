"""Run the alternative annotator test: is a judge as close to a rater's colleagues as the rater?

alternative_annotator_test(ratings, judge, "likert")    one test a rater
compare_with_raters(people, judge)                      the same of gathered ratings
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
from analysis.stats.validation.people import People, gather_people, indicators

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
    is_nominal = choose({"likert": False, "nominal": True}, scale, "scale")
    unit, rater = np.nonzero(~np.isnan(array + values[:, None]))
    given, scores = array[unit, rater], values[:, None]
    if is_nominal:
        labels, codes = np.unique(np.concatenate([given, values]), return_inverse=True)
        table = indicators(codes, len(labels))
        given, scores = table[: len(given)], table[len(given) :]
    people = gather_people(given, unit, rater, len(array), clusters=robust)
    of_unit = None if clusters is None else as_codes(clusters, "clusters", len(array))[people.rows]
    return compare_with_raters(people, scores[people.rows], fewest, (of_unit, counts))


def compare_with_raters(
    people: People,
    judge: Floats,
    fewest: int = FEWEST_ITEMS,
    resampling: tuple[Ints | None, NDArray[Any] | None] = (None, None),
) -> RaterTests:
    """Test the judge against each rater with `fewest` items, with errors by cluster.

    judge: (n, K), a row for each item of `people`, taken as it is. resampling: clusters (n,) and
    counts, for the interval of `advantage`.
    """
    tested = (people.counts >= fewest)[people.rater]
    compare = _by_squares if people.values.shape[1] == 1 else _by_labels
    ahead = compare(people, judge)
    step = TIE * max(float(np.abs(ahead).max(initial=0.0)), 1.0)
    unit, raters = people.item[tested], people.raters[people.rater[tested]]
    wins = (ahead <= step)[tested], (ahead >= -step)[tested]
    return tests_of_wins(unit, raters, *wins, people.cluster, resampling, fewest)


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


def _by_squares(people: People, judge: Floats) -> Floats:
    """Return by how much the judge's squared distances from the others exceed the rater's, (N,)."""
    m, mean = people.m[people.item], people.means[people.item, 0]
    rating, score = people.values[:, 0], judge[people.item, 0]
    # Both sums share sum_k (y_k - mean)^2, which drops out.
    rater_far = m * (rating - mean) ** 2
    return m * (score - mean) ** 2 - (score - rating) ** 2 - rater_far


def _by_labels(people: People, judge: Floats) -> Floats:
    """Return how many more of the others give the rater's label than the judge's, (N,)."""
    m = people.m[people.item][:, None]
    others = m * people.means[people.item] - people.values
    return np.einsum("nk,nk->n", people.values - judge[people.item], others)


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
