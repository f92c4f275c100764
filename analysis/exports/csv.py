"""Write rows as lines of CSV, safe in spreadsheets of any country.

By hand and not by the csv module: cells with a semicolon or a tab are quoted too, since some
spreadsheets separate there.
"""

import re
from datetime import datetime
from functools import lru_cache
from types import NoneType

from annotate.values.formulas import guarded

END = "\r\n"
LONGEST_KEY = 200
QUOTED = re.compile(r'[,;\t"\r\n]')
PLAIN = {
    NoneType: lambda _: "",
    bool: {True: "true", False: "false"}.get,
    int: repr,
    float: repr,
    datetime: datetime.isoformat,
}


def csv_line(cells):
    """Write cells side by side: texts, numbers, times and None; no text acts as a formula."""
    return ",".join([PLAIN.get(type(cell), _text)(cell) for cell in cells]) + END


def _text(cell):
    text = str(cell)
    return _quoted_key(text) if len(text) <= LONGEST_KEY else _quoted(text)


def _quoted(text):
    text = guarded(text)
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text


_quoted_key = lru_cache(1024)(_quoted)  # keys stand in many rows
