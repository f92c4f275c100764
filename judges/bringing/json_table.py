"""Read an array of JSON objects, or a JSON object a line, as a table."""

import json
import math

from annotate.files.reading import plainjson
from annotate.values.wrong import quoted
from judges.bringing.sheet import MOST_COLUMNS, NotReadable, Sheet, Truth, check_cell

DEEPEST = 64
FORMS = "an array of objects, or one JSON object a line"


def read_json(path):
    """Return the Sheet of a JSON file; keys within objects are named with dots, as data.text."""
    objects = _objects(path.read_text(encoding="utf-8-sig"))
    names: dict[str, None] = {}
    flat, missing = [], []
    for row, value in objects:
        cells: dict[str, str] = {}
        for name, cell in _flat(value, "", 1):
            if name in cells:
                words = f"found {quoted(name)} twice in one object; allowed is once"
                raise NotReadable(words, row, name)
            if isinstance(cell, float) and math.isnan(cell):
                missing.append(f"row {row}, column “{name}”")
            cells[name] = check_cell(_text(cell, row, name), row)
            names[name] = None
            if len(names) > MOST_COLUMNS:
                words = f"found more than {MOST_COLUMNS} columns; allowed are {MOST_COLUMNS}"
                raise NotReadable(words, row)
        flat.append((row, cells))
    if not flat:
        raise NotReadable("the file has no objects; expected is an array of objects")

    def records():
        yield 0, list(names)
        for row, cells in flat:
            yield row, [cells.get(name, "") for name in names]

    sheet = Sheet("", records)
    sheet.assumed += ["Read as JSON; rows are counted as objects."]
    if missing:
        sheet.assumed.append(
            f"NaN is read as missing: {len(missing):,}, the first in {missing[0]}."
        )
    return sheet


def _objects(text):
    start = text.lstrip()[:1]
    if start == "[":
        values = list(enumerate(_parsed(text, None), 1))
    else:
        lines = [line for line in text.split("\n") if line.strip()]
        values = [(row, _parsed(line, row)) for row, line in enumerate(lines, 1)]
    for row, value in values:
        if not isinstance(value, dict):
            raise NotReadable(f"found {quoted(value)}; allowed is a JSON object", row)
    return values


def _parsed(text, row):
    try:
        # Other programs write NaN where a value is missing.
        return plainjson.parse_json(text)
    except plainjson.NoJSON as error:
        raise NotReadable(f"found {error}; allowed is {FORMS}", row) from None
    except ValueError as error:
        raise NotReadable(str(error), row) from None


def _flat(value, name, depth):
    """Yield the name and the value of what an object holds, however deep."""
    if isinstance(value, dict) and value and depth <= DEEPEST:
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else key, depth + 1)
    else:
        yield name, value


def _text(value, row, name):
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return Truth.of_bool(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        words = f"found {plainjson.no_number(value)}; allowed is a finite number or null"
        raise NotReadable(words, row, name) from None
