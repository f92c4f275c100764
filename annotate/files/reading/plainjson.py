"""JSON whose values a database takes: finite numbers, plain text, every name once."""

import json


class NoJSON(ValueError):
    """The text is no JSON at all, or too deep to be read."""


def read(text):
    """The value; ValueError says what else was found."""
    try:
        found = json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_constant, parse_int=_whole
        )
        if "\\u" in text:
            _check_escapes(found)
    except json.JSONDecodeError as error:
        raise NoJSON(f"no JSON ({error.msg})") from None
    except RecursionError:
        raise NoJSON("JSON nested too deeply") from None
    return found


def _once(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("found a name twice in one object; allowed is once")
    return found


def _no_constant(name):
    raise ValueError(f"found {name}; allowed is a finite number or null")


def _whole(digits):
    try:
        return int(digits)
    except ValueError:
        raise ValueError("found a number of too many digits; write it as a text") from None


def _check_escapes(found):
    r"""\u0000 and half surrogates are JSON, but no text that a database takes."""
    text = json.dumps(found, ensure_ascii=False)
    if "\\u0000" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("found an escaped NUL or half a surrogate pair; allowed is plain text")
