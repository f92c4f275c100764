"""Show reasons: counts of texts, codes by rating and by system, and the coders' agreement."""

from dataclasses import replace

from analysis.figures.layout import Cell, Layout, Table
from analysis.reports.kind import Kind, Shown, no_value
from analysis.reports.reasons.report import reasons, stamp
from analysis.reports.shared.options import PeopleOptions
from annotate.templatetags.concord import interval, share


def list_parts(questions):
    """Return the single choice: texts, codes and agreement."""
    return Shown("counts", "Counts", [("all", "texts, codes and agreement")])


def layout(report, chosen, looks):
    """Return the page's tables of counts and of agreement."""
    tables = [
        _crossed(report, "texts", "question", "rating", "Texts by question and rating.", False),
        _crossed(report, "code", "code", "question", "Codes: share of the coded texts.", True),
        _crossed(report, "rating", "code", "rating", "Codes by rating.", True),
        _crossed(report, "system", "code", "system", "Codes by system.", True),
        _agreement(report),
    ]
    return Layout([], [table for table in tables if table.lines])


def _crossed(report, kind, line, column, caption, with_share):
    """Tabulate counts by two keys of the rows, summed over the rest, with their share if asked."""
    rows = [row for row in report.rows if row["kind"] == kind]
    sums: dict = {}
    for row in rows:
        n, total, ends = sums.get((row[line], row[column]), (0, 0, None))
        # Sums of several rows, as of questions, have no interval of their own.
        ends = "" if ends is not None else interval(row["percent_low"], row["percent_high"])
        sums[row[line], row[column]] = (n + row["n"], total + row["of"], ends)
    headings = sorted({row[column] for row in rows})
    lines = [
        (name, [_count(sums.get((name, heading)), with_share) for heading in headings])
        for name in dict.fromkeys(row[line] for row in rows)
    ]
    blank = "–" if len(headings) > 1 else "all"
    headings = [heading or blank for heading in headings]
    return Table(caption, headings, lines, [], line.capitalize())


def _count(sums, with_share):
    if sums is None:
        return None
    n, total, ends = sums
    return f"{n:,} of {total:,} ({share(n, total)}) {ends}".rstrip() if with_share else f"{n:,}"


def _agreement(report):
    rows = [row for row in report.rows if row["kind"] == "agreement"]
    lines = [
        (
            f"{row['code']}: {row['coder']} and {row['other']}",
            [
                _cell(row, "kappa"),
                _cell(row, "percent"),
                f"{row['n']:,}",
            ],
        )
        for row in rows
    ]
    caption = "Agreement of each two coders on each code."
    return Table(caption, ["κ", "share of equal answers", "texts"], lines, [], "Code")


def _cell(row, key):
    ends = {"low": row[f"{key}_low"], "high": row[f"{key}_high"]}
    return Cell(ends, row[key])


def headline(answers, options, judges):
    """Return how many texts raters wrote, and the most frequent code."""
    rows = reasons(answers, replace(options, draws=0)).rows
    texts = sum(row["n"] for row in rows if row["kind"] == "texts")
    if not texts:
        return no_value("nobody has written anything")
    codes = [row for row in rows if row["kind"] == "code"]
    top = max(codes, key=lambda row: row["n"], default=None)
    words = f"; most frequent code: {top['code']} ({top['n']} of {top['of']})" if top else ""
    return f"{texts:,}", "", f"texts by raters{words}"


KIND = Kind(
    name="reasons",
    title="Reasons",
    method=(
        "What raters wrote: answers to text questions and the reasons of their ratings, the codes "
        "that were given to them, and how far the coders agree."
    ),
    formula=[
        "share: answers with the code / answers that somebody coded.",
        "κ: Cohen's κ of the code being given or not, over the answers that both coders coded.",
        "Intervals: cluster bootstrap (the item’s recipient, else content, else item).",
    ],
    source="Cohen (1960).",
    options=PeopleOptions,
    build=reasons,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
    no_figure=("texts and the counts of few codes, which stand beside the texts they are of."),
    stamp=stamp,
)
