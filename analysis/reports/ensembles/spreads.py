"""Compute the groups and intervals of every subset of judges."""

from dataclasses import dataclass

import numpy as np

from analysis.stats.ensembles.subsets import coefficients_by_group
from analysis.stats.intervals.bootstrap import LEVEL, are_alike, why_no_interval
from analysis.stats.intervals.subset_draws import group_draws, pearson_draws

LEVELS_OF_GROUPS = ("user", "pair")
ONE_CLUSTER = "no interval: all observations are in one cluster"
SEVERAL = "no interval: groups span several clusters"
NO_INTERVALS = (
    "Subsets and sizes have no intervals at the dataset and the system level, but for Pearson's r "
    "over all items: of so many subsets they would take minutes. That of the best is given."
)


@dataclass(frozen=True)
class Spread:
    """The groups and draws of all subsets on one question.

    groups: groups looked at; skipped (S,): those without a coefficient; draws (S, D): values in
    each draw; None where there are no groups, or no draws. why: there are no draws of these items,
    though the level has some of others.
    """

    groups: int | None = None
    skipped: np.ndarray | None = None
    draws: np.ndarray | None = None
    why: str = ""

    def group_counts(self, place):
        """Return the counts of groups {key: value} of a subset's row."""
        counts = {"groups": self.groups}
        counts["skipped"] = None if self.skipped is None else int(self.skipped[place])
        return counts

    def mean_of(self, subsets):
        """Return the Spread of the mean of these subsets (flags), averaged in each draw."""
        has_draws = self.draws is not None
        draws = self.draws[subsets].mean(axis=0, keepdims=True) if has_draws else None
        return Spread(draws=draws, why=self.why)


def spreads(sets, coefficient, level):
    """Return the Spread of each question, in the order of the questions."""
    scores = sets.scores
    zero = scores.options.undefined == "zero"
    results = []
    for _, x, y, rows in sets.questions:
        if level in LEVELS_OF_GROUPS:
            results.append(_of_groups(sets, x, y, rows, coefficient, level, zero))
        else:
            linear = (level, coefficient) == ("dataset", "pearson")
            results.append(_of_all(sets, x, y, rows) if linear else Spread())
    return results


def _of_all(sets, x, y, rows):
    """Return the Spread of Pearson's r over all items; no draws if all are in one cluster."""
    clusters, counts = sets.scores.clusters[rows], sets.scores.counts
    if counts is None or len(np.unique(clusters)) < 2:
        return Spread(why="" if counts is None else ONE_CLUSTER)
    return Spread(draws=pearson_draws(x, y, sets.members, clusters, counts))


def _of_groups(sets, x, y, rows, coefficient, level, zero):
    scores, groups = sets.scores, sets.groups(level, rows)
    inside = groups >= 0
    x, y, groups, rows = x[:, inside], y[inside], groups[inside], rows[inside]
    if not len(rows):
        return Spread()
    table = coefficients_by_group(x, y, sets.members, coefficient, groups)
    skipped = np.isnan(table).sum(axis=1)
    present, codes = np.unique(groups, return_inverse=True)
    cluster_of = np.zeros(len(present), dtype=np.int64)
    cluster_of[codes] = scores.clusters[rows]
    if scores.counts is None:
        return Spread(len(present), skipped)
    if not np.array_equal(cluster_of[codes], scores.clusters[rows]):
        return Spread(len(present), skipped, why=SEVERAL)
    if len(np.unique(cluster_of)) < 2:
        return Spread(len(present), skipped, why=ONE_CLUSTER)
    return Spread(len(present), skipped, group_draws(table, cluster_of, scores.counts, zero))


def average_of(spreads_of_questions):
    """Return the Spread of the mean of the questions; groups and skipped groups are summed."""
    groups = [part.groups for part in spreads_of_questions if part.groups is not None]
    skipped = [part.skipped for part in spreads_of_questions if part.skipped is not None]
    draws = [part.draws for part in spreads_of_questions]
    mean_draws = None if any(part is None for part in draws) else np.mean(draws, axis=0)
    why = "; ".join(sorted({part.why for part in spreads_of_questions if part.why}))
    return Spread(
        sum(groups) if groups else None, sum(skipped) if skipped else None, mean_draws, why
    )


def ends(spread, size):
    """Return [{low, high, undefined draws, why there is no interval}] of each of `size` subsets."""
    if spread.draws is None:
        return [{"reason": spread.why}] * size
    has_draws = ~np.isnan(spread.draws).all(axis=1)
    bounds = np.full((2, size), np.nan)
    if has_draws.any():
        quantiles = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
        bounds[:, has_draws] = np.nanquantile(spread.draws[has_draws], quantiles, axis=1)
    bounds[:, are_alike(*bounds)] = np.nan
    lost = np.isnan(spread.draws).sum(axis=1).tolist()
    return [
        {"low": low, "high": high, "undefined_draws": undefined}
        | ({"reason": why_no_interval(draws)} if np.isnan(low) else {})
        for low, high, undefined, draws in zip(*bounds.tolist(), lost, spread.draws, strict=True)
    ]
