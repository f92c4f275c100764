"""What stands beside the value of each subset of judges: its groups, its interval."""

from dataclasses import dataclass

import numpy as np

from analysis.stats.bootstrap import LEVEL
from analysis.stats.subset_draws import group_draws, pearson_draws
from analysis.stats.subsets import coefficients_by_group

LEVELS_OF_GROUPS = ("user", "pair")
NO_INTERVALS = (
    "Subsets and sizes have no intervals at the dataset and the system level, but for Pearson's r "
    "over all items: of so many subsets they would take minutes. That of the best is given."
)


@dataclass(frozen=True)
class Spread:
    """Of all subsets on one question: groups looked at, those without a coefficient (S,), values
    in each draw (S, D); None where there are no groups, or no draws.
    """

    groups: int | None = None
    skipped: np.ndarray | None = None
    draws: np.ndarray | None = None

    def of(self, place):
        """{key: value} of a subset's row."""
        found = {"groups": self.groups}
        found["skipped"] = None if self.skipped is None else int(self.skipped[place])
        return found

    def mean_of(self, subsets):
        """The Spread of the mean of these subsets (flags): in each draw the mean of theirs."""
        known = self.draws is not None
        return Spread(draws=self.draws[subsets].mean(axis=0, keepdims=True) if known else None)


def spreads(sets, coefficient, level):
    """The Spread of each question, in the order of the questions."""
    scores = sets.scores
    zero = scores.options.undefined == "zero"
    found = []
    for _, x, y, rows in sets.questions:
        if level in LEVELS_OF_GROUPS:
            found.append(_of_groups(sets, x, y, rows, coefficient, level, zero))
        else:
            linear = (level, coefficient) == ("dataset", "pearson")
            found.append(_of_all(sets, x, y, rows) if linear else Spread())
    return found


def _of_all(sets, x, y, rows):
    """Of Pearson's r over all items; no draws where all are of one cluster."""
    clusters, counts = sets.scores.clusters[rows], sets.scores.counts
    if counts is None or len(np.unique(clusters)) < 2:
        return Spread()
    return Spread(draws=pearson_draws(x, y, sets.members, clusters, counts))


def _of_groups(sets, x, y, rows, coefficient, level, zero):
    scores, groups = sets.scores, sets.groups(level, rows)
    inside = groups >= 0
    x, y, groups, rows = x[:, inside], y[inside], groups[inside], rows[inside]
    if not len(rows):
        return Spread()
    table = coefficients_by_group(x, y, sets.members, coefficient, groups)
    skipped, draws = np.isnan(table).sum(axis=1), None
    present, codes = np.unique(groups, return_inverse=True)
    cluster_of = np.zeros(len(present), dtype=np.int64)
    cluster_of[codes] = scores.clusters[rows]
    nested = np.array_equal(cluster_of[codes], scores.clusters[rows])
    if scores.counts is not None and nested and len(np.unique(cluster_of)) > 1:
        draws = group_draws(table, cluster_of, scores.counts, zero)
    return Spread(len(present), skipped, draws)


def average_of(found):
    """The Spread of the mean of the questions: groups and skipped ones are sums."""
    groups = [each.groups for each in found if each.groups is not None]
    skipped = [each.skipped for each in found if each.skipped is not None]
    draws = [each.draws for each in found]
    known = None if any(each is None for each in draws) else np.mean(draws, axis=0)
    return Spread(sum(groups) if groups else None, sum(skipped) if skipped else None, known)


def ends(spread):
    """Low, high and undefined draws of each subset (S,); none of them without draws."""
    if spread.draws is None:
        return None
    known = ~np.isnan(spread.draws).all(axis=1)
    low, high = np.full((2, len(spread.draws)), np.nan)
    quantiles = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    if known.any():
        low[known], high[known] = np.nanquantile(spread.draws[known], quantiles, axis=1)
    return low, high, np.isnan(spread.draws).sum(axis=1)
