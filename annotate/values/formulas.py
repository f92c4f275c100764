"""Make texts that a spreadsheet would take for a formula harmless in CSV, and read them back."""

import re

# Those of full width too: a spreadsheet in Chinese or Japanese takes them for the others.
FORMULA = r"=+\-@\t\uff1d\uff0b\uff0d\uff20"
ACTS = re.compile(rf"'*[{FORMULA}\r\n]")
# A spreadsheet of a country with decimal commas separates at semicolons, within quotation marks
# too: these only count at the beginning of what it takes for a cell, where those of a text stand
# for none. A line break ends its row.
BEHIND = re.compile(rf"([;\r\n]\"*)(?='*[{FORMULA}])")
GUARDED_BEHIND = re.compile(rf"([;\r\n]\"*)'(?='*[{FORMULA}])")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def guarded(text):
    """Return the text, with an apostrophe where a spreadsheet would take it for a formula.

    That is at its beginning, unless all of it is a number, and behind a semicolon or a line break,
    also where quotation marks stand between.
    A text with apostrophes before such a character gets one more, so that taking one away
    (`unguarded`) always gives the text back.
    """
    if ACTS.match(text) and not NUMBER.fullmatch(text):
        text = f"'{text}"
    return BEHIND.sub(r"\1'", text)


def unguarded(text):
    """Return the text as it was before `guarded`; loading a CSV file does this to every cell."""
    if "'" not in text:
        return text
    return GUARDED_BEHIND.sub(r"\1", text[1:] if text[0] == "'" and ACTS.match(text) else text)
