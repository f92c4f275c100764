"""Show ROC: the curves of one question, and the areas under them."""

from dataclasses import replace
from math import inf, isnan

from analysis.figures import curves
from analysis.figures.dots import dots
from analysis.figures.layout import Figure, Layout, Table, cell_of, n_words
from analysis.reports.kind import NO_JUDGE, Kind, best, first_of, no_value, of_questions
from analysis.reports.roc.report import main_entries, roc
from analysis.reports.shared.findings import first_judge
from analysis.reports.shared.options import YesNoOptions
from analysis.reports.shared.positives import keys_with_cut
from analysis.reports.verdict.in_figures import grey_entries, grey_metric, grey_words
from annotate.templatetags.concord import interval, leading_point

ORDINAL = "ordinal"
list_parts = of_questions(lambda scale: scale.is_ordered)


def layout(report, question, looks):
    """Return the page of one question: curves with bands, areas, and AUC by threshold."""
    entries = [replace(e, row=e.row | {"value": e.row["auc"]}) for e in main_entries(report)]
    entries.sort(key=lambda entry: -entry.row["auc"] if not isnan(entry.row["auc"]) else 1)
    title = f"AUC ({n_words(entries)})"
    grey = [
        replace(entry, row=entry.row | {"value": entry.row["auc"]})
        for entry in grey_entries(report, lambda row: row["question"] == question)
    ]
    words = grey_words(report, grey)
    figure = Figure(
        "roc",
        f"ROC curves for {question}: the {curves.MOST_CURVES} largest areas at most, the area "
        f"beside each name{_shaded(report)}.{grey_words(report, grey, of_metrics=False)}",
        curves.roc_curves(report, entries, question, looks, grey),
    )
    drawn = [*grey_metric(report, entries), *grey]
    areas = dots(drawn, "evaluator", "question", looks, title, chance=0.5)
    lines = [(entry.row["evaluator"], _roc_cells(entry)) for entry in entries]
    caption = f"Area under the ROC curve for {question}."
    headings = ["AUC", "Positive", "Positives", "Negatives"]
    tables = [Table(caption, headings, lines, [], "Evaluator"), _by_cut(report, entries, question)]
    figures = [
        figure,
        Figure("auc", f"AUC for {question} with 95 % intervals.{words}", areas),
    ]
    return Layout(figures, [table for table in tables if table.headings])


def _shaded(report):
    if not any(band.grid for band in report.bands.values()):
        return ""
    names = ", ".join(name for (name, _), band in report.bands.items() if band.grid)
    return f"; shaded: 95 % bands of {names}, for each false positive rate by itself"


def _by_cut(report, entries, question):
    """Tabulate AUC by threshold, the ordinal AUC last; no columns with a single threshold."""
    cells = {(e.row["evaluator"], _positive(e.row)): cell_of(e) for e in report.entries}
    rows = sorted((e.row for e in report.entries), key=_by_threshold)
    cuts = list(dict.fromkeys(_positive(row) for row in rows))
    cuts = cuts if len(cuts) > 1 else []
    names = [entry.row["evaluator"] for entry in entries]
    lines = [(name, [cells[name, cut] for cut in cuts]) for name in names]
    caption = f"AUC for {question} by the rating that counts as positive, and over all of them."
    return Table(caption, cuts, lines, [], "Evaluator")


def _by_threshold(row):
    return inf if isnan(row["threshold"]) else row["threshold"]


def _positive(row):
    return ORDINAL if isnan(row["threshold"]) else f"≥ {row['threshold']:g}"


def _roc_cells(entry):
    row = entry.row
    return [cell_of(entry), _positive(row), row["positives"], row["negatives"]]


def find(report, question):
    """Say which judge tells high answers from low ones best."""
    main = replace(report, entries=main_entries(report))
    does = "tells high from low answers best"
    return first_judge(main, "auc", does, f"AUC on {question}", question=question)


def headline(answers, options, judges):
    """Return the largest AUC of a judge on the first question."""
    keys = keys_with_cut(answers.questions, options)
    if not judges or not keys:
        return no_value("no question has an ordered scale with ends") if judges else NO_JUDGE
    row = best(roc(answers, options, keys[:1], every_cut=False).rows, judges, "auc")
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
        "Band: at each false positive rate the interval of the curve over the bootstrap draws, "
        "straight between two points.",
        "Positive: mean of the included ratings of the reference ≥ threshold.",
        "Ordinal: the same over all pairs of items with different ratings, (Somers' D + 1) / 2.",
    ],
    source="Mann & Whitney (1947); Somers (1962); Hanley & McNeil (1982); Macskassy, "
    "Provost & Rosset (2005).",
    options=YesNoOptions,
    build=roc,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
)
