"""Read delimited text row by row, as spreadsheets and other programs write it."""

import csv
import re

CELL_LENGTH = 1_000_000
LONG_CELL = f"found a cell longer than {CELL_LENGTH:,} characters; allowed is less"
# All cells of a line are made at once, so one of more separators is refused before that.
MOST_SEPARATORS = 1_000_000
WIDE_LINE = f"found a line of more than {MOST_SEPARATORS:,} separators; allowed is less"
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
# Excel's first line, which names the separator. A tab may have gone with the blanks at its end.
DECLARED = re.compile(r'\s*"?sep=([,;|\t]?)"?[,;]*\s*', re.IGNORECASE)


class NotDelimited(ValueError):
    """A row that cannot be read, and the line at which it begins in an editor."""

    def __init__(self, message, line):
        super().__init__(message)
        self.line = line


def declared(start):
    """Return the separator that a file's first line “sep=;” names; empty without such a line."""
    line = DECLARED.fullmatch(start)
    return "" if line is None else line[1] or "\t"


def records(file, separator=""):
    """Yield (line, cells) of an open file; line is the row's first in an editor.

    A first line “sep=;” is no row: it names the separator where none is given.
    """
    csv.field_size_limit(CELL_LENGTH)
    named = declared(file.readline(200))
    if not named:
        file.seek(0)
    separator = separator or named or ","
    before = bool(named)
    reader = csv.reader(_lines(file, separator), delimiter=separator, strict=True)
    line = 1 + before
    try:
        for cells in reader:
            yield line, cells
            line = 1 + before + reader.line_num
    except csv.Error as error:
        raise NotDelimited(_in_words(error), line) from None


def _lines(file, separator):
    for line in file:
        if line.count(separator) > MOST_SEPARATORS:
            raise csv.Error(WIDE_LINE)
        yield line


def _in_words(error):
    text = str(error)
    if text == WIDE_LINE:
        return text
    if "field limit" in text:
        return LONG_CELL
    if "unexpected end" in text:
        return 'found a quotation mark (") that is never closed'
    return f'cannot read the row ({text}); write " inside a quoted cell as ""'
