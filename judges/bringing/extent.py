"""Find how far a sheet of an .xlsx workbook reaches, before a table of that extent is made of it.

The reader of workbooks makes room for every cell from the first to the last that is filled. A small
file with one far cell asks it for more memory than any machine has, which ends the process.
"""

import re
from xml.parsers import expat

from judges.bringing.sheet import NotReadable

NO_WORKBOOK = "cannot be read as a workbook; save it again as .xlsx"
MOST_CELLS = 10_000_000
CHUNK = 1 << 18
ROW = re.compile(r"[0-9]{1,9}\Z")
CELL = re.compile(r"\$?([A-Za-z]{1,7})\$?([0-9]{1,9})\Z")


def watched(part, before=0):
    """Return the `cells` that the filled ones of a part span, `unread` ones and `hidden` rows.

    Refuse a part of too many cells.

    before: the cells of the parts before it, which count too.
    """
    parser = expat.ParserCreate()
    watch = _Watch(before, parser)
    parser.StartElementHandler = watch.note
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        while chunk := part.read(CHUNK):
            parser.Parse(chunk, False)
            watch.refuse()
        parser.Parse(b"", True)
    except expat.ExpatError:
        raise NotReadable(NO_WORKBOOK) from None
    watch.refuse()
    return watch


def _wrong_place(told):
    words = f"found {told[:30]!r} as the place of a cell; save the workbook again as .xlsx"
    return NotReadable(words)


def _refuse_doctype(*_):
    raise NotReadable("found a document type within the workbook; save it again as .xlsx")


class _Watch:
    """Follow the places of cells, which need not be told where they follow each other."""

    def __init__(self, before, parser):
        self.before, self.parser = before, parser
        self.unread = []  # cells of an error, or of a formula whose result nobody has computed
        self.row = self.cell_row = self.column = self.hidden = 0
        self.is_cell = self.is_error = self.is_formula = self.is_text = False
        self.last_row = self.last_column = 0
        self.far_row = self.far_column = (0, 0)
        self.columns = {}

    def note(self, name, attributes):
        """Take the start of an element into account; a cell counts once it has a value."""
        name = name.rpartition(":")[2]
        if name == "c":
            self._place(attributes.get("r"))
            self.parser.CharacterDataHandler = None
            self.is_error, self.is_formula = attributes.get("t") == "e", False
            self.is_text = attributes.get("t") == "str"  # a formula's, computed, if blank
            if self.is_error:
                self.unread.append(_cell_name(self.cell_row, self.column))
        elif name == "f" and self.is_cell and not (self.is_error or self.is_text):
            self.is_formula = True
            self.unread.append(_cell_name(self.cell_row, self.column))
        elif name in ("v", "is") and self.is_cell:
            self._count()
            if self.is_formula:
                self.parser.CharacterDataHandler = self._take_result
        elif name == "row":
            told = attributes.get("r")
            if told is not None and ROW.match(told) is None:
                raise _wrong_place(told)
            self.row = max(self.row, self.cell_row) + 1 if told is None else int(told)
            self.hidden += attributes.get("hidden") in ("1", "true")
            self.cell_row, self.column, self.is_cell = self.row, 0, False

    def _take_result(self, _text):
        """Take a formula's cell as read: its value has a text."""
        self.unread.pop()
        self.parser.CharacterDataHandler = None

    def _place(self, told):
        self.is_cell = True
        if told is None:
            self.cell_row, self.column = max(self.row, self.cell_row), self.column + 1
            return
        match = CELL.match(told)
        if match is None:
            raise _wrong_place(told)
        letters, digits = match.groups()
        if letters not in self.columns:
            self.columns[letters] = _column_number(letters)
        self.column, self.cell_row = self.columns[letters], int(digits)

    def _count(self):
        row, column = self.cell_row, self.column
        if row > self.last_row:
            self.last_row, self.far_row = row, (row, column)
        if column > self.last_column:
            self.last_column, self.far_column = column, (row, column)

    @property
    def cells(self):
        """Count the cells that room is made for, as far as the part was read."""
        return self.last_row * self.last_column

    def refuse(self):
        """Refuse the sheet where it reaches too far by now."""
        cells = self.before + self.cells
        if cells > MOST_CELLS:
            far = {_cell_name(*self.far_column), _cell_name(*self.far_row)}
            raise NotReadable(
                f"a sheet reaches as far as cell {' and cell '.join(sorted(far))}, so the "
                f"sheets span {cells:,} cells; allowed are {MOST_CELLS:,}. Delete what "
                "stands far from the table, or save the table as CSV"
            )


def _column_number(letters):
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number


def _cell_name(row, column):
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row}"
