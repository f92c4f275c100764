"""Compare systems and metrics: paired differences, RQ2's correlations, RQ3's order of systems."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
from scipy.stats import rankdata

from analysis.reports.factuality.measures import FACTUAL, REVIEW, SAME_MEAN, SIMILARITY
from analysis.stats.comparison.differences import holm, two_sided
from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.correlation.rank_agreement import rank_agreement
from analysis.stats.intervals.clustered_mean import means_of_columns

ALL = "all"
COEFFICIENTS = ("pearson", "spearman")
NO_PAIRS = "no recipient and content has a value of both systems"
SAME_VALUE = "a metric has the same value for all explanations"


def add_differences(work):
    """Add each metric's differences between systems on the pairs that both explain, by domain."""
    names, codes = work.explained.systems
    both = list(combinations(range(len(names)), 2))
    if not both:
        return
    pairs, clusters = _clusters_of_pairs(work)
    counts = work.scores.counts
    how = {} if counts is None else {"clusters": clusters, "counts": counts}
    for measure in work.measures.all:
        columns = []
        for _, inside in work.domains:
            values = np.where(work.explained.is_paired & inside, measure.values, np.nan)
            means = _means(values, pairs, codes, len(names), len(clusters))
            columns += [means[:, a] - means[:, b] for a, b in both]
        differences = iter(means_of_columns(np.stack(columns, axis=1), **how))
        for domain, _ in work.domains:
            _add_pairs(
                work, measure, domain, [(names[a], names[b], next(differences)) for a, b in both]
            )


def _add_pairs(work, measure, domain, pairs):
    """Add the differences of one metric in one domain, with Holm's p over the pairs of systems."""
    chances = [_chance(difference) for *_, difference in pairs]
    for (first, second, difference), p, p_holm in zip(pairs, chances, holm(chances), strict=True):
        work.add_estimate(
            "difference",
            difference if difference.n else _without(difference),
            domain=domain,
            system=first,
            other=second,
            evaluator=measure.evaluator,
            metric=measure.metric,
            judge=measure.judge,
            p=p,
            p_holm=float(p_holm),
        )


def _without(estimate):
    return type(estimate)(np.nan, reason=NO_PAIRS)


def _chance(estimate):
    draws = estimate.draws
    defined = np.array([]) if draws is None else draws[~np.isnan(draws)]
    return two_sided(defined) if len(defined) else float("nan")


def _clusters_of_pairs(work):
    """Return (place of each explanation's pair (E,), cluster of each pair).

    A pair (recipient, content) has one recipient, and so one cluster.
    """
    present, first, pairs = np.unique(work.explained.pairs, return_index=True, return_inverse=True)
    return pairs, work.explained.clusters[first] if len(present) else np.empty(0, dtype=np.int64)


def _means(values, pairs, systems, n_systems, n_pairs):
    """Return the mean of each system in each pair (pairs, systems); NaN without a value there."""
    has_value = ~np.isnan(values) & (systems >= 0)
    flat = pairs[has_value] * n_systems + systems[has_value]
    size = n_pairs * n_systems
    n = np.bincount(flat, minlength=size)
    sums = np.bincount(flat, values[has_value], minlength=size)
    means = np.divide(sums, n, out=np.full(size, np.nan), where=n > 0)
    return means.reshape(n_pairs, n_systems)


def add_correlations(work):
    """Add r of each metric of similarity with each of factual consistency, over explanations."""
    for similar in work.measures.in_families(SIMILARITY, REVIEW):
        for factual in work.measures.in_families(*FACTUAL):
            for (domain, inside), coefficient in product(work.domains, COEFFICIENTS):
                x = np.where(inside, similar.values, np.nan)
                work.add_estimate(
                    "correlation",
                    _correlated(work, x, factual.values, coefficient),
                    domain=domain,
                    system=ALL,
                    coefficient=coefficient,
                    evaluator=similar.evaluator,
                    metric=similar.metric,
                    other_evaluator=factual.evaluator,
                    other_metric=factual.metric,
                    judge=similar.judge,
                )


def _correlated(work, x, y, coefficient):
    """Correlate two metrics; Spearman's ρ is Pearson's r of ranks.

    Its draws keep the ranks of all explanations, for speed.
    """
    both = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    x, y = x[both], y[both]
    if coefficient == "spearman" and len(both):
        x, y = rankdata(x), rankdata(np.round(y, SAME_MEAN))
    estimate = dataset_correlation(x, y, "pearson", **_drawn(work, both))
    is_same = len(both) > 1 and np.isnan(estimate.value)
    return (
        replace(estimate, reason=SAME_VALUE) if is_same else estimate
    )  # neither is judge or reference


def _drawn(work, places):
    """Return clusters= and counts= of these explanations; of a domain only its clusters' draws."""
    if work.scores.counts is None:
        return {}
    present, own = np.unique(work.explained.clusters[places], return_inverse=True)
    return {"clusters": own, "counts": work.scores.counts[:, present]}


def add_ranks(work):
    """Add the place of each system by each metric, and how alike the metrics place them."""
    names, _ = work.explained.systems
    if len(names) < 2:
        return
    for domain, inside in work.domains:
        estimates = [_of_systems(work, measure.values, inside) for measure in work.measures.all]
        means = np.array([[estimate.value for estimate in row] for row in estimates]).reshape(
            -1, len(names)
        )
        means = np.round(means, SAME_MEAN)
        for measure, row, values in zip(work.measures.all, estimates, means, strict=True):
            _add_places(work, measure, domain, row, values)
        _add_agreement(work, domain, means, _draws(estimates))


def _add_places(work, measure, domain, row, values):
    """Add the place of each system by one metric."""
    for name, estimate, value in zip(work.explained.systems[0], row, values, strict=True):
        is_defined = not np.isnan(value)
        work.add(
            "rank",
            domain=domain,
            system=name,
            evaluator=measure.evaluator,
            metric=measure.metric,
            value=1.0 + float((values > value).sum()) if is_defined else np.nan,
            n=estimate.n,
            judge=measure.judge,
            reason="" if is_defined else estimate.reason,
        )


def _add_agreement(work, domain, means, draws):
    measures = work.measures.all
    for (i, j), estimate in rank_agreement(means, draws).items():
        work.add_estimate(
            "rank_agreement",
            estimate,
            domain=domain,
            coefficient="kendall",
            evaluator=measures[i].evaluator,
            metric=measures[i].metric,
            other_evaluator=measures[j].evaluator,
            other_metric=measures[j].metric,
        )


def _of_systems(work, values, inside):
    """Return the mean of each system over some explanations, Estimates with their draws."""
    names, codes = work.explained.systems
    own = inside[:, None] & (codes[:, None] == np.arange(len(names)))
    table = np.where(own, values[:, None], np.nan)
    return means_of_columns(table, **work.explained.resampling())


def _draws(estimates):
    """Return the means in each draw (metrics, draws, systems); None without intervals.

    NaN where a system has no mean in a draw.
    """
    lengths = [
        len(estimate.draws) for row in estimates for estimate in row if estimate.draws is not None
    ]
    if not lengths:
        return None
    gap = np.full(lengths[0], np.nan)
    # A mean without an interval is of one cluster, in which it is the same in every draw.
    drawn = [
        [
            np.full_like(gap, estimate.value) if estimate.draws is None else estimate.draws
            for estimate in row
        ]
        for row in estimates
    ]
    return np.round(drawn, SAME_MEAN).transpose(0, 2, 1)
