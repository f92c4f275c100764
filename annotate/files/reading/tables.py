"""Stream a CSV or JSON-lines file as typed rows."""

import json
import re
from collections.abc import Callable
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from annotate.files.reading import plainjson
from annotate.files.reading.columns import UnseenLetter, key
from annotate.files.reading.delimited import (
    CELL_LENGTH,
    LONG_CELL,
    SEPARATORS,
    NotDelimited,
    declared,
    records,
)
from annotate.files.reading.encoding import UTF8, refusal
from annotate.files.reading.kinds import start_of
from annotate.files.reading.problems import Problems
from annotate.values.formulas import unguarded
from annotate.values.numbers import is_number, plain
from annotate.values.texts import as_text, composed, count_of, one_line_ends
from annotate.values.wrong import quoted

MOST_COLUMNS = 1_000
SEPARATED = r"[,;\t|]"
TAKEN = "CSV or JSON lines in UTF-8, and “Bring data” takes other tables"
NOT_A_LINE = "found {}; allowed is one JSON object a line"


class TableFile:
    """A file of a table. Call open() before rows(); problems go to the given Problems."""

    def __init__(self, table, path, name=""):
        self.table = table
        self.path = Path(path)
        self.name = name or self.path.name
        self.header: list[str] = []
        self.header_line = 1
        # Whether the study has an id already, by its column: such a one is never refused.
        self.has_id: Callable[[str, str], bool] = lambda _column, _key: False
        self.is_json = self.name.endswith((".jsonl", ".ndjson"))

    def open(self, problems):
        """Return whether the bytes and the header can be read; note the problems if not."""
        save = {} if self.is_json else {"save": "in a spreadsheet save as “CSV UTF-8”"}
        if refused := refusal(self.path, may_be_empty=self.is_json, taken=TAKEN, **save):
            problems.add(self.name, refused[0], refused[1])
            return False
        before = problems.total
        self.is_json = self._is_json()
        if self.is_json:
            self._open_json(problems)
        else:
            self._open_csv(problems)
        return problems.total == before

    def _is_json(self):
        """Tell JSON from CSV by how it begins where that is certain, else by the file's name."""
        with self.path.open(encoding=UTF8, newline="") as file:
            start = start_of(file)
        line = next(iter(start.splitlines()), "")
        cells = {cell.strip('" ') for cell in re.split(SEPARATED, line)}
        is_csv = bool(declared(line) or cells & {*self.table.required, *self.table.aliases})
        return bool(plainjson.BEGINS.match(start)) or self.is_json and not is_csv

    @property
    def given(self):
        """Return the file's columns, by our name where it uses an alias."""
        return set(self.header)

    @property
    def not_kept(self):
        """Name the columns that are not read; blank where there are none."""
        read = {*self.table.names, *self.table.computed}
        names = [] if self.table.keeps_others else [n for n in self.header if n not in read]
        return f"Columns that are not kept: {quoted(', '.join(names), 200)}." if names else ""

    def rows(self, problems):
        """Yield (line, row): every known column of the table by name, the others in row["data"].

        A cell that cannot be read is a problem and stands as None in its row.
        """
        convert = _converter(self, problems)
        for line, cells in self._read(problems):
            yield line, convert(line, cells)

    def first_rows(self, count=5):
        """Return the first rows as they stand, for a preview."""
        rows = islice(self._read(Problems()), count)
        return [[as_text(cell) for cell in cells] for _, cells in rows]

    def _read(self, problems):
        return self._json_rows(problems) if self.is_json else self._csv_rows(problems)

    # CSV

    def _open_csv(self, problems):
        with self.path.open(encoding=UTF8, newline="") as file:
            first = file.readline()
            if self._other_separator(first):
                return self._refuse_separator(first, problems)
            file.seek(0)
            try:
                self.header_line, cells = next(records(file), (1, []))
            except NotDelimited as fault:
                return problems.add(self.name, str(fault), fault.line)
        return self._check_header([unguarded(cell) for cell in cells], problems)

    def _other_separator(self, line):
        """Return the separator other than a comma that the header uses; empty without it."""
        columns = set(self.table.names) | set(self.table.aliases)
        if len(columns & {cell.strip('" \r\n') for cell in line.split(",")}) > 1:
            return ""
        for separator in [name for name in SEPARATORS if name != ","]:
            names = {cell.strip('" \r\n') for cell in line.split(separator)}
            if len(names) > 1 and names & columns:
                return separator
        return ""

    def _refuse_separator(self, line, problems):
        name = SEPARATORS[self._other_separator(line)]
        problems.add(
            self.name,
            f"found columns separated by {name}; allowed are commas: save as CSV again",
            1,
        )

    def _check_header(self, cells, problems):
        line = self.header_line
        names = [self._column(cell) for cell in cells]
        if len(names) > MOST_COLUMNS:
            return self._refuse_columns(len(names), line, problems)
        if not any(names):
            return problems.add(self.name, "the first line is empty; expected is the header", line)
        self.header = names
        earlier = set()
        for number, name in enumerate(self.header, 1):
            if not name or len(name) > 200:
                problems.add(
                    self.name,
                    f"the header's column {number} has "
                    + ("no name" if not name else "a name of more than 200 characters"),
                    line,
                )
            elif name in earlier:
                problems.add(self.name, "found twice in the header; allowed is once", line, name)
            elif meant := self.table.meant_by(name):
                problems.add(
                    self.name,
                    f"found {quoted(name)}, which looks like the column {meant}; write {meant}, or "
                    "give a column of another meaning another name",
                    line,
                    name,
                )
            elif like := self.table.resembled_by(name, self.header):
                problems.add(
                    self.name,
                    f"found {quoted(name)}, and no column {like.name}, without which a row "
                    f"{like.without}; write {like.name}, or give a column of another meaning "
                    "another name",
                    line,
                    name,
                )
            elif self.table.name == "ratings" and re.fullmatch(r"raters|rater[ _-]?\d+", name):
                problems.add(
                    self.name,
                    "found a column for a further rater; allowed is one rater a row, in the "
                    "column rater: write one row for each rating",
                    line,
                    name,
                )
            earlier.add(name)
        self._check_required(problems)

    def _refuse_columns(self, count, line, problems):
        problems.add(self.name, f"found {count:,} columns; allowed are {MOST_COLUMNS:,}", line)

    def _check_required(self, problems):
        meant = {*map(self.table.meant_by, self.header)}  # said already
        for name in self.table.required:
            if name not in self.header and name not in meant:
                header = ", ".join(filter(None, self.header))
                others = [other for other in self.header if other not in self.table.names]
                near = get_close_matches(name, others, 1)
                hint = f"; is {quoted(near[0])} this column?" if near else ""
                problems.add(
                    self.name,
                    f"this column is missing; found are {quoted(header, 200)}{hint}",
                    self.header_line,
                    name,
                )

    def _csv_rows(self, problems):
        with self.path.open(encoding=UTF8, newline="") as file:
            width = len(self.header)
            try:
                for line, cells in islice(records(file), 1, None):
                    if len(cells) == width:
                        yield line, [_text(cell) for cell in cells]
                    elif cells:
                        there = count_of(len(cells), "cell")
                        message = f"found {there}; allowed are {width}, as in the header"
                        problems.add(self.name, message, line)
            except NotDelimited as fault:
                problems.add(self.name, str(fault), fault.line)

    # JSON lines

    def _open_json(self, problems):
        if refused := self._no_lines():
            return problems.add(self.name, *refused)
        names = {}  # of the columns, by how the lines write them
        for line, cells in self._objects(problems):
            for name in cells:
                if name not in names:
                    names[name] = self._column(name)
            self._refuse_twice([names[name] for name in cells], line, problems)
            if len(names) > MOST_COLUMNS:
                return self._refuse_columns(len(names), line, problems)
        # The export of an empty table has no line, and so no names.
        columns = list(dict.fromkeys(names.values())) or self.table.names
        return self._check_header(columns, problems)

    def _column(self, name):
        """Return a column's name by how a file writes it."""
        name = composed(name.strip())
        return self.table.aliases.get(name, name)

    def _refuse_twice(self, names, line, problems):
        if len(set(names)) < len(names):
            twice = next(name for place, name in enumerate(names) if name in names[:place])
            message = "found twice in this object; allowed is once"
            problems.add(self.name, message, line, twice)

    def _no_lines(self):
        """Return (message, line) of a file whose form is another than an object a line."""
        with self.path.open(encoding=UTF8) as file:
            number, line = next(((n, t) for n, t in enumerate(file, 1) if t.strip()), (1, "{ }"))
        text = line.strip()
        if text[0] == "[":
            return NOT_A_LINE.format(f"a JSON list, {quoted(text)}"), number
        if text == "{":
            return NOT_A_LINE.format("a JSON object over several lines"), number
        if text[0] != "{":
            return NOT_A_LINE.format(f"{quoted(text)}, which is no JSON object"), number
        return None

    def _objects(self, problems):
        with self.path.open(encoding=UTF8) as file:
            for line, text in enumerate(file, 1):
                if text.strip():
                    try:
                        yield line, _json_object(text)
                    except ValueError as error:
                        problems.add(self.name, str(error), line)

    def _json_rows(self, problems):
        columns = {column.name: column for column in self.table.columns if not column.extra}
        for line, values_by_name in self._objects(problems):
            renamed = {self._column(name): v for name, v in values_by_name.items()}
            cells = []
            for name in self.header:
                cell = _finite_cell(renamed.get(name), self, line, name, problems)
                if name in columns and not (isinstance(cell, bool) and columns[name].takes_true):
                    cell = _json_cell(cell, self, line, name, problems)
                cells.append(one_line_ends(cell) if isinstance(cell, str) else cell)
            yield line, cells


def _json_object(text):
    """Parse the object on a line; ValueError says what is wrong."""
    try:
        value = plainjson.parse_json(text)
    except plainjson.NoJSON as error:
        raise ValueError(NOT_A_LINE.format(error)) from None
    if not isinstance(value, dict):
        raise ValueError(NOT_A_LINE.format(quoted(text.strip())))
    if len(text) > CELL_LENGTH and any(map(_is_long, islice(value.values(), MOST_COLUMNS))):
        raise ValueError(LONG_CELL)
    return value


def _is_long(cell):
    """Return whether a JSON value has more characters than a CSV cell may have."""
    if not isinstance(cell, str):
        cell = json.dumps(cell, ensure_ascii=False, separators=(",", ":"))
    return len(cell) > CELL_LENGTH


# Cells


def _text(cell):
    """Return the text of a CSV cell: without what guards it in a spreadsheet, with one line end."""
    cell = unguarded(cell)
    return one_line_ends(cell) if "\r" in cell else cell


def _converter(file, problems):
    """Return a function (line, cells) -> row."""
    columns = {column.name: column for column in file.table.columns if not column.extra}
    blank = {name: column.blank if column.parse else "" for name, column in columns.items()}
    named = list(enumerate(file.header))
    plain = [(i, n) for i, n in named if n in columns and columns[n].is_plain]
    parsed = [
        (i, n, _Cells(columns[n], file.has_id))
        for i, n in named
        if n in columns and (i, n) not in plain
    ]
    extra = [(i, n) for i, n in named if n not in columns and n not in file.table.computed]

    def convert(line, cells):
        row = blank.copy()
        for index, name in plain:
            row[name] = cells[index]
        for index, name, values in parsed:
            try:
                row[name] = values[cells[index]]
            except ValueError as error:
                problems.add(file.name, str(error), line, name)
                row[name] = values.column.blank if values.is_blank(cells[index]) else None
        row["data"] = {n: cells[i] for i, n in extra if cells[i] not in ("", None)}
        return row

    return convert


class _Cells(dict):
    """The values of a column's cells, cached by text: most columns repeat a few short texts."""

    MOST, LONGEST = 8192, 60

    def __init__(self, column, has_id):
        super().__init__()
        self.column, self.has_id = column, has_id

    def __missing__(self, cell):
        """Parse a cell for the first time; ValueError says what is wrong with it."""
        if isinstance(cell, bool):
            return cell
        value = self._read(cell)
        if len(self) < self.MOST and len(cell) <= self.LONGEST:
            self[cell] = value
        return value

    def _read(self, cell):
        column = self.column
        if not self.is_blank(cell):
            return cell if column.parse is None else self._parse(cell)
        if column.required:
            raise ValueError("this cell is empty; it must be filled")
        return column.blank

    def _parse(self, cell):
        try:
            return self.column.parse(cell)
        except UnseenLetter:
            if not self.has_id(self.column.name, key(cell)):
                raise
            return key(cell)

    @staticmethod
    def is_blank(cell):
        return cell is not False and (not cell or cell.isspace())


def _finite_cell(cell, file, line, name, problems):
    """Return the cell; None, with a problem, if a number in it is infinite or none (NaN).

    JSON writes 1e999, no database takes it. Cells of extra columns may be lists and objects.
    """
    try:
        if isinstance(cell, float | list | dict):
            json.dumps(cell, allow_nan=False)
    except ValueError:
        message = f"found {plainjson.no_number(cell)}; allowed is a finite number or null"
        return problems.add(file.name, message, line, name)
    return cell


def _json_cell(cell, file, line, name, problems):
    """Return a JSON value as the text of a cell; lists and objects only fit extra columns."""
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    if is_number(cell):
        return str(plain(cell))
    problems.add(file.name, f"found {quoted(cell)}; allowed is a text or a number", line, name)
    return ""
