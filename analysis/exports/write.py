"""Write rows of a table as lines of CSV or JSON, in pieces of about a thousand rows."""

import json
from datetime import datetime
from itertools import islice

from analysis.answers.moment import one_moment
from analysis.exports import tables
from analysis.exports.csv import csv_line

PIECE = 1000


def pieces(study, table, form, **options):
    """Yield the whole file as texts, piece by piece; form is "csv" or "jsonl".

    All of it is of one moment: an answer that comes meanwhile may be of a session that was not
    there when sessions were read.
    """
    with one_moment():
        yield from FORMS[form](study, table, **options)


def _csv(study, table, **options):
    header, rows = tables.rows(study, table, **options)
    yield csv_line(header)
    for batch in _batches(rows):
        yield "".join(map(csv_line, batch))


def _jsonl(study, table, **options):
    header, rows = tables.rows(study, table, **options)
    for batch in _batches(rows):
        yield "".join(_line(header, row) for row in batch)


def _line(header, row):
    row_by_name = dict(zip(header, row, strict=True))
    return json.dumps(row_by_name, ensure_ascii=False, default=datetime.isoformat) + "\n"


def _batches(rows):
    while batch := list(islice(rows, PIECE)):
        yield batch


FORMS = {"csv": _csv, "jsonl": _jsonl}
TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson; charset=utf-8"}
