"""Choose a judge's threshold on one half of the recipients, and measure it on the other."""

from dataclasses import dataclass
from itertools import product
from math import isnan, nan

import numpy as np

from analysis.figures.dots import dot_figure
from analysis.figures.layout import Layout, cell_of, details, listing
from analysis.options.declare import choice
from analysis.reports.base import pivot
from analysis.reports.shared.evaluators import evaluators
from analysis.reports.shared.findings import with_interval
from analysis.reports.shared.options import YesNoOptions
from analysis.reports.words import notes_beside
from analysis.reports.yes_no.engine import Pair, YesNoReport, pairs_of
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
        pairs, options = list(pairs_of(scores, cuts)), scores.options
        criterion = say("criterion", criterion=CRITERIA[options.criterion])
        if scores.answers.choosing:
            elsewhere = {(own.name, own.kind): own for own in evaluators(scores.choosing)}
            for pair in pairs:
                own = elsewhere.get((pair.evaluator.name, pair.evaluator.kind))
                chosen = Pair(scores.choosing, own, pair.place, pair.cut) if own else None
                sides = (chosen.values, chosen.positive) if chosen else np.zeros((2, 0))
                measured = pair.values, pair.positive
                self._add_choice(report, pair, CHOOSE, sides, measured, scores.resampling())
            return [say("elsewhere"), criterion]
        halves = _halves(scores) if pairs else {}
        for pair, (chosen_on, measured_on) in product(pairs, (HALVES, HALVES[::-1])):
            both, (there, resampling) = (pair.values, pair.positive), halves[measured_on]
            chosen = [side[halves[chosen_on][0]] for side in both]
            self._add_choice(
                report, pair, chosen_on, chosen, [side[there] for side in both], resampling
            )
        sizes = " and ".join(f"{name} has {len(rows)} items" for name, (rows, _) in halves.items())
        return [say("halves", seed=options.seed, sizes=f"; {sizes}" if sizes else ""), criterion]

    def _add_choice(self, report, pair, chosen_on, chosen, measured, resampling):
        """Add three measures of a threshold chosen on some items, measured on others.

        chosen, measured: (values, whether people find it good) of the items.
        """
        threshold = best_threshold(*chosen, pair.scores.options.criterion)
        point = at_threshold(*measured, threshold, **resampling)
        own, first = at_threshold(*chosen, threshold), {"positive_from": pair.cut}
        first |= {"chosen_on": chosen_on, "threshold": threshold}
        for measure in MEASURES:
            estimate, in_sample = getattr(point, measure), getattr(own, measure).value
            if isnan(threshold):
                part = "choose part" if chosen_on == CHOOSE else "half"
                reason = f"the {part} has one class only"
                estimate, in_sample = Estimate(nan, n=estimate.n, reason=reason), nan
            last = {"n": estimate.n, "in_sample": in_sample}
            self.add(report, pair, estimate, first | {"measure": measure}, last)

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
        by_choice = pivot(report.entries, "evaluator", "chosen_on", column="measure")
        names = [f"{name}, {half} → {MEASURED_ON[half]}" for name, half in by_choice]
        caption = (
            f"Thresholds for {question}: chosen on the first half, measured on the second; own: "
            "the same number where it was chosen."
        )
        table = listing(caption, "Evaluator", names, by_choice.values(), COLUMNS)
        return Layout(figures, [table], *details(report))

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
    rng, halves = np.random.default_rng(scores.options.seed), {}
    fold = folds_of(scores.clusters, 2, rng)
    for number, name in enumerate(HALVES):
        rows, resampling = np.flatnonzero(fold == number), {}
        if scores.counts is not None and len(rows):
            present, clusters = np.unique(scores.clusters[rows], return_inverse=True)
            counts = draw_counts(len(present), scores.options.draws, rng)
            resampling = {"clusters": clusters, "counts": counts}
        halves[name] = rows, resampling
    return halves


def _threshold(own):
    threshold = own[F1].row["threshold"]
    return "–" if isnan(threshold) else f"≥ {threshold:.4g}"


def _cell(entry):
    row = entry.row
    return cell_of(entry, f"own {leading_point(row['in_sample'])}, n = {row['n']}")


# Of the entries of one choice, by their measures.
COLUMNS = {"Threshold": _threshold} | {
    heading: lambda own, measure=measure: _cell(own[measure])
    for measure, heading in MEASURES.items()
}
KIND = Thresholds().kind()
