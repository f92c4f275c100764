"""Decide whether a judge may compare systems: its differences must be those that people see.

comparison = compare_systems(people, judge, systems, Scale(1, 5))
comparison.answer, comparison.pairs
correct_comparison(comparison, passes=False)      where it does not hold among all judges tried
"""

from dataclasses import dataclass, replace
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.stats import chi2

from analysis.stats.comparison.differences import holm
from analysis.stats.inputs import Floats, Ints, as_codes
from analysis.stats.validation.criteria import Criteria, Scale
from analysis.stats.validation.decision import Answer, Reason
from analysis.stats.validation.people import People, Quantity

FEWEST_PAIRS = 3  # of three systems: one difference may be right by luck
DRAWS = 1999  # of max-T
FEWEST_FOR_SPREAD = 8  # systems, before their spread is a statement about systems like these


@dataclass(frozen=True)
class SystemPair:
    """Two systems: the difference second - first.

    offset: of the judge less people (e_st); people, judge: of each. p_within: that the offset is
    within the margin (TOST); p_pair: by Holm over pairs, for "J may compare these two".
    p_winner: that the judge sees a difference, by max-T over pairs. is_off: the
    offset is beyond the margin; is_favoured: it is beyond 0; both corrected over pairs.
    """

    first: int
    second: int
    offset: Quantity
    people: Quantity
    judge: Quantity
    p_within: float
    p_pair: float = nan
    p_winner: float = nan
    is_off: bool = False
    is_favoured: bool = False

    def is_apart(self, alpha: float, n_pairs: int) -> bool:
        """Say whether people tell the two apart, corrected for the number of pairs."""
        return self.people.p_two_sided() * n_pairs < alpha

    @property
    def has_same_order(self) -> bool:
        """Say whether the judge puts the two in people's order."""
        return self.people.value * self.judge.value > 0

    def decide(self, alpha: float, n_pairs: int) -> tuple[Answer, Reason]:
        """Say whether the judge may compare the two: only where people tell them apart too."""
        if self.is_off:
            return Answer.NO, Reason.FAVOURS
        if not self.p_pair < alpha:
            return Answer.NOT_YET, Reason.UNDECIDED
        if not self.is_apart(alpha, n_pairs):
            return Answer.NOT_YET, Reason.NO_DIFFERENCE
        if not self.has_same_order:
            return Answer.NO, Reason.FAVOURS
        is_seen = self.p_winner < alpha
        return (Answer.YES, Reason.MAY) if is_seen else (Answer.NOT_YET, Reason.UNDECIDED)


@dataclass(frozen=True)
class SystemComparison:
    """An answer on all systems, with its pairs.

    max_p: the largest p of "within the margin". judge_p: the largest p of all that the judge has
    to show, 1 for a constant one, NaN where nothing is compared. favoured: whether some pair warns
    "J favours". missing: what a "not yet" waits for ("margin", "order", "widest", "correction").
    spread: SD of the systems' offsets with its 95 % interval, NaN below eight systems; it holds the
    chance of each system's items too.
    """

    answer: Answer
    reason: Reason
    pairs: tuple[SystemPair, ...]
    n_systems: int
    max_p: float = nan
    judge_p: float = nan
    favoured: bool = False
    missing: str = ""
    spread: float = nan
    spread_interval: tuple[float, float] = (nan, nan)


def compare_systems(
    people: People,
    judge: Floats,
    systems: ArrayLike,
    scale: Scale,
    criteria: Criteria | None = None,
) -> SystemComparison:
    """Compare the differences of systems by the judge with those by people.

    people: those of items with a judgment, on whose rows judge (n,) and systems, codes (n,), are.
    Numbers only; errors are by the clusters of each pair. Raises ValueError for other shapes.
    Source: two one-sided tests, Schuirmann (1987); all pairs must hold, Berger (1982).
    """
    criteria = criteria or Criteria()
    if people.values.shape[1] != 1 or judge.shape != (people.n,):
        raise ValueError(f"judge: expected {people.n} numbers, found shape {judge.shape}")
    codes, system = np.unique(as_codes(systems, "systems", people.n), return_inverse=True)
    if len(codes) < 2 or len(codes) == people.n:  # one system, or each item its own
        return SystemComparison(Answer.NOT_TESTABLE, Reason.NOT_COMPARABLE, (), len(codes))
    margin = criteria.system_margin
    margin = scale.system_margin if margin is None else margin
    alpha = criteria.alpha
    differences = _Differences(people, system)
    pairs = _compare_pairs(differences, judge, codes, margin, alpha)
    too_few = (
        int(np.bincount(system).min()) < criteria.fewest_items
        or min(pair.offset.df for pair in pairs) + 1 < criteria.fewest_clusters
    )
    comparison = _decide(pairs, alpha, is_constant=bool(np.ptp(judge) == 0), too_few=too_few)
    spread, interval = _spread(differences.means(judge - people.means[:, 0]))
    return replace(comparison, n_systems=len(codes), spread=spread, spread_interval=interval)


def correct_comparison(comparison: SystemComparison, *, passes: bool) -> SystemComparison:
    """Return the comparison, a yes as "not yet" where it does not pass among all judges tried.

    passes: of its judge_p in the family of judges and questions (correct_family).
    """
    if passes or comparison.answer != Answer.YES:
        return comparison
    return replace(comparison, answer=Answer.NOT_YET, reason=Reason.UNDECIDED, missing="correction")


class _Differences:
    """The differences of every two of S systems, with errors by the clusters of each pair.

    system: codes (n,) of the items, 0..S-1; first, second: (P,), the systems of each pair.
    """

    def __init__(self, people: People, system: Ints) -> None:
        """Number the pairs, and count in how many clusters each has items."""
        self.people, self.system, self.sizes = people, system, np.bincount(system)
        self.first, self.second = np.triu_indices(len(self.sizes), 1)
        has = self._by_cluster(np.ones(people.n))
        has.data[:] = 1.0
        shared = (has.T @ has).toarray()
        self.clusters = shared.diagonal()[self.first] + shared.diagonal()[self.second]
        self.clusters -= shared[self.first, self.second]

    def means(self, values: Floats) -> Floats:
        """Return the mean of values (n,) in each system (S,)."""
        means: Floats = np.bincount(self.system, values) / self.sizes
        return means

    def covariances(self, values: Floats) -> Floats:
        """Return the covariances (S, S) of the systems' means of values (n,), by clusters."""
        apart = (values - self.means(values)[self.system]) / self.sizes[self.system]
        sums = self._by_cluster(apart)
        products: Floats = (sums.T @ sums).toarray()
        return products

    def compare(self, values: Floats) -> list[Quantity]:
        """Return mean(second) - mean(first) of values (n,) of each pair."""
        first, second, products = self.first, self.second, self.covariances(values)
        squares = products[first, first] + products[second, second] - 2 * products[first, second]
        apart, quantities = np.diff(self.means(values)[[first, second]], axis=0)[0], []
        for value, g, square in zip(apart, self.clusters, squares, strict=True):
            error = sqrt(g / (g - 1) * max(0.0, square)) if g > 1 else nan
            quantities.append(Quantity(float(value), error, int(g) - 1))
        return quantities

    def p_of_winners(self, values: Floats, pairs: list[Quantity]) -> Floats:
        """Return the p of "the judge tells them apart" of each pair, by max-T over all pairs.

        The systems' means are drawn from the t distribution with their covariance by clusters.
        Source: Hothorn, Bretz & Westfall (2008), Biometrical Journal 50.
        """
        variances, vectors = np.linalg.eigh(self.covariances(values))
        rng, df = np.random.default_rng(0), max(min(pair.df for pair in pairs), 1)
        noise = rng.normal(size=(DRAWS, len(variances)))
        noise = noise * np.sqrt(np.maximum(variances, 0)) @ vectors.T
        noise /= np.sqrt(rng.chisquare(df, size=(DRAWS, 1)) / df)
        errors = np.array([pair.error for pair in pairs])
        with np.errstate(invalid="ignore", divide="ignore"):
            apart = noise[:, self.second] - noise[:, self.first]
            largest = np.abs(apart / errors).max(axis=1)
            t = np.abs([pair.value for pair in pairs] / errors)
        p: Floats = (1 + (largest[:, None] >= t).sum(axis=0)) / (DRAWS + 1)
        return np.where(np.isnan(t), 1.0, p)

    def _by_cluster(self, values: Floats) -> sparse.csr_array:
        """Return the sums (G, S) of values (n,) by cluster and system."""
        shape = self.people.n_clusters, len(self.sizes)
        return sparse.coo_array((values, (self.people.cluster, self.system)), shape=shape).tocsr()


def _compare_pairs(
    differences: _Differences, judge: Floats, codes: Ints, margin: float, alpha: float
) -> tuple[SystemPair, ...]:
    means = differences.people.means[:, 0]
    offsets, by_people, by_judge = map(differences.compare, (judge - means, means, judge))
    p = [offset.p_within(margin) for offset in offsets]
    p_pair, p_winner = holm(p).tolist(), differences.p_of_winners(judge, by_judge).tolist()
    first, second = (codes[place].tolist() for place in (differences.first, differences.second))
    share = alpha / 2 / len(p)  # of a two-sided interval over all pairs
    beyond = [abs(offset.value) - offset.reach(share) for offset in offsets]
    of_pairs = (first, second, offsets, by_people, by_judge, p, p_pair, p_winner)
    flags = ([far > margin for far in beyond], [far > 0 for far in beyond])
    return tuple(map(SystemPair, *of_pairs, *flags))


def _decide(
    pairs: tuple[SystemPair, ...], alpha: float, *, is_constant: bool, too_few: bool
) -> SystemComparison:
    apart = [pair for pair in pairs if pair.is_apart(alpha, len(pairs))]
    max_p = float(np.max([pair.p_within for pair in pairs]))
    widest = max(pairs, key=lambda pair: abs(pair.people.value))  # that people set widest apart
    p_widest = widest.judge.p_two_sided()
    judge_p = 1.0 if is_constant else float(np.max(np.nan_to_num([max_p, p_widest], nan=1.0)))
    favoured = any(pair.is_favoured for pair in pairs)
    no, not_yet, undecided = Answer.NO, Answer.NOT_YET, Reason.UNDECIDED
    conditions = [  # the first that holds decides
        (is_constant, no, Reason.SAYS_NOTHING, ""),
        (too_few, not_yet, Reason.TOO_FEW, ""),
        (any(pair.is_off for pair in pairs), no, Reason.FAVOURS, ""),
        (not apart, not_yet, Reason.NO_DIFFERENCE, ""),
        (not max_p < alpha, not_yet, undecided, "margin"),
        (not all(pair.has_same_order for pair in apart), not_yet, undecided, "order"),
        (not p_widest < alpha, not_yet, undecided, "widest"),
        (len(pairs) < FEWEST_PAIRS, not_yet, Reason.FEW_SYSTEMS, ""),
        (True, Answer.YES, Reason.MAY, ""),
    ]
    _, answer, reason, missing = next(condition for condition in conditions if condition[0])
    return SystemComparison(answer, reason, pairs, 0, max_p, judge_p, favoured, missing)


def _spread(offsets: Floats) -> tuple[float, tuple[float, float]]:
    """Return the SD of the systems' offsets (S,) with its 95 % chi-squared interval."""
    df = len(offsets) - 1
    if len(offsets) < FEWEST_FOR_SPREAD:
        return nan, (nan, nan)
    spread = float(np.std(offsets, ddof=1))
    low, high = (spread * sqrt(df / float(chi2.ppf(share, df))) for share in (0.975, 0.025))
    return spread, (low, high)
