"""Rows of a table as lines of CSV or JSON, in pieces of about a thousand rows."""

import csv
import json
from datetime import datetime
from io import StringIO
from itertools import islice

from analysis import exports
from annotate.formulas import guarded

PIECE = 1000


def pieces(study, table, form, **options):
    """The whole file as texts, one after another; form is "csv" or "jsonl"."""
    return FORMS[form](study, table, **options)


def _csv(study, table, **options):
    header, rows = exports.rows(study, table, guarded, **options)
    buffer = StringIO()
    # \r\n, because the csv module quotes a lone \r only where it is part of the line end.
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(map(guarded, header))
    for batch in _batches(rows):
        writer.writerows(map(_cells, batch))
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _cells(row):
    return [_cell(value) for value in row]


def _cell(value):
    if value is True or value is False:
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else value


def _jsonl(study, table, **options):
    header, rows = exports.rows(study, table, str, **options)
    for batch in _batches(rows):
        yield "".join(_line(header, row) for row in batch)


def _line(header, row):
    found = dict(zip(header, row, strict=True))
    return json.dumps(found, ensure_ascii=False, default=datetime.isoformat) + "\n"


def _batches(rows):
    while batch := list(islice(rows, PIECE)):
        yield batch


FORMS = {"csv": _csv, "jsonl": _jsonl}
TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson; charset=utf-8"}
