"""Tabulate how judges do in each declared group of items, and with every two systems."""

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


def pairs_table(entries, question, answer_of):
    """Return a table with a line for each judge and two systems, in a list; [] without pairs."""
    pairs = [entry.row for entry in entries if entry.row["systems"]]
    if not pairs:
        return []
    lines = [
        (
            f"{row['evaluator']}: {row['systems']}",
            [
                answer_of(row),
                Cell({"low": row["level_low"], "high": row["level_high"]}, row["level"]),
                short(row["level_p"], 3),
                short(row["p_adjusted"], 3),
                short(row["p_winner"], 3),
            ],
        )
        for row in pairs
    ]
    headings = ["May it compare them?", "Judge − people", "p, within the margin"]
    headings += ["p, corrected for pairs (Holm)", "p, it tells them apart (max-T)"]
    caption = f"{question}: every two systems, by their difference."
    return [Table(caption, headings, lines, [], "Judge, systems")]


def _cells(row, answer_of):
    return [
        answer_of(row),
        short(row["retention"]),
        short(row["p_adjusted"], 3),
        Cell({"low": row["level_low"], "high": row["level_high"]}, row["level"]),
        f"{row['items']:,}, {row['clusters']:,}, {row['raters']:,}",
    ]
