"""Show raters one by one: answers as diverging bars, pace, straight lines, agreement."""

from dataclasses import replace
from math import isnan
from statistics import median

from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import MOST_ROWS, Cell, Figure, Layout, Table
from analysis.figures.likert import likert
from analysis.reports.kind import Kind, no_value, of_questions
from analysis.reports.raters.report import raters
from analysis.reports.shared.findings import defined, pick, with_interval
from analysis.reports.shared.labels import MOST_LABELS
from analysis.reports.shared.options import PeopleOptions
from annotate.templatetags.concord import duration, leading_point

MOST_BARS = 30
MINUTE = 60
list_parts = of_questions(lambda scale: scale.has_values)


def layout(report, question, looks):
    """Return the page of one question: the bars, the agreement with the others, the table."""
    entries = report.entries
    figures = []
    if bars := _bars(entries, report.curves.get(question, [])):
        plot = likert(bars)
        caption = f"{question}: answers of each rater; the middle of the scale around zero."
        figures.append(Figure("bars", caption, plot))
    defined = [
        replace(e, row=e.row | {"value": e.row["r"]}) for e in entries if not isnan(e.row["r"])
    ]
    defined = sorted(defined, key=lambda entry: -entry.row["value"])[: 2 * MOST_BARS]
    if defined:
        title = f"r with the others (n = {span(e.row['n'] for e in defined)} items)"
        plot = dots(defined, "rater", "question", looks, title)
        caption = f"{question}: agreement with the mean of the others. Lines: 95 % intervals."
        figures.append(Figure("with_others", caption, plot))
    return Layout(figures, [_table(entries[:MOST_ROWS], question)], None, 0)


def _bars(entries, labels):
    """Return [(rater, [(label, count)])] of an ordered scale with few points."""
    if not 1 < len(labels) <= MOST_LABELS:
        return []
    rows = [entry.row for entry in entries if sum(entry.row["counts"])]
    return [
        (row["rater"], list(zip(labels, row["counts"], strict=True))) for row in rows[:MOST_BARS]
    ]


def _table(entries, question):
    headings = [
        "answers",
        "items",
        "seconds an item",
        "r with the others",
        "straight lines",
        "state",
    ]
    lines = [
        (
            entry.row["rater"],
            [
                f"{entry.row['n_answers']:,}",
                f"{entry.row['n_items']:,}",
                _pace(entry.row),
                Cell(entry.row, entry.row["r"], entry.reason, f"n = {entry.row['n']:,}"),
                _straight(entry.row),
                f"excluded: {entry.row['reason']}" if entry.row["excluded"] else "counts",
            ],
        )
        for entry in entries
    ]
    return Table(f"Raters on {question}.", headings, lines, [], "Rater")


def _pace(row):
    """Write a rater's pace with its interval: 11.2 s [10.9 s, 12.0 s]."""
    words = _seconds(row["seconds"])
    if isnan(row["seconds_low"]):
        return words
    return f"{words} [{_seconds(row['seconds_low'])}, {_seconds(row['seconds_high'])}]"


def _seconds(value):
    """Write seconds with a decimal below a minute, as an interval may be narrower than a second."""
    return f"{value:.1f} s" if 0 <= value < MINUTE else duration(value)


def _straight(row):
    if not row["straight_n"]:
        return None
    ends = {"low": row["straight_low"], "high": row["straight_high"]}
    return Cell(ends, row["straight"], size=f"n = {row['straight_n']:,}")


def find(report, question):
    """Say who follows the other raters least."""
    rows = defined(pick(report, "rater", question=question), "r")
    if not rows[1:]:
        return ""
    middle = leading_point(median(row["r"] for row in rows))
    return (
        f"Of {len(rows)} raters {rows[-1]['rater']} follows the others least on {question}: "
        f"r {with_interval(rows[-1], 'r')}; the median is {middle}."
    )


def headline(answers, options, judges):
    """Return how many raters there are, how many are excluded, and their median pace."""
    report = raters(answers, replace(options, draws=0))
    rows = {row["rater"]: row for row in report.rows}
    if not rows:
        return no_value("nobody has rated yet")
    out = sum(row["excluded"] for row in rows.values())
    paces = sorted(row["seconds"] for row in rows.values() if not isnan(row["seconds"]))
    pace = f"; median {duration(paces[len(paces) // 2])} an item" if paces else ""
    return f"{len(rows):,}", "", f"raters, {out:,} of them excluded{pace}"


KIND = Kind(
    name="raters",
    title="Raters",
    method=(
        "Each rater’s answers, pace, straight lines and agreement with the others, and whether "
        "they count. What the exclusion rules would change stands under Exclusions."
    ),
    formula=[
        "r: Pearson's correlation of a rater's answers with the mean of all others' (leave one "
        "out), on the items that both rated.",
        "straight lines: share of the items on which all Likert answers are equal.",
        "seconds an item: the median; its interval and that of straight lines draw the rater's "
        "recipients (else contents, else items) again.",
    ],
    source="Nunnally & Bernstein (1994), corrected item–total correlation.",
    options=PeopleOptions,
    build=raters,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
)
