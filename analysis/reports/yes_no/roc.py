"""Measure by ROC curves and their areas whether a judge tells good items from the rest."""

from math import inf, isnan, nan

import numpy as np

from analysis.figures import curves
from analysis.figures.layout import Table, cell_of
from analysis.reports.shared.evaluators import evaluators
from analysis.reports.shared.labels import MOST_LABELS, labels_of
from analysis.reports.words import notes_beside
from analysis.reports.yes_no.engine import CurveReport, Pair, pairs_of, positive_words
from analysis.stats.classification.classification import auc, ordinal_auc, roc_curve
from analysis.stats.classification.curves import roc_band

say = notes_beside(__file__, "roc")
ORDINAL = "ordinal"
GRID = np.linspace(0, 1, 51)  # false positive rates at which the band is drawn
MOST_BANDS = 3  # of a question: more would hide each other


class Roc(CurveReport):
    """AUC and the curve of each evaluator on each ordered question, with bands of the largest.

    The first row of an evaluator and question is at the threshold of the options; further ones
    follow, at the other points of the scale and, with an undefined threshold, the ordinal AUC.
    """

    name, title = "roc", "ROC and AUC"
    main, label, area = "auc", "AUC", "Area under the ROC curve"
    what, curve_words, beside = "ROC", "ROC curves", "area"
    plot, look = staticmethod(curves.roc_curves), {"chance": 0.5}
    does = "tells high from low answers best"
    columns = {
        "AUC": cell_of,
        "Positive": positive_words,
        "Positives": lambda entry: entry.row["positives"],
        "Negatives": lambda entry: entry.row["negatives"],
    }

    def judge_items(self, report, scores, cuts, is_page):
        super().judge_items(report, scores, cuts, is_page)
        if is_page and scores.counts is not None:
            self._add_bands(report, scores, cuts)
        return [*_balanced_note(scores, cuts), *_ordinal_notes(report)]

    def add_curve(self, report, pair):
        curve = roc_curve(pair.values, pair.positive)
        report.curves[pair.evaluator.name, pair.question.key] = curve
        self._add_cut(report, pair)

    def add_more(self, report, pair):
        """Add rows at the other points of the scale above its first, and the ordinal AUC."""
        if pair.question.scale.is_binary:
            return
        points = labels_of(pair.question)
        for cut in points[1:] if len(points) <= MOST_LABELS else ():
            if cut != pair.cut:
                self._add_cut(report, Pair(pair.scores, pair.evaluator, pair.place, float(cut)))
        estimate = ordinal_auc(pair.values, pair.reference, **pair.scores.resampling())
        sizes = {"positives": None, "negatives": None, "n": estimate.n}
        self.add(report, pair, estimate, {"threshold": nan}, sizes)

    def _add_cut(self, report, pair):
        positive, values = pair.positive, pair.values
        estimate = auc(values, positive, **pair.scores.resampling())
        positives = int(positive[~np.isnan(values) & ~np.isnan(positive)].sum())
        sizes = {"positives": positives, "negatives": estimate.n - positives, "n": estimate.n}
        self.add(report, pair, estimate, last=sizes)

    def _add_bands(self, report, scores, cuts):
        """Add bands to each question: of the judges with the largest areas, then of others."""
        compared = list(evaluators(scores))
        areas = {(e.row["evaluator"], e.row["question"]): e for e in self.main_entries(report)}
        for place, cut in cuts.items():
            pairs = pairs_of(scores, {place: cut}, compared)
            own = [(areas[pair.evaluator.name, pair.question.key], pair) for pair in pairs]
            own = [(entry, pair) for entry, pair in own if not isnan(entry.row["auc"])]
            own.sort(key=lambda both: (not both[0].judge, -both[0].row["auc"]))
            for _, pair in own[:MOST_BANDS]:
                band = roc_band(pair.values, pair.positive, GRID, **scores.resampling())
                report.bands[pair.evaluator.name, pair.question.key] = band

    def main_entries(self, report):
        """Return the first entry of each evaluator and question: that at the chosen threshold."""
        first_entries: dict = {}
        for entry in report.entries:
            first_entries.setdefault((entry.row["evaluator"], entry.row["question"]), entry)
        return list(first_entries.values())

    def about_curves(self, report):
        names = ", ".join(name for (name, _), band in report.bands.items() if band.grid)
        shaded = f"; shaded: 95 % bands of {names}, for each false positive rate by itself"
        return shaded if names else ""

    def more_tables(self, report, question):
        """Tabulate AUC by threshold, the ordinal AUC last; nothing with a single threshold."""
        cells = {(e.row["evaluator"], _cut_words(e)): cell_of(e) for e in report.entries}
        in_order = sorted(report.entries, key=lambda e: _last_if_undefined(e.row["threshold"]))
        cuts = list(dict.fromkeys(map(_cut_words, in_order)))
        names = [entry.row["evaluator"] for entry in self.ranked(report)]
        lines = [(name, [cells[name, cut] for cut in cuts]) for name in names]
        caption = f"AUC for {question} by the rating that counts as positive, and over all of them."
        return [Table(caption, cuts, lines, [], "Evaluator")] if len(cuts) > 1 else []


def _cut_words(entry):
    return ORDINAL if isnan(entry.row["threshold"]) else positive_words(entry)


def _last_if_undefined(threshold):
    return inf if isnan(threshold) else threshold


def _ordinal_notes(report):
    if any(isnan(row["threshold"]) for row in report.rows):
        yield say("ordinal")


def _balanced_note(scores, cuts):
    binary = any(scores.questions[place].scale.is_binary for place in cuts)
    if binary or any(own.neutral for own in scores.answers.own_scale.values()):
        yield say("balanced")


ROC = Roc()
KIND = ROC.kind()
