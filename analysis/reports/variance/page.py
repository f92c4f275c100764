"""Show variance components: what people's ratings differ by, and how many raters are enough."""

from math import isnan, nan

from analysis.figures.frame import INK
from analysis.figures.layout import Cell, Figure, Layout, Table
from analysis.figures.lines import bars, series
from analysis.figures.looks import PEOPLE
from analysis.reports.kind import Kind, first_of, no_value, of_questions
from analysis.reports.variance.options import VarianceOptions
from analysis.reports.variance.report import COMPONENT, GENERALISABILITY, RETEST, variance
from analysis.reports.words import worded
from annotate.templatetags.concord import interval, leading_point

RETESTS = {
    "exact_agreement": "the same answer again",
    "kappa_quadratic": "κ, quadratic weights",
    "icc_a_1": "ICC(A,1)",
    "mean_change": "mean absolute change",
}
list_parts = of_questions(lambda scale: scale.is_ordered)


def layout(report, question, looks):
    """Return the page of one question: components, generalisability and test–retest."""
    entries_by_part = {
        part: [e for e in report.entries if e.kind == part]
        for part in (COMPONENT, GENERALISABILITY, RETEST)
    }
    figures = []
    defined = [e.row for e in entries_by_part[COMPONENT] if not isnan(e.row["share"])]
    if defined:
        rows = [(r["component"], r["share"], r["share_low"], r["share_high"]) for r in defined]
        title = f"Share of the variance (n = {defined[0]['n']:,} ratings)"
        caption = f"{question}: what the ratings differ by. Lines: 95 % intervals."
        figures.append(Figure("components", caption, bars(rows, title)))
    if any(not isnan(entry.row["value"]) for entry in entries_by_part[GENERALISABILITY]):
        figures.append(_curve(entries_by_part[GENERALISABILITY], question))
    return Layout(
        figures,
        [
            _components(entries_by_part[COMPONENT], question),
            _raters(entries_by_part[GENERALISABILITY], question),
            _retest(entries_by_part[RETEST], question),
        ],
    )


def _curve(entries, question):
    lines = [
        (name, colour, [_point(e.row) for e in entries if e.row["component"] == name])
        for name, colour in (("relative", PEOPLE), ("absolute", INK))
    ]
    n = entries[0].row["n"]
    plot = series(lines, "Raters an item", f"Coefficient (n = {n:,} ratings)", [-0.02, 1.02])
    caption = (
        f"{question}: how far the mean of K raters stands for all raters; relative where the same "
        "raters rate all items, absolute where each item has its own. Lines: 95 % intervals."
    )
    return Figure("generalisability", caption, plot)


def _point(row):
    return row["raters"], row["value"], row["low"], row["high"]


def _components(entries, question):
    lines = []
    for entry in entries:
        row = entry.row
        share = {"low": row["share_low"], "high": row["share_high"]}
        why = entry.reason.removeprefix(f"{row['component']}: ")
        lines.append(
            (row["component"], [row["levels"], worded(row), Cell(share, row["share"]), why or "–"])
        )
    caption = f"{question}: variance components of people's ratings."
    return Table(caption, ["How many", "Variance", "Share", "Why none"], lines, [], "Component")


def _raters(entries, question):
    cells = {
        (e.row["raters"], e.row["component"]): Cell(e.row, e.row["value"], e.reason)
        for e in entries
    }
    numbers = list(dict.fromkeys(entry.row["raters"] for entry in entries))
    lines = [(k, [cells[k, "relative"], cells[k, "absolute"]]) for k in numbers]
    caption = f"{question}: generalisability of the mean of K raters."
    return Table(caption, ["Relative", "Absolute"], lines, [], "K")


def _retest(entries, question):
    lines = [
        (RETESTS[row["component"]], [worded(row, 2), row["n"], row["levels"], entry.reason or "–"])
        for entry in entries
        for row in [entry.row]
    ]
    caption = f"{question}: people who were shown an item twice."
    return Table(caption, ["Value", "Answers", "People", "Why none"], lines, [], "Measure")


def headline(answers, options, judges):
    """Return the absolute coefficient of the study's number of raters, on the first question."""
    keys = [q.key for q in answers.questions if q.scale.is_ordered]
    if not keys:
        return no_value("no question has a scale with an order")
    report = variance(answers, options, keys[:1], retest=False)
    k = min(max(answers.study.raters_per_item, 1), 10)
    row = next(
        (r for r in report.rows if (r["component"], r["raters"]) == ("absolute", k)), {"value": nan}
    )
    if isnan(row["value"]):
        return no_value(f"no variance of items on {keys[0]}{first_of(keys)}: the report says why")
    words = (
        f"how far the mean of {k} rater{'' if k == 1 else 's'} stands for all raters on {keys[0]}"
        f"{first_of(keys)}, n = {row['n']:,} ratings"
    )
    return leading_point(row["value"]), interval(row["low"], row["high"]), words


KIND = Kind(
    name="variance",
    title="Variance",
    method=(
        "What people's ratings differ by: strict and mild raters, recipients, contents, systems, "
        "items, or chance. From this follows how many raters an item needs. And how far people "
        "agree with themselves where an item was shown twice."
    ),
    formula=[
        "y = mean + rater + recipient + content + system + item + residual, all random and "
        "independent. MINQUE(0): ‖Z′(y − ȳ)‖² of each factor and Σ(y − ȳ)² are equated with their "
        "expectations, and the linear equations solved.",
        "Share: a component / the sum of all, those below 0 counting as 0.",
        "V = recipient + content + system + item. Relative: V / (V + residual/K); absolute: "
        "V / (V + (rater + residual)/K).",
        "Test–retest: share of equal answers, Cohen's κ with quadratic weights, ICC(A,1) and the "
        "mean of |second − first|, over all answers given twice.",
    ],
    source=(
        "Rao (1971); Hartley, Rao & LaMotte (1978); Brennan (2001), Generalizability Theory; "
        "McGraw & Wong (1996)."
    ),
    options=VarianceOptions,
    build=variance,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
)
