"""Show prediction-powered means, for one question."""

from dataclasses import replace
from math import inf, isnan

from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import Cell, Figure, Layout, Table, cross_table, details
from analysis.options.common import Compared
from analysis.reports.kind import NO_JUDGE, Kind, first_of, no_value, of_questions
from analysis.reports.prediction_powered.report import (
    CORRECTED,
    DIFFERENCE,
    EVERYTHING,
    HUMANS,
    MEAN,
    best_judge,
    overall,
    prediction_powered,
)
from annotate.templatetags.concord import interval

list_parts = of_questions(lambda scale: scale.is_ordered)


def layout(report, question, looks):
    """Return the page of one question: means and differences by system, all evaluators."""
    judge = best_judge(report, question)
    own = [entry for entry in report.entries if entry.row["evaluator"] in (HUMANS, judge)]
    means = [entry for entry in own if entry.row["method"] == MEAN]
    differences = [entry for entry in own if entry.row["method"] == DIFFERENCE]
    whose = f"people alone and with {judge}, whose scores are worth most" if judge else "people"
    figures = [
        *_figure("means", means, f"Mean of {question} by system: {whose}.", looks),
        *_figure("differences", differences, f"Differences between systems: {whose}.", looks),
    ]
    everything = [entry for entry in report.entries if entry.row["system"] == EVERYTHING]
    tables = [
        _by_evaluator([e for e in everything if e.row["method"] == MEAN], question),
        _by_system(means, f"Mean of {question} by system.", "System"),
        _by_system(differences, f"Differences of {question} between systems.", "Systems"),
        _corrected([e for e in everything if e.row["method"] == CORRECTED], question),
    ]
    every = [replace(entry, row=_in_words(entry.row)) for entry in report.entries]
    shown_rows = details(replace(report, entries=every))
    return Layout(figures, [table for table in tables if table.lines], *shown_rows)


def _as_value(row):
    return {("value" if name == "estimate" else name): value for name, value in row.items()}


def _in_words(row):
    """Return the row for people to read: rounded, a dash where undefined."""
    digits = {"lambda": 2, "n_effective": 0, "more_to_halve": 0}
    return _as_value(row) | {name: _number(row[name], places) for name, places in digits.items()}


def _figure(key, entries, caption, looks):
    """Draw a line per system, people above the judge; no figure without a value."""
    drawn = [replace(entry, row=_as_value(entry.row)) for entry in entries]
    drawn = [entry for entry in drawn if not isnan(entry.row["value"])]
    if not drawn:
        return []
    what = "Difference" if key == "differences" else "Mean"
    title = f"{what} (n = {span(entry.row['n'] for entry in drawn)})"
    plot = dots(drawn, "system", "evaluator", looks, title)
    return [Figure(key, f"{caption} Lines: 95 % intervals.", plot)]


def _by_evaluator(entries, question):
    lines = [(entry.row["evaluator"], _cells(entry)) for entry in entries]
    headings = ["Mean", "λ", "Labels", "Judge only", "Effective labels", "More to halve"]
    return Table(f"Mean of {question} over all items.", headings, lines, [], "With")


def _cells(entry):
    row = entry.row
    return [
        Cell(row, row["estimate"], entry.reason),
        _number(row["lambda"], 2),
        row["n"],
        row["n_unlabelled"],
        _number(row["n_effective"]),
        _number(row["more_to_halve"]),
    ]


def _number(value, digits=0):
    if isnan(value):
        return "–"
    return "out of reach" if value == inf else f"{value:.{digits}f}"


def _by_system(entries, caption, corner):
    cells = {(e.row["system"], e.row["evaluator"]): _with_size(e) for e in entries}
    return cross_table(caption, corner, cells)


def _with_size(entry):
    row = entry.row
    worth = "" if isnan(row["n_effective"]) else f", as {row['n_effective']:.0f} alone"
    return Cell(row, row["estimate"], entry.reason, f"n = {row['n']}{worth}")


def _corrected(entries, question):
    lines = [
        (
            entry.row["evaluator"],
            [
                Cell(entry.row, entry.row["estimate"], entry.reason),
                entry.row["n"],
                entry.row["n_unlabelled"],
            ],
        )
        for entry in entries
    ]
    caption = f"Share of yes for {question} among items without a label, corrected."
    return Table(caption, ["Share", "Labelled items", "Judge only"], lines, [], "Judge")


def headline(answers, options, judges):
    """Return the mean of the first question, with the judge whose scores are worth most."""
    keys = [q.key for q in answers.questions if q.scale.is_ordered]
    if not judges or not keys:
        return no_value("no question has an ordered scale") if judges else NO_JUDGE
    report = prediction_powered(answers, options, keys[:1])
    alone, judge = overall(report, keys[0], HUMANS), best_judge(report, keys[0])
    row = overall(report, keys[0], judge) if judge else alone
    if isnan(row["estimate"]):
        why = next(entry.reason for entry in report.entries if entry.row is row)
        return no_value(f"no mean of {keys[0]}{first_of(keys)}: {why}")
    worth = f"; with {judge} as {row['n_effective']:.0f} labels alone" if judge else ""
    words = f"mean of {keys[0]}{first_of(keys)} on {row['n']} labels{worth}"
    return f"{row['estimate']:.2f}", interval(row["low"], row["high"]), words


KIND = Kind(
    name="prediction_powered",
    title="Prediction-powered means",
    method=(
        "The mean that people would give, from the few items that they labelled and a judge's "
        "scores of all: per system, differences between systems, and how many labels alone would "
        "do as well."
    ),
    formula=[
        "θ = λ · mean(F′) + mean(Y − λF): Y labels and F scores of the n labelled, F′ scores of "
        "the N others; λ = Cov(Y, F) / ((1 + n/N) · Var(F, F′)), within 0 and 1.",
        "SE² = λ² Var(F′)/N + Var(Y − λF)/n; interval θ ± t · SE with n − 1 degrees of freedom.",
        "Effective labels n_eff = n · (SE without judge / SE)²: so many alone would do as well.",
        "Recipients with several items count once, with their mean; a difference between systems "
        "is the mean of the recipients' differences.",
        "Yes/no questions also: share corrected by sensitivity and specificity, "
        "(p + q₀ − 1)/(q₀ + q₁ − 1).",
    ],
    source="Angelopoulos, Duchi & Zrnic (2023), PPI++; Rogan & Gladen (1978); Lang & Reiczigel "
    "(2014).",
    options=Compared,
    build=prediction_powered,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
)
