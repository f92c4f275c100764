"""One line of a reply: the titles on it, without years in other forms and without ratings."""

import re

from judges.titles import YEAR

# Behind a year in brackets: what parts it from the next title, which begins as titles do.
PARTED = re.compile(
    r"[\"”»*_]*\s*(?:(?:[,;|]|\s/\s)\s*(?:(?:and|und|y|e|et)\s+|&\s*)?|\s(?:and|und|y|&)\s+)"
    r"(?=[\"“«*_]*(?:[^\W_a-zß-öø-ÿ]|[¿¡'’]))"
)
# A year behind a comma or a dash, at the end or before an explanation.
BEHIND = re.compile(
    r"^(?P<title>.*?[^\s,–—-])(?:\s*,\s*|\s+[-–—]\s+)(?P<year>(?:18|19|20)\d\d)(?P<rest>$|\s+[-–—:(].*$)"
)
RATED = re.compile(
    r"(?:\s*[-–—:|,]\s*|\s+(?=[(\[★☆⭐]))[(\[]?(?:rating:?\s*)?"
    r"(?:\d{1,2}(?:[.,]\d{1,2})?\s*(?:/|out of)\s*(?:5|10|100)(?:\s*stars?)?|"
    r"\d(?:[.,]\d)?\s*stars?|[★☆⭐✩✪✭½\ufe0f]+)[)\]]?\s*$",
    re.IGNORECASE,
)
ONLY_YEAR = re.compile(r"^[(\[]?((?:18|19|20)\d\d)[)\]]?$")
RATING = 40  # characters at most, at the end


def read(line, is_title):
    """The titles on a line of a list, without ratings and with their years in brackets."""
    line = " ".join(line.split())
    return [dated(unrated(each, is_title), is_title) for each in several(line, is_title)]


def several(line, is_title):
    """The titles of a line, each to its year in brackets: "Heat (1995), Alien (1979) and …".

    One title where only one has a year, or where what follows it does not begin as titles do: that
    is of the explanation.
    """
    years = list(YEAR.finditer(line))
    if len(years) < 2 or is_title(line):
        return [line]
    found, start = [], 0
    for year, after in zip(years, years[1:], strict=False):
        parted = PARTED.match(line, year.end()) if year.start() > start else None
        if not parted or parted.end() >= after.start():
            break
        found.append(line[start : year.end()])
        start = parted.end()
    return [*found, line[start:]]


def dated(title, is_title):
    """A title with its year in brackets, where it stands behind a comma or a dash."""
    found = None if YEAR.search(title) else BEHIND.match(title)
    if not found or is_title(title):
        return title
    return f"{found['title']} ({found['year']}){found['rest']}"


def joined_years(pieces):
    """Pieces between commas, of which every second is a year: a title and its year are one."""
    years = [ONLY_YEAR.match(piece) for piece in pieces[1::2]]
    if (
        len(pieces) < 2
        or len(pieces) % 2
        or not all(years)
        or any(map(ONLY_YEAR.match, pieces[::2]))
    ):
        return pieces
    return [f"{title} ({year[1]})" for title, year in zip(pieces[::2], years, strict=True)]


def unrated(title, is_title):
    """A title without a rating or stars at its end."""
    start = max(len(title) - RATING, 0)
    found = RATED.search(title, start)
    return title[: found.start()] if found and found.start() and not is_title(title) else title
