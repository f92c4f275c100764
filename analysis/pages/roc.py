"""ROC's page: the curves of one question, and the areas under them."""

from dataclasses import replace
from math import isnan

from analysis import charts
from analysis.pages.base import (
    NO_JUDGE,
    OF_SUBSTITUTION,
    Kind,
    best,
    first_of,
    no_value,
    of_questions,
)
from analysis.report_tables import Figure, Layout, Table, cell_of, n_words
from analysis.reports.labels import ORDERED
from analysis.reports.roc import roc
from annotate.templatetags.concord import interval, leading_point

shown = of_questions(*ORDERED)


def layout(report, question, looks):
    entries = [
        replace(entry, row=row | {"value": row["auc"], "n": row["positives"] + row["negatives"]})
        for entry in report.entries
        if (row := entry.row)
    ]
    entries.sort(key=lambda entry: -entry.row["auc"] if not isnan(entry.row["auc"]) else 1)
    figure = Figure(
        "roc",
        f"ROC curves for {question}: the {charts.MOST_CURVES} largest areas at most, the area "
        "beside each name.",
        charts.curves(report, question, looks),
    )
    title = f"AUC ({n_words(entries)})"
    areas = charts.dots(entries, "evaluator", "question", looks, title, unit_interval=True)
    lines = [(entry.row["evaluator"], _roc_cells(entry)) for entry in entries]
    caption = f"Area under the ROC curve for {question}."
    headings = ["AUC", "Positive", "Positives", "Negatives"]
    table = Table(caption, headings, lines, [], "Evaluator")
    figures = [figure, Figure("auc", f"AUC for {question} with 95 % intervals.", areas)]
    return Layout(figures, [table])


def _roc_cells(entry):
    row = entry.row
    return [cell_of(entry), f"≥ {row['threshold']:g}", row["positives"], row["negatives"]]


def headline(answers, options, judges):
    keys = [q.key for q in answers.questions if q.scale.kind in ("likert", "binary")]
    if not judges or not keys:
        return no_value("no question has an ordered scale with ends") if judges else NO_JUDGE
    row = best(roc(answers, options, keys[:1]).rows, judges, "auc")
    if row is None:
        return no_value(f"AUC on {keys[0]}{first_of(keys)} is undefined: the report says why")
    words = (
        f"largest AUC on {row['question']}{first_of(keys)}: {row['evaluator']}, "
        f"{row['positives']:,} positive and {row['negatives']:,} negative items"
    )
    return leading_point(row["auc"]), interval(row["low"], row["high"]), words


KIND = Kind(
    name="roc",
    title="ROC and AUC",
    method=(
        "How well each judge or rater tells the items that people find good, by the threshold on "
        "the mean rating, from the rest: the area under the ROC curve."
    ),
    formula=[
        "AUC = share of (positive, negative) pairs of items in which the positive one scores "
        "higher, ties counting half (Mann–Whitney U / (n₁ n₀)).",
        "Positive: mean of the included ratings of the reference ≥ threshold.",
    ],
    source="Mann & Whitney (1947); Hanley & McNeil (1982).",
    idle=("undefined", *OF_SUBSTITUTION),
    build=roc,
    shown=shown,
    layout=layout,
    headline=headline,
)
