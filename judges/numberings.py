"""Numbered lines of a reply: what stands behind the numbers, or the reason why nothing is read.

A number is of the list only where it counts from 1; else it could as well be of a title.
"""

import re
from itertools import pairwise

from judges.parsing import Reason

NUMBERED = re.compile(
    r"^(?P<indent>\s*)[*_]*\(?#?(?P<number>\d{1,3})"
    r"(?:(?:\.\)|[.)])(?:[*_]*\s+|(?![\d\s]))|(?P<colon>:)[*_]*\s+|\s+[-–—][*_]*\s+)(?P<text>.+)$"
)
BARE = re.compile(r"^(?P<indent>\s*)[*_]*\(?#?(?P<number>\d{1,3})[.):]+[*_]*\s*$")
INLINE = re.compile(r"(?:^|(?<=[\s,;]))\(?(\d{1,3})[.)]\s+(?=\S)")
# Digits with nothing but a space behind them; and a row of a table.
LED = re.compile(r"^\s*(\d{1,3})\s+\S")
ROW = re.compile(r"^\s*(?:\|.*\|\s*|\d{1,3}\s*\|.*)$")


def read(lines):
    """[text] of numbered lines, [] where none are numbered, or a Reason."""
    if inline := _in_one_line(lines):
        return inline
    found = [match for line in lines if (match := BARE.match(line) or NUMBERED.match(line))]
    for some in (found, _outermost(found)):
        if texts := _counted(some):
            return texts
    led = [int(match[1]) for match in map(LED.match, lines) if match]
    rows = sum(bool(ROW.match(line)) for line in lines)
    counted = len(led) == len(lines) > 1 and led[0] in (0, 1) and _counts(led)
    return Reason.NO_LIST if counted or rows > 1 or _could_be(found, lines) else []


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
