"""Measure by ROC curves and their areas whether a judge tells good items from the rest."""

from math import isnan, nan

import numpy as np

from analysis.figures import curves
from analysis.figures.layout import cell_of, cross_table
from analysis.reports.base import group_by
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
    curve, plot = staticmethod(roc_curve), staticmethod(curves.roc_curves)
    look = {"chance": 0.5}
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
        is_binary = any(scores.questions[place].scale.is_binary for place in cuts)
        is_two = is_binary or any(own.neutral for own in scores.answers.own_scale.values())
        is_ordinal = any(isnan(row["threshold"]) for row in report.rows)
        return [say("balanced")] * is_two + [say("ordinal")] * is_ordinal

    def add_area(self, report, pair):
        estimate = auc(pair.values, pair.positive, **pair.scores.resampling())
        negatives = estimate.n - pair.positives
        sizes = {"positives": pair.positives, "negatives": negatives, "n": estimate.n}
        self.add(report, pair, estimate, last=sizes)

    def add_more(self, report, pair):
        """Add rows at the other points of the scale above its first, and the ordinal AUC."""
        if pair.question.scale.is_binary:
            return
        points = labels_of(pair.question)
        for cut in points[1:] if len(points) <= MOST_LABELS else ():
            if cut != pair.cut:
                self.add_area(report, Pair(pair.scores, pair.evaluator, pair.place, float(cut)))
        estimate = ordinal_auc(pair.values, pair.reference, **pair.scores.resampling())
        sizes = {"positives": None, "negatives": None, "n": estimate.n}
        self.add(report, pair, estimate, {"threshold": nan}, sizes)

    def _add_bands(self, report, scores, cuts):
        """Add bands to each question: of the judges with the largest areas, then of others."""
        pairs = {(own.evaluator.name, own.question.key): own for own in pairs_of(scores, cuts)}
        for entries in group_by(self.main_entries(report), "question").values():
            own = [entry for entry in entries if not isnan(entry.row["auc"])]
            own.sort(key=lambda entry: (not entry.judge, -entry.row["auc"]))
            for entry in own[:MOST_BANDS]:
                pair = pairs[place := (entry.row["evaluator"], entry.row["question"])]
                band = roc_band(pair.values, pair.positive, GRID, **scores.resampling())
                report.bands[place] = band

    def main_entries(self, report):
        """Return the first entry of each evaluator and question: that at the chosen threshold."""
        return [own[0] for own in group_by(report.entries, "evaluator", "question").values()]

    def about_curves(self, report):
        names = ", ".join(name for (name, _), band in report.bands.items() if band.grid)
        shaded = f"; shaded: 95 % bands of {names}, for each false positive rate by itself"
        return shaded if names else ""

    def more_tables(self, report, question):
        """Tabulate AUC by threshold, the ordinal AUC last; nothing with a single threshold."""
        in_order = sorted(report.entries, key=lambda e: (isnan(v := e.row["threshold"]), v))
        cells = {(e.row["evaluator"], _cut_words(e)): cell_of(e) for e in report.entries}
        cuts = list(dict.fromkeys(map(_cut_words, in_order)))
        ranks = [entry.row["evaluator"] for entry in self.ranked(report)]
        in_ranks = {(name, cut): cells[name, cut] for name in ranks for cut in cuts}
        caption = f"AUC for {question} by the rating that counts as positive, and over all of them."
        return [cross_table(caption, "Evaluator", in_ranks, cuts)] if len(cuts) > 1 else []


def _cut_words(entry):
    return ORDINAL if isnan(entry.row["threshold"]) else positive_words(entry)


ROC = Roc()
KIND = ROC.kind()
