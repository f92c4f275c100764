"""JSON in a recommender's reply: the one list of titles in it, or the reason why there is none."""

import json
import re

from judges import headings
from judges.parsing import Reason
from judges.titles import YEAR

VALUE = re.compile(r"\[\s*[\"{]|\{\s*\"")
FENCE = re.compile(r"```[\w-]*\n(.*?)(?:```|\Z)", re.DOTALL)
TITLE_KEYS = ("title", "name", "movie", "film", "book", "episode", "content", "item")
DEEPEST = 3  # objects in objects that are looked into for a list
MOST_VALUES = 1_000  # of a reply: one a line


def fenced(reply):
    """What stands in code fences, where there are any: of several in those that a heading or
    nothing speaks for; None where several are left.
    """
    found, upto = [], 0
    for match in FENCE.finditer(reply):
        if match[1].strip():
            found.append((_before(reply, upto, match.start()), match[1]))
        upto = match.end()
    if len(found) < 2:
        return found[0][1] if found else reply
    meant = headings.pick(found)
    return meant[0] if len(meant) == 1 else None


def read(text):
    """[title] of the list, or a Reason."""
    values = _values(text)
    if isinstance(values, Reason):
        return values
    if len(values) > 1 and all(_title_of(value) for _, value in values):
        found = [value for _, value in values]  # one object a line
    else:
        lists = [pair for heading, value in values for pair in _lists(heading, value)]
        meant = headings.pick(lists)
        found = meant[0] if len(meant) == 1 else []
    titles = [_title_of(each) for each in found]
    return Reason.NO_LIST if None in titles or not titles else titles


def _values(text):
    """[(the line before it, value)] of all JSON in a text."""
    found, at, upto = [], min(at for at in (text.find("["), text.find("{")) if at >= 0), 0
    decoder = json.JSONDecoder()
    while True:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return Reason.BROKEN_JSON
        found.append((_before(text, upto, at), value))
        after = VALUE.search(text, end)
        if not after:
            return found
        if len(found) == MOST_VALUES:
            return Reason.TOO_MANY_TITLES
        at, upto = after.start(), end


def _before(text, start, end):
    """The last line before a place that says something, without marks."""
    lines = text[start:end].replace("```json", "").split("\n")
    return next((line.strip(headings.MARKS) for line in reversed(lines) if line.strip()), "")


def _lists(heading, value, depth=0):
    """(what is said of it, list) of all lists in a value, by their keys; a list of its own has the
    heading before it.
    """
    if isinstance(value, list):
        yield heading, value
    elif isinstance(value, dict) and depth < DEEPEST:
        for key, inner in value.items():
            yield from _lists(key.replace("_", " "), inner, depth + 1)


def _title_of(each):
    if isinstance(each, dict):
        lower = {str(key).lower(): value for key, value in each.items()}
        title = next((lower[key] for key in TITLE_KEYS if isinstance(lower.get(key), str)), None)
        year = lower.get("year")
        year = str(year) if isinstance(year, int | str) else ""
        dated = title and year.isdigit() and not YEAR.search(title)
        return f"{title} ({year})" if dated else title
    return each if isinstance(each, str) and each.strip() else None
