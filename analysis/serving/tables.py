"""Write the rows of a report as CSV, as Markdown and as an aligned table in plain text."""

import csv
import json
from io import StringIO

from analysis.reports.base import finite
from annotate.values.formulas import guarded


def csv_rows(report):
    """Yield a header and one line per row; undefined is blank, texts cannot act as formulas."""
    if not report.rows:
        return
    names = list(report.rows[0])
    yield names
    for row in report.rows:
        yield [_cell(row[name]) for name in names]


def as_csv(report):
    """Write the rows as CSV; undefined numbers are blank."""
    file = StringIO()
    csv.writer(file, lineterminator="\r\n").writerows(csv_rows(report))
    return file.getvalue()


def _cell(value):
    if isinstance(value, list):
        value = json.dumps(value, ensure_ascii=False)
    if isinstance(value, str):
        return guarded(value)
    value = finite(value)
    return "" if value is None else value


def as_markdown(report):
    """Write a table in Markdown, undefined numbers blank, with the verdict and the notes."""
    lines = [[str(cell) for cell in row] for row in csv_rows(report)]
    body = [f"| {' | '.join(map(_in_cell, line))} |" for line in lines]
    rule = [f"|{' --- |' * len(line)}" for line in lines[:1]]
    notes = [f"- {note}" for note in report.notes]
    parts = [report.verdict, body[:1] + rule + body[1:], notes]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _in_cell(text):
    return " ".join(text.replace("|", "\\|").split())


def as_text(report):
    """Write an aligned table, numbers to the right, with the notes below."""
    if not report.rows:
        return "\n".join(["No rows.", *report.verdict, *report.notes])
    names = list(report.rows[0])
    lines = [names, *([_words(row[name]) for name in names] for row in report.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    right = [isinstance(value, int | float | None) for value in report.rows[0].values()]
    body = [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    ]
    rule = "  ".join("-" * width for width in widths)
    return "\n".join([body[0], rule, *body[1:], "", *report.verdict, *report.notes])


def _words(value):
    if isinstance(value, list):
        return f"[{', '.join(map(_words, value))}]"
    value = finite(value)
    if value is None:
        return "-"
    return f"{value:.5f}" if isinstance(value, float) else str(value)
