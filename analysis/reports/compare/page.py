"""Show comparisons of evaluators on one measure: a sentence, a figure, a table."""

from dataclasses import replace
from math import isnan

from analysis.figures.dots import dots
from analysis.figures.layout import Figure, Layout, Table, n_words
from analysis.reports.compare.measures import COST, MEASURES, NEITHER, measures_of
from analysis.reports.compare.options import CompareOptions
from analysis.reports.compare.report import compare
from analysis.reports.compare.words import call, money_of, say_interval
from analysis.reports.correlation.report import AVERAGE
from analysis.reports.kind import NO_JUDGE, UNDEFINED, Kind, Shown
from analysis.reports.words import p_words
from annotate.templatetags.concord import leading_point

NOT_WORSE = {True: "yes", False: "not shown", None: "–"}


def list_parts(questions):
    """Return the measures of which the page shows one."""
    return Shown(
        "measure", "Measure", [(key, MEASURES[key].label) for key in measures_of(questions)]
    )


def layout(report, measure, looks):
    """Return the page of one measure: differences by question, the average first."""
    entries = sorted(report.entries, key=lambda entry: entry.row["question"] != AVERAGE)
    if not entries:
        return Layout([], [])
    drawn = [_as_value(entry) for entry in entries if not isnan(entry.row["difference"])]
    own, margin = MEASURES[measure], report.options["margin"]
    figures = [_figure(report, drawn, own, margin, looks)] if drawn and own.key != COST else []
    return Layout(figures, [_table(report, entries, own)])


def _figure(report, drawn, measure, margin, looks):
    """Draw the differences with lines at 0 and at the margin; a legend leaves these no names."""
    marks = [(0, "no difference")]
    words = "no difference"
    if margin and measure.larger != NEITHER:
        edge = -measure.larger * margin
        marks.append((edge, f"margin ({edge:g})"))
        words += f", and the margin ({edge:g})"
    if len(_evaluators(report)) > 1:
        marks = [(value, "") for value, _ in marks]
    title = f"Difference of {measure.symbol} ({n_words(drawn)})"
    plot = dots(drawn, "question", "pair", looks, title, marks=marks)
    caption = f"{measure.label}: {_less(report)}. Lines: 95 % intervals; dashed: {words}."
    return Figure("compare", caption, plot)


def _evaluators(report):
    return [*dict.fromkeys(row["evaluator"] for row in report.rows)]


def _less(report):
    """Say from which evaluators' values the other's is taken."""
    names = _evaluators(report)
    return f"{names[0] if len(names) == 1 else 'each'} less {call(report.rows[0]['other'])}"


def _as_value(entry):
    row = entry.row
    pair = f"{row['evaluator']} − {row['other']}"
    return replace(entry, row=row | {"pair": pair, "value": row["difference"]})


def _table(report, entries, measure):
    """Tabulate the differences, one line a cell; the number of rows is in the caption if it is one.

    entries: at least one.
    """
    rows = [entry.row for entry in entries]
    names = _evaluators(report)
    several = len(names) > 1
    sizes = {row["n"] for row in rows if row["question"] != AVERAGE}
    columns = {
        "Evaluator": [row["evaluator"] for row in rows] if several else None,
        measure.symbol if several else names[0]: [_write(row["value"], measure) for row in rows],
        rows[0]["other"]: [_write(row["other_value"], measure) for row in rows],
        "Difference": [_write(row["difference"], measure) for row in rows],
        "95 % interval": [say_interval(row["low"], row["high"], measure) for row in rows],
        "p": [p_words(row["p"]) for row in rows],
        "p (max-T)": [p_words(row["p_adjusted"]) for row in rows] if several else None,
        "Not worse": [NOT_WORSE[row["not_worse"]] for row in rows],
        "n": [f"{row['n']:,}" for row in rows] if len(sizes) > 1 else None,
    }
    if all(row["not_worse"] is None for row in rows):
        columns["Not worse"] = None
    shown = {name: cells for name, cells in columns.items() if cells is not None}
    lines = [
        (row["question"], list(cells))
        for row, cells in zip(rows, zip(*shown.values(), strict=True), strict=True)
    ]
    many = f", n = {sizes.pop():,}" if len(sizes) == 1 else ""
    return Table(f"{measure.label}: {_less(report)}{many}.", [*shown], lines, [], "Question")


def _write(value, measure):
    return money_of(value) if measure.key == COST else leading_point(value)


def headline(answers, options, judges):
    """Return how far the first judge of Results is ahead of a rater, or of what else is usual."""
    if not judges:
        return NO_JUDGE
    report = compare(answers, options, measures_of(answers.questions)[:1])
    averages = [e for e in report.entries if e.row["question"] == AVERAGE] or report.entries
    if not averages or isnan(averages[0].row["difference"]):
        return UNDEFINED
    row = averages[0].row
    own = MEASURES[row["measure"]]
    ends = say_interval(row["low"], row["high"], own)
    words = (
        f"{own.symbol} of {row['evaluator']}, first on Results, less that of {call(row['other'])}: "
        f"{'mean of the questions' if row['question'] == AVERAGE else row['question']}, p "
        f"{p_words(row['p'])}"
    )
    return leading_point(row["difference"]), "" if ends == "–" else ends, words


KIND = Kind(
    name="compare",
    title="Compare two",
    method=(
        "Whether one evaluator is better than another on a measure: judges, raters, means and "
        "panels, on the same items and the same draws."
    ),
    formula=[
        "Difference = measure of the first − measure of the other, both on the rows that both and "
        "people have.",
        "Interval: 2.5 % and 97.5 % of the differences in each draw of the clusters.",
        "p = (k + 1) / (B + 1), with k of B draws in which |t*| ≥ |t|: t = difference / SE, t* = "
        "(its draw − difference) / SE, SE the standard deviation of the draws.",
        "Max-T: the same of the largest |t*| of this and all evaluators with a smaller |t|, from "
        "the largest |t| down, never falling.",
        "Not worse by more than the margin: (k + 1) / (B + 1) ≤ .025 with k of B draws at or below "
        "−margin, by Holm where several are compared.",
    ],
    source="Westfall & Young (1993); Romano & Wolf (2005); Davison & Hinkley (1997), ch. 4; "
    "Piaggio et al. (2012), on margins.",
    options=CompareOptions,
    build=compare,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
    in_front=("of", "other", "margin"),
)
