"""Tabulate how judges do in each declared group of items."""

from analysis.figures.layout import Cell, Table
from analysis.reports.verdict.words import short


def groups_table(entries, question, answer_of):
    """Return a table with a line for each judge and group, in a list; [] without groups."""
    if not entries:
        return []
    lines = [
        (f"{entry.row['evaluator']}: {entry.row['group']}", _cells(entry.row, answer_of))
        for entry in entries
    ]
    headings = ["In this group", "r − k ρ", "p, fails", "Level", "Items, clusters, raters"]
    return [
        Table(f"{question}: each judge by group of items.", headings, lines, [], "Judge, group")
    ]


def _cells(row, answer_of):
    return [
        answer_of(row),
        short(row["retention"]),
        short(row["p_adjusted"], 3),
        Cell({"low": row["level_low"], "high": row["level_high"]}, row["level"]),
        f"{row['items']:,}, {row['clusters']:,}, {row['raters']:,}",
    ]
