"""Measure calibration: whether people find more items good where a judge's value is higher."""

from math import isnan, nan

import numpy as np

from analysis.figures import curves
from analysis.figures.layout import Figure, Layout, Table, cell_of
from analysis.reports.shared.findings import defined, name_first, pick, with_interval
from analysis.reports.shared.labels import LabelNotes
from analysis.reports.words import notes_beside
from analysis.reports.yes_no.engine import YesNoReport, pairs_of
from analysis.stats.classification.calibration import calibration_curve, expected_calibration_error
from analysis.stats.estimate import Estimate

BIN, ERROR = "bin", "error"
say = notes_beside(__file__, "calibration")


class Calibration(YesNoReport):
    """The share of positives by the judge's value, and the expected calibration error."""

    name, title, what = "calibration", "Calibration", "calibration"

    def judge_items(self, report, scores, cuts, is_page):
        labels = LabelNotes(scores.options.missing_judgment, scores.answers.own_scale)
        for pair in pairs_of(scores, cuts):
            shares = _as_shares(pair, labels)
            self._add_bins(report, pair, shares)
            estimate = Estimate(nan, reason="the values are on a scale of their own")
            if shares is not None:
                resampling = scores.resampling()
                estimate = expected_calibration_error(shares, pair.positive, **resampling)
            self._add_part(report, pair, estimate, ERROR)
        return [say("bins"), say("error")]

    def _add_bins(self, report, pair, shares):
        values, positive, places = pair.values, pair.positive, []
        has_both = ~np.isnan(values) & ~np.isnan(positive)
        for value_bin in calibration_curve(values, positive, **pair.scores.resampling()):
            ends = value_bin.least, value_bin.most, value_bin.mean
            self._add_part(report, pair, value_bin.share, BIN, *ends)
            if shares is not None:
                inside = shares[has_both & (values >= value_bin.least) & (values <= value_bin.most)]
                inside = inside[~np.isnan(inside)]
                # One for each bin: off the scale there is a share, but no place in the figure.
                places.append(float(inside.mean()) if len(inside) else None)
        if shares is not None:
            report.curves[pair.evaluator.name, pair.question.key] = places

    def _add_part(self, report, pair, estimate, part, least=nan, most=nan, mean=nan):
        ends = {"least": least, "most": most, "mean": mean}
        self.add(report, pair, estimate, {"threshold": pair.cut, "part": part} | ends)

    def main_entries(self, report):
        """Return the entries of the calibration errors."""
        return [entry for entry in report.entries if entry.row["part"] == ERROR]

    def layout(self, report, question, looks):
        """Return the page of one question: the curves, the errors and the bins, smallest first."""
        errors = sorted(self.main_entries(report), key=lambda e: (isnan(v := e.row["value"]), v))
        caption = (
            f"Share of items that people find good, by the judge's value, for {question}: the "
            f"{curves.MOST_CALIBRATED} best calibrated at most. A judge on the dotted line "
            "means what it says. Lines: 95 % intervals."
        )
        figure = Figure("calibration", caption, curves.calibration(report, question, looks))
        lines = [(e.row["evaluator"], [cell_of(e), e.row["n"]]) for e in errors]
        words, headings = f"Calibration error for {question}.", ["Calibration error", "n"]
        tables = [Table(words, headings, lines, [], "Evaluator"), _bins(report, question, errors)]
        drawn = any(not isnan(entry.row["value"]) for entry in errors)
        return Layout([figure] if drawn else [], tables)

    def find(self, report, question):
        """Say whose values say most truly how often people agree."""
        rows = defined(pick(report, "judge", question=question, part=ERROR), "value")
        if not rows:
            return ""
        first = name_first(rows[::-1], "value", "is calibrated best")
        return f"{first}: calibration error on {question} {with_interval(rows[-1], 'value')}."


def _bins(report, question, errors):
    """Tabulate each bin of each evaluator, the best calibrated first."""
    order = [entry.row["evaluator"] for entry in errors]
    bins = [entry for entry in report.entries if entry.row["part"] == BIN]
    bins.sort(key=lambda entry: order.index(entry.row["evaluator"]))
    lines = []
    for entry in bins:
        row = entry.row
        values = f"{row['least']:.3g}"
        if row["most"] > row["least"]:
            values = f"{values} to {row['most']:.3g}"
        lines.append((row["evaluator"], [values, f"{row['mean']:.3g}", cell_of(entry), row["n"]]))
    headings = ["Values", "Mean value", "Share of positives", "n"]
    return Table(f"Share of positives for {question}.", headings, lines, [], "Evaluator")


def _as_shares(pair, labels):
    """Scale the values (items,) to 0..1; None where they are on a scale of their own.

    NaN where a value lies off the question's scale.
    """
    name, values, scale = pair.evaluator.name, pair.values, pair.question.scale
    defined = values[~np.isnan(values)]
    bounded = scale.has_ends and name not in labels.own_scale
    if bounded and labels.fits(name, values, pair.question):
        shares = (values - scale.low) / (scale.high - scale.low)
        return np.where((shares >= 0) & (shares <= 1), shares, nan)
    return values if len(defined) and defined.min() >= 0 and defined.max() <= 1 else None


KIND = Calibration().kind()
