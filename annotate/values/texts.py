"""Normalise texts that researchers write on pages or load."""

LONGEST = 100_000  # characters of a text, as in study.yaml
BLANKS = "".join(character for character in map(chr, range(0x3001)) if character.isspace())
# For a database's regex. PostgreSQL's own \s knows fewer blanks than Python: no unbreakable space.
BLANK = f"^[{BLANKS}]*$"


def one_line_ends(text):
    """Return the text with line ends as in a file: browsers send carriage returns too."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
