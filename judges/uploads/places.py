"""Trace problems of translated tables to the rows and columns of the table that was brought."""

import re
import struct
from pathlib import Path

from django.conf import settings

from judges.bringing.translate import column_of

PLACE = struct.Struct("<IH")  # a row and the index of a column, for each line of a table
NO_COLUMN = 0xFFFF
LINE = re.compile(r"\bon line (\d+)")


def folder_of(upload):
    """Return the folder of an upload."""
    return Path(settings.MEDIA_ROOT) / "uploads" / upload.token


def traced(upload, problems):
    """Return the problems with the rows and columns of the brought table; others as they are."""
    if not upload.bringing:
        return problems
    return problems | {"shown": [_traced(upload, problem) for problem in problems["shown"]]}


def _traced(upload, problem):
    table, _, ending = problem["file"].partition(".")
    if ending != "jsonl":
        return problem
    row, value_column = _place(upload, table, problem["row"])
    column = column_of(upload.bringing["mapping"], problem["column"], value_column)
    message = LINE.sub(
        lambda line: f"in row {_place(upload, table, int(line[1]))[0]}", problem["message"]
    )
    return {"file": upload.bringing["name"], "row": row, "column": column, "message": message}


def _place(upload, table, line):
    """Return (row, the column of the answer or blank) of a line of a translated table."""
    path = folder_of(upload) / f"{table}.places"
    if line is None or not path.exists():
        return None, ""
    with path.open("rb") as places:
        places.seek((line - 1) * PLACE.size)
        packed = places.read(PLACE.size)
    if len(packed) < PLACE.size:
        return None, ""
    row, index = PLACE.unpack(packed)
    names = [column["name"] for column in upload.bringing["columns"]]
    return row, "" if index == NO_COLUMN else names[index]
