"""Lay out the tables and figures of report pages for people to read."""

import re
from dataclasses import dataclass, field, replace
from math import isnan, nan

from analysis.figures.frame import span
from annotate.templatetags.concord import interval

MOST_ROWS = 200  # of the table that lists every number
MANY_TABLES = 6  # of a page that begins with a list of them
FIRST_SENTENCE = re.compile(r"(Table \S+\. )?.*?(?=\.(\s|$)|$)", re.DOTALL)


@dataclass(frozen=True)
class Cell:
    """One number with its interval, what it is computed from, and its rank in its column."""

    row: dict
    value: float
    reason: str = ""
    size: str = ""
    rank: str = ""

    @property
    def interval(self):
        return interval(self.row.get("low", nan), self.row.get("high", nan))


@dataclass(frozen=True)
class Link:
    """A table cell that links to a page."""

    text: str
    url: str


@dataclass(frozen=True)
class Words:
    """A table cell or heading made of words, which may take several lines."""

    words: str


@dataclass
class Table:
    """A caption, two lines of headings (groups may be empty), and lines of (name, cells).

    is_folded: whether the page shows its caption alone until it is opened.
    """

    caption: str
    headings: list = field(default_factory=list)
    lines: list = field(default_factory=list)
    groups: list = field(default_factory=list)
    corner: str = ""
    is_folded: bool = False

    @property
    def name(self):
        """Return the caption's first sentence, with the table's number if it has one."""
        return FIRST_SENTENCE.match(self.caption)[0]


@dataclass
class Figure:
    """A Plotly figure with the words that stand for it."""

    key: str
    caption: str
    plot: dict

    @property
    def script(self):
        """Return the id of the script element that holds the figure."""
        return f"figure-{self.key}"


@dataclass
class Layout:
    """Everything a report page shows, in order; `details` lists every number of the page."""

    figures: list
    tables: list
    details: Table | None = None
    more: int = 0  # rows that details leaves out
    matrices: list = field(default_factory=list)


@dataclass(frozen=True)
class Matrix:
    """One confusion matrix: lines of (label, [(count, Cell of its share of the row)], sum).

    agreement: the Cell of the share of items with the same label; reason: why there is no item.
    """

    evaluator: str
    labels: list
    lines: list
    total: int
    agreeing: int
    agreement: Cell
    reason: str = ""


def has_many(layouts):
    """Return whether enough captioned tables are shown that a list of them helps."""
    shown = [
        table for layout in layouts for table in layout.tables if table.lines and table.caption
    ]
    return len(shown) >= MANY_TABLES


def ranked(lines):
    """Mark the best and the second cell of each column; return the lines."""
    for place in range(len(lines[0][1]) if lines else 0):
        values = [cells[place].value for _, cells in lines]
        highest = sorted({value for value in values if not isnan(value)}, reverse=True)
        marks = dict(zip(highest[:2], ("best", "second"), strict=False))
        for _, cells in lines:
            cell = cells[place]
            cells[place] = replace(cell, rank=marks.get(cell.value, ""))
    return lines


def table_of(entries, line, caption, corner, words):
    """Arrange cells by one of the row's keys and the question; blank where there is no row."""
    cells = {
        (entry.row[line], entry.row["question"]): cell_of(entry, f"n = {entry.row['n_units']:,}")
        for entry in entries
    }
    headings = list(dict.fromkeys(entry.row["question"] for entry in entries))
    lines = [
        (words.get(name, name), [cells.get((name, heading)) for heading in headings])
        for name in dict.fromkeys(entry.row[line] for entry in entries)
    ]
    return Table(caption, headings, lines, [], corner)


def cell_of(entry, size=""):
    """Return the Cell of an entry's value or AUC."""
    value = entry.row["value"] if "value" in entry.row else entry.row["auc"]
    return Cell(entry.row, value, entry.reason, size)


def details(report):
    """Tabulate every number with its n, groups and reason; also count the rows left out."""
    if not report.rows:
        return None, 0
    hidden = ("low", "high", "value")
    names = [name for name in report.rows[0] if name not in hidden]
    lines = [
        ("", [*(_plain(entry.row[name]) for name in names), cell_of(entry), entry.reason])
        for entry in report.entries[:MOST_ROWS]
    ]
    more = max(0, len(report.rows) - MOST_ROWS)
    return Table("", [*names, "value", "why undefined"], lines), more


def _plain(value):
    return Cell({"value": value}, value) if isinstance(value, float) else value


def any_value(rows, **wanted):
    """Return whether any row with the wanted keys has a value."""
    return any(
        not isnan(row["value"])
        for row in rows
        if all(row[name] == value for name, value in wanted.items())
    )


def n_words(entries, name="n"):
    """Write n = 40, or n = 30 to 40, over the rows that have a value."""
    counts = [entry.row[name] for entry in entries if not isnan(entry.row["value"])]
    return f"n = {span(counts)}"
