"""Declare an option of reports once: pages, commands and the API read this declaration."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields

from django import forms

from analysis.options.fields import LARGEST, DropOrNumber

TEXT = {"type": "string", "minLength": 1}
DROP_OR_NUMBER = {
    "anyOf": [
        {"type": "string", "enum": ["drop"]},
        {"type": "number", "minimum": -LARGEST, "maximum": LARGEST},
    ],
    "default": "drop",
}


@dataclass(frozen=True)
class Option:
    """An option of a report.

    label: its name on pages; about: what it does, for commands and the API. make_field(choices)
    builds its form field for a study's Choices; usual(choices) is the text that stands where none
    is given. schema: what the API allows, as JSON schema. flag: its name as an argument of a
    command, where that is not its own; metavar: what stands for its value there. is_repeated:
    whether it may be given several times. of_study: whether what it may be depends on what the
    study holds. write(value) is the value as users write it.
    """

    label: str
    about: str
    make_field: Callable
    schema: dict
    usual: Callable = lambda choices: ""
    flag: str = ""
    metavar: str | None = None
    is_repeated: bool = False
    of_study: bool = False
    write: Callable = lambda value: value


# Everywhere these come before a report's own options, and these after them.
FIRST = ("reference", "judges", "exclude", "only", "by")
LAST = ("draws", "seed", "version", "part")


def declared(*classes):
    """Return {name: Option} of the fields of classes of options, in the order of pages."""
    options = {f.name: f.metadata["option"] for cls in classes for f in fields(cls)}
    middle = [name for name in options if name not in (*FIRST, *LAST)]
    return {name: options[name] for name in (*FIRST, *middle, *LAST) if name in options}


def option(default, **facts):
    """Declare a dataclass field with its Option."""
    return field(default=default, metadata={"option": Option(**facts)})


def choice(default, label, about, choices, **facts):
    """Declare one of several values: choices are (value, words), as of a form."""
    values = [value for value, _ in choices]
    coerce = type(default)
    schema = {"type": "integer", "default": default} if coerce is int else {"type": "string"}
    return option(
        default,
        label=label,
        about=about,
        make_field=lambda study: forms.TypedChoiceField(
            choices=choices, coerce=coerce, label=label
        ),
        schema=schema | {"enum": values},
        usual=lambda study: str(default),
        **facts,
    )


def whole_number(default, low, high, label, about):
    """Declare a whole number within bounds."""
    return option(
        default,
        label=label,
        about=about,
        make_field=lambda study: forms.IntegerField(min_value=low, max_value=high, label=label),
        schema={"type": "integer", "minimum": low, "maximum": high, "default": default},
        usual=lambda study: str(default),
    )


def number(default, low, high, label, about):
    """Declare a number within bounds (None: without); with a default of None it may be left out."""
    bounds = {"minimum": low, "maximum": high, "default": default}
    return option(
        default,
        label=label,
        about=about,
        make_field=lambda study: forms.FloatField(
            min_value=low,
            max_value=high,
            required=default is not None,
            label=label,
            widget=forms.TextInput,
        ),
        schema={"type": "number"} | {k: v for k, v in bounds.items() if v is not None},
        usual=lambda study: "" if default is None else str(default),
    )


def drop_or_number(label, about):
    """Declare the policy for a missing value: None to drop it, or the number to put in."""
    return option(
        None,
        label=label,
        about=about,
        make_field=lambda study: DropOrNumber(required=False, label=label),
        schema=DROP_OR_NUMBER,
        usual=lambda study: "drop",
        write=lambda value: "drop" if value is None else value,
    )
