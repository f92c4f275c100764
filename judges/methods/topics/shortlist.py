"""Parse the names of topics that a reply proposes: normalise them, and say why others are dropped.

A name comes out as a list of topics takes it (topics.py): small letters, single blanks, no
marks around it, no colon. Two that differ in nothing but case, blanks and marks are one.
"""

import re
import reprlib
import unicodedata
from collections import Counter
from dataclasses import dataclass, field

from judges.methods.extract.topics import LONGEST_NAME
from judges.replies.parse import OBJECT_OR_NAMES, Reason, last_list, storable
from judges.replies.quotes import NOTHING

KEY = "topics"
NO_NAME = "not a name"
EMPTY = "empty name"
TOO_LONG = f"name longer than {LONGEST_NAME} characters"
TWICE = "the same topic again"
TOO_MANY = "more topics than asked for"
SHOWN, MOST_SHOWN = 80, 20  # characters of a dropped entry, and how many such are kept
COUNTED = re.compile(r"^\s*#?\d{1,3}\s*[.)]\s+")  # "1. price"


@dataclass
class ParsedNames:
    """The names that a reply proposes, and what is dropped of it.

    kept: names in their order. dropped: how many entries, by why. examples: some of them.
    """

    kept: list = field(default_factory=list)
    dropped: Counter = field(default_factory=Counter)
    examples: list = field(default_factory=list)

    def drop(self, entry, why):
        self.dropped[why] += 1
        if len(self.examples) < MOST_SHOWN:
            text = entry if isinstance(entry, str) else reprlib.repr(entry)  # however deep
            self.examples.append([storable(text)[:SHOWN], why])


def parse_names(reply, most, finish_reason="stop", rated=NOTHING):
    """Parse a reply into its names, or the Reason why it has no list of topics.

    The list may be all of the reply or stand under its key. An empty one is a reply too.
    """
    entries = last_list(reply, KEY, finish_reason, OBJECT_OR_NAMES, rated)
    if isinstance(entries, Reason):
        return Reason.NO_TOPICS if entries is Reason.NO_STATEMENTS else entries
    parsed, seen = ParsedNames(), set()
    for entry in entries:
        name = plain(entry) if isinstance(entry, str) else ""
        if why := _wrong(entry, name, seen, len(parsed.kept) >= most):
            parsed.drop(entry, why)
        else:
            seen.add(alike(name))
            parsed.kept.append(name)
    return parsed


def _wrong(entry, name, seen, is_full):
    """Return why an entry is not kept; "" if it is."""
    if not isinstance(entry, str):
        return NO_NAME
    if not alike(name):
        return EMPTY
    if len(name) > LONGEST_NAME:
        return TOO_LONG
    if alike(name) in seen:
        return TWICE
    return TOO_MANY if is_full else ""


def plain(entry):
    """Normalise a name for a list of topics: the text before a colon, without marks around it."""
    entry = COUNTED.sub("", unicodedata.normalize("NFKC", storable(entry))).lower()
    entry = "".join(letter if letter.isprintable() else " " for letter in entry.replace("_", " "))
    name, _, _ = entry.partition(":")
    first, last = 0, len(name)
    while first < last and _is_around(name[first]):
        first += 1
    while last > first and _is_around(name[last - 1]):
        last -= 1
    return " ".join(name[first:last].split())


def alike(name):
    """Fold a name: equal for two that differ in blanks and marks alone; "" without a letter."""
    return " ".join("".join(" " if _is_around(char) else char for char in name.casefold()).split())


def _is_around(character):
    """Whether a character is a blank or a mark; signs like + may be part of a name."""
    return unicodedata.category(character)[0] in "PZC"
