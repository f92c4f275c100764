"""Show how judges do next to people, in words and some figures."""

from dataclasses import replace
from math import isnan, nan

from analysis.answers.perturbed import Perturbed
from analysis.figures.layout import Cell, Figure, Layout, Table
from analysis.reports.bias.bias import BIAS
from analysis.reports.bias.robustness import TEST
from analysis.reports.kind import NO_JUDGE, Kind, no_value, of_questions
from analysis.reports.overview.report import (
    CEILING,
    FIGURES,
    KINDNESS,
    MOST_JUDGES,
    PLACE,
    ROBUST,
    WORTH,
    overview,
)
from analysis.reports.prediction_powered.report import MEANS_OF_PEOPLE
from analysis.reports.substitution import page as substitution
from analysis.reports.substitution.options import SubstitutionOptions
from analysis.reports.substitution.report import agreement_words

# What each of the figures answers, and which figure of which report it is.
DRAWN_BY = {
    PLACE: (
        "Is it as close to people as a rater is?",
        "substitution",
        "advantage",
        substitution.layout,
    ),
    CEILING: (
        "Does it follow people as they follow one another?",
        "substitution",
        "ceiling",
        substitution.layout,
    ),
    WORTH: (
        "What do its scores add to people's labels?",
        "prediction_powered",
        "means",
        MEANS_OF_PEOPLE.layout,
    ),
    KINDNESS: ("Does it err in one direction?", "bias", "kindness", BIAS.layout),
    ROBUST: (
        "Do its answers stay when only its prompt changes?",
        "robustness",
        "robustness",
        TEST.layout,
    ),
}
UNDRAWN = {
    PLACE: "no rater can be tested: two raters of the same 30 items are needed.",
    CEILING: "nobody can be compared with the other raters; how closely a judge follows the "
    "raters there are stands in Correlation.",
    WORTH: "too few labels for a mean with an interval, or the question has no order.",
    ROBUST: "no test has two answers to compare.",
    KINDNESS: "no judge has values on the question's scale beside people's, or it has no order.",
}
GAPS = "What no figure can show."
list_parts = of_questions(lambda scale: scale.has_values)


def figure_of(report, name, question, looks):
    """Return (figure, ""), or (None, why there is none), for one part of the overview.

    Without a test of robustness both are empty: a test is optional, so nothing is missing.
    """
    title, source, key, layout = DRAWN_BY[name]
    if source not in report.sources:
        return None, f"{title} Cannot be said: no judge has scored an item."
    if name == ROBUST and not report.sources[source].entries:
        return None, ""
    own_report = _of_question(report, report.sources[source], question)
    usual = layout(own_report, question, looks).figures if own_report.entries else []
    figure = next((candidate for candidate in usual if candidate.key == key), None)
    words = _about_worth(report.sources[source], question) if name == WORTH else ""
    if figure is None:
        return None, f"{title} Cannot be said: {UNDRAWN[name]}{words}"
    some = (
        f" The {MOST_JUDGES} judges that follow people most closely."
        if _most(report, question)[1]
        else ""
    )
    return Figure(f"overview-{name}", f"{title} {figure.caption}{some}{words}", figure.plot), ""


def _of_question(report, source, question):
    """Return the source with the entries of the question and the drawn judges only."""
    drawn, _ = _most(report, question)
    kept = [
        entry
        for entry in source.entries
        if entry.row["question"] == question and (not entry.judge or entry.judge in drawn)
    ]
    return replace(source, entries=kept)


def _most(report, question):
    """Choose the judges that are drawn, by r less people's r; say whether there are more."""
    rows = [row for row in report.rows if (row["figure"], row["question"]) == (CEILING, question)]
    rows.sort(key=lambda row: 1.0 if isnan(row["value"]) else -row["value"])
    return [row["evaluator"] for row in rows[:MOST_JUDGES]], len(rows) > MOST_JUDGES


def _about_worth(source, question):
    """Return the source's sentence on the question, if there is one."""
    sentences = [sentence for sentence in source.verdict if sentence.startswith(f"{question}: ")]
    return f" {sentences[0]}" if sentences else ""


def layout(report, question, looks):
    """Return the page of one question: a figure per part, the tests, and missing figures."""
    drawn = {name: figure_of(report, name, question, looks) for name in FIGURES}
    gaps = [(why, []) for figure, why in drawn.values() if figure is None and why]
    tables = [_table(report, question), Table(GAPS, [], gaps, [], "Why")]
    figures = [figure for figure, _ in drawn.values() if figure]
    return Layout(figures, [table for table in tables if table.lines])


def _table(report, question):
    """A line per judge: the verdict on the question, and the four numbers."""
    cells: dict = {}
    for entry in report.entries:
        if entry.row["question"] == question:
            cells.setdefault(entry.judge, {})[entry.row["figure"]] = entry
    headings = [
        "Alternative annotator test",
        "Advantage probability",
        "r less people's r",
        "Effective labels",
        "Judge − people",
    ]
    names = FIGURES if any(ROBUST in own for own in cells.values()) else FIGURES[:-1]
    lines = [(judge, _line(own, names)) for judge, own in cells.items()]
    headings += ["Robustness"] if ROBUST in names else []
    return Table(f"Tests and numbers for {question}.", headings, lines, [], "Judge")


def _line(own, names):
    verdict = own[PLACE].row["verdict"] if PLACE in own else "–"
    return [verdict, *(_cell(own.get(name), name) for name in names)]


def _cell(entry, name):
    if entry is None:
        return "–"
    row = entry.row
    if name == WORTH:
        return "–" if isnan(row["value"]) else f"{row['value']:.0f} (n = {row['n']:,})"
    ends = row if not isnan(row["low"]) else {"low": nan, "high": nan}
    return Cell(ends, row["value"], entry.reason, f"n = {row['n']:,}")


def headline(answers, options, judges):
    """Return how many judges pass the alternative annotator test on every question."""
    keys = [key for key, _ in list_parts(answers.questions).choices]
    if not judges or not keys:
        return no_value("no question has a scale to compare on") if judges else NO_JUDGE
    tests = substitution.substitution(answers, replace(options, draws=0))
    if not any(row["tested"] for row in tests.rows):
        return no_value("no judge can be tested yet: the report says what is missing")
    passed = {judge: 0 for judge in judges}
    for row in tests.rows:
        passed[row["evaluator"]] += bool(row["passes"])
    all_of_them = sum(count == len(keys) for count in passed.values())
    some = sum(0 < count < len(keys) for count in passed.values())
    also = f", {some} more on some" if some else ""
    every = "the question" if len(keys) == 1 else f"all {len(keys)} questions"
    rows = {row["question"]: row for row in tests.rows if row["tested"]}
    people = "; ".join(agreement_words(key, row) for key, row in rows.items())
    words = f"of {len(judges)} judges pass the alternative annotator test on {every}{also}"
    return f"{all_of_them}", "", f"{words}; {people}"


KIND = Kind(
    name="overview",
    title="Judges at a glance",
    method=(
        "How far people agree, how each judge does in the alternative annotator test, and figures "
        "of the other reports: the advantage over a rater, the human ceiling, how many labels "
        "alone would do as well, the judge's bias, and its robustness where it was tested."
    ),
    formula=[
        "Passed, not passed: the alternative annotator test of Substitution, on every question "
        "that has a scale; not tested: no rater could be tested, and why. It is no verdict on "
        "whether a judge can replace people.",
        "Effective labels: people's labels that would give as narrow an interval without the "
        "judge's scores as the n labels do with them.",
        "The figures are those of Substitution (advantage, human ceiling), Prediction-powered "
        "means, Bias (mean of judge − people) and Robustness, with the same options; nothing else "
        "is computed.",
    ],
    source="as in Substitution, Prediction-powered means, Bias and Robustness.",
    options=SubstitutionOptions,
    build=overview,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
    watch=Perturbed.known_by,
)
