"""Declare the columns of every file, and parse a cell of each. docs/FILES.md lists them."""

import math
import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import get_close_matches

from annotate.models import Item, Rater
from annotate.models.media import UPLOAD, uploaded_name
from annotate.values.numbers import parse_number
from annotate.values.scales.base import LARGEST
from annotate.values.texts import composed
from annotate.values.wrong import quoted

KEY_LENGTH = 200
FORMULA = ("=", "+", "-", "@")
SECONDS = re.compile(r"[0-9]{9,10}(\.0+)?")
MAYBE_DATE = re.compile(r"[2-9][0-9]{9}(\.0+)?")  # as seconds they lie in 2033 or later
# ISO 8601, of which Python also reads 2024-05-31+02:00, a date and its zone, as two o'clock, and
# 14.02 as a part of the hour's first second.
DAY = r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}|[0-9]{4}-?W[0-9]{2}(?:-?[1-7])?)"
ZONE = r"(?: ?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?))?"
ISO = re.compile(
    rf"{DAY}(?:[Tt ][0-9]{{2}}(?::?[0-9]{{2}}(?::?[0-9]{{2}}(?:[.,][0-9]+)?)?)?{ZONE})?"
)
# Of seconds; a time that is written out may be older, but is no program's word for no time.
FIRST_YEAR, LAST_YEAR, OLDEST_YEAR = 1990, 2100, 1900
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Letters that nobody sees, or that change how others are shown: two ids that look alike differ.
UNSEEN = re.compile(
    "[\x80-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)


@dataclass(frozen=True)
class Column:
    """A column of a file: its name, its meaning, how a cell becomes a value.

    parse: text of a filled cell -> value, ValueError says what is allowed; None keeps the text.
    extra columns are kept in the row's `data`, like columns that are not known at all.
    takes_true: JSON's true and false stay what they are, for who knows the question.
    without: what a row means where the column is missing and it means something else then: a header
    that resembles it is refused.
    """

    name: str
    meaning: str
    parse: Callable | None = None
    required: bool = False
    extra: bool = False
    takes_true: bool = False
    # What a blank cell becomes.
    blank: str | int | None = None
    without: str = ""

    @property
    def is_plain(self):
        """Tell whether any text is allowed, and a blank cell too."""
        return self.parse is None and not self.required


@dataclass(frozen=True)
class Table:
    """The columns of a file, by the table's name.

    computed: columns of an export that are not read. keeps_others: in the row's `data`.
    """

    name: str
    columns: tuple[Column, ...]
    # Other people's names of a column -> ours.
    aliases: dict[str, str] = field(default_factory=dict)
    computed: tuple[str, ...] = ()
    keeps_others: bool = True

    @property
    def names(self):
        return [column.name for column in self.columns]

    @property
    def required(self):
        return [column.name for column in self.columns if column.required]

    def meant_by(self, name):
        """Return the column that a header looks like; empty where it is one, or is like none."""
        listed = [*self.names, *self.aliases]
        if name in (*listed, *self.computed):
            return ""
        meant = next((other for other in listed if _letters(other) == _letters(name)), "")
        return self.aliases.get(meant, meant)

    def resembled_by(self, name, header):
        """Return the Column that the header lacks and a name resembles, if rows mean else then."""
        if name in self.names:
            return None
        letters = _letters(name)
        return next(
            (
                column
                for column in self.columns
                if column.without
                and column.name not in header
                and (
                    letters.startswith(column.name)
                    or get_close_matches(name, [column.name], 1, 0.8)
                )
            ),
            None,
        )


def _letters(name):
    """Return a header as people read it: without case, blanks, underscores and other signs."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))


def allowed(text, words):
    """Return the ValueError that says which text was found and what is allowed."""
    return ValueError(f"found {quoted(text)}; allowed is {words}")


class UnseenLetter(ValueError):
    """An id holds an invisible character, which only an id that the study has already may."""


def refuse_unseen(text):
    """Raise UnseenLetter, with its code point, for an invisible character of an id."""
    if unseen := UNSEEN.search(text):
        letter = unseen[0]
        name = unicodedata.name(letter, "a control character")
        raise UnseenLetter(
            f"found the character U+{ord(letter):04X} ({name}) in {quoted(text)}, which nobody "
            "sees; allowed is an id without it"
        )


def key(text):
    """Parse an id: a line of at most 200 characters that no spreadsheet takes for a formula."""
    text = composed(text.strip())
    if text.startswith(FORMULA):
        raise ValueError(
            f"found {quoted(text)}, which a spreadsheet takes for a formula; "
            "allowed is an id that does not begin with = + - @"
        )
    if len(text) > KEY_LENGTH or CONTROL.search(text):
        raise ValueError(
            f"found {quoted(text)} ({len(text)} characters); "
            f"allowed is one line of at most {KEY_LENGTH} characters"
        )
    return text


def new_key(text):
    """Parse an id that a file may bring: a key whose every character can be seen."""
    text = key(text)
    refuse_unseen(text)
    return text


def rater(text):
    """Parse a rater's id; refuse a cell that names two people."""
    if re.search(r"[;,|\n]", text):
        raise ValueError(
            f"found two raters in one row: {quoted(text)}; allowed is one rater, "
            "so write one row for each rating (an id holds no ; , |)"
        )
    return new_key(text)


def number(text):
    """Parse a number from -1e9 to 1e9: powers of larger numbers leave what a float can hold."""
    try:
        value = parse_number(text)
    except ValueError:
        if text.strip().startswith(FORMULA):
            raise allowed(text, "a number; save the formula's result, not the formula") from None
        raise allowed(text, "a number with a decimal point, such as 3.5") from None
    if not math.isfinite(value):
        raise allowed(text, "a finite number")
    if abs(value) > LARGEST:
        raise allowed(text, "a number from -1e9 to 1e9")
    return value


def share(text):
    """Parse a number from 0 to 1."""
    value = number(text)
    if not 0 <= value <= 1:
        raise allowed(text, "a number from 0 to 1")
    return value


def seconds(text):
    """Parse a duration in seconds, not negative."""
    value = number(text)
    if value < 0:
        raise allowed(text, "a number of seconds, 0 or more")
    return value


def position(text):
    """Parse a place in a list, a whole number from 0."""
    return _whole(text, 0)


def version(text):
    """Parse the number of a version of the questionnaire."""
    return _whole(text, 1)


def _whole(text, low, high=32767):
    """Parse a whole number; 4.0 too, as pandas writes them in a column that has gaps."""
    digits = re.fullmatch(r"([0-9]{1,9})(\.0+)?", text.strip())
    if digits is None or not low <= int(digits[1]) <= high:
        raise allowed(text, f"a whole number from {low} to {high}")
    return int(digits[1])


def time(text):
    """Parse a moment: ISO 8601 (UTC unless it says otherwise) or whole seconds since 1970.

    Other numbers are none: 45443.58 are a spreadsheet's days, 202405311402 is a date, and
    1717164120000 are milliseconds. 2405311402 is a date rather than seconds of 2046. Of the seconds
    before 2033 one in 200 could be a date of 2001 to 2019, so no file could be loaded without them.
    """
    text = text.strip()
    if MAYBE_DATE.fullmatch(text) and _is_date_without_marks(text[:10]):
        raise allowed(
            text,
            "a time such as 2024-05-31T14:02:00Z, as these digits may be a date without its marks",
        )
    try:
        if SECONDS.fullmatch(text):
            first, value = FIRST_YEAR, datetime.fromtimestamp(int(text.partition(".")[0]), UTC)
        elif ISO.fullmatch(text):
            first, value = OLDEST_YEAR, datetime.fromisoformat(text)
            value = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
        else:
            raise ValueError
        if not first <= value.year < LAST_YEAR:
            raise ValueError
    except (ValueError, OverflowError, OSError):
        raise allowed(
            text,
            f"a time of {OLDEST_YEAR} to {LAST_YEAR} such as 2024-05-31T14:02:00Z, or whole "
            f"seconds since 1970 that lie in {FIRST_YEAR} to {LAST_YEAR}",
        ) from None
    return value


def _is_date_without_marks(digits):
    """Return whether ten digits are a date with its time: 2405311402 or 2024053114."""
    for form in ("%y%m%d%H%M", "%Y%m%d%H"):
        with suppress(ValueError):
            return bool(datetime.strptime(digits, form).replace(tzinfo=UTC))
    return False


def url(text):
    """Parse a web address; refuse anything that a browser would run."""
    text = text.strip()
    if not re.match(r"https?://[^\s]+\Z", text):
        raise allowed(text, "an address that begins with https:// or http://")
    return text


def media(text):
    """Parse an address, or upload:FILENAME for a file that was uploaded to the study."""
    text = text.strip()
    if not text.startswith(UPLOAD):
        try:
            return url(text)
        except ValueError:
            words = "an address that begins with https:// or http://, or upload: and a file's name"
            raise allowed(text, words) from None
    if not uploaded_name(text.removeprefix(UPLOAD)):
        raise allowed(text, "upload: and the name of an uploaded file, such as upload:cover.png")
    return text


def one_of(*choices):
    """Return a parser that takes only these choices."""

    def parse(text):
        if text.strip() not in choices:
            raise allowed(text, "one of " + ", ".join(choices))
        return text.strip()

    return parse


CONTENTS = Table(
    "contents",
    (
        Column("content", "Its id.", new_key, required=True),
        Column("title", "Shown to raters."),
        Column("description", "Shown to raters."),
        Column(
            "image_url", "Address of a picture, https://…, or upload:FILENAME.", media, blank=""
        ),
        Column("audio_url", "Address of a recording, the same way.", media, blank=""),
        Column("show", "What it is an episode of."),
        Column("show_description", "About that show; raters unfold it.", extra=True),
        Column("date", "When it came out, such as 2024-05-31; shown to raters.", extra=True),
        Column("duration", "h:mm:ss, or seconds; shown to raters as minutes.", extra=True),
        Column("topics", "Any text, as a rule separated by |; raters see the first.", extra=True),
        Column("genres", "Any text, as a rule separated by |.", extra=True),
        Column("transcript", "Its words.", extra=True),
    ),
    aliases={"movieId": "content"},
)
INTERACTIONS = Table(
    "interactions",
    (
        Column("recipient", "Whose history it is.", new_key, required=True),
        Column("content", "With what.", new_key, required=True),
        Column("rating", "A number, for example 0.5 to 5.", number),
        Column("share_listened", "A number from 0 to 1.", share),
        Column("at", "When: 2024-05-31T14:02:00Z, or seconds since 1970.", time),
        Column(
            "hypothetical",
            "yes: made up for a survey; no model of the others learns from it.",
            extra=True,
        ),
    ),
    aliases={"userId": "recipient", "movieId": "content", "timestamp": "at"},
)
ITEMS = Table(
    "items",
    (
        Column("item", "Its id.", new_key, required=True),
        Column(
            "kind",
            "explanation, recommendation, list_pair, profile, statement, text; blank: the study’s.",
            one_of(*Item.Kind.values),
        ),
        Column("recipient", "For whom it was recommended.", new_key),
        Column("content", "What was recommended.", new_key),
        Column("system", "What produced it.", new_key),
        Column("text", "What is rated."),
        Column("reference", "A text to compare with."),
        Column("review", "The recipient’s own review."),
        Column("feature", "The feature it should mention."),
        Column(
            "explaining_contents",
            "The ids of the contents that the explanation names, separated by |.",
            extra=True,
        ),
        Column("parent", "The id of the list pair that it is a part of.", key),
        Column("side", "A or B: its list in the pair.", one_of("A", "B"), blank=""),
        Column("position", "Its place in the list, a whole number.", position),
    ),
    computed=("judge_flags", "split_part"),
)
RATINGS = Table(
    "ratings",
    (
        Column("item", "The id of a loaded item.", key, required=True),
        Column("rater", "One rater’s pseudonym; one row for each rating.", rater, required=True),
        Column(
            "role",
            "recipient, third_party or expert; blank means third_party. One role a rater.",
            one_of(*Rater.Role.values),
        ),
        Column("question", "The key of a question of the study.", key, required=True),
        Column(
            "value",
            "The answer, on the question’s scale; of a choice the label.",
            required=True,
            takes_true=True,
            blank="",
        ),
        Column("answered_at", "When: 2024-05-31T14:02:00Z, or seconds since 1970.", time),
        Column("seconds", "How long the answer took, 0 or more.", seconds),
        Column("reason", "In the rater’s words."),
        Column(
            "first_side",
            "Of a pair of lists and its parts: A or B, the side that stood first for this rater.",
            one_of("A", "B"),
            blank="",
        ),
        Column(
            "version",
            "Of the questionnaire, which was answered; blank: the present one.",
            version,
        ),
    ),
    computed=("arm",),
)
TABLES = {table.name: table for table in (CONTENTS, INTERACTIONS, ITEMS, RATINGS)}
