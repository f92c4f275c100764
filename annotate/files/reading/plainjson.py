"""Parse JSON that a database can store: finite numbers, plain text, unique names."""

import json
import math
import re

# How an object begins, or a list, and no CSV.
BEGINS = re.compile(r"""\s*(?:\[\s*(?=["\[\]{])|\{\s*["}])""")


class NoJSON(ValueError):
    """The text is no JSON at all, or nested too deeply."""


def no_constant(name):
    """Refuse NaN and Infinity."""
    raise ValueError(f"found {name}; allowed is a finite number or null")


def no_number(value):
    """Name what a number is that is not finite, or a value that holds one."""
    if isinstance(value, list | dict):
        return "NaN or a number beyond ±1.8e308"
    return "NaN" if math.isnan(value) else "a number beyond ±1.8e308"


def parse_json(text, parse_constant=no_constant):
    """Parse the JSON value of a text; ValueError says what is wrong."""
    try:
        value = json.loads(
            text, object_pairs_hook=_once, parse_constant=parse_constant, parse_int=_whole
        )
        if "\\u" in text:
            _check_escapes(value)
    except json.JSONDecodeError as error:
        raise NoJSON(f"no JSON ({error.msg})") from None
    except RecursionError:
        raise NoJSON("JSON nested too deeply") from None
    return value


def _once(pairs):
    """Return the object of pairs whose names must differ."""
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise ValueError("found a name twice in one object; allowed is once")
    return mapping


def _whole(digits):
    try:
        return int(digits)
    except ValueError:
        raise ValueError("found a number of too many digits; write it as a text") from None


def _check_escapes(value):
    r"""Refuse \u0000 and half surrogates: they are JSON, but no text that a database can store."""
    text = json.dumps(value, ensure_ascii=False)
    if "\\u0000" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("found an escaped NUL or half a surrogate pair; allowed is plain text")
