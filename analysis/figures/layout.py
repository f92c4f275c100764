"""Lay out the tables and figures of report pages for people to read."""

import re
from dataclasses import dataclass, field, replace
from math import isnan, nan

from analysis.figures.frame import span
from annotate.templatetags.concord import interval

MOST_ROWS = 200  # of the table that lists every number
FIRST_SENTENCE = re.compile(r"(Table \S+\. )?.*?(?=\.(\s|$)|$)", re.DOTALL)
# A size that is a number of values, whatever groups these stand in.
PLAIN_SIZE = re.compile(r"n = ([\d,]+)(, \d+ of \d+ groups)?")


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


def interval_cell(row, name):
    """Return the Cell of a number of a row and of its interval, NAME_low and NAME_high."""
    return Cell({"low": row[f"{name}_low"], "high": row[f"{name}_high"]}, row[name])


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

    note: a line below it that says how it is read; is_folded: whether the page shows its caption
    alone until it is opened.
    """

    caption: str
    headings: list = field(default_factory=list)
    lines: list = field(default_factory=list)
    groups: list = field(default_factory=list)
    corner: str = ""
    note: str = ""
    is_folded: bool = False

    @property
    def name(self):
        """Return the caption's first sentence, with the table's number if it has one."""
        return name_of(self.caption)

    @property
    def rest(self):
        """Return the caption after its name."""
        return rest_of(self.caption)

    @property
    def sizes(self):
        """Return, for each column, what its head says of the size of its cells; blank for nothing.

        Cells of one size say it once; where only n differs, the head has the smallest and largest.
        """
        columns = zip(*(cells for _, cells in self.lines), strict=True)
        return [size_of(cells) for cells in columns] or [""] * len(self.headings)

    @property
    def size(self):
        """Return what all columns' heads would say alike, which the corner says once."""
        sizes = set(self.sizes)
        return sizes.pop() if self.corner and len(sizes) == 1 and len(self.headings) > 1 else ""

    @property
    def columns(self):
        """Return each heading with what stands beside it, its cells' size."""
        sizes = [""] * len(self.headings) if self.size else self.sizes
        return list(zip(self.headings, sizes, strict=True))


@dataclass
class Figure:
    """A Plotly figure with the words that stand for it; is_folded as of a Table."""

    key: str
    caption: str
    plot: dict
    is_folded: bool = False

    @property
    def name(self):
        """Return the caption's first sentence."""
        return name_of(self.caption)

    @property
    def script(self):
        """Return the id of the script element that holds the figure."""
        return f"figure-{self.key}"

    @property
    def opens_items(self):
        """Return whether a press on one of its dots opens a judge's items, as the plot says."""
        return self.plot.get("opens_items", False)


@dataclass
class Layout:
    """Everything a report page shows, in order; `details` lists every number of the page.

    is_folded: whether the page shows the group's name alone until it is opened; open_matrices: how
    many matrices it shows before.
    """

    figures: list
    tables: list
    details: Table | None = None
    more: int = 0  # rows that details leaves out
    matrices: list = field(default_factory=list)
    is_folded: bool = False
    open_matrices: int = 0

    @property
    def first_matrices(self):
        """Return the matrices that are shown at once."""
        return self.matrices[: self.open_matrices]

    @property
    def later_matrices(self):
        """Return the matrices that are folded."""
        return self.matrices[self.open_matrices :]


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


def name_of(caption):
    """Return a caption's first sentence, with the table's number if it has one."""
    return FIRST_SENTENCE.match(caption)[0]


def rest_of(caption):
    """Return what a caption says after its first sentence."""
    return caption[len(name_of(caption)) :].lstrip(". ")


def size_of(cells):
    """Return the size that a column's head says of its cells, blank where each says its own."""
    sizes = {cell.size for cell in cells if getattr(cell, "size", "") and not isnan(cell.value)}
    if len(sizes) < 2:
        return next(iter(sizes), "")
    numbers = [PLAIN_SIZE.fullmatch(size) for size in sizes]
    if not all(numbers):
        return ""
    return f"n = {span([int(number[1].replace(',', '')) for number in numbers])}"


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
    table = cross_table(caption, corner, cells)
    table.lines = [(words.get(name, name), own) for name, own in table.lines]
    return table


def cross_table(caption, corner, cells, columns=None, blank=None):
    """Arrange {(name of a line, column): cell} in the order they come; blank where there is none.

    columns: those that are shown, where not all are.
    """
    columns = list(dict.fromkeys(column for _, column in cells)) if columns is None else columns
    names = dict.fromkeys(name for name, _ in cells)
    lines = [(name, [cells.get((name, column), blank) for column in columns]) for name in names]
    return Table(caption, columns, lines, [], corner)


def listing(caption, corner, names, entries, columns):
    """Tabulate a line for each entry; columns: {heading: function of an entry}."""
    lines = [
        (name, [of(entry) for of in columns.values()])
        for name, entry in zip(names, entries, strict=True)
    ]
    return Table(caption, list(columns), lines, [], corner)


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
