"""Normalise texts that researchers write on pages or load."""

import unicodedata

LONGEST = 100_000  # characters of a text, as in study.yaml
BLANKS = "".join(character for character in map(chr, range(0x3001)) if character.isspace())
# For a database's regex. PostgreSQL's own \s knows fewer blanks than Python: no unbreakable space.
BLANK = f"^[{BLANKS}]*$"


def one_line_ends(text):
    """Return the text with line ends as in a file: browsers send carriage returns too."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def as_text(value):
    """Return a single value of YAML or JSON as the text that stands there; empty for null."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def composed(text):
    """Return an id in one form: é is one letter to Unicode (NFC), or e and an accent (NFD)."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def lines_of(text):
    """List the lines that are not blank, without blanks at their ends."""
    return [line.strip() for line in one_line_ends(text).split("\n") if line.strip()]


def count_of(number, word):
    """Write a number and what it counts: 1 place, 1,200 places."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
