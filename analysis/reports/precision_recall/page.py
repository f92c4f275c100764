"""Show precision and recall, for one question."""

from dataclasses import replace
from math import isnan

from analysis.figures import curves
from analysis.figures.dots import dots
from analysis.figures.layout import Cell, Figure, Layout, Table, n_words
from analysis.reports.kind import NO_JUDGE, Kind, best, first_of, no_value, of_questions
from analysis.reports.precision_recall.report import precision_recall
from analysis.reports.shared.findings import first_judge
from analysis.reports.shared.options import YesNoOptions
from analysis.reports.shared.positives import keys_with_cut
from analysis.reports.verdict.in_figures import grey_entries, grey_metric, grey_words
from annotate.templatetags.concord import interval, leading_point

list_parts = of_questions(lambda scale: scale.is_ordered)


def layout(report, question, looks):
    """Return the page of one question: the curves, and average precision."""
    entries = _as_values(report.entries)
    grey = _as_values(grey_entries(report, lambda row: row["question"] == question))
    words = grey_words(report, grey)
    entries.sort(key=lambda entry: (isnan(v := entry.row["value"]), -v))
    caption = (
        f"Precision and recall for {question}: the {curves.MOST_CURVES} largest areas at most, the "
        "average precision beside each name. Dotted: the share of positives, which a judge without "
        f"any skill has.{grey_words(report, grey, of_metrics=False)}"
    )
    plot = curves.precision_recall(report, entries, question, looks, grey)
    title = f"Average precision ({n_words(entries)})"
    shown = [*grey_metric(report, entries), *grey]
    averages = dots(shown, "evaluator", "question", looks, title, unit_interval=True)
    figures = [
        Figure("precision-recall", caption, plot),
        Figure(
            "average", f"Average precision for {question}. Lines: 95 % intervals.{words}", averages
        ),
    ]
    lines = [(entry.row["evaluator"], _cells(entry)) for entry in entries]
    headings = ["Average precision", "Share of positives", "Positive", "n"]
    table = Table(f"Average precision for {question}.", headings, lines, [], "Evaluator")
    drawn = [entry for entry in entries if not isnan(entry.row["value"])]
    return Layout(figures if drawn else [], [table])


def _as_values(entries):
    return [replace(e, row=e.row | {"value": e.row["average_precision"]}) for e in entries]


def _cells(entry):
    row = entry.row
    share = row["positives"] / row["n"] if row["n"] else float("nan")
    cell = Cell(row, row["value"], entry.reason)
    return [cell, Cell({"n": row["n"]}, share), f"≥ {row['threshold']:g}", row["n"]]


def find(report, question):
    """Say which judge finds the positive items with the fewest false ones."""
    does, measure = "finds the positive items best", f"average precision on {question}"
    return first_judge(report, "average_precision", does, measure, question=question)


def headline(answers, options, judges):
    """Return the largest average precision of a judge on the first question."""
    keys = keys_with_cut(answers.questions, options)
    if not judges or not keys:
        return no_value("no question has an ordered scale with ends") if judges else NO_JUDGE
    report = precision_recall(answers, options, keys[:1], has_figures=False)
    row = best(report.rows, judges, "average_precision")
    if row is None:
        why = "average precision is undefined: the report says why"
        return no_value(f"on {keys[0]}{first_of(keys)} {why}")
    words = (
        f"largest average precision on {row['question']}{first_of(keys)}: {row['evaluator']}; "
        f"{row['positives']:,} of {row['n']:,} items are positive"
    )
    return leading_point(row["average_precision"]), interval(row["low"], row["high"]), words


KIND = Kind(
    name="precision_recall",
    title="Precision and recall",
    method=(
        "How many of the items that a judge puts first do people find good, and how many of the "
        "good ones are among them: unlike ROC it depends on how rare good items are."
    ),
    formula=[
        "At each threshold: precision = positives among the items called so, recall = share of "
        "the positives that are called so.",
        "Average precision = Σ (Rₖ − Rₖ₋₁) Pₖ over the thresholds, from the highest down; without "
        "any skill it is the share of positives.",
        "Positive: mean of the included ratings of the reference ≥ threshold.",
    ],
    source="As scikit-learn's average_precision_score; Davis & Goadrich (2006).",
    options=YesNoOptions,
    build=precision_recall,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
)
