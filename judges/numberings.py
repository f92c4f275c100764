"""Numbered lines of a reply: what stands behind the numbers, or the reason why nothing is read.

A number is of the list only where it counts from 1; else it could as well be of a title.
"""

import re
import unicodedata
from itertools import pairwise

from judges.parsing import Reason
from judges.titles import YEAR

NUMBERED = re.compile(
    r"^(?P<indent>\s*)[*_]*\(?#?(?P<number>\d{1,3})"
    r"(?:(?:\.\)|[.)])(?:[*_]*\s+|(?![\d\s]))|(?P<colon>:)[*_]*\s+|\s+[-–—][*_]*\s+)(?P<text>.+)$"
)
# What may stand before a number and say nothing: a bullet, a heading's signs before a dated title;
# and a number as Markdown escapes it, or as Chinese replies have it: "1\\. Heat", "1、Heat".
LEADING = re.compile(r"^(\s*)(?:(\d{1,3}\W?)|([①-⑳])|([⑴-⒛]))")
WRAPPED = re.compile(
    rf"^(?P<indent>\s*)(?:[-*•]\s+|#{{1,6}} (?=.*{YEAR.pattern}))?"
    r"(?P<mark>[*_]*\(?)(?P<number>\d{1,3})(?:\\(?P<sign>[.)])\s+|、\s*|(?P<plain>[.)]\s+))(?=\S)"
)
BARE = re.compile(r"^(?P<indent>\s*)[*_]*\(?#?(?P<number>\d{1,3})[.):]+[*_]*\s*$")
INLINE = re.compile(r"(?:^|(?<=[\s,;]))\(?(\d{1,3})[.)]\s+(?=\S)")
# Numbers in other forms at the beginning of a line: "#1 Heat", "№ 1: Heat", "1st: Heat", "1️⃣ Heat".
OTHER = re.compile(
    r"^(?P<before>\s*[*_]*\(?)(?:(?:#|№|no\.|nr\.|nº)\s?(?P<sign>\d{1,3})(?:[*_]*\s*[.):–—-])?|"
    r"(?P<ordinal>\d{1,3})(?:st|nd|rd|th|[ºª])[*_]*\s*[.):–—-]|"
    r"(?P<key>\d{1,2})\ufe0f?\u20e3[.):]?)(?P<text>[*_]*\s+.+)$",
    re.IGNORECASE,
)
TEN, KEYED_TEN = "\U0001f51f", "10\u20e3"
LETTERED = re.compile(
    r"^(?P<indent>\s*)[*_]*\(?(?P<mark>[a-z]{1,6})[.)][*_]*\s+(?P<text>.+)$", re.I
)
ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}
# Digits with nothing but a space behind them; and a row of a table.
LED = re.compile(r"^\s*(\d{1,3})\s+\S")
ROW = re.compile(r"^\s*(?:\|.*\|\s*|\d{1,3}\s*\|.*)$")


def read(lines):
    """[text] of numbered lines, [] where none are numbered, or a Reason."""
    lines = [_in_digits(line) for line in lines]
    if inline := _in_one_line(lines):
        return inline
    found = [match for line in lines if (match := BARE.match(line) or NUMBERED.match(line))]
    for some in (found, _outermost(found)):
        if texts := _counted(some):
            return texts
    if texts := None if found else _lettered(lines):
        return texts
    led = [int(match[1]) for match in map(LED.match, lines) if match]
    rows = sum(bool(ROW.match(line)) for line in lines)
    counted = len(led) == len(lines) > 1 and led[0] in (0, 1) and _counts(led)
    return Reason.NO_LIST if counted or rows > 1 or _could_be(found, lines) else []


def _in_digits(line):
    """The line with its number as "1. ", where it stands in another form."""
    if wrapped := WRAPPED.match(line):
        sign = (wrapped["sign"] or wrapped["plain"] or ".").strip()
        before = wrapped["indent"] + wrapped["mark"] + wrapped["number"]
        return f"{before}{sign} {line[wrapped.end() :]}"
    if line.isascii() and "#" not in line[:8] and not OTHER.match(line):
        return line
    line = LEADING.sub(_plain, line)
    line = line[:8].replace(TEN, KEYED_TEN) + line[8:]
    found = OTHER.match(line)
    if not found:
        return line
    number = found["sign"] or found["ordinal"] or found["key"]
    return f"{found['before']}{number}. {found['text'].strip()}"


def _plain(leading):
    """A number and its mark as ASCII has them; a wide mark needs no space behind it."""
    indent, digits, circled, marked = leading.groups("")
    number = unicodedata.normalize("NFKC", digits + circled + marked)
    wide = circled or marked or digits[-1:] in "．）"
    return f"{indent}{number}{'.' if circled else ''}{' ' if wide else ''}"


def _lettered(lines):
    """Those of "a) Heat", "b) Alien", or of "I. Heat", "II. Alien"; [] unless several count up."""
    found = _outermost([match for line in lines if (match := LETTERED.match(line))])
    marks = [match["mark"].lower() for match in found]
    for count in (_letter, _roman):
        if len(marks) > 1 and [count(mark) for mark in marks] == list(range(1, len(marks) + 1)):
            return [match["text"] for match in found]
    return []


def _letter(mark):
    return ord(mark) - ord("a") + 1 if len(mark) == 1 else 0


def _roman(mark):
    """The value of a Roman number up to 89, 0 of anything else."""
    values = [ROMAN.get(letter, 0) for letter in mark]
    if 0 in values:
        return 0
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < after else value for value, after in pairs)


def _could_be(found, lines):
    """Whether numbers that do not count from 1 could be a list's all the same. Behind a colon they
    are of titles, "300: Rise of an Empire", unless all lines are so.
    """
    colons = sum(bool(match.groupdict().get("colon")) for match in found)
    return len(found) > 1 and (len(found) - colons > 1 or len(found) == len(lines))


def _outermost(found):
    least = min((len(match["indent"]) for match in found), default=0)
    return [match for match in found if len(match["indent"]) == least]


def _counted(found):
    """The texts of the first list of those that count from 1, or of one whose numbers are all 1."""
    numbers = [int(match["number"]) for match in found]
    starts = [at for at, number in enumerate(numbers) if number == 1]
    if starts[:1] != [0]:
        return []
    ends = [*starts[1:], len(numbers)]
    if not all(_counts(numbers[start:end]) for start, end in zip(starts, ends, strict=True)):
        return []
    if ends[0] == 1 and len(starts) > 1 and len(starts) < len(numbers):
        return []  # one entry, and another list: which of them is meant?
    first = found if len(starts) == len(numbers) else found[: ends[0]]
    texts = [match.groupdict().get("text", "") for match in first]
    return [text for text in texts if text] if all(texts[:-1]) else []


def _counts(numbers):
    return all(after == before + 1 for before, after in pairwise(numbers))


def _in_one_line(lines):
    """Those of "1) Heat 2) Alien"; a Reason where such numbers begin with another."""
    cut = [(line, INLINE.split(line.strip())) for line in lines]
    several = [parts for _, parts in cut if len(parts) > 3 and _counts(map(int, parts[1::2]))]
    numbered = sum(bool(NUMBERED.match(line)) for line in lines)
    if len(several) != 1 or numbered > 1:
        return []
    (before, first, *_), texts = several[0], several[0][2::2]
    if before.strip() and not before.rstrip().endswith(":"):
        return []
    texts = [text.rstrip(" \t,;") for text in texts]
    return texts if first == "1" else Reason.NO_LIST
