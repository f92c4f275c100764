"""Systems and metrics compared: paired differences, RQ2's correlations, RQ3's order of systems."""

from itertools import combinations

import numpy as np
from scipy.stats import rankdata

from analysis.reports.factual_measures import FACTUAL, REVIEW, SIMILARITY
from analysis.stats.clustered_mean import means_of_columns
from analysis.stats.correlation import dataset_correlation
from analysis.stats.differences import holm, two_sided
from analysis.stats.rank_agreement import rank_agreement

ALL = "all"
COEFFICIENTS = ("pearson", "spearman")
NO_PAIRS = "no recipient and content has a value of both systems"


def add_differences(work):
    """First system less second, on the (recipient, content) that both explain; Holm by metric."""
    names, codes = work.explained.systems
    pairs, clusters = _clusters_of_pairs(work)
    for one in work.measures.all:
        values = np.where(work.explained.is_paired, one.values, np.nan)
        means = _means(values, pairs, codes, len(names), len(clusters))
        both = list(combinations(range(len(names)), 2))
        columns = [means[:, a] - means[:, b] for a, b in both]
        if not columns:
            continue
        counts = work.scores.counts
        how = {} if counts is None else {"clusters": clusters, "counts": counts}
        found = means_of_columns(np.stack(columns, axis=1), **how)
        chances = [_chance(each) for each in found]
        for (a, b), each, p, p_holm in zip(both, found, chances, holm(chances), strict=True):
            work.add_estimate(
                "difference", each if each.n else _without(each), domain=ALL, system=names[a],
                other=names[b], evaluator=one.evaluator, metric=one.metric, judge=one.judge, p=p,
                p_holm=float(p_holm),
            )  # fmt: skip


def _without(estimate):
    return type(estimate)(np.nan, reason=NO_PAIRS)


def _chance(estimate):
    draws = estimate.draws
    known = np.array([]) if draws is None else draws[~np.isnan(draws)]
    return two_sided(known) if len(known) else float("nan")


def _clusters_of_pairs(work):
    """(place of each explanation's pair (E,), cluster of each pair): a pair has one recipient."""
    present, first, pairs = np.unique(work.explained.pairs, return_index=True, return_inverse=True)
    return pairs, work.explained.clusters[first] if len(present) else np.empty(0, dtype=np.int64)


def _means(values, pairs, systems, n_systems, n_pairs):
    """Mean of each system in each pair (pairs, systems); NaN where it has no value there."""
    known = ~np.isnan(values) & (systems >= 0)
    flat = pairs[known] * n_systems + systems[known]
    size = n_pairs * n_systems
    n = np.bincount(flat, minlength=size)
    sums = np.bincount(flat, values[known], minlength=size)
    means = np.divide(sums, n, out=np.full(size, np.nan), where=n > 0)
    return means.reshape(n_pairs, n_systems)


def add_correlations(work):
    """R of each metric of similarity with each of factual consistency, over explanations."""
    for similar in work.measures.of(SIMILARITY, REVIEW):
        for factual in work.measures.of(*FACTUAL):
            for coefficient in COEFFICIENTS:
                estimate = _correlated(work, similar.values, factual.values, coefficient)
                work.add_estimate(
                    "correlation", estimate, domain=ALL, system=ALL, coefficient=coefficient,
                    evaluator=similar.evaluator, metric=similar.metric,
                    other_evaluator=factual.evaluator, other_metric=factual.metric,
                    judge=similar.judge,
                )  # fmt: skip


def _correlated(work, x, y, coefficient):
    """Spearman's ρ is Pearson's r of ranks; its draws keep the ranks of all, for speed."""
    both = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    x, y = x[both], y[both]
    if coefficient == "spearman" and len(both):
        x, y = rankdata(x), rankdata(y)
    return dataset_correlation(x, y, "pearson", **work.scores.resampling(work.explained.rows[both]))


def add_ranks(work):
    """The place of each system by each metric, and how alike the metrics place them."""
    names, codes = work.explained.systems
    if len(names) < 2:
        return
    measures = work.measures.all
    found = [_of_systems(work, one.values, codes, len(names)) for one in measures]
    means = np.array([[each.value for each in row] for row in found]).reshape(-1, len(names))
    for one, row, values in zip(measures, found, means, strict=True):
        for name, each, value in zip(names, row, values, strict=True):
            known = not np.isnan(value)
            work.add(
                "rank", domain=ALL, system=name, evaluator=one.evaluator, metric=one.metric,
                value=1.0 + float((values > value).sum()) if known else np.nan, n=each.n,
                judge=one.judge, reason="" if known else each.reason,
            )  # fmt: skip
    draws = _draws(found)
    for (i, j), each in rank_agreement(means, draws).items():
        work.add_estimate(
            "rank_agreement", each, domain=ALL, coefficient="kendall",
            evaluator=measures[i].evaluator, metric=measures[i].metric,
            other_evaluator=measures[j].evaluator, other_metric=measures[j].metric,
        )  # fmt: skip


def _of_systems(work, values, codes, n):
    """The mean of each system, an Estimate with its draws."""
    inside = codes[:, None] == np.arange(n)
    table = np.where(inside, values[:, None], np.nan)
    return means_of_columns(table, **work.explained.resampling())


def _draws(found):
    """(metrics, draws, systems); None without intervals. Who has none in a draw has a gap there."""
    lengths = [len(each.draws) for row in found for each in row if each.draws is not None]
    if not lengths:
        return None
    gap = np.full(lengths[0], np.nan)
    # A mean without an interval is of one cluster, in which it is the same in every draw.
    drawn = [
        [np.full_like(gap, each.value) if each.draws is None else each.draws for each in row]
        for row in found
    ]
    return np.array(drawn).transpose(0, 2, 1)
