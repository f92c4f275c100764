"""Hold a table as papers print it: judges in rows, questions in columns, the best one marked."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isnan, nan

from annotate.templatetags.concord import leading_point

BEST, SECOND = "best", "second"
UNDEFINED = "–"
MOST_COLUMNS = 8  # side by side on a page; more columns stand in a further block below
FEWEST_DIGITS, MOST_DIGITS = 2, 4
# What makes a number good: its larger ones, those near zero, its smaller ones.
HIGH, NEAR, LOW = "high", "near", "low"
ORDERS: dict[str, Callable] = {HIGH: lambda value: -value, NEAR: abs, LOW: lambda value: value}


@dataclass(frozen=True)
class Style:
    """How the numbers of a paper are written.

    digits: behind the point; percent: whether shares are written as per cent; intervals: whether
    they stand beside their number.
    """

    digits: int = FEWEST_DIGITS
    percent: bool = False
    intervals: bool = False


@dataclass(frozen=True)
class Number:
    """A number of a report's row, unrounded, with the ends of its interval."""

    value: float
    low: float = nan
    high: float = nan

    @classmethod
    def of_row(cls, row, name="value", low="low", high="high"):
        """Take a number and its interval from a report's row; NaN where the row has none."""
        return cls(*(nan if row[key] is None else float(row[key]) for key in (name, low, high)))


@dataclass(frozen=True)
class Line:
    """A line of a table: its name and cells (a Number, a text, or None); is_ranked: of a judge."""

    name: str
    cells: list
    is_ranked: bool = True


@dataclass(frozen=True)
class Cell:
    """A cell as it is printed: its words, its interval's words, and its rank in the column."""

    words: str
    interval: str = ""
    rank: str = ""
    is_number: bool = True


@dataclass
class Table:
    """A table of a paper.

    key: its name as a file and label; order: what makes a number good, blank where none is best;
    is_share: whether its numbers may be written as per cent; is_bounded: whether they cannot exceed
    1, so that no zero stands before the point; sizes: n of each column, or empty;
    most_columns: side by side.
    """

    key: str
    caption: str
    corner: str
    headings: list
    lines: list = field(default_factory=list)
    order: str = ""
    is_share: bool = False
    is_bounded: bool = True
    sizes: list = field(default_factory=list)
    note: str = ""
    most_columns: int = MOST_COLUMNS

    @property
    def has_numbers(self):
        """Return whether it has a line; of a table that ranks judges, one of a judge."""
        return any(line.is_ranked or not self.order for line in self.lines)

    def blocks(self, style):
        """Yield (headings, sizes, [(Line, Cells)]) of the columns that fit side by side."""
        lines = [(line, []) for line in self.lines]
        for place in range(len(self.headings)):
            for (_, cells), cell in zip(lines, self._column(place, style), strict=True):
                cells.append(cell)
        count = -(-len(self.headings) // self.most_columns)
        width = -(-len(self.headings) // max(count, 1))
        for start in range(0, len(self.headings), width or 1):
            part = slice(start, start + width)
            rows = [(line, cells[part]) for line, cells in lines]
            yield self.headings[part], self.sizes[part], rows

    def _column(self, place, style):
        """Return the Cells of a column, the best and the second one marked."""
        numbers = [line.cells[place] for line in self.lines]
        ranked = [
            number if line.is_ranked and isinstance(number, Number) else None
            for line, number in zip(self.lines, numbers, strict=True)
        ]
        marks = self._ranks([number and number.value for number in ranked], style)
        return [
            self._cell(number, mark, style) for number, mark in zip(numbers, marks, strict=True)
        ]

    def _ranks(self, values, style):
        """Return the mark of each value: best, second, or blank.

        Numbers that are printed alike share a mark. Without two different numbers none is best.
        """
        places = style.digits
        keys = [
            None
            if not self.order or value is None or isnan(value)
            else ORDERS[self.order](round(value, places))
            for value in values
        ]
        first = sorted({key for key in keys if key is not None})[:2]
        if len(first) < 2:
            return [""] * len(values)
        marks = dict(zip(first, (BEST, SECOND), strict=True))
        return [marks.get(key, "") for key in keys]

    def _cell(self, number, rank, style):
        if number is None:
            return Cell("")
        if isinstance(number, str):
            return Cell(number, is_number=False)
        if isnan(number.value):
            return Cell(UNDEFINED)
        ends = ""
        if style.intervals and not isnan(number.low):
            ends = f"[{self._words(number.low, style)}, {self._words(number.high, style)}]"
        return Cell(self._words(number.value, style), ends, rank)

    def _words(self, value, style):
        """Write a number with the chosen digits; per cent keeps as many figures."""
        if self.is_share and style.percent:
            text = f"{100 * value:.{style.digits - 2}f}"
        elif self.is_bounded:
            text = leading_point(value, style.digits)
        else:
            text = f"{value:.{style.digits}f}"
        return _minus(text)

    def caption_in(self, style):
        """Return the caption, with the unit, the common n and what the marks mean."""
        words = [self.caption]
        if self.is_share and style.percent:
            words.append("In per cent.")
        if self.common_size:
            words.append(f"n = {self.common_size}.")
        if any(
            cell.rank for _, _, rows in self.blocks(style) for _, cells in rows for cell in cells
        ):
            words.append("In each column the best is bold, the second underlined.")
        return " ".join([*words, *filter(None, [self.note])])

    @property
    def common_size(self):
        """Return the n that all columns with an n have; blank where they differ."""
        sizes = {*filter(None, self.sizes)}
        return sizes.pop() if len(sizes) == 1 else ""

    def rows(self):
        """Yield the lines of a CSV file: unrounded numbers, each with the ends of its interval."""
        has_ends = any(
            isinstance(cell, Number) and not isnan(cell.low)
            for line in self.lines
            for cell in line.cells
        )
        names = [
            [name, f"{name} low", f"{name} high"][: 3 if has_ends else 1] for name in self.headings
        ]
        yield [self.corner, *(name for columns in names for name in columns)]
        for line in self.lines:
            yield [line.name, *(cell for own in line.cells for cell in _plain(own, has_ends))]


def _minus(text):
    """Write a proper minus, and none before a number that rounds to zero."""
    if text.startswith("-"):
        return text[1:] if not float(text) else f"−{text[1:]}"
    return text


def _plain(cell, has_ends):
    """Return the cells of a CSV file of one cell: blank where a number is undefined."""
    if not isinstance(cell, Number):
        return [cell or "", "", ""][: 3 if has_ends else 1]
    numbers = (cell.value, cell.low, cell.high)[: 3 if has_ends else 1]
    return ["" if isnan(number) else number for number in numbers]
