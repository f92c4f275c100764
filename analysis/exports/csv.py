"""Cells as they stand in a line of CSV: written here, or by PostgreSQL for a million answers.

By hand and not by the csv module, because parts of a line are made once for many rows.
"""

import re
from datetime import datetime
from types import NoneType

from django.db import connection
from django.db.models import Func, TextField, Value

END = "\r\n"
QUOTED = re.compile(r'[,"\r\n]')
PLAIN = {
    NoneType: lambda _: "",
    bool: {True: "true", False: "false"}.get,
    int: repr,
    float: repr,
    datetime: datetime.isoformat,
}


def csv_cells(*cells):
    """Cells side by side, without the end of the line."""
    return ",".join([PLAIN.get(type(cell), _text)(cell) for cell in cells])


def _text(cell):
    text = str(cell)
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text


# The same numbers and times by PostgreSQL: a third of the time of making them Python's first.


class _Written(Func):
    """One column as csv_cells writes it; NULL stays NULL."""

    output_field = TextField()


class Number(_Written):
    """4 for 4.0; people's answers stay far below the 10^15 from which on the two would differ."""

    template = "(CASE WHEN %(expressions)s = trunc(%(expressions)s) \
THEN (%(expressions)s)::bigint::text ELSE (%(expressions)s)::text END)"


class Float(_Written):
    """4.0 for 4.0, as Python writes it."""

    template = "((%(expressions)s)::text \
|| CASE WHEN %(expressions)s = trunc(%(expressions)s) THEN '.0' ELSE '' END)"


class Time(_Written):
    """A time in UTC; microseconds only where there are any."""

    template = "replace(to_char(%(expressions)s AT TIME ZONE 'UTC', \
'YYYY-MM-DD\"T\"HH24:MI:SS.US'), '.000000', '') || '+00:00'"


def written(*cells):
    """One expression of several of texts, side by side as csv_cells sets them."""
    commas = [part for cell in cells for part in (Value(","), cell)][1:]
    return Func(*commas, function="concat", output_field=TextField())


def written_by_database(cells):
    """True when the cells are to be CSV and PostgreSQL can write them."""
    return cells is csv_cells and connection.vendor == "postgresql"
