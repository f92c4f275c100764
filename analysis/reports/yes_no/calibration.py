"""Measure calibration: whether people find more items good where a judge's value is higher."""

from math import isnan, nan

import numpy as np

from analysis.figures import curves
from analysis.figures.layout import Figure, Layout, cell_of, listing
from analysis.reports.shared.findings import defined, name_first, pick, with_interval
from analysis.reports.shared.labels import LabelNotes
from analysis.reports.words import notes_beside
from analysis.reports.yes_no.engine import YesNoReport, pairs_of
from analysis.stats.classification.calibration import calibration_curve, expected_calibration_error
from analysis.stats.estimate import Estimate

BIN, ERROR = "bin", "error"
say = notes_beside(__file__, "calibration")
OF_ERRORS = {"Calibration error": cell_of, "n": lambda entry: entry.row["n"]}
OF_BINS = {
    "Values": lambda entry: _span(entry.row),
    "Mean value": lambda entry: f"{entry.row['mean']:.3g}",
    "Share of positives": cell_of,
    "n": lambda entry: entry.row["n"],
}


class Calibration(YesNoReport):
    """The share of positives by the judge's value, and the expected calibration error."""

    name, title, what = "calibration", "Calibration", "calibration"

    def judge_items(self, report, scores, cuts, is_page):
        labels = LabelNotes(scores.options.missing_judgment, scores.answers.own_scale)
        resampling = scores.resampling()
        for pair in pairs_of(scores, cuts):
            shares, positive, places = _as_shares(pair, labels), pair.positive, []
            has_both = ~np.isnan(pair.values) & ~np.isnan(positive)
            for own in calibration_curve(pair.values, positive, **resampling):
                ends = {"part": BIN, "least": own.least, "most": own.most, "mean": own.mean}
                self.add(report, pair, own.share, {"threshold": pair.cut} | ends)
                if shares is not None:
                    is_inside = (pair.values >= own.least) & (pair.values <= own.most)
                    inside = shares[has_both & is_inside]
                    inside = inside[~np.isnan(inside)]
                    # One for each bin: off the scale there is a share, but no place in the figure.
                    places.append(float(inside.mean()) if len(inside) else None)
            estimate = Estimate(nan, reason="the values are on a scale of their own")
            if shares is not None:
                report.curves[pair.evaluator.name, pair.question.key] = places
                estimate = expected_calibration_error(shares, positive, **resampling)
            ends = {"part": ERROR, "least": nan, "most": nan, "mean": nan}
            self.add(report, pair, estimate, {"threshold": pair.cut} | ends)
        return [say("bins"), say("error")]

    def main_entries(self, report):
        """Return the entries of the calibration errors."""
        return [entry for entry in report.entries if entry.row["part"] == ERROR]

    def layout(self, report, question, looks):
        """Return the page of one question: the curves, the errors and the bins, smallest first."""
        errors = sorted(self.main_entries(report), key=lambda e: (isnan(v := e.row["value"]), v))
        names = [entry.row["evaluator"] for entry in errors]
        bins = [entry for entry in report.entries if entry.row["part"] == BIN]
        bins.sort(key=lambda entry: names.index(entry.row["evaluator"]))
        caption = (
            f"Share of items that people find good, by the judge's value, for {question}: the "
            f"{curves.MOST_CALIBRATED} best calibrated at most. A judge on the dotted line "
            "means what it says. Lines: 95 % intervals."
        )
        figure = Figure("calibration", caption, curves.calibration(report, question, looks))
        of_bins = [entry.row["evaluator"] for entry in bins]
        words, shares = f"Calibration error for {question}.", f"Share of positives for {question}."
        tables = [
            listing(words, "Evaluator", names, errors, OF_ERRORS),
            listing(shares, "Evaluator", of_bins, bins, OF_BINS),
        ]
        drawn = any(not isnan(entry.row["value"]) for entry in errors)
        return Layout([figure] if drawn else [], tables)

    def find(self, report, question):
        """Say whose values say most truly how often people agree."""
        rows = defined(pick(report, "judge", question=question, part=ERROR), "value")
        if not rows:
            return ""
        first = name_first(rows[::-1], "value", "is calibrated best")
        return f"{first}: calibration error on {question} {with_interval(rows[-1], 'value')}."


def _span(row):
    """Write the values of a bin: 3, or 1 to 2.5."""
    return f"{row['least']:.3g}" + (f" to {row['most']:.3g}" if row["most"] > row["least"] else "")


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
