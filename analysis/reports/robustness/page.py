"""Show robustness: what changes of a prompt do to a judge's answers."""

from dataclasses import replace
from math import isnan

from analysis.answers.perturbed import Perturbed
from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import Cell, Figure, Layout, Table, details
from analysis.reports.kind import NO_JUDGE, Kind, no_value, of_questions
from analysis.reports.robustness.options import RobustnessOptions
from analysis.reports.robustness.report import CHANGE, EVERY, FAILURES, FLIPS, ROBUSTNESS, robust
from annotate.templatetags.concord import interval, leading_point
from judges.perturbations.relations import RELATIONS

SAME_AGAIN = "Same prompt again"
CAPTIONS = {
    ROBUSTNESS: "robustness: 1 − mean change / range of the scale, or 1 − share of other answers.",
    CHANGE: "mean absolute change of an answer, in points of the scale.",
    FLIPS: "share of the answers that are another one.",
    "spearman": "Spearman's ρ with the answers to the unchanged prompt.",
    "kendall": "Kendall's τ-b with the answers to the unchanged prompt.",
    FAILURES: "share of the replies without a value.",
}
HEADINGS = ["Changed prompt", SAME_AGAIN, "Difference"]
list_parts = of_questions(lambda scale: scale.has_values)


def layout(report, question, looks):
    """Return the page of one question: a table per measure, robustness and excess as figures."""
    own = [entry for entry in report.entries if entry.row["question"] == question]
    tables = [_table(own, measure, question) for measure in CAPTIONS]
    figures = [_figure(own, ROBUSTNESS, question, looks), _excess(own, question, looks)]
    everything, more = details(replace(report, entries=own))
    return Layout(
        [figure for figure in figures if figure],
        [table for table in tables if table.lines],
        everything,
        more,
    )


def label(relation):
    """Return a relation's label; the key of a relation that no longer exists."""
    if relation == EVERY:
        return "All relations"
    return RELATIONS[relation].label if relation in RELATIONS else relation


def _table(entries, measure, question):
    lines = [
        (f"{entry.judge}: {_named(entry.row)}", [_cell(entry, name) for name in PARTS])
        for entry in entries
        if entry.row["measure"] == measure
    ]
    return Table(f"{question}: {CAPTIONS[measure]}", HEADINGS, lines, [], "Judge and relation")


PARTS = {"value": "", "floor": "floor_", "excess": "excess_"}


def _named(row):
    return label(row["relation"]) + (f" ({row['setting']})" if row["setting"] else "")


def _cell(entry, name):
    row, before = entry.row, PARTS[name]
    ends = {"low": row[f"{before}low"], "high": row[f"{before}high"]}
    return Cell(ends, row[name], entry.reason, f"n = {row['n']:,}")


def _figure(entries, measure, question, looks):
    """Draw a line per relation, the same prompt again first."""
    defined = [e for e in entries if e.row["measure"] == measure and not isnan(e.row["value"])]
    if not defined:
        return None
    again = {entry.judge: _as_floor(entry) for entry in reversed(defined)}
    drawn = [*again.values(), *(_labelled(entry) for entry in defined)]
    title = f"Robustness (n = {span(e.row['n'] for e in defined)})"
    caption = f"{question}: {CAPTIONS[measure]} Lines: 95 % intervals."
    plot = dots(drawn, "relation", "evaluator", looks, title, unit_interval=True)
    return Figure("robustness", caption, plot)


def _as_floor(entry):
    row = entry.row
    numbers = {"value": row["floor"], "low": row["floor_low"], "high": row["floor_high"]}
    return replace(entry, row=row | numbers | {"relation": SAME_AGAIN})


def _labelled(entry):
    return replace(entry, row=entry.row | {"relation": label(entry.row["relation"])})


def _excess(entries, question, looks):
    """Draw how many more answers change than by asking again."""
    defined = [e for e in entries if e.row["measure"] == FLIPS and not isnan(e.row["excess"])]
    if not defined:
        return None
    drawn = []
    for entry in defined:
        row = entry.row
        numbers = {"value": row["excess"], "low": row["excess_low"], "high": row["excess_high"]}
        drawn.append(_labelled(replace(entry, row=row | numbers)))
    title = f"Other answers beyond chance (n = {span(e.row['n'] for e in defined)})"
    caption = (
        f"{question}: share of other answers, less that of the same prompt asked again. Lines: "
        "95 % intervals."
    )
    return Figure("excess", caption, dots(drawn, "relation", "evaluator", looks, title))


def headline(answers, options, judges):
    """Return the robustness of the judge and relation that fall furthest below asking again."""
    if not judges:
        return NO_JUDGE
    rows = [row for row in robust(answers, options).rows if row["measure"] == ROBUSTNESS]
    rows = [row for row in rows if row["relation"] != EVERY and not isnan(row["excess"])]
    if not rows:
        return no_value("no judge was tested with changed prompts: its page has the button")
    worst = min(rows, key=lambda row: row["excess"])
    words = (
        f"least robust: {worst['evaluator']} under {label(worst['relation']).lower()} on "
        f"{worst['question']}; the same prompt again {leading_point(worst['floor'])}, "
        f"n = {worst['n']:,} items"
    )
    return leading_point(worst["value"]), interval(worst["low"], worst["high"]), words


KIND = Kind(
    name="robustness",
    title="Robustness",
    method=(
        "Whether a judge's answers move when its prompt is changed in ways that should not matter "
        "(another scale, spaces, random words, another order, politeness), beside how far they "
        "move when the same prompt is asked again: the noise floor."
    ),
    formula=[
        "Change: mean over items of the mean |changed − unchanged| over all pairs of answers to "
        "the changed and to the unchanged prompt; floor: the same over all pairs of answers to the "
        "unchanged prompt; difference: change − floor, over the items that have both. Flips: the "
        "same with 1[changed ≠ unchanged], of answers at the nearest point of the question's scale "
        "(halves down): one that was mapped back may lie between two.",
        "Robustness = 1 − change / (highest − lowest point of the scale); of choices 1 − flips. "
        "1: no answer moves. A judge that answers by chance stands at its floor.",
        "Rank correlations: Spearman's ρ and Kendall's τ-b over all pairs of answers at once.",
        "Answers on a multiplied or shifted scale are mapped back first; "
        "all relations: the mean over them, on items that all of them have.",
    ],
    source=(
        "the relations of Khirbat et al., Metamorphic Evaluation of ChatGPT as a Recommender "
        "System, table 1, and their like; intervals by cluster bootstrap, Davison & Hinkley (1997)."
    ),
    options=RobustnessOptions,
    build=robust,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
    watch=Perturbed.known_by,
    needs_ratings=False,
)
