"""Declare the options that several reports take, each in the class of those that take it together.

A report's options are a dataclass made of these, with what it alone takes:

    @dataclass(frozen=True, kw_only=True)
    class SelectionOptions(Compared, Filled, Positive, Drawn): ...
"""

from dataclasses import dataclass, fields
from typing import Any

from django import forms
from django.http import QueryDict

from analysis.options.choices import ALL, parts_of, refusal, usual_part
from analysis.options.declare import (
    TEXT,
    choice,
    declared,
    drop_or_number,
    number,
    option,
    whole_number,
)
from analysis.options.fields import ConditionsField
from annotate.models import Rater

DEFAULT_DRAWS, MOST_DRAWS = 2000, 20_000
REFERENCES = [
    (str(Rater.Role.RECIPIENT), "Recipient"),
    (str(Rater.Role.THIRD_PARTY), "Third party"),
    (str(Rater.Role.EXPERT), "Expert"),
    (ALL, "All people"),
]
SKIP, ZERO = "skip", "zero"
BESIDE, HIDE = "beside", "hide"


def _conditions(pairs):
    return [f"{column}={value}" for column, value in pairs]


def _items_with(label, about):
    """Declare conditions on items, each column=value."""
    return option(
        (),
        label=label,
        about=f"{about}; may be repeated",
        metavar="COLUMN=VALUE",
        make_field=lambda choices: ConditionsField(choices.filters, required=False, label=label),
        schema=TEXT,
        is_repeated=True,
        of_study=True,
        write=_conditions,
    )


def judge_or_none(label, about, none, metavar=None):
    """Declare the name of a judge; blank, which pages call `none`, is no judge."""

    def make_field(choices):
        names = [("", none), *((name, name) for name in choices.judges)]
        return forms.ChoiceField(choices=names, required=False, label=label)

    return option(
        "",
        label=label,
        about=about,
        make_field=make_field,
        schema=TEXT,
        metavar=metavar,
        of_study=True,
    )


def column_of_groups(label, about, most, none):
    """Declare a column with two to `most` values; blank, which pages call `none`, is no column."""

    def make_field(choices):
        names = [
            name
            for name, values in choices.columns.items()
            if 2 <= len([*filter(None, values)]) <= most
        ]
        columns = [("", none), *((name, name) for name in names)]
        field = forms.ChoiceField(choices=columns, required=False, label=label)
        offered = f"columns with 2 to {most} values are {', '.join(names) or 'none'}"
        field.error_messages["invalid_choice"] = f"Found “%(value)s”; {offered}."
        return field

    return option(
        "",
        label=label,
        about=about,
        make_field=make_field,
        schema=TEXT,
        metavar="COLUMN",
        of_study=True,
        write=lambda value: value or None,
    )


def _by(choices):
    groups = [("", "all together"), *((name, name) for name in choices.grouping)]
    return forms.ChoiceField(choices=groups, required=False, label="By each")


def _judges(choices):
    names = [(name, name) for name in choices.judges]
    field = forms.MultipleChoiceField(
        choices=names, required=False, label="Judges (none chosen: all)"
    )
    field.widget.attrs["size"] = min(max(len(names), 2), 5)
    return field


def _version(choices):
    numbers = [(str(n), str(n)) for n in range(1, choices.newest_version + 1)]
    return forms.TypedChoiceField(
        choices=[(ALL, "all"), *numbers],
        coerce=lambda text: None if text == ALL else int(text),
        empty_value=None,
        label="Version of the questions",
    )


def _part(choices):
    field = forms.ChoiceField(choices=parts_of(choices.split), label="Part of the test split")
    field.error_messages["invalid_choice"] = refusal(choices.split)
    return field


class Usual:
    """What shared code reads of a report that does not take an option."""

    version: Any = None
    reference: Any = ALL
    judges: Any = ()
    weighted: Any = BESIDE
    missing_reference: Any = None
    missing_judgment: Any = None
    undefined: Any = SKIP
    threshold: Any = None
    draws: Any = 0
    seed: Any = 1


@dataclass(frozen=True, kw_only=True)
class Options(Usual):
    """What every report takes, with which items and answers it looks at.

    exclude: (column, value) of items left out; only: of those that stay; by: a column, each value
    of which has a report of its own; part: of a study with a locked test split, "choose", "test" or
    "all".
    """

    exclude: tuple = _items_with("Leave out items with", "leave out items with this value")
    only: tuple = _items_with("Only items with", "only items with this value")
    by: str = option(
        "",
        label="By each",
        about="a report for each value of this column",
        metavar="COLUMN",
        make_field=_by,
        schema=TEXT,
        of_study=True,
        write=lambda value: value or None,
    )
    part: str = option(
        ALL,
        label="Part of the test split",
        about="part of a study with a test split: choose (default), test or all; while it is "
        "locked choose alone",
        make_field=_part,
        schema=TEXT,
        usual=lambda choices: usual_part(choices.split),
        of_study=True,
    )

    @classmethod
    def choose(cls, **values):
        """Make options of those given values that this class has."""
        names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in names})

    def as_dict(self):
        """Return the options as users write them: in JSON, query strings and commands."""
        options = declared(type(self))
        return {name: option.write(getattr(self, name)) for name, option in options.items()}

    def query_string(self, **more):
        """Return the query string that reproduces a page, whatever the defaults become."""
        query = QueryDict(mutable=True)
        for name, value in (self.as_dict() | more).items():
            if isinstance(value, list):
                query.setlist(name, value)
            elif value is not None:
                query[name] = repr(value).removesuffix(".0") if isinstance(value, float) else value
        return query.urlencode()


@dataclass(frozen=True, kw_only=True)
class OfAnswers(Options):
    """Option of a report on answers. version: of the questionnaire, None = all."""

    version: int | None = option(
        None,
        label="Version of the questions",
        about="version of the questionnaire: all (default), or the number of one",
        make_field=_version,
        schema=TEXT,
        usual=lambda choices: ALL,
        of_study=True,
        write=lambda value: value or ALL,
    )


def reference_role(usual):
    """Declare the role to compare with; usual(choices): the one that stands where none is given."""
    return option(
        ALL,
        label="Reference role",
        about="role to compare with: recipient, third_party, expert or all; default: by the study",
        make_field=lambda choices: forms.ChoiceField(choices=REFERENCES, label="Reference role"),
        schema={"type": "string", "enum": [value for value, _ in REFERENCES]},
        usual=usual,
    )


@dataclass(frozen=True, kw_only=True)
class Referenced(OfAnswers):
    """Options of a report that compares with people, or counts them.

    reference: role whose mean rating is the reference, or "all".
    """

    reference: str = reference_role(lambda choices: choices.reference)


@dataclass(frozen=True, kw_only=True)
class Judged(OfAnswers):
    """Options of a report on judges. judges: names of those looked at, () for all of them."""

    judges: tuple = option(
        (),
        label="Judges (none chosen: all)",
        about="look at this judge only; may be repeated",
        make_field=_judges,
        schema=TEXT,
        flag="--judge",
        metavar="NAME",
        is_repeated=True,
        of_study=True,
        write=list,
    )


@dataclass(frozen=True, kw_only=True)
class Compared(Referenced, Judged):
    """Options of a report that compares judges' values with people's.

    missing_judgment: a number put in, or None to drop; weighted: judges' probability-weighted
    values, "beside" the scores or "hide".
    """

    missing_judgment: float | None = drop_or_number(
        "Missing judgment", "drop (default), or the number to put in for a missing judgment"
    )
    weighted: str = choice(
        BESIDE,
        "Weighted scores",
        "judges' probability-weighted values: beside (default) the scores, or hide",
        [(BESIDE, "beside the scores"), (HIDE, "leave out")],
    )


@dataclass(frozen=True, kw_only=True)
class Filled(Options):
    """Option of a report that puts numbers in for missing references, or drops them: None."""

    missing_reference: float | None = drop_or_number(
        "Missing reference", "drop (default), or the number to put in for a missing reference"
    )


@dataclass(frozen=True, kw_only=True)
class Grouped(Options):
    """Option of a report with means over groups: "skip" or "zero" for groups without a value."""

    undefined: str = choice(
        SKIP,
        "Undefined groups",
        "skip (default) or zero: groups without a coefficient",
        [(SKIP, "skip them"), (ZERO, "count them as 0")],
    )


@dataclass(frozen=True, kw_only=True)
class Positive(Options):
    """Option of a report on yes and no. threshold: least positive mean; None = by the scale."""

    threshold: float | None = number(
        None,
        None,
        None,
        "Positive from",
        "least mean rating that counts as positive; default: by the scale",
    )


@dataclass(frozen=True, kw_only=True)
class Drawn(Options):
    """Options of a report with bootstrap intervals. draws: 0 = no intervals; seed: of them."""

    draws: int = whole_number(
        DEFAULT_DRAWS,
        0,
        MOST_DRAWS,
        "Bootstrap draws",
        f"bootstrap draws, 0 = no intervals; default {DEFAULT_DRAWS}",
    )
    seed: int = whole_number(1, 0, 2**32 - 1, "Seed", "seed of the draws; default 1")
