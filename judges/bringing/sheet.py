"""Hold a table as it was read: its header, its rows, and what was assumed on the way."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from annotate.files.reading.delimited import CELL_LENGTH
from annotate.values.texts import count_of, one_line_ends
from annotate.values.wrong import quoted

MOST_COLUMNS = 300  # each has three fields on the page, and a request has at most 1,000
IMPORT_ID = re.compile(r"""\{\s*["']ImportId["']""")  # begins the cells of a row of Qualtrics
INVISIBLE = "\ufeff\xa0\u200b \t\r\n"


class NotReadable(ValueError):
    """A file that cannot be read as a table; row is the row of a spreadsheet, where it is told."""

    def __init__(self, message, row=None, column=""):
        super().__init__(message)
        self.row, self.column = row, column


class Truth(str):
    """The cell of a yes or no that is no text: true of JSON, TRUE of a workbook; as 1 or 0."""

    @classmethod
    def of_bool(cls, value):
        """Return the cell of true or false."""
        return cls("1" if value else "0")

    @property
    def word(self):
        """Return the word as it stands in the file."""
        return "true" if self == "1" else "false"


@dataclass
class Sheet:
    """A table of texts. records yields (row of the spreadsheet, cells), the header first.

    assumed: sentences that tell the user how the bytes were taken.
    """

    name: str
    records: Callable[[], Iterable[tuple[int, list[str]]]]
    assumed: list[str] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    described: int = 0  # rows below the header that are a part of it
    decimal_commas_possible: bool = False

    def __post_init__(self):
        first = next(iter(self._filled()), None)
        if first is None:
            raise NotReadable("the file has no rows; expected is a header and rows")
        self.header = _header(*first)
        top = [cells for _, cells in islice(self._filled(), 3)]
        ids = (number for number, cells in enumerate(top) if any(map(IMPORT_ID.match, cells)))
        self.described = next(ids, 0)
        if self.described:
            rows = "row" if self.described == 1 else "two rows"
            self.assumed.append(f"Left out the {rows} in which Qualtrics describes its columns.")

    def rows(self):
        """Yield (row, cells) below the header, as wide as it; blank rows are left out."""
        records = islice(self._filled(), 1 + self.described, None)
        width = len(self.header)
        for row, cells in records:
            if len(cells) != width:
                self._check_width(row, cells, width)
            yield row, [one_line_ends(cell) if "\r" in cell else cell for cell in cells[:width]]

    def _filled(self):
        for row, cells in self.records():
            if any(cells) and any(cell.strip(INVISIBLE) for cell in cells):
                yield row, cells

    @staticmethod
    def _check_width(row, cells, width):
        """Refuse a row of another width; empty cells beyond the header are usual."""
        if len(cells) < width:
            raise NotReadable(
                f"found {count_of(len(cells), 'cell')}; allowed are {width}, as in the header", row
            )
        for number, cell in enumerate(cells[width:], width + 1):
            if cell.strip():
                words = f"found {quoted(cell)} in column {number}; the header names {width} columns"
                raise NotReadable(words, row)


def _header(row, cells):
    names = [cell.strip(INVISIBLE) for cell in cells]
    while names and not names[-1]:
        names.pop()
    if len(names) > MOST_COLUMNS:
        raise NotReadable(f"found {len(names):,} columns; allowed are {MOST_COLUMNS:,}", row)
    names = [name or f"column {number}" for number, name in enumerate(names, 1)]
    places: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if len(name) > 200:
            raise NotReadable(
                f"found a column name of {len(name)} characters; allowed are 200", row
            )
        if name in places:
            words = f"found twice in the header, as columns {places[name]} and {number}"
            raise NotReadable(f"{words}; allowed is once", row, name)
        places[name] = number
    return names


def check_cell(cell, row):
    """Return a cell's text; refuse one that is too long or holds a NUL."""
    if len(cell) > CELL_LENGTH:
        raise NotReadable(f"found a cell longer than {CELL_LENGTH:,} characters", row)
    if "\0" in cell or any("\ud800" <= letter <= "\udfff" for letter in cell):
        raise NotReadable(f"found {quoted(cell)}, which is no plain text", row)
    return cell
