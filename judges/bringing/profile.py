"""Describe the columns of a table: samples, ranges, words, and what each looks like."""

import re
from dataclasses import asdict, dataclass, field

from annotate.values.numbers import parse_number

SAMPLES, SAMPLES_OF_TEXTS, SHORT, SAMPLE_LENGTH = 10, 3, 24, 80
MOST_WORDS, WORD_LENGTH = 12, 60
REMEMBERED = 5_000  # different cells of a column, to tell ids from words
COMMA = re.compile(r"-?\d+(,\d+)?\Z")
DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?\Z|\d{1,2}[./]\d{1,2}[./]\d{2,4}( .*)?\Z")
PERSONAL = re.compile(r"[^@\s]+@[^@\s]+\.\w+\Z|\d{1,3}(\.\d{1,3}){3}\Z")
MISSING = {"", "na", "n/a", "nan", "#n/a", "null"}


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


class _Watch:
    """Follow the cells of one column."""

    def __init__(self, name, commas):
        self.column = Column(name)
        self.plain, self.comma, self.some_comma = True, commas, False
        self.dates = self.personal = True
        self.low, self.high, self.whole = float("inf"), float("-inf"), True
        self.kept: set[str] | None = set()
        self.repeats = False

    def note(self, cell):
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
        self._note_kind(cell)

    def _note_kind(self, cell):
        if self.plain or self.comma:
            self._note_number(cell)
        self.dates = self.dates and bool(DATE.match(cell))
        self.personal = self.personal and bool(PERSONAL.match(cell))

    def _note_number(self, cell):
        if self.comma and not COMMA.match(cell):
            self.comma = False
        if "," in cell:
            self.plain, self.some_comma = False, True
            cell = cell.replace(",", ".") if self.comma else cell
        try:
            value = parse_number(cell)
        except ValueError:
            self.plain = self.comma = False
            return
        if not abs(value) < 1e300:
            self.plain = self.comma = False
            return
        self.low, self.high = min(self.low, value), max(self.high, value)
        self.whole = self.whole and value.is_integer()

    def described(self):
        column = self.column
        if not column.filled:
            return column
        column.has_decimal_commas = self.comma and self.some_comma
        column.is_number = self.plain or column.has_decimal_commas
        if column.is_number:
            column.low, column.high, column.is_whole = self.low, self.high, self.whole
        column.is_date = self.dates and not column.is_number
        column.is_personal = self.personal
        column.is_unique = not self.repeats and column.filled > 1
        if not column.is_number and self.kept is not None and len(self.kept) <= MOST_WORDS:
            column.words = sorted(self.kept) if column.longest <= WORD_LENGTH else []
        return column


def describe(sheet):
    """Return (number of rows, the Column of each column) of a sheet."""
    watches = [_Watch(name, sheet.decimal_commas_possible) for name in sheet.header]
    rows = 0
    for rows, (_, cells) in enumerate(sheet.rows(), 1):  # noqa: B007 - the last number counts
        for watch, cell in zip(watches, cells, strict=True):
            watch.note(cell)
    return rows, [watch.described() for watch in watches]
