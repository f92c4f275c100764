"""Show the items that judges misjudge, with links, for one question."""

from collections import Counter
from dataclasses import replace
from math import isnan

from django.urls import reverse

from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import Figure, Layout, Link, Table, cell_of, cross_table
from analysis.reports.kind import NO_JUDGE, Kind, first_of, no_value, of_questions
from analysis.reports.misjudged.report import (
    EVERYTHING,
    FALSE_NEGATIVE,
    FALSE_POSITIVE,
    SHARE,
    misjudged,
)
from analysis.reports.shared.options import YesNoOptions
from analysis.reports.shared.positives import keys_with_cut

MOST_ITEMS = 50
MOST_DRAWN = 6  # judges of the figure
MOST_SYSTEMS = 30
CAPTIONS = {
    FALSE_POSITIVE: "judge aligned, people not",
    FALSE_NEGATIVE: "people aligned, judge not",
}
list_parts = of_questions(lambda scale: scale.is_ordered)


def layout(report, question, looks):
    """Return the page of one question: shares by system, counts, and the farthest items."""
    lists = [_items(report, question, kind) for kind in CAPTIONS]
    shares = [entry for entry in report.entries if entry.row["kind"] == SHARE]
    tables = [_counts(report, question), _shares(shares, question), *lists]
    return Layout(_figures(shares, question, looks), [table for table in tables if table.lines])


def _figures(shares, question, looks):
    """Draw shares by system for the judges that misjudge least, over all items without systems."""
    defined = [entry for entry in shares if not isnan(entry.row["value"])]
    all_items = sorted(
        (entry for entry in defined if entry.row["system"] == EVERYTHING),
        key=lambda entry: entry.row["value"],
    )
    judges = [entry.judge for entry in all_items[:MOST_DRAWN]]
    systems = list(dict.fromkeys(entry.row["system"] for entry in defined))[: MOST_SYSTEMS + 1]
    drawn = [entry for entry in defined if entry.judge in judges and entry.row["system"] in systems]
    if not drawn:
        return []
    title = f"Judge aligned, people not (n = {span(entry.row['of'] for entry in drawn)})"
    plot = dots(_with_n(drawn), "system", "evaluator", looks, title)
    some = f"; the {MOST_DRAWN} judges with the fewest" if len(all_items) > MOST_DRAWN else ""
    caption = (
        f"{question}: share of a system's items that a judge finds good and people do not{some}. "
        "Lines: 95 % intervals."
    )
    return [Figure("misjudged", caption, plot)]


def _with_n(entries):
    return [replace(entry, row=entry.row | {"n": entry.row["of"]}) for entry in entries]


def _shares(entries, question):
    systems = list(dict.fromkeys(entry.row["system"] for entry in entries))[: MOST_SYSTEMS + 1]
    cells = {
        (entry.row["evaluator"], entry.row["system"]): cell_of(entry, f"n = {entry.row['of']:,}")
        for entry in entries
    }
    caption = f"Judge aligned, people not, for {question}: share of the items, by system."
    return cross_table(caption, "Judge", cells, systems)


def _counts(report, question):
    counts = Counter((row["evaluator"], row["kind"]) for row in report.rows)
    sizes = {
        row["evaluator"]: row["of"]
        for row in report.rows
        if (row["kind"], row["system"]) == (SHARE, EVERYTHING)
    }
    lines = [(name, [*(counts[name, kind] for kind in CAPTIONS), of]) for name, of in sizes.items()]
    headings = [words.capitalize() for words in CAPTIONS.values()]
    caption = f"Misjudged items for {question}."
    return Table(caption, [*headings, "Items with both"], lines, [], "Judge")


def _items(report, question, kind):
    wrong = [entry for entry in report.entries if entry.row["kind"] == kind]
    first = _in_turn(wrong)[:MOST_ITEMS]
    lines = [(entry.row["evaluator"], _cells(report.study, entry)) for entry in first]
    many = f"{len(wrong):,}" if len(wrong) <= MOST_ITEMS else f"{MOST_ITEMS} of {len(wrong):,}"
    caption = f"{CAPTIONS[kind].capitalize()}, for {question}: {many}, the farthest first."
    return Table(caption, ["Item", "People", "Judge"], lines, [], "Judge")


def _in_turn(entries):
    """Order entries by turns: the first of each judge, then the second; no judge fills the list."""
    seen: Counter = Counter()
    turns = []
    for entry in entries:
        turns.append(seen[entry.judge])
        seen[entry.judge] += 1
    order = sorted(range(len(entries)), key=turns.__getitem__)
    return [entries[place] for place in order]


def _cells(study, entry):
    row = entry.row
    link = Link(row["item"], reverse("item", args=[study, entry.item]))
    return [link, f"{row['people']:.3g}", f"{row['judge']:.3g}"]


def find(report, question):
    """Say which judge misjudges the most items, and to which side."""
    own = [entry for entry in report.entries if entry.row["question"] == question]
    wrong = [entry for entry in own if entry.row["kind"] in CAPTIONS]
    counts = Counter(entry.judge for entry in wrong if entry.judge)
    if not counts:
        return ""
    (judge, count), *others = counts.most_common()
    sides = Counter(entry.row["kind"] for entry in wrong if entry.judge == judge)
    most = " the most items" if others else f" {count:,} item{'s' * (count != 1)}"
    return (
        f"{judge} misjudges{most} on {question}: {sides[FALSE_POSITIVE]:,} too high and "
        f"{sides[FALSE_NEGATIVE]:,} too low."
    )


def headline(answers, options, judges):
    """Return the fewest misjudged items of a judge, by its share, on the first question."""
    keys = keys_with_cut(answers.questions, options)
    if not judges or not keys:
        return no_value("no question has a scale with a good half") if judges else NO_JUDGE
    rows = misjudged(answers, options, keys[:1]).rows
    wrong = Counter(row["evaluator"] for row in rows if row["kind"] != SHARE)
    sizes = {
        row["evaluator"]: row["of"]
        for row in rows
        if (row["kind"], row["system"]) == (SHARE, EVERYTHING) and row["of"]
    }
    if not sizes:
        return no_value(f"no judge has a value beside people's on {keys[0]}{first_of(keys)}")
    name = min(sizes, key=lambda name: wrong[name] / sizes[name])
    words = f"of {sizes[name]:,} items are misjudged on {keys[0]}{first_of(keys)} by {name}"
    return f"{wrong[name]:,}", "", f"{words}, the judge with the smallest share"


KIND = Kind(
    name="misjudged",
    title="Misjudged items",
    method=(
        "Which items a judge finds good and people do not, and the other way round, by name: what "
        "an average hides."
    ),
    formula=[
        "Judge aligned: value ≥ threshold, or the verdict fit; people aligned: mean rating ≥ "
        "threshold, by default the upper part of the scale.",
        "Share: false positives / items with both, over all and by system.",
        "The farthest apart come first; the judges take turns in the list. All of them stand in "
        "the CSV.",
    ],
    source="Profile-aware judges of podcast recommendations (2025), false positives by name.",
    options=YesNoOptions,
    build=misjudged,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
)
