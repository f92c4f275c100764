"""Read the one list of titles in a recommender's reply, or say why it is no list. Never a guess.

A list is JSON (an array of texts or of objects with a `title`, or the object of the schema). Where
a reply has none, a list is lines that follow each other and begin with a number or a bullet. Text
around it is ignored. A reply with two lists is no list, and lines without numbers or bullets are
none; nor is a single line with one, where more titles were asked for: it may be a question back.
"""

import json
import re

from judges.methods.recommend.structured import KEY, LONGEST, keep_unique_keys
from judges.replies.parse import MOST_TITLES, Reason, answer_in, storable, why_not_whole
from judges.values.titles import YEAR

JSON_START = re.compile(r'\[\s*["{\[]|\{\s*"')
BULLETS = "-*•"
LINE = re.compile(rf"(?:(\d{{1,4}})[.)]|([{BULLETS}]))\s+(\S.*)")
MARK = re.compile(rf"\s*(?:\d{{1,4}}[.)]|[{BULLETS}])\s+\S")
ONLY_YEAR = re.compile(r"(?:18|19|20)\d\d")
BOLD = re.compile(r"\*\*(\S.*?)\*\*(.*)")
QUOTED = re.compile(r"[\"“«]([^\"“”«»]+)[\"”»](.*)")
DEEPER = 2  # spaces from which on a line belongs to the entry above it
DECODER = json.JSONDecoder(object_pairs_hook=keep_unique_keys, strict=False)


def parse_list(reply, k=0, finish_reason="stop"):
    """Return the entries of a reply's only list, best first, or the Reason why it is no list.

    k: how many were asked for. A reply that was cut off is read once it has k whole entries.
    """
    is_cut = why_not_whole(finish_reason) is Reason.CUT_OFF
    answer = answer_in(reply, "" if is_cut else finish_reason)
    is_read = not isinstance(answer, Reason)
    entries = _only_list(answer, least=2 if k > 1 else 1) if is_read else answer
    if not is_cut:
        return entries
    is_enough = not isinstance(entries, Reason) and 0 < k < len(entries)
    return entries[:-1] if is_enough else Reason.CUT_OFF


def _only_list(text, least):
    """Return the entries of a text's only list, of at least so many lines where it is lines."""
    try:
        values, rest = _take_json(text)
    except (ValueError, RecursionError):
        return Reason.BROKEN_JSON
    from_json = [titles for titles in map(_titles_of, values) if titles]
    lists = from_json or _runs_of_lines(rest)
    if len(lists) != 1:
        return Reason.SEVERAL_LISTS if lists else Reason.NO_LIST
    if not from_json and len(lists[0]) < least:
        return Reason.NO_LIST
    titles = [" ".join(storable(entry).split()) for entry in lists[0]]
    if not from_json:
        titles = [title_of(line) for line in titles]
    if len(titles) > MOST_TITLES:
        return Reason.TOO_MANY_TITLES
    return titles if titles and all(0 < len(t) <= LONGEST for t in titles) else Reason.NO_LIST


def _take_json(text):
    """Return the JSON values in a text, and the text with a dot in the place of each."""
    values, pieces, end, after = [], [], 0, 0
    while start := JSON_START.search(text, after):
        if MARK.match(text, text.rfind("\n", 0, start.start()) + 1, start.start()):
            after = start.end()  # of an entry of numbered or bulleted lines
            continue
        pieces.append(text[end : start.start()])
        value, end = DECODER.raw_decode(text, start.start())
        after = end
        values.append(value)
    return values, ".".join([*pieces, text[end:]])


def _titles_of(value):
    """Return the titles of a JSON value; empty where it is no list of titles."""
    if isinstance(value, dict):
        value = value.get(KEY)
    if not isinstance(value, list):
        return []
    titles = [_titled(entry) if isinstance(entry, dict) else entry for entry in value]
    is_whole = all(isinstance(title, str) and title.strip() for title in titles)
    return titles if is_whole else []


def _titled(entry):
    """Return the title of a JSON object with its year, which tells it from remakes."""
    title, year = entry.get("title"), str(entry.get("year", ""))
    is_told = isinstance(title, str) and title.strip() and ONLY_YEAR.fullmatch(year)
    return f"{title} ({year})" if is_told and year not in title else title


def _runs_of_lines(text):
    """Return the lists of a text's lines, each line without its number or bullet.

    Blank lines and indented ones are passed over; any other line without a mark ends a list, and so
    does another mark or a number that does not count on. What begins with another number than 1 is
    a list without entries.
    """
    runs, indent, following = [], 0, None
    for line in filter(str.strip, text.expandtabs().splitlines()):
        content = line.strip()
        deep = len(line) - len(line.lstrip())
        marked = LINE.fullmatch(content)
        if following and deep >= indent + DEEPER:
            if marked and marked[1] and int(marked[1]) == following:
                runs.append((following, []))
            continue
        if not marked or not any(map(str.isalnum, marked[3])):
            following = None
            continue
        number, bullet, entry = marked.groups()
        mark = int(number) if number else bullet
        if mark != following:
            runs.append((mark, []))
            indent = deep
        runs[-1][1].append(entry)
        following = mark + 1 if number else bullet
    return [entries if mark in (1, *BULLETS) else [] for mark, entries in runs]


def title_of(line):
    """Return the title on a line of a list: what is in bold at its beginning, else the whole line.

    Quotes around a title are no part of it, nor is anything behind its year in brackets. Quotes
    around its first words are, and a line with two years stays as it is: it may name two titles.
    """
    title = line
    if bold := BOLD.fullmatch(title):
        title = _with_year(bold[1], bold[2])
    if (quoted := QUOTED.fullmatch(title)) and (not quoted[2].strip() or _year_at(quoted[2])):
        title = _with_year(quoted[1], quoted[2])
    years = list(YEAR.finditer(title))
    if len(years) == 1 and years[0].start():
        title = title[: years[0].end()]
    return title.strip(" ,;:") or line


def _with_year(title, rest):
    year = _year_at(rest)
    return f"{title} {year}" if year else title


def _year_at(rest):
    """Return the year in brackets that a text begins with; "" where it begins otherwise."""
    year = YEAR.match(rest.lstrip(" ,"))
    return year[0] if year else ""
