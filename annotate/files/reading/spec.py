"""Describe the keys of study.yaml as pydantic models, and say in words what a value breaks."""

from typing import Annotated, Any

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

from annotate.files.reading.faults import faults, model_at
from annotate.files.reading.yamlfile import Lined
from annotate.values.numbers import is_number
from annotate.values.texts import as_text, composed
from annotate.values.wrong import Wrong, quoted

LIST = "allowed is a list of mappings, each beginning with `- `"


class Spec(BaseModel):
    """A mapping of study.yaml. Its fields are all the keys that it may have."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    @classmethod
    def keys(cls):
        """Return the keys in the order in which messages and documents list them."""
        return tuple(cls.model_fields)


def whole(low, high, default: Any = ...):
    """Return the field of a whole number from low to high."""
    return Field(default, ge=low, le=high)


def number(low, high):
    """Return a validator of a number from low to high, which stays as whole as it is."""

    def check(value):
        if not is_number(value) or not low <= value <= high:
            raise ValueError(f"found {quoted(value)}; allowed is a number from {low} to {high:,}")
        return value

    return BeforeValidator(check)


def _as_text(value):
    if isinstance(value, dict | list):
        raise ValueError("found a list or a mapping; allowed is a text")
    return as_text(value)


def _needed(value):
    if not value:
        raise ValueError("is missing; expected is a text")
    return value


# A text as it is written; a number is a text too.
Text = Annotated[str, BeforeValidator(_as_text)]
# A text without blanks at its ends.
Line = Annotated[str, BeforeValidator(lambda value: _as_text(value).strip())]
NeededLine = Annotated[Line, AfterValidator(_needed)]
Id = Annotated[NeededLine, AfterValidator(composed)]


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


def _missing(fault, kind):
    *around, key = fault["loc"]
    return f"is missing; {model_at(kind, around).model_fields[key].description}"


def _unknown_key(fault, kind):
    keys = model_at(kind, fault["loc"][:-1]).keys()
    return f"is not a known key; allowed are {', '.join(keys)}"


def _too_long(fault, kind):
    return (
        f"found {len(str(fault['input']))} characters; allowed are {fault['ctx']['max_length']:,}"
    )


def _too_many(fault, kind):
    return f"found {len(fault['input'])} entries; allowed are {fault['ctx']['max_length']}"


def _no_mapping(fault, kind):
    keys = ", ".join(model_at(kind, fault["loc"]).keys())
    return f"found {quoted(fault['input'], 40)}; allowed is a mapping with {keys}"


WORDS = {
    "missing": _missing,
    "extra_forbidden": _unknown_key,
    "string_too_long": _too_long,
    "too_long": _too_many,
    "model_type": _no_mapping,
    "list_type": lambda fault, kind: "allowed is a list, each entry beginning with `- `",
}


def parse(kind, value):
    """Return a valid value of a type; raise Wrong with the first fault."""
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        place, message = next(faults(error, kind, WORDS))
        raise Wrong(message, *place) from None


def line_at(entries, place):
    """Return the line of a file at which a place's key stands, or the nearest around it."""
    line = entries.line
    for part in place:
        if not isinstance(entries, Lined):
            break
        line = entries.line_of(part)
        entries = entries.get(part) if isinstance(entries, dict) else entries[part]
    return line
