"""Measure precision and recall: how many of a judge's top items people find good."""

from math import nan

from analysis.figures import curves
from analysis.figures.layout import Cell, cell_of
from analysis.reports.yes_no.engine import CurveReport, positive_words
from analysis.stats.classification.curves import average_precision, precision_recall_curve


class PrecisionRecall(CurveReport):
    """Average precision and the curve of each evaluator on each ordered question."""

    name, title = "precision_recall", "Precision and recall"
    main, label, area = "average_precision", "average precision", "Average precision"
    curve_words, beside = "Precision and recall", "average precision"
    curve, plot = staticmethod(precision_recall_curve), staticmethod(curves.precision_recall)
    look = {"unit_interval": True}
    does = "finds the positive items best"
    columns = {
        "Average precision": cell_of,
        "Share of positives": lambda entry: _share_of_positives(entry.row),
        "Positive": positive_words,
        "n": lambda entry: entry.row["n"],
    }

    def add_area(self, report, pair):
        estimate = average_precision(pair.values, pair.positive, **pair.scores.resampling())
        self.add(report, pair, estimate, last={"positives": pair.positives, "n": estimate.n})

    def about_curves(self, report):
        return ". Dotted: the share of positives, which a judge without any skill has"


def _share_of_positives(row):
    return Cell({"n": row["n"]}, row["positives"] / row["n"] if row["n"] else nan)


KIND = PrecisionRecall().kind()
