"""Choose a judge's threshold on one half of the recipients, and measure it on the other."""

from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from analysis.figures.dots import dot_figure
from analysis.figures.layout import Cell, Layout, Table, details
from analysis.options.declare import choice
from analysis.reports.base import pivot
from analysis.reports.shared.evaluators import evaluators
from analysis.reports.shared.findings import with_interval
from analysis.reports.shared.options import YesNoOptions
from analysis.reports.words import notes_beside
from analysis.reports.yes_no.engine import YesNoReport, pairs_of
from analysis.stats.classification.classification import at_least
from analysis.stats.classification.operating_point import at_threshold, best_threshold
from analysis.stats.ensembles.subsets import folds_of
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.bootstrap import draw_counts
from annotate.templatetags.concord import leading_point

say = notes_beside(__file__, "thresholds")
YOUDEN, F1 = "youden", "f1"
CRITERIA = {YOUDEN: "Youden's J = sensitivity + specificity − 1", F1: "F1"}
HALVES = ("A", "B")
CHOOSE = "choose"  # instead of a half, where the items are the test part of a split
MEASURED_ON = dict(zip(HALVES, HALVES[::-1], strict=True)) | {CHOOSE: "test"}
MEASURES = {"sensitivity": "Sensitivity", "specificity": "Specificity", "f1": "F1"}


@dataclass(frozen=True, kw_only=True)
class ThresholdsOptions(YesNoOptions):
    """Options of thresholds. criterion: by which one is chosen, "youden" or "f1"."""

    criterion: str = choice(
        YOUDEN,
        "Threshold chosen by",
        "youden (default) or f1",
        [(YOUDEN, "Youden's J"), (F1, "F1")],
    )


class Thresholds(YesNoReport):
    """Three measures of a threshold chosen on half A, measured on half B, and the reverse.

    For the test part of a split, the threshold is chosen on the choose part.
    """

    name, title, what = "thresholds", "Thresholds", "threshold"
    options = ThresholdsOptions

    def judge_items(self, report, scores, cuts, is_page):
        add = self._add_elsewhere if scores.answers.choosing else self._add_halves
        note = add(report, scores, list(pairs_of(scores, cuts)))
        return [note, say("criterion", criterion=CRITERIA[scores.options.criterion])]

    def _add_halves(self, report, scores, pairs):
        """Choose on either half and measure on the other; return the note on the halves."""
        halves = _halves(scores) if pairs else {}
        for pair in pairs:
            values, positive = pair.values, pair.positive
            for chosen_on, measured_on in (HALVES, HALVES[::-1]):
                here, (there, resampling) = halves[chosen_on][0], halves[measured_on]
                chosen = values[here], positive[here]
                measured = values[there], positive[there], resampling
                self._add_choice(report, pair, chosen_on, chosen, measured)
        sizes = " and ".join(f"{name} has {len(rows)} items" for name, (rows, _) in halves.items())
        return say("halves", seed=scores.options.seed, sizes=f"; {sizes}" if sizes else "")

    def _add_elsewhere(self, report, scores, pairs):
        """Choose on the choose part of a split and measure on the test part; return a note."""
        elsewhere = {(own.name, own.kind): own for own in evaluators(scores.choosing)}
        for pair in pairs:
            own = elsewhere.get((pair.evaluator.name, pair.evaluator.kind))
            chosen = np.zeros(0), np.zeros(0)
            if own is not None:
                positive = at_least(own.reference[:, pair.place], pair.cut)
                chosen = own.values[:, pair.place], positive
            measured = pair.values, pair.positive, scores.resampling()
            self._add_choice(report, pair, CHOOSE, chosen, measured)
        return say("elsewhere")

    def _add_choice(self, report, pair, chosen_on, chosen, measured):
        """Add three measures of a threshold chosen on some items, measured on others.

        chosen: (values, positive); measured: these and the resampling of their clusters.
        """
        *here, resampling = measured
        threshold = best_threshold(*chosen, pair.scores.options.criterion)
        point, own = at_threshold(*here, threshold, **resampling), at_threshold(*chosen, threshold)
        for measure in MEASURES:
            estimate, in_sample = getattr(point, measure), getattr(own, measure).value
            if isnan(threshold):
                part = "choose part" if chosen_on == CHOOSE else "half"
                reason = f"the {part} has one class only"
                estimate, in_sample = Estimate(nan, n=estimate.n, reason=reason), nan
            first = {
                "positive_from": pair.cut,
                "chosen_on": chosen_on,
                "threshold": threshold,
                "measure": measure,
            }
            self.add(report, pair, estimate, first, {"n": estimate.n, "in_sample": in_sample})

    def main_entries(self, report):
        """Return the entries of F1."""
        return [entry for entry in report.entries if entry.row["measure"] == F1]

    def layout(self, report, question, looks):
        """Return the page of one question: F1 where the threshold was not chosen, and the table."""
        title = "F1 where the threshold was not chosen"
        caption = (
            f"F1 for {question} on the half (or part) where the threshold was not chosen; the "
            "marker says on which it was. Lines: 95 % intervals."
        )
        drawn = self.main_entries(report), "evaluator", "chosen_on", looks, title
        figures = dot_figure("thresholds", caption, *drawn, unit_interval=True)
        return Layout(figures, [_table(report, question)], *details(report))

    def find(self, report, question):
        """Say which judge has the largest F1 where its threshold was not chosen."""
        entries = [entry for entry in self.ranked(report) if entry.kind == "judge"]
        if not entries or isnan(entries[0].row["value"]):
            return ""
        row = entries[0].row
        return (
            f"{row['evaluator']} ≥ {row['threshold']:.4g} has the largest F1 on {question} where "
            f"the threshold was not chosen: {with_interval(row, 'value')}."
        )


def _halves(scores):
    """Return {name: (rows, resampling)} of two halves of the clusters."""
    rng = np.random.default_rng(scores.options.seed)
    fold = folds_of(scores.clusters, 2, rng)
    return {name: _half(scores, fold == number, rng) for number, name in enumerate(HALVES)}


def _half(scores, inside, rng):
    rows = np.flatnonzero(inside)
    if scores.counts is None or not len(rows):
        return rows, {}
    present, clusters = np.unique(scores.clusters[rows], return_inverse=True)
    counts = draw_counts(len(present), scores.options.draws, rng)
    return rows, {"clusters": clusters, "counts": counts}


def _table(report, question):
    """Tabulate each evaluator and direction, a column for each measure."""
    lines = []
    for (name, half), own in pivot(
        report.entries, "evaluator", "chosen_on", column="measure"
    ).items():
        threshold = own[F1].row["threshold"]
        words = "–" if isnan(threshold) else f"≥ {threshold:.4g}"
        cells_of_line = [words, *(_cell(own[measure]) for measure in MEASURES)]
        lines.append((f"{name}, {half} → {MEASURED_ON[half]}", cells_of_line))
    caption = (
        f"Thresholds for {question}: chosen on the first half, measured on the second; own: "
        "the same number where it was chosen."
    )
    return Table(caption, ["Threshold", *MEASURES.values()], lines, [], "Evaluator")


def _cell(entry):
    row = entry.row
    size = f"own {leading_point(row['in_sample'])}, n = {row['n']}"
    return Cell(row, row["value"], entry.reason, size)


KIND = Thresholds().kind()
