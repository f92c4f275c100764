"""Translate a table, by what its columns are used for, to rows of items, ratings and judgments."""

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from annotate.files.reading.columns import ITEMS
from annotate.values.numbers import parse_number
from annotate.values.texts import composed
from judges.bringing import uses
from judges.bringing.guess import question_key
from judges.bringing.profile import is_missing, with_point
from judges.bringing.scales import Seen
from judges.bringing.sheet import NotReadable, Truth

ONE, EACH = "one", "each"  # whose answers they are where no column says it
ITEM_NAMES = {*ITEMS.names, *ITEMS.computed}
ITEM_COLUMNS = (uses.TEXT, uses.SYSTEM, uses.RECIPIENT, uses.CONTENT, uses.REFERENCE)
IDENTITY = (uses.TEXT, uses.SYSTEM, uses.CONTENT)
ID_DIGITS = 12
# The use of a column that the table's column is made of, where both have different names.
MADE_OF = {
    "answered_at": uses.TIME,
    "reason": uses.RATIONALE,
    "rationale": uses.RATIONALE,
}


def column_of(mapping, column, value_column=""):
    """Name the column of the brought table from which a column of our table was made."""
    if column in ("value", "question") and value_column:
        return value_column
    use = MADE_OF.get(column, column)
    names = (name for name, chosen in mapping["columns"].items() if chosen["use"] == use)
    return next(names, value_column if column in ("rater", "judge") else column)


class Line(NamedTuple):
    """A row of a table of ours, and where it comes from: row and column of the brought table."""

    table: str
    cells: dict
    row: int
    column: str


@dataclass
class _Item:
    row: int
    cells: dict
    extra: dict


@dataclass
class Translation:
    """Translate the rows of a sheet by a mapping.

    mapping: {"columns": {name: {"use", "question", "by", "reverse"}}, "rater_is": one or each,
    "rater_name"}. scales: {question: {"low", "high", "words": {word: number},
    "is_judged"}}, where told already; is_judged: whether judgments without a question are about it.
    keys: the keys of the study's questions; empty for a new study. new: whether the study is new,
    so that every id becomes an item.
    """

    sheet: object
    mapping: dict
    scales: dict = field(default_factory=dict)
    keys: frozenset = frozenset()
    new: bool = True
    commas: frozenset = frozenset()

    def __post_init__(self):
        self.seen: dict[str, Seen] = {}
        self.counts: Counter = Counter()
        self.items: dict[str, _Item] = {}
        self.varying: set[str] = set()
        self.scores: dict[tuple[str, str], str] = {}
        self.blank: dict[tuple[str, str], Line] = {}  # the first of scores that are missing
        self.differing: list[tuple[int, str, str, int]] = []
        columns = self.mapping["columns"]
        self.judged = [key for key, scale in self.scales.items() if scale.get("is_judged", True)]
        self.row = 0  # that is read
        self.index = {name: i for i, name in enumerate(self.sheet.header)}
        self.single = {
            columns[name]["use"]: name
            for name in self.sheet.header
            if name in columns and columns[name]["use"] not in uses.SHARED
        }
        self.wide = [
            (name, columns[name])
            for name in self.sheet.header
            if columns.get(name, {}).get("use") in uses.WIDE
        ]
        self.extra = [n for n in self.sheet.header if columns.get(n, {}).get("use") == uses.EXTRA]
        self.has_items = self.new or bool({uses.TEXT, uses.CONTENT} & self.single.keys())

    def lines(self):
        """Yield the Lines of the answers, then those of the items; counts are complete then."""
        for row, cells in self.sheet.rows():
            self.counts["rows"] += 1
            self.row = row
            self._refuse_truths(row, cells)
            item = self._item(row, cells)
            if item:
                yield from self._answers(row, cells, item)
        yield from self._blank_scores()
        if self.has_items:
            for key, item in self.items.items():
                extra = {n: v for n, v in item.extra.items() if n not in self.varying}
                yield Line("items", {"item": key, **item.cells, **extra}, item.row, "")

    def notes(self):
        """Return sentences that say what was left out or made up."""
        counts = self.counts
        lines = []
        if counts["empty"]:
            total = counts["empty"] + counts["answers"]
            lines.append(f"{counts['empty']:,} of {total:,} answers are empty: no rating.")
        if counts["without"]:
            lines.append(f"{counts['without']:,} rows have no item id and were left out.")
        if uses.ITEM not in self.single:
            lines.append("No column is an item id, so ids were made from text, system and content.")
        if self.varying:
            names = ", ".join(f"“{name}”" for name in sorted(self.varying))
            lines.append(f"Left out, as rows of one item differ there: {names}.")
        if self.extra and not self.has_items:
            lines.append("Extra columns were left out: no column is the text or the content.")
        return lines

    def _refuse_truths(self, row, cells):
        """Refuse true and false as an id, a text or a number: they are answers of yes and no."""
        for use, name in self.single.items():
            cell = cells[self.index[name]]
            if use != uses.VALUE and isinstance(cell, Truth):
                words = f"found {cell.word}; allowed is a text or a number"
                raise NotReadable(words, row, name)

    # Items

    def _cell(self, cells, use):
        name = self.single.get(use)
        return cells[self.index[name]] if name else ""

    def _item(self, row, cells):
        """Return the item id of a row, after noting what the row says about the item."""
        told = {use: self._cell(cells, use) for use in ITEM_COLUMNS if use in self.single}
        if uses.ITEM in self.single:
            key = composed(self._cell(cells, uses.ITEM).strip())
            if not key:
                self._refuse_merged(row, cells, uses.ITEM)
                self.counts["without"] += 1
                return ""
        else:
            if not any(told.get(use, "").strip() for use in IDENTITY):
                self._refuse_merged(row, cells, *(use for use in IDENTITY if use in told))
            key = made_id(*(told.get(use, "") for use in IDENTITY))
        if self.has_items:
            self._note_item(key, row, cells, told)
        return key

    def _refuse_merged(self, row, cells, *expected):
        """Refuse a row that has answers or texts but nothing that tells of which item."""
        used = [*self.single.values(), *(name for name, _ in self.wide)]
        if any(not is_missing(cells[self.index[name]]) for name in used):
            column = self.single[expected[0]]
            raise NotReadable(
                "found a blank cell in a row that has other values, so its item is not told. Where "
                "cells are merged, only the first row has the value: undo the merging, fill the "
                f"column “{column}” down to every row, and bring the file again",
                row,
                column,
            )

    def _note_item(self, key, row, cells, told):
        extra = {extra_name(name): cells[self.index[name]] for name in self.extra}
        item = self.items.get(key)
        if item is None:
            self.items[key] = _Item(row, told, extra)
            return
        for use, cell in told.items():
            if cell.strip() and not item.cells[use].strip():
                item.cells[use] = cell
            elif cell.strip() and cell != item.cells[use]:
                self.differing.append((row, self.single[use], key, item.row))
        self.varying |= {name for name, cell in extra.items() if cell != item.extra[name]}

    # Answers

    def _answers(self, row, cells, item):
        if uses.VALUE in self.single:
            yield from self._long(row, cells, item)
        for name, column in self.wide:
            yield from self._wide(row, cells, item, name, column)

    def _long(self, row, cells, item):
        column = self.single[uses.VALUE]
        question = self._key(self._cell(cells, uses.QUESTION).strip())
        judge = self._cell(cells, uses.JUDGE).strip()
        if judge:
            yield from self._judgments(row, cells, item, judge, question, column, False)
        elif value := self._value(cells, column, question, False):
            rater = self._cell(cells, uses.RATER).strip() or self._nobody(row)
            yield self._rating(row, cells, item, rater, question, value, column)

    def _wide(self, row, cells, item, name, column):
        question = self._key(column.get("question", ""))
        by = column.get("by", "").strip()
        is_reversed = column.get("reverse", False)
        if column["use"] == uses.SCORES:
            # A table with a row for each rater repeats the score of its item, or merges its cells.
            cell, which = cells[self.index[name]].strip(), (item, name)
            if is_missing(cell):
                if which not in self.blank:
                    line = self._judgment(row, cells, item, by or name, question, "", name)
                    self.blank[which] = line
            elif self.scores.get(which) != cell:
                self.scores[which] = cell
                yield from self._judgments(
                    row, cells, item, by or name, question, name, is_reversed
                )
        elif value := self._value(cells, name, question, is_reversed):
            rater = by or self._cell(cells, uses.RATER).strip() or self._nobody(row)
            yield self._rating(row, cells, item, rater, question, value, name)

    def _blank_scores(self):
        """Yield a missing judgment for each item of which no row has the score."""
        for which, line in self.blank.items():
            if which not in self.scores:
                self.counts["empty"] += 1
                yield line

    def _nobody(self, row):
        if self.mapping.get("rater_is") == EACH:
            return f"row{row}"
        return self.mapping.get("rater_name", "") or "rater1"

    def _key(self, words):
        if not words or words in self.keys:
            return words
        key = question_key(words)
        self._seen(key, words)
        return key

    def _seen(self, key, words):
        if key not in self.seen:
            self.seen[key] = Seen(words)

    def _value(self, cells, name, question, is_reversed):
        """Return an answer as our tables have it; blank where it is missing."""
        cell = self._answer(cells, name, question)
        return self._on_scale(cell, question, name, is_reversed)

    def _answer(self, cells, name, question):
        """Return the answer of a cell, which is counted; blank where it is missing."""
        cell = cells[self.index[name]]
        cell = cell if isinstance(cell, Truth) else cell.strip()
        if is_missing(cell):
            self.counts["empty"] += 1
            return ""
        self.counts["answers"] += 1
        if name in self.commas and not isinstance(cell, Truth):
            cell = with_point(cell)
        if question:
            self._seen(question, name)
            self.seen[question].note(cell)
        return cell

    def _on_scale(self, cell, question, name, is_reversed):
        """Return an answer as a value of the question's scale, as far as that is told."""
        scale = self.scales.get(question)
        if scale is None or not cell:
            return cell
        if isinstance(cell, Truth) and (scale.get("low"), scale.get("high")) != (0, 1):
            raise NotReadable(
                f"found {cell.word}; the question “{question}” is not one of yes and no, and takes "
                "what is on its scale",
                self.row,
                name,
            )
        number = _number_of(cell, scale.get("words") or {})
        if not is_reversed:
            return number
        if scale.get("low") is None:
            raise NotReadable(
                f"found “Reverse”, but the scale of the question “{question}” has no lowest and "
                "highest point; choose another question or take “Reverse” away",
                column=name,
            )
        return _reversed(number, scale["low"], scale["high"])

    def _judgments(self, row, cells, item, judge, question, name, is_reversed):
        """Yield a judgment; without a question it is about all, on the scale of each.

        It stays one row where all scales take it for the same value.
        """
        cell = self._answer(cells, name, question)
        about = [question] if question else self.judged
        values = {key: self._on_scale(cell, key, name, is_reversed) for key in about}
        if question or len(set(values.values())) < 2:
            values = {question: next(iter(values.values()), cell)}
        for key, value in values.items():
            yield self._judgment(row, cells, item, judge, key, value, name)

    def _rating(self, row, cells, item, rater, question, value, column):
        rating = {"item": item, "rater": rater, "question": question, "value": value}
        for name, use in (
            ("role", uses.ROLE),
            ("answered_at", uses.TIME),
            ("reason", uses.RATIONALE),
            ("seconds", uses.SECONDS),
        ):
            if use in self.single:
                rating[name] = self._cell(cells, use).strip()
        if self.single.get(uses.SECONDS) in self.commas:
            rating["seconds"] = with_point(rating["seconds"])
        if rating.get("role"):
            rating["role"] = rating["role"].lower().replace(" ", "_").replace("-", "_")
        return Line("ratings", rating, row, column)

    def _judgment(self, row, cells, item, judge, question, value, column):
        judgment = {"item": item, "judge": judge, "question": question, "value": value}
        if uses.RATIONALE in self.single:
            judgment["rationale"] = self._cell(cells, uses.RATIONALE)
        return Line("judgments", judgment, row, column)


def extra_name(name):
    """Return the name of an extra column: it may not be like one that items have a meaning for."""
    is_taken = name in ITEM_NAMES or ITEMS.meant_by(name)
    return f"{name} (extra)" if is_taken else name


def made_id(text, system, content):
    """Make the id of an item that has none: the same file always makes the same ids."""
    told = "\x1f".join((text.strip(), system.strip(), content.strip()))
    return hashlib.sha256(told.encode()).hexdigest()[:ID_DIGITS]


def _number_of(cell, words):
    """Return the number of a word that the scale has; another cell is itself."""
    number = words.get(cell.lower())
    return cell if number is None else str(number)


def _reversed(cell, low, high):
    try:
        value = low + high - parse_number(cell)
    except ValueError:
        return cell
    return f"{value:.12g}"
