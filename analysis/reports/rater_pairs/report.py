"""Measure how far each two raters agree, and which raters stand apart from the rest."""

from dataclasses import dataclass

import numpy as np

from analysis.options.choices import ALL
from analysis.reports.base import Report, draw_notes
from analysis.reports.shared.evaluators import interval_note, item_notes
from analysis.reports.shared.labels import MOST_LABELS, labels_of
from analysis.reports.shared.scores import Scores
from analysis.stats.agreement.cohen_kappa import WEIGHTS, kappa_of_tables
from analysis.stats.agreement.pooled_pair import Shared, pooled_pair
from analysis.stats.inputs import mean_of_defined
from analysis.stats.intervals.bootstrap import percentile_interval, why_no_interval
from analysis.stats.replacement.outliers import low_outliers

KAPPA, PERCENT = "kappa_quadratic", "percent"
FEWEST = {KAPPA: 5, PERCENT: 2}  # common answers
MOST_RATERS = 400
MOST_OF_INTERVALS = 40  # raters; the 780 pairs of so many take about a second
NO_INTERVALS = f"No intervals: there are more than {MOST_OF_INTERVALS} raters."
DEVIATIONS = 3.0


@dataclass(frozen=True)
class Pairs:
    """The agreement of each two raters on one measure.

    names of the raters (R,); agreement (R, R), NaN where too little is common; n (R, R).
    """

    names: list
    values: np.ndarray
    n: np.ndarray

    @property
    def means(self):
        """Return each rater's mean agreement with the rest (R,); NaN without any."""
        others = self.values.copy()
        np.fill_diagonal(others, np.nan)
        return mean_of_defined(others)


def rater_pairs(answers, options, parts=None):
    """Compute a row per pair with a common answer and measure; the verdict names outliers."""
    scores = Scores(answers, options)
    report = Report("rater_pairs", answers.study.slug, options.as_dict())
    names = _busiest(scores)
    few = scores.counts is not None and len(names) <= MOST_OF_INTERVALS
    intervals = Intervals(scores, names) if few and names else None
    for measure in FEWEST if parts is None else parts:
        pairs = pairs_of(scores, names, measure)
        report.curves[measure] = pairs
        for first, second in zip(*np.triu_indices(len(names), 1), strict=True):
            if pairs.n[first, second]:
                _add(report, pairs, measure, first, second, intervals)
        report.verdict += _verdict(pairs, measure)
    report.notes = [
        *item_notes(scores),
        *_notes(scores, names),
        interval_note(scores) if len(names) <= MOST_OF_INTERVALS else NO_INTERVALS,
        *draw_notes(report, options.draws),
    ]
    return report


def _add(report, pairs, measure, first, second, intervals):
    """Add the row of two raters, with the interval of their answers in common."""
    n, value = int(pairs.n[first, second]), float(pairs.values[first, second])
    low, high, lost, why = np.nan, np.nan, 0, _why(value, n, measure)
    if not why and intervals:
        low, high, lost, why = intervals.pair_interval(measure, first, second)
    report.add(
        {
            "first": pairs.names[first],
            "second": pairs.names[second],
            "measure": measure,
            "value": value,
            "low": low,
            "high": high,
            "n": n,
        },
        reason=why,
        kind="rater",
        undefined_draws=lost,
    )


class Intervals:
    """Computes bootstrap intervals of pairs, drawing clusters of items."""

    def __init__(self, scores, names):
        self.by_cluster, self.scales = scores.counts.T.astype(np.float64), []
        for (points, is_nominal), ratings in _by_scale(scores, names).items():
            clusters = np.tile(scores.clusters, len(ratings) // len(scores.items))
            codes = np.full(ratings.shape, -1)
            for code, point in enumerate(points):
                codes[ratings == point] = code
            self.scales.append((codes, len(points), is_nominal, clusters))

    def pair_interval(self, measure, first, second):
        """Return (low, high, undefined draws, why there is no interval) of a pair."""
        parts = []
        for codes, size, is_nominal, clusters in self.scales:
            first_codes, second_codes = codes[:, first], codes[:, second]
            both = (first_codes >= 0) & (second_codes >= 0)
            if both.any():
                weights = WEIGHTS["plain" if is_nominal else "quadratic"](size)
                shared = first_codes[both], second_codes[both], size, clusters[both]
                parts.append(Shared(*shared, weights if measure == KAPPA else None))
        if len(np.unique(np.concatenate([part.clusters for part in parts]))) < 2:
            return np.nan, np.nan, 0, "no interval: all observations are in one cluster"
        drawn = pooled_pair(parts, self.by_cluster)
        low, high, lost = percentile_interval(drawn)
        return low, high, lost, why_no_interval(drawn) if np.isnan(low) else ""


def _busiest(scores):
    """Return the raters sorted by name; of very many those with the most answers."""
    counts = {name: int((~np.isnan(scores.rater(name))).sum()) for name in scores.raters}
    return sorted(sorted(counts, key=lambda name: -counts[name])[:MOST_RATERS])


def pairs_of(scores, names, measure):
    """Return the Pairs of a measure, answers to all questions with labels together."""
    size = len(names)
    total, weight = np.zeros((size, size)), np.zeros((size, size))
    common = np.zeros((size, size), dtype=int)
    for (points, is_nominal), ratings in _by_scale(scores, names).items():
        tables = _tables(ratings, points)
        n = tables.sum(axis=(2, 3))
        value = _share(tables, n)
        if measure == KAPPA:
            weights = WEIGHTS["plain" if is_nominal else "quadratic"](len(points))
            value = kappa_of_tables(tables, weights)
        has_value = ~np.isnan(value)
        total += np.where(has_value, value, 0) * np.where(has_value, n, 0)
        weight += np.where(has_value, n, 0)
        common += n.astype(int)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(common >= FEWEST[measure], total / weight, np.nan)
    return Pairs(names, values, common)


def _by_scale(scores, names):
    """Return {(points, is_nominal): ratings (units, raters)} of the questions on short scales."""
    people = scores.raters_of(ALL)
    chosen = [people.index(name) for name in names]
    ratings_by_scale = {}
    for place, question in enumerate(scores.questions):
        points = labels_of(question)
        if points and len(points) <= MOST_LABELS:
            key = (tuple(points), question.scale.is_nominal)
            ratings_by_scale.setdefault(key, []).append(scores.ratings(place, ALL)[:, chosen])
    return {key: np.concatenate(parts) for key, parts in ratings_by_scale.items()}


def _tables(ratings, points):
    """Count labels jointly (R, R, K, K) for each two raters."""
    indicators = [(ratings == point).astype(np.float32) for point in points]
    rows = [np.stack([first.T @ other for other in indicators], axis=-1) for first in indicators]
    return np.stack(rows, axis=-2).astype(float)


def _share(tables, n):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.trace(tables, axis1=2, axis2=3) / n


def _why(value, n, measure):
    if not np.isnan(value):
        return ""
    if n < FEWEST[measure]:
        return f"fewer than {FEWEST[measure]} answers in common"
    return "both give one and the same label throughout"


def _verdict(pairs, measure):
    """Name in sentences the raters who agree least with the rest."""
    words = "weighted κ" if measure == KAPPA else "share of equal answers"
    means = pairs.means
    outliers = low_outliers(means, DEVIATIONS)
    if outliers.reason:
        yield f"Whether a rater stands apart ({words}) cannot be said: {outliers.reason}."
        return
    start = f"Mean {words} of a rater with the rest: median {outliers.median:.2f}"
    limit = f"limit {outliers.limit:.2f} (median − {DEVIATIONS:g} scaled MAD)"
    if not outliers.places:
        yield f"{start}, {limit}; no rater stands apart."
        return
    who = ", ".join(f"{pairs.names[place]} ({means[place]:.2f})" for place in outliers.places)
    yield f"{start}, {limit}. Apart from the rest: {who}. Look at their answers before you exclude."


def _notes(scores, names):
    yield (
        "Answers to all questions with labels are taken together; scales that differ are measured "
        "one by one and averaged by the answers in common."
    )
    yield (
        f"Weighted κ is left blank below {FEWEST[KAPPA]} answers in common, the share below "
        f"{FEWEST[PERCENT]}."
    )
    if len(names) < len(scores.raters):
        yield f"Only the {len(names)} raters with the most answers are looked at."
