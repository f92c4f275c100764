"""Show agreement: all measures among people, and a chosen measure with each judge."""

from math import isnan

from analysis.figures.dots import dots
from analysis.figures.layout import Figure, Layout, details, n_words, table_of
from analysis.reports.agreement.report import HUMANS, POOLED, agreement
from analysis.reports.kind import Kind, Shown, no_value
from analysis.reports.shared.findings import defined, pick, with_interval
from analysis.reports.shared.options import AgreementOptions
from analysis.reports.verdict.in_figures import grey_entries, grey_metric, grey_words
from analysis.stats.agreement.measures import MEASURES
from annotate.templatetags.concord import interval, leading_point

# On the page α comes before percent agreement: it allows for chance.
FIRST = ("alpha_ordinal", "alpha_nominal", "alpha_interval")
WORDS = {key: MEASURES[key].label for key in (*FIRST, *(k for k in MEASURES if k not in FIRST))}


def list_parts(questions):
    """Return the measures of which the page shows one with each judge."""
    return Shown("measure", "Measure with judges", list(WORDS.items()))


def layout(report, measure, looks):
    """Return the page: a figure of the chosen measure, and tables of people and judges."""
    words = WORDS[measure]
    people = [entry for entry in report.entries if entry.kind == HUMANS]
    joined = [entry for entry in report.entries if entry.kind == "joined"]
    chosen = [entry for entry in [*people, *joined] if entry.row["measure"] == measure]
    title = f"{words} ({n_words(chosen, 'n_units')})"
    grey = grey_entries(report, lambda row: row["measure"] == measure)
    drawn = [*grey_metric(report, chosen), *grey]
    chart = dots(drawn, "raters", "question", looks, title)
    caption = f"{words} by question. Lines: 95 % intervals.{grey_words(report, grey)}"
    figure = Figure("agreement", caption, chart)
    tables = [
        _by_measure([entry for entry in people if entry.row["raters"] == group], group)
        for group in dict.fromkeys(entry.row["raters"] for entry in people)
    ]
    tables.append(_by_raters(joined, f"{words}: people with each judge as one more rater."))
    if MEASURES[measure].pairs:
        versus = [entry for entry in report.entries if entry.kind == "versus"]
        tables.append(_by_raters(versus, f"{words}: each judge with the raters of the reference."))
    return Layout([figure], [table for table in tables if table.lines], *details(report))


def _by_measure(entries, group):
    return table_of(entries, "measure", f"Agreement of {group}.", "Measure", WORDS)


def _by_raters(entries, caption):
    return table_of(entries, "raters", caption, "Raters", {})


def find(report, measure):
    """Say on which question raters agree most, and on which least."""
    rows = defined(pick(report, HUMANS, raters=HUMANS, measure=measure), "value")
    rows = [row for row in rows if row["question"] != POOLED] or rows
    if not rows:
        return ""
    label, most, least = MEASURES[measure].label, rows[0], rows[-1]
    value = f"{label} {with_interval(most, 'value')}"
    if not rows[1:]:
        return f"Raters agree on {most['question']}: {value}."
    return (
        f"Raters agree most on {most['question']}, {value}, and least on {least['question']}, "
        f"{with_interval(least, 'value')}."
    )


def headline(answers, options, judges):
    """Return ordinal α of people on the median question, with its interval."""
    report = agreement(answers, options, [])
    rows = [row for row in report.rows if row["measure"] == "alpha_ordinal"]
    rows = [row for row in rows if row["question"] != POOLED]
    rows = [row for row in rows if row["raters"] == "humans" and not isnan(row["value"])]
    if not rows:
        ordinal = any(q.scale.has_ordered_points for q in answers.questions)
        why = "α is undefined for every question: the report says why"
        return no_value(why if ordinal else "no question has an ordinal scale for α")
    row = sorted(rows, key=lambda row: row["value"])[len(rows) // 2]
    words = (
        f"Krippendorff's ordinal α of people on {row['question']}, the median question, "
        f"n = {row['n_units']:,} items"
    )
    return leading_point(row["value"]), interval(row["low"], row["high"]), words


KIND = Kind(
    name="agreement",
    title="Agreement",
    method=(
        "How far people agree among themselves, with each judge as one more rater, and each judge "
        "with the raters of a role; several coefficients, as each has its blind spot."
    ),
    formula=[*dict.fromkeys(measure.formula for measure in MEASURES.values())],
    source="; ".join(dict.fromkeys(measure.source for measure in MEASURES.values())) + ".",
    options=AgreementOptions,
    build=agreement,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
)
