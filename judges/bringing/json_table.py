"""Read an array of JSON objects, or a JSON object a line, as a table."""

import json
import math

from annotate.files.reading import plainjson
from annotate.values.wrong import quoted
from judges.bringing.sheet import NotReadable, Sheet, Truth, check_cell

DEEPEST = 64


def read_json(path):
    """Return the Sheet of a JSON file; keys within objects are named with dots, as data.text."""
    objects = _objects(path.read_text(encoding="utf-8-sig"))
    names: dict[str, None] = {}
    flat = []
    for row, value in objects:
        cells: dict[str, str] = {}
        _flatten(value, "", cells, row, 1)
        names.update(dict.fromkeys(cells))
        flat.append((row, cells))
    if not flat:
        raise NotReadable("the file has no objects; expected is an array of objects")

    def records():
        yield 0, list(names)
        for row, cells in flat:
            yield row, [cells.get(name, "") for name in names]

    sheet = Sheet("", records)
    sheet.assumed += ["Read as JSON; rows are counted as objects."]
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
        return plainjson.parse_json(text, parse_constant=lambda name: None)
    except plainjson.NoJSON as error:
        words = "an array of objects, or one JSON object a line"
        raise NotReadable(f"found {error}; allowed is {words}", row) from None
    except ValueError as error:
        raise NotReadable(str(error), row) from None


def _flatten(value, name, cells, row, depth):
    if isinstance(value, dict) and value and depth <= DEEPEST:
        for key, inner in value.items():
            _flatten(inner, f"{name}.{key}" if name else key, cells, row, depth + 1)
    elif name in cells:
        raise NotReadable(f"found {quoted(name)} twice in one object; allowed is once", row, name)
    else:
        cells[name] = check_cell(_text(value), row)


def _text(value):
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return Truth.of_bool(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)
