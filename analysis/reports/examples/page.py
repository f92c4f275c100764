"""Show examples: P0's figure 3, zero-shot against one-shot and personalised one-shot."""

from dataclasses import replace
from math import isnan

from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import Figure, Layout, any_value, details
from analysis.reports.correlation.page import LABELS, list_parts, wide
from analysis.reports.correlation.report import AVERAGE, LEVELS
from analysis.reports.examples.report import examples, families_of
from analysis.reports.kind import NO_JUDGE, Kind, no_value
from analysis.reports.shared.options import CorrelationOptions
from annotate.templatetags.concord import interval, leading_point

WORDS = {"zero": "zero-shot", "one": "one-shot", "personalised": "personalised one-shot"}


def layout(report, coefficient, looks):
    """Return the page of one coefficient: a figure per family and level, and the wide table."""
    words = LABELS[coefficient]
    levels = [level for level in LEVELS if any_value(report.rows, level=level)]
    families = list(dict.fromkeys(row["family"] for row in report.rows))
    figures = [
        _figure(report, family, level, words, looks) for family in families for level in levels
    ]
    named = replace(report, entries=[_named(entry) for entry in report.entries])
    tables = [wide(named, words, levels)] if families else []
    return Layout(figures, tables, *details(report))


def _figure(report, family, level, words, looks):
    """Draw a line for each question, with a marker for each example."""
    own = [
        replace(entry, row=entry.row | {"example": WORDS[entry.row["example"]]})
        for entry in report.entries
        if (entry.row["family"], entry.row["level"]) == (family, level)
    ]
    sizes = [e.row["n"] for e in own if e.row["question"] != AVERAGE and not isnan(e.row["value"])]
    title = f"{words}, {level} (n = {span(sizes)})"
    caption = (
        f"{family}: {words} at the {level} level by question, without an example and with one. "
        "Lines: 95 % intervals."
    )
    plot = dots(own, "question", "example", looks, title)
    return Figure(f"{family_key(report, family)}-{level}", caption, plot)


def family_key(report, family):
    """Return the name of a family's figure file, whatever the judge is called."""
    families = list(dict.fromkeys(row["family"] for row in report.rows))
    return f"examples-{families.index(family) + 1}"


def _named(entry):
    """Return the entry named by judge and example, for the wide table."""
    row = entry.row
    name = f"{row['evaluator']} ({WORDS[row['example']]})"
    return replace(entry, row=row | {"evaluator": name})


def headline(answers, options, judges):
    """Return the largest Pearson r among judges that differ in the example."""
    if not judges:
        return NO_JUDGE
    if not families_of(answers.designs, judges):
        return no_value("no two judges differ only in the example of their prompt")
    rows = examples(answers, options, ["pearson"]).rows
    rows = [row for row in rows if (row["question"], row["level"]) == (AVERAGE, "dataset")]
    rows = [row for row in rows if not isnan(row["value"])]
    if not rows:
        return no_value("the correlation of every such judge is undefined")
    row = max(rows, key=lambda row: row["value"])
    words = (
        f"largest Pearson r among judges that differ in the example: {row['evaluator']}, "
        f"{WORDS[row['example']]}, mean of the questions"
    )
    return leading_point(row["value"]), interval(row["low"], row["high"]), words


KIND = Kind(
    name="examples",
    title="Examples in prompts",
    method=(
        "What an example in the prompt is worth: judges that differ in nothing but the example "
        "(none, another rating of the same system, one of the same recipient), side by side."
    ),
    formula=[
        "A family: LLM judges with one endpoint, prompt and settings, but for the example.",
        "Levels and coefficients as in the report of correlation.",
        "Whether two of them differ by more than chance stands in the report of differences.",
    ],
    source="Three-level meta-evaluation of explanation texts by LLMs (2024), figure 3.",
    options=CorrelationOptions,
    build=examples,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
)
