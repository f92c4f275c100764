"""Make texts that a spreadsheet would take for a formula harmless in CSV, and read them back."""

import re

# Those of full width too: a spreadsheet in Chinese or Japanese takes them for the others.
ACTS = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def guarded(text):
    """Return the text, with a leading apostrophe if a spreadsheet would take it for a formula.

    A text with apostrophes before such a character gets one more, so that taking one away
    (`unguarded`) always gives the text back.
    """
    return f"'{text}" if ACTS.match(text) else text


def unguarded(text):
    """Return the text as it was before `guarded`; loading a CSV file does this to every cell."""
    return text[1:] if text[:1] == "'" and ACTS.match(text) else text
