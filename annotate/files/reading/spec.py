"""Describe the keys of study.yaml as pydantic models, and say in words what a value breaks."""

from collections.abc import Mapping
from typing import Annotated, Any, get_args

from django.core.exceptions import ValidationError as Refused
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from annotate.files.reading.problems import quoted
from annotate.values.wrong import Wrong

LIMITS = ("ge", "le", "max_length")
LIST = "allowed is a list of mappings, each beginning with `- `"


class Spec(BaseModel):
    """A mapping of study.yaml. Its fields are all the keys that it may have."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    @classmethod
    def keys(cls):
        """Return the keys in the order in which messages and documents list them."""
        return tuple(cls.model_fields)

    @classmethod
    def limits(cls, key):
        """Return {name: value} of a key's limits, as ge, le and max_length."""
        limits = {}
        for limit in cls.model_fields[key].metadata:
            limits |= {name: getattr(limit, name) for name in LIMITS if hasattr(limit, name)}
        return limits


def whole(low, high, default: Any = ...):
    """Return the field of a whole number from low to high."""
    return Field(default, ge=low, le=high)


def number(low, high):
    """Return a validator of a number from low to high, which stays as whole as it is."""

    def check(value):
        if type(value) not in (int, float) or not low <= value <= high:
            raise ValueError(f"found {quoted(value)}; allowed is a number from {low} to {high:,}")
        return value

    return BeforeValidator(check)


def _as_text(value):
    if isinstance(value, dict | list):
        raise ValueError("found a list or a mapping; allowed is a text")
    return "" if value is None else str(value)


def _as_line(value):
    if isinstance(value, bool | dict | list):
        raise ValueError(f"found {value!r:.40}; allowed is a text in quotation marks")
    return "" if value is None else str(value).strip()


def _needed(value):
    if not value:
        raise ValueError("is missing; expected is a text")
    return value


# A text as it is; a number is a text too.
Text = Annotated[str, BeforeValidator(_as_text)]
# A text without blanks at its ends.
Line = Annotated[str, BeforeValidator(_as_line)]
NeededLine = Annotated[Line, AfterValidator(_needed)]


def one_of(choices):
    """Return a validator of one of Django's choices."""

    def check(value):
        if str(value) not in choices.values:
            raise ValueError(f"found {quoted(value)}; allowed is {', '.join(choices.values)}")
        return str(value)

    return BeforeValidator(check)


def follows(rule):
    """Return a validator that keeps a text which Django's validator takes."""

    def check(value):
        try:
            rule(value)
        except Refused as refused:
            raise ValueError(f"found {quoted(value)}. {refused.message}") from None
        return value

    return AfterValidator(check)


# What is wrong, in words


def faults(error, kind):
    """Yield (place, message) of a pydantic error: a place lists keys and numbers of entries.

    kind: the Spec that was validated, or the type of a list of them.
    """
    for fault in error.errors(include_url=False):
        raised = fault.get("ctx", {}).get("error")
        message = str(raised) if raised else MESSAGES[fault["type"]](fault, kind)
        yield (*fault["loc"], *_place_in(raised)), message


def _place_in(raised):
    """Return the place that a Wrong names below the value that was validated."""
    if not isinstance(raised, Wrong):
        return ()
    entry = () if raised.entry is None else (raised.entry,)
    return (*entry, raised.key) if raised.key else entry


def _missing(fault, kind):
    return f"is missing; {_field(kind, fault['loc']).description}"


def _unknown_key(fault, kind):
    keys = _spec_at(kind, fault["loc"][:-1]).keys()
    return f"is not a known key; allowed are {', '.join(keys)}"


def _no_whole_number(fault, kind):
    *around, key = fault["loc"]
    limits = _spec_at(kind, around).limits(key)
    allowed = f"a whole number from {limits['ge']} to {limits['le']}"
    return f"found {quoted(fault['input'])}; allowed is {allowed}"


def _too_long(fault, kind):
    return (
        f"found {len(str(fault['input']))} characters; allowed are {fault['ctx']['max_length']:,}"
    )


def _too_many(fault, kind):
    return f"found {len(fault['input'])} entries; allowed are {fault['ctx']['max_length']}"


def _no_boolean(fault, kind):
    return f"found {quoted(fault['input'])}; allowed is true or false"


def _no_mapping(fault, kind):
    keys = ", ".join(_spec_at(kind, fault["loc"]).keys())
    return f"found {fault['input']!r:.40}; allowed is a mapping with {keys}"


MESSAGES = {
    "missing": _missing,
    "extra_forbidden": _unknown_key,
    "int_type": _no_whole_number,
    "greater_than_equal": _no_whole_number,
    "less_than_equal": _no_whole_number,
    "string_too_long": _too_long,
    "too_long": _too_many,
    "bool_type": _no_boolean,
    "model_type": _no_mapping,
    "list_type": lambda fault, kind: "allowed is a list, each entry beginning with `- `",
}


def _spec_at(kind, place):
    """Return the Spec of the mapping at a place."""
    for part in place:
        if isinstance(part, str):
            kind = _spec_in(kind).model_fields[part].annotation
    return _spec_in(kind)


def _field(kind, place):
    return _spec_at(kind, place[:-1]).model_fields[place[-1]]


def _spec_in(kind):
    """Return the Spec that a type is, or that its lists and options hold."""
    if isinstance(kind, type) and issubclass(kind, Spec):
        return kind
    return next(filter(None, map(_spec_in, get_args(kind))), None)


def parse(kind, value):
    """Return a valid value of a type; raise Wrong with the first fault."""
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        place, message = next(faults(error, kind))
        numbers = [part for part in place if isinstance(part, int)]
        key = place[-1] if place and isinstance(place[-1], str) else ""
        raise Wrong(message, key, numbers[0] if numbers else None) from None


def line_at(mapping: Any, place):
    """Return the line of a file at which a place's key stands, or the nearest around it."""
    line = mapping.line
    for part in place:
        if isinstance(mapping, Mapping) and hasattr(mapping, "line_of"):
            line = mapping.line_of(part)
        try:
            mapping = mapping[part]
        except (KeyError, IndexError, TypeError):
            return line
        line = getattr(mapping, "line", line) if isinstance(part, int) else line
    return line
