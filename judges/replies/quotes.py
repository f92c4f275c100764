"""Tell a judge's own JSON from what it quotes of the texts that it was shown."""

import json
import re
from functools import cached_property
from typing import Any

from judges.replies.thoughts import NEXT

# What stands between marker lines of a prompt, without the texts of its examples.
SHOWN = re.compile(r"^<<<(?!EXAMPLE\n)([A-Z]+)\n(.*?)\n\1>>>$", re.MULTILINE | re.DOTALL)
BEGINS = re.compile(r"[{\[]")
MOST_BEGINNINGS = 1_000  # of JSON in what is shown, that are looked at
CODE_FENCE = re.compile(r"```(?:json)?", re.IGNORECASE)
# What changes where JSON is quoted, or stands in a text of JSON: blanks, backslashes, quotes.
LOOSE = re.compile(r"[\s\\]+")
QUOTES = str.maketrans("“”„«»‘’'", '""""""""')


class Rated:
    """The texts that a prompt shows as data, from its messages: the one that is rated, its title.

    JSON stands in them where its text does, whatever its blanks, backslashes and kind of quotes,
    or where a value equal to it does, as 4.0 is equal to 4.
    """

    def __init__(self, messages: list[dict[str, str]]) -> None:
        self.text = "\n".join(
            text for message in messages for _, text in SHOWN.findall(message["content"])
        )

    def holds(self, text: str, value: object) -> bool:
        """Whether this JSON stands in them; value: what it is read as, if empty it quotes none."""
        if not value:
            return False
        is_text = _folded(text) in self._folded
        return is_text or any(_is_same(value, quoted) for quoted in self._values)

    @cached_property
    def has_marks(self) -> bool:
        """Whether they have marks of thoughts: one in a reply may be quoted from there."""
        return any(mark.lastgroup != "json" for mark in NEXT.finditer(self.text))

    @cached_property
    def _folded(self) -> str:
        return _folded(self.text)

    @cached_property
    def _values(self) -> list[Any]:
        """Return all objects and lists in them, those within others too."""
        decoder, values = json.JSONDecoder(strict=False), []
        for begin, _ in zip(BEGINS.finditer(self.text), range(MOST_BEGINNINGS), strict=False):
            try:
                values.append(decoder.raw_decode(self.text, begin.start())[0])
            except (ValueError, RecursionError):
                continue
        return values


NOTHING = Rated([])


def is_all(reply: str, start: int, end: int) -> bool:
    """Whether a reply is nothing but what stands there, and blanks and code fences around it."""
    return not CODE_FENCE.sub("", reply[:start] + reply[end:]).strip()


def _folded(text: str) -> str:
    return LOOSE.sub("", text.translate(QUOTES))


def _is_same(value: Any, held: Any) -> bool:
    """Whether two values are equal, and true is not taken for 1."""
    return bool(value == held) and _booleans(value) == _booleans(held)


def _booleans(value: Any) -> int:
    text = json.dumps(value)  # its strings are those of the other one
    return text.count("true") + text.count("false")
