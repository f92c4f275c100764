"""Describe the columns of a table: samples, ranges, words, and what each looks like."""

import re
from dataclasses import asdict, dataclass, field

from annotate.values.numbers import parse_number

UNTOLD = "though the file does not tell decimals from thousands"
SAMPLES, SAMPLES_OF_TEXTS, SHORT, SAMPLE_LENGTH = 10, 3, 24, 80
MOST_WORDS, WORD_LENGTH = 12, 60
REMEMBERED = 5_000  # different cells of a column, to tell ids from words
COMMA = re.compile(r"[-+]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?\Z")
UNCLEAR = re.compile(r"[-+]?[1-9]\d{0,2}[.,]\d{3}\Z")  # decimals, or thousands
DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?\Z|\d{1,2}[./]\d{1,2}[./]\d{2,4}( .*)?\Z")
PERSONAL = re.compile(r"[^@\s]+@[^@\s]+\.\w+\Z|\d{1,3}(\.\d{1,3}){3}\Z")
MISSING = {"", "na", "n/a", "nan", "#n/a", "null"}


def with_point(cell):
    """Return a number that has a decimal comma, and may have points at its thousands, as ours."""
    return cell.replace(".", "").replace(",", ".")


def is_missing(cell):
    """Tell whether a cell of answers has none: it is blank, or as R and pandas write that."""
    return cell.strip().lower() in MISSING


@dataclass
class Column:
    """What the cells of one column have in common; missing cells do not count."""

    name: str
    samples: list[str] = field(default_factory=list)
    filled: int = 0
    low: float | None = None
    high: float | None = None
    is_number: bool = False
    is_whole: bool = False
    has_decimal_commas: bool = False
    note: str = ""  # how its numbers are read, where they do not tell it themselves
    is_date: bool = False
    is_personal: bool = False
    is_unique: bool = False
    words: list[str] = field(default_factory=list)
    longest: int = 0

    @property
    def looks(self):
        """Say in few words what the column looks like."""
        if self.is_number:
            kind = "whole numbers" if self.is_whole else "numbers"
            return f"{kind} from {self.low:g} to {self.high:g}"
        looks = {
            "empty": not self.filled,
            "dates": self.is_date,
            "personal data": self.is_personal,
            "one word": len(self.words) == 1,
            f"{len(self.words)} different words": self.words,
            "texts": self.longest > WORD_LENGTH,
            "short texts, all different": self.is_unique,
        }
        return next((words for words, fits in looks.items() if fits), "short texts")

    @property
    def is_scale(self):
        """Tell whether it may be answers on a scale of whole points."""
        return self.is_whole and self.low >= -10 and self.high <= 100 and self.high > self.low

    def as_dict(self):
        return asdict(self)


class _Numbers:
    """The range of a column's cells, as long as all are numbers with one decimal mark."""

    def __init__(self, mark, is_possible=True):
        self.mark, self.fits = mark, is_possible
        self.is_told = False  # by a cell whose mark is one of decimals
        self.low, self.high, self.whole = float("inf"), float("-inf"), True

    def number_of(self, cell):
        if self.mark == "," and not COMMA.match(cell):
            raise ValueError
        return parse_number(with_point(cell) if self.mark == "," else cell)

    def note(self, cell):
        if not self.fits:
            return
        try:
            value = self.number_of(cell)
            self.fits = abs(value) < 1e300
        except ValueError:
            self.fits = False
            return
        tells = self.mark in cell and not UNCLEAR.match(cell)
        self.is_told = self.is_told or tells or cell.count(".") > 1  # of thousands
        self.low, self.high = min(self.low, value), max(self.high, value)
        self.whole = self.whole and value.is_integer()


class _Watch:
    """Follow the cells of one column."""

    def __init__(self, name, commas):
        self.column = Column(name)
        self.points, self.commas = _Numbers("."), _Numbers(",", commas)
        self.unclear: tuple[int, str] | None = None  # the first such cell, and its row
        self.dates = self.personal = True
        self.kept: set[str] | None = set()
        self.repeats = False

    def note(self, row, cell):
        cell = cell.strip()
        if is_missing(cell):
            return
        column = self.column
        column.filled += 1
        column.longest = max(column.longest, len(cell))
        if self.kept is not None:
            if cell in self.kept:
                self.repeats = True
                return  # an equal cell tells nothing new
            self.kept.add(cell)
            if len(column.samples) < (SAMPLES if len(cell) <= SHORT else SAMPLES_OF_TEXTS):
                is_long = len(cell) > SAMPLE_LENGTH
                column.samples.append(cell[:SAMPLE_LENGTH] + "…" * is_long)
            if len(self.kept) > REMEMBERED:
                self.kept = None
        self._note_kind(row, cell)

    def _note_kind(self, row, cell):
        self.points.note(cell)
        self.commas.note(cell)
        if self.unclear is None and self.commas.fits and UNCLEAR.match(cell):
            self.unclear = row, cell
        self.dates = self.dates and bool(DATE.match(cell))
        self.personal = self.personal and bool(PERSONAL.match(cell))

    def _numbers(self, told):
        """Return the _Numbers that the column has, if any. told: the marks of the whole file."""
        points, commas = self.points, self.commas
        if points.fits and commas.fits:
            return commas if self.unclear and told == {","} else points
        if points.fits:
            return points
        # 1,234 where other columns have decimal points is no number of ours.
        is_thousands = self.unclear and not commas.is_told and told == {"."}
        return commas if commas.fits and not is_thousands else None

    def described(self, told):
        column = self.column
        if not column.filled:
            return column
        numbers = None if self.personal else self._numbers(told)
        if self.unclear and not numbers and self.commas.fits and not self.personal:
            row, cell = self.unclear
            column.note = (
                f"{cell} (row {row}, column “{column.name}”) is taken for no number, as elsewhere "
                "in the file the point is the decimal mark."
            )
        if numbers:
            column.is_number, column.has_decimal_commas = True, numbers is self.commas
            column.low, column.high, column.is_whole = numbers.low, numbers.high, numbers.whole
            if self.unclear and not numbers.is_told:
                row, cell = self.unclear
                why = "as elsewhere in the file" if told == {numbers.mark} else UNTOLD
                place = f"{cell} (row {row}, column “{column.name}”)"
                column.note = f"{place} is read as {numbers.number_of(cell):g}, {why}."
        column.is_date = self.dates and not column.is_number
        column.is_personal = self.personal
        column.is_unique = not self.repeats and column.filled > 1
        if not column.is_number and self.kept is not None and len(self.kept) <= MOST_WORDS:
            column.words = sorted(self.kept) if column.longest <= WORD_LENGTH else []
        return column


def describe(sheet):
    """Return (number of rows, the Column of each column) of a sheet."""
    watches = [_Watch(name, sheet.decimal_commas_possible) for name in sheet.header]
    count = 0
    for count, (row, cells) in enumerate(sheet.rows(), 1):  # noqa: B007 - the last count is used
        for watch, cell in zip(watches, cells, strict=True):
            watch.note(row, cell)
    every = [numbers for watch in watches for numbers in (watch.points, watch.commas)]
    told = {numbers.mark for numbers in every if numbers.fits and numbers.is_told}
    return count, [watch.described(told) for watch in watches]
