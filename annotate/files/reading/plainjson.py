"""Parse JSON that a database can store: finite numbers, plain text, unique names."""

import json
import math
import re

# How an object begins, or a list, and no CSV.
BEGINS = re.compile(r"""\s*(?:\[\s*(?=["\[\]{])|\{\s*["}])""")
FLOAT_DIGITS = 309  # of the largest float, 1.8e308


class NoJSON(ValueError):
    """The text is no JSON at all, or nested too deeply."""


def refuse(text):
    """Refuse NaN, Infinity and a number beyond the floats."""
    raise ValueError(f"found {no_number(float(text))}; allowed is a finite number or null")


def no_number(value):
    """Name what a number is that is not finite, or a value that holds one."""
    if isinstance(value, list | dict):
        return "NaN or a number beyond ±1.8e308"
    return "NaN" if math.isnan(value) else "a number beyond ±1.8e308"


def parse_json(text, beyond=refuse):
    """Parse the JSON value of a text; ValueError says what is wrong.

    beyond: makes a value of the text of what is no finite number: NaN, Infinity, 1e400.
    """

    def real(digits):
        number = float(digits)
        return number if math.isfinite(number) else beyond(digits)

    def whole(digits):
        return int(digits) if len(digits) < FLOAT_DIGITS else real(digits)

    hooks = {"parse_constant": beyond, "parse_float": real, "parse_int": whole}
    try:
        value = json.loads(text, object_pairs_hook=_once, **hooks)
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


def _check_escapes(value):
    r"""Refuse \u0000 and half surrogates: they are JSON, but no text that a database can store."""
    text = json.dumps(value, ensure_ascii=False)
    if "\\u0000" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("found an escaped NUL or half a surrogate pair; allowed is plain text")
