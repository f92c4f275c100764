"""Measure how far each two raters agree, and which raters stand apart from the rest."""

from dataclasses import dataclass
from math import isnan
from typing import NamedTuple

import numpy as np

from analysis.figures.heat import MOST_RATERS as MOST_DRAWN
from analysis.figures.heat import rater_heat_map
from analysis.figures.layout import Cell, Figure, Layout, Table, details
from analysis.options.choices import ALL
from analysis.reports.kind import Shown
from analysis.reports.shared.evaluators import interval_note, item_notes
from analysis.reports.shared.labels import MOST_LABELS, labels_of
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.shared.options import PeopleOptions
from analysis.reports.words import NoFinding, notes_beside
from analysis.stats.agreement.cohen_kappa import WEIGHTS, kappa_of_tables
from analysis.stats.agreement.pooled_pair import Shared, pooled_pair
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import mean_of_defined
from analysis.stats.intervals.bootstrap import percentile_interval, why_no_interval
from analysis.stats.replacement.outliers import low_outliers

KAPPA, PERCENT = "kappa_quadratic", "percent"
WORDS = {KAPPA: "weighted κ", PERCENT: "share of equal answers"}
FEWEST = {KAPPA: 5, PERCENT: 2}  # common answers
MOST_RATERS = 400
MOST_OF_INTERVALS = 40  # raters; the 780 pairs of so many take about a second
DEVIATIONS = 3.0
say = notes_beside(__file__, "rater_pairs")


class OnScale(NamedTuple):
    """Answers on one scale of K points: codes (units, raters), −1 where there is none.

    clusters (units,); disagreement: weights (K, K) of κ.
    """

    codes: np.ndarray
    clusters: np.ndarray
    disagreement: np.ndarray


@dataclass(frozen=True)
class Pairs:
    """The agreement of each two raters on one measure.

    names of the raters (R,); values (R, R), NaN where too little is common; n (R, R).
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


class RaterPairs(MeasuredReport):
    """A row for each two raters with a common answer; the verdict names who stands apart."""

    name, title, options = "rater_pairs", "Raters × raters", PeopleOptions
    named_by, of_judges, is_drawn = ("first", "second", "measure"), False, False
    nothing = "no question has labels that can be compared"

    def list_parts(self, questions):
        has_labels = any(question.scale.points for question in questions)
        return Shown("measure", "Agreement", list(WORDS.items()) if has_labels else [])

    def measure(self, report, scores, measures):
        n_answers = {name: int((~np.isnan(scores.rater(name))).sum()) for name in scores.raters}
        names = sorted(sorted(n_answers, key=lambda name: -n_answers[name])[:MOST_RATERS])
        scales, few = scales_of(scores, names), len(names) <= MOST_OF_INTERVALS
        drawn = None if scores.counts is None or not few else scores.counts.T.astype(np.float64)
        for measure in measures or FEWEST:
            pairs = report.curves[measure] = pairs_of(scales, names, measure)
            for pair in zip(*np.triu_indices(len(names), 1), strict=True):
                if pairs.n[pair]:
                    estimate = _estimate(pairs, pair, scales, drawn, measure)
                    first = {"first": names[pair[0]], "second": names[pair[1]], "measure": measure}
                    report.add_estimate(first, estimate, {"n": estimate.n}, kind="rater")
            report.verdict.append(_who_stands_apart(pairs, WORDS[measure]))
        return [
            *item_notes(scores),
            say("together"),
            say("blank", kappa=FEWEST[KAPPA], share=FEWEST[PERCENT]),
            *([say("fewer", n=len(names))] if len(names) < len(scores.raters) else []),
            interval_note(scores) if few else say("none", most=MOST_OF_INTERVALS),
        ]

    def layout(self, report, measure, looks):
        """Return the heat map of one measure, and each rater's mean, the lowest first."""
        if not report.rows:
            return Layout([], [])
        pairs, words = report.curves[measure], WORDS[measure]
        means, names = pairs.means, pairs.names
        order = np.argsort(np.where(np.isnan(means), -np.inf, -means), kind="stable")
        first = order[:MOST_DRAWN]
        square = np.ix_(first, first)
        plot = rater_heat_map(
            [names[place] for place in first], pairs.values[square], pairs.n[square], words
        )
        caption = f"{words} of each two raters; who agrees most with the rest comes first."
        if len(order) > MOST_DRAWN:
            caption += f" The {MOST_DRAWN} of {len(order)} raters who agree most; all are below."
        n_others = (~np.isnan(pairs.values) & ~np.eye(len(means), dtype=bool)).sum(axis=1)
        lines = [
            (names[place], [Cell({"value": 1}, float(means[place])), int(n_others[place])])
            for place in np.argsort(means, kind="stable")
        ]
        about = f"Mean {words} of each rater with the rest; the lowest first."
        table = Table(about, ["mean", "raters compared with"], lines, [], "Rater")
        return Layout([Figure("rater_pairs", caption, plot)], [table], *details(report))


def scales_of(scores, names):
    """Return an OnScale of the questions that share each short scale, their items as units."""
    people = scores.raters_of(ALL)
    chosen = [people.index(name) for name in names]
    places_by_scale: dict = {}
    for place, question in enumerate(scores.questions):
        if 0 < len(labels_of(question)) <= MOST_LABELS:
            scale = tuple(labels_of(question)), question.scale.is_nominal
            places_by_scale.setdefault(scale, []).append(place)
    scales = []
    for (points, is_nominal), places in places_by_scale.items():
        ratings = np.concatenate([scores.ratings(place, ALL)[:, chosen] for place in places])
        codes = np.full(ratings.shape, -1)
        for code, point in enumerate(points):
            codes[ratings == point] = code
        weights = WEIGHTS["plain" if is_nominal else "quadratic"](len(points))
        scales.append(OnScale(codes, np.tile(scores.clusters, len(places)), weights))
    return scales


def pairs_of(scales, names, measure):
    """Return the Pairs of a measure, the scales averaged by the answers in common."""
    total, weight, common = np.zeros((3, len(names), len(names)))
    for scale in scales:
        tables = _tables(scale)
        n = tables.sum(axis=(2, 3))
        if measure == KAPPA:
            value = kappa_of_tables(tables, scale.disagreement)
        else:
            with np.errstate(invalid="ignore"):
                value = np.trace(tables, axis1=2, axis2=3) / n
        total += np.where(np.isnan(value), 0, value * n)
        weight += np.where(np.isnan(value), 0, n)
        common += n
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(common >= FEWEST[measure], total / weight, np.nan)
    return Pairs(names, values, common.astype(int))


def _tables(scale):
    """Count labels jointly (R, R, K, K) for each two raters."""
    labels = range(len(scale.disagreement))
    indicators = [(scale.codes == code).astype(np.float32) for code in labels]
    rows = [np.stack([first.T @ other for other in indicators], axis=-1) for first in indicators]
    return np.stack(rows, axis=-2).astype(float)


def _estimate(pairs, pair, scales, drawn, measure):
    """Return the Estimate of two raters, with the interval of their answers in common.

    drawn (clusters, draws): how often each cluster of items stands in each draw, None for none.
    """
    value, n = float(pairs.values[pair]), int(pairs.n[pair])
    if isnan(value):
        few = f"fewer than {FEWEST[measure]} answers in common"
        same = "both give one and the same label throughout"
        return Estimate(value, n=n, reason=few if n < FEWEST[measure] else same)
    if drawn is None:
        return Estimate(value, n=n)
    parts = []
    for codes, clusters, disagreement in scales:
        both = (codes[:, pair[0]] >= 0) & (codes[:, pair[1]] >= 0)
        if both.any():
            own = codes[both, pair[0]], codes[both, pair[1]], len(disagreement), clusters[both]
            parts.append(Shared(*own, disagreement if measure == KAPPA else None))
    if len(np.unique(np.concatenate([part.clusters for part in parts]))) < 2:
        return Estimate(value, n=n, reason="no interval: all observations are in one cluster")
    values = pooled_pair(parts, drawn)
    low, high, lost = percentile_interval(values)
    why = why_no_interval(values) if isnan(low) else ""
    return Estimate(value, low, high, n, undefined_draws=lost, reason=why)


def _who_stands_apart(pairs, words):
    """Name in a sentence the raters who agree least with the rest."""
    means = pairs.means
    outliers = low_outliers(means, DEVIATIONS)
    who = ", ".join(f"{pairs.names[place]} ({means[place]:.2f})" for place in outliers.places)
    case = "unknown" if outliers.reason else "apart" if who else "nobody"
    words = say(case, words=words, outliers=outliers, deviations=DEVIATIONS, who=who)
    return NoFinding(words) if outliers.reason else words


KIND = RaterPairs().kind()
