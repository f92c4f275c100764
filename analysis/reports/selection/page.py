"""Show selection: choices between lists, or strong misfits, for one question."""

from dataclasses import replace
from math import isnan

from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import Cell, Figure, Layout, Table
from analysis.reports.kind import NO_JUDGE, Kind, Shown, best, first_of, no_value
from analysis.reports.selection.options import SelectionOptions
from analysis.reports.selection.report import is_shown, number, of_lists, selection
from analysis.reports.shared.findings import first_judge
from analysis.reports.shared.list_pairs import tie_of
from annotate.templatetags.concord import interval, leading_point

NO_LISTS = (
    "nothing to choose: no question compares two lists. The report says how many of the items that "
    "people find badly misaligned a judge sees"
)


def list_parts(questions):
    """Return the questions of which the page shows one; choices between lists come first."""
    usable = sorted(filter(is_shown, questions), key=lambda question: tie_of(question) is None)
    return Shown("question", "Question", [(question.key, question.key) for question in usable])


def layout(report, question, looks):
    """Return the page of one question: its choices between lists, or its misfits."""
    lists = any(of_lists(entry.row) for entry in report.entries)
    entries = [_as_value(entry, lists) for entry in report.entries]
    entries.sort(key=lambda entry: (isnan(v := entry.row["value"]), -v))
    drawn = [entry for entry in entries if not isnan(entry.row["value"])]
    what = "Model selection agreement" if lists else "Rate of strong misfits that are seen"
    name = "MSA" if lists else "RSM"
    title = f"{name} (n = {span(entry.row['n'] for entry in drawn)})"
    plot = dots(drawn, "evaluator", "question", looks, title, unit_interval=True)
    figure = Figure("selection", f"{what} for {question}. Lines: 95 % intervals.", plot)
    table = _lists(entries, question) if lists else _misfits(entries, question)
    return Layout([figure] if drawn else [], [table])


def _as_value(entry, lists):
    row = entry.row
    names = ("msa", "low", "high", "n") if lists else ("rsm", "rsm_low", "rsm_high", "rsm_n")
    value, low, high, n = (row[name] for name in names)
    return replace(entry, row=row | {"value": value, "low": low, "high": high, "n": n})


def _cell(entry, name):
    ends = {"low": entry.row[f"{name}_low"], "high": entry.row[f"{name}_high"]}
    return Cell(ends, entry.row[name], entry.reason)


def _lists(entries, question):
    lines = [
        (
            row["evaluator"],
            [
                Cell(row, row["value"], entry.reason),
                f"{row['wins']} / {row['ties']} / {row['losses']}",
                _cell(entry, "win_share"),
                _cell(entry, "one_sided_ties"),
                row["n"],
            ],
        )
        for entry in entries
        if (row := entry.row)
    ]
    headings = ["MSA", "W / T / L", "W / n", "Ties of one side", "Pairs of lists"]
    return Table(f"Choices between lists for {question}.", headings, lines, [], "Evaluator")


def _misfits(entries, question):
    lines = [
        (
            row["evaluator"],
            [
                Cell(row, row["value"], entry.reason),
                row["n"],
                _cell(entry, "rsm_precision"),
                row["rsm_precision_n"],
            ],
        )
        for entry in entries
        if (row := entry.row)
    ]
    headings = ["RSM", "Strong misfits", "Precision", "Called misfits"]
    return Table(f"Strong misfits for {question}.", headings, lines, [], "Evaluator")


def find(report, question):
    """Say which judge prefers people's list of two most often."""
    prefers = "most often prefers, of two lists, the one that people prefer", f"MSA on {question}"
    finds = "finds most of the items that people find badly misaligned", f"RSM on {question}"
    return first_judge(report, "msa", *prefers, question=question) or first_judge(
        _of_misfits(report), "rsm", *finds, question=question
    )


def _of_misfits(report):
    """Return the report with the intervals of RSM as its intervals."""
    ends = [
        replace(entry, row=entry.row | {end: entry.row[f"rsm_{end}"] for end in ("low", "high")})
        for entry in report.entries
    ]
    return replace(report, entries=ends)


def headline(answers, options, judges):
    """Return the largest agreement of a judge on lists, on the first question."""
    keys = [key for key, _ in list_parts(answers.questions).choices]
    if not judges or not keys:
        return (
            no_value("no question is a choice of lists or a Likert scale") if judges else NO_JUDGE
        )
    if all(tie_of(question) is None for question in answers.questions):
        return no_value(NO_LISTS)
    rows = selection(answers, options, keys[:1]).rows
    row = best([row for row in rows if not isnan(number(row["msa"]))], judges, "msa")
    if row is None:
        return no_value(f"no pair of lists has two verdicts on {keys[0]}{first_of(keys)}")
    words = (
        f"largest agreement on lists (MSA): {row['evaluator']} on {keys[0]}{first_of(keys)}, "
        f"n = {row['n']:,} pairs"
    )
    return leading_point(row["msa"]), interval(row["low"], row["high"]), words


KIND = Kind(
    name="selection",
    title="Selection",
    method=(
        "Does the judge prefer the same one of two lists as people, and does it see the items that "
        "people find badly misaligned?"
    ),
    formula=[
        "Per pair of lists: W = judge and people name the same list, T = both say tie, L = "
        "everything else. MSA = (W + T) / n; beside it W / n and the share of ties of one side.",
        "RSM = share of the strongly misaligned items (mean rating at the bottom of the "
        "scale, or at most one point above) that the judge calls misfits; precision = share of its "
        "misfits that are such items. A judge says misfit below the middle of the scale, or below "
        "the threshold given.",
    ],
    source="Profile-aware judges of podcast recommendations (2025), whose printed MSA is "
    "(W + T) / n.",
    options=SelectionOptions,
    build=selection,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
)
