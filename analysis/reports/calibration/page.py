"""Show calibration, for one question."""

from math import isnan

from analysis.figures import curves
from analysis.figures.layout import Cell, Figure, Layout, Table
from analysis.reports.calibration.report import BIN, ERROR, calibration
from analysis.reports.kind import NO_JUDGE, Kind, first_of, no_value, of_questions
from analysis.reports.shared.findings import defined, name_first, pick, with_interval
from analysis.reports.shared.options import YesNoOptions
from analysis.reports.shared.positives import keys_with_cut
from annotate.templatetags.concord import interval, leading_point

list_parts = of_questions(lambda scale: scale.is_ordered)


def layout(report, question, looks):
    """Return the page of one question: the calibration curves, the errors and the bins."""
    errors = [entry for entry in report.entries if entry.row["part"] == ERROR]
    errors.sort(key=lambda entry: (isnan(v := entry.row["value"]), v))
    defined = [entry for entry in errors if not isnan(entry.row["value"])]
    caption = (
        f"Share of items that people find good, by the judge's value, for {question}: the "
        f"{curves.MOST_CALIBRATED} best calibrated at most. A judge on the dotted line "
        "means what it says. Lines: 95 % intervals."
    )
    figure = Figure("calibration", caption, curves.calibration(report, question, looks))
    lines = [
        (e.row["evaluator"], [Cell(e.row, e.row["value"], e.reason), e.row["n"]]) for e in errors
    ]
    headings = ["Calibration error", "n"]
    summary = Table(f"Calibration error for {question}.", headings, lines, [], "Evaluator")
    return Layout([figure] if defined else [], [summary, _bins(report, question, errors)])


def _bins(report, question, errors):
    """Tabulate each bin of each evaluator, the best calibrated first."""
    order = [entry.row["evaluator"] for entry in errors]
    bins = [entry for entry in report.entries if entry.row["part"] == BIN]
    bins.sort(key=lambda entry: order.index(entry.row["evaluator"]))
    lines = [(entry.row["evaluator"], _cells(entry)) for entry in bins]
    headings = ["Values", "Mean value", "Share of positives", "n"]
    return Table(f"Share of positives for {question}.", headings, lines, [], "Evaluator")


def _cells(entry):
    row = entry.row
    values = f"{row['least']:.3g}"
    if row["most"] > row["least"]:
        values = f"{values} to {row['most']:.3g}"
    return [values, f"{row['mean']:.3g}", Cell(row, row["value"], entry.reason), row["n"]]


def find(report, question):
    """Say whose values say most truly how often people agree."""
    rows = defined(pick(report, "judge", question=question, part=ERROR), "value")
    if not rows:
        return ""
    first = name_first(rows[::-1], "value", "is calibrated best")
    return f"{first}: calibration error on {question} {with_interval(rows[-1], 'value')}."


def headline(answers, options, judges):
    """Return the smallest calibration error of a judge on the first question."""
    keys = keys_with_cut(answers.questions, options)
    if not judges or not keys:
        return no_value("no question has an ordered scale with ends") if judges else NO_JUDGE
    rows = calibration(answers, options, keys[:1]).rows
    errors = [row for row in rows if row["part"] == ERROR and row["evaluator"] in judges]
    row = min(
        (row for row in errors if not isnan(row["value"])),
        key=lambda row: row["value"],
        default=None,
    )
    if row is None:
        return no_value(f"no judge has a calibration error on {keys[0]}{first_of(keys)}")
    words = (
        f"smallest calibration error on {row['question']}{first_of(keys)}: {row['evaluator']}, "
        f"n = {row['n']:,} items"
    )
    return leading_point(row["value"]), interval(row["low"], row["high"]), words


KIND = Kind(
    name="calibration",
    title="Calibration",
    method=(
        "Whether a judge's values mean what they say: the share of items that people find good "
        "among those that the judge gives one value."
    ),
    formula=[
        "Bins: each value of a judge with at most 11 different ones, else deciles of its values.",
        "Per bin: share of items with a mean rating ≥ threshold, with its interval and n.",
        "Calibration error = mean over items of |share of positives − mean value| of the item's "
        "bin, for values within 0..1, or on the question's scale: (value − low) / (high − low).",
    ],
    source="DeGroot & Fienberg (1983); Naeini, Cooper & Hauskrecht (2015).",
    options=YesNoOptions,
    build=calibration,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
)
