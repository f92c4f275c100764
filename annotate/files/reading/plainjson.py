"""Parse JSON that a database can store: finite numbers, plain text, unique names."""

import json
import math
import re

# How an object begins, or a list, and no CSV.
BEGINS = re.compile(r"""\s*(?:\[\s*(?=["\[\]{])|\{\s*["}])""")
FLOAT_DIGITS = 309  # of the largest float, 1.8e308


class NoJSON(ValueError):
    """The text is no JSON at all, or nested too deeply."""


def no_number(value):
    """Name what a number is that is not finite, or a value that holds one."""
    if isinstance(value, list | dict):
        return "NaN or a number beyond ±1.8e308"
    return "NaN" if math.isnan(value) else "a number beyond ±1.8e308"


def parse_json(text):
    """Parse the JSON value of a text; ValueError says what is wrong.

    NaN, Infinity and numbers beyond the floats are floats that no_number names.
    """
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_int=_whole)
        if "\\u" in text:
            _check_escapes(value)
    except json.JSONDecodeError as error:
        raise NoJSON(f"no JSON ({error.msg})") from None
    except RecursionError:
        raise NoJSON("JSON nested too deeply") from None
    return value


def _whole(digits):
    return int(digits) if len(digits) < FLOAT_DIGITS else float(digits)


def _once(pairs):
    """Return the object of pairs whose names must differ."""
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise ValueError("found a name twice in one object; allowed is once")
    return mapping


def _check_escapes(value):
    r"""Refuse \u0000 and half surrogates: they are JSON, but no text that a database can store."""
    text = json.dumps(value, ensure_ascii=False)
    if "\\u0000" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("found an escaped NUL or half a surrogate pair; allowed is plain text")
