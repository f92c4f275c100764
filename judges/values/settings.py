"""Declare the settings of a kind of judge once: default, range, label and help.

A method or a scorer declares a subclass of `Settings`, field by field, as pydantic does: `title` is
the label and `description` the help. Forms, files, pages, the API and the columns of the database
follow from that declaration.

declare(default, label, help_text, low=, high=)    the pydantic Field of a setting
Matters(unless=, where=, having=, place=)          where the setting makes a difference
Settings.checked(values)                           the settings, or SettingsError says what is wrong
Settings.trusted(stored)                           the settings as they were stored, unchecked
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from annotate.files.reading.faults import choices_of, faults
from annotate.values.wrong import quoted

NEVER = object()  # no value of a setting; null is one
NOT_SENT = "none is sent: the endpoint’s default"
WORDS = {
    "extra_forbidden": lambda fault, kind: (
        f"is no setting of this kind of judge; allowed are {', '.join(kind.names()) or 'none'}"
    ),
    "model_type": lambda fault, kind: (
        f"found {quoted(fault['input'])}; allowed is a mapping of settings"
    ),
}


class SettingsError(ValueError):
    """Raised for settings that may not be; `problems` is {setting: what is wrong with it}."""

    def __init__(self, problems):
        super().__init__("; ".join(f"{name}: {problem}" for name, problem in problems.items()))
        self.problems = problems


@dataclass(frozen=True)
class Matters:
    """Where a setting makes a difference: unless it has a value, and where another one does.

    having: the value that the other one has to have; place: that of the prompt which it fills.
    A setting that judges had no choice of before has to be `unless` its default: hashes stay.
    """

    unless: Any = NEVER
    where: str = ""
    having: Any = None
    place: str = ""


def declare(default, label="", help_text="", low=None, high=None, **more):
    """Return the Field of a setting.

    may_be_empty: an empty field of a form stands for the default. opens: the form shows it at
    once, not among the folded ones.
    """
    extra = {name: more.pop(name) for name in ("may_be_empty", "opens") if name in more}
    if isinstance(default, Enum):
        default, more["strict"] = default.value, False
    make = {"default_factory": default} if callable(default) else {"default": default}
    return Field(
        **make,
        title=label or None,
        description=help_text or None,
        ge=low,
        le=high,
        json_schema_extra=extra or None,
        **more,
    )


def instead(default: Any) -> Any:
    """Return the Field of a shared setting whose default is another choice here."""
    return Field(default=default.value)


class Settings(BaseModel):
    """The settings of a judge; a kind without any has these."""

    model_config = ConfigDict(
        allow_inf_nan=False,
        extra="forbid",
        frozen=True,
        str_strip_whitespace=True,
        strict=True,
        use_enum_values=True,
    )

    @classmethod
    def names(cls):
        """Return the names of the settings, in order."""
        return tuple(cls.model_fields)

    @classmethod
    def checked(cls, values):
        """Return the settings of {name: value}; SettingsError says what is wrong."""
        try:
            settings = cls.model_validate(values)
        except ValidationError as error:
            problems: dict = {}
            for place, message in faults(error, cls, WORDS):
                problems.setdefault(place[0] if place else "", message)
            raise SettingsError(problems) from None
        if conflicts := settings.conflicts():
            raise SettingsError(conflicts)
        return settings

    @classmethod
    def trusted(cls, stored):
        """Return the settings of {name: value} as they were stored; they were checked then.

        A setting that is newer than what was stored has its default.
        """
        return cls.model_construct(
            **{name: value for name, value in stored.items() if name in cls.model_fields}
        )

    @property
    def problems(self):
        """Return {setting: what is wrong with it} of settings that were taken unchecked."""
        try:
            self.checked(self.stored)
        except SettingsError as error:
            return error.problems
        return {}

    @classmethod
    def from_entry(cls, entry):
        """Return {setting: value} of an entry of study.yaml; SettingsError says what is wrong."""
        return entry

    @property
    def entry(self):
        """Return {setting: value} as study.yaml has it."""
        return self.stored

    def conflicts(self):
        """Return {setting: why it does not go with the others}."""
        return {}

    @property
    def stored(self):
        """Return {name: value} as JSON keeps it."""
        return self.model_dump(warnings=False)

    @property
    def given(self):
        """Return {name: value} of the settings that were given, without defaults."""
        return {name: self.stored[name] for name in self.model_fields_set}

    @property
    def repeats(self):
        """How often each call is made."""
        return 1

    @property
    def asks_singly(self):
        """Whether each question has a call of its own."""
        return False

    @property
    def in_effect(self):
        """Return {name: value} of the settings that make a difference to what is asked."""
        return {name: value for name, value in self.stored.items() if self._matters(name)}

    @property
    def by_place(self):
        """Return {place of the prompt: name of the setting in effect that fills it}."""
        by_place = {_rule(type(self), name).place: name for name in self.in_effect}
        return {place: name for place, name in by_place.items() if place}

    def _matters(self, name):
        return self._applies(name) and getattr(self, name) != _rule(type(self), name).unless

    def _applies(self, name):
        rule = _rule(type(self), name)
        if not rule.where:
            return True
        return self._matters(rule.where) and rule.having in (None, getattr(self, rule.where))

    @property
    def facts(self):
        """Return [(label, words)] of the settings that go with the values of the others."""
        words = {name: value for name, value in self.words.items() if self._applies(name)}
        return [(label_of(type(self), name), value) for name, value in words.items() if value != ""]

    @property
    def words(self):
        """Return {name: its value as pages say it}."""
        return {name: _in_words(type(self), name, value) for name, value in self}

    def changed(self, **values):
        """Return these settings with other values; SettingsError says what is wrong with them."""
        return type(self).checked(self.stored | values)


def label_of(settings_class, name):
    """Return the label of a setting, with a capital."""
    label = settings_class.model_fields[name].title or name.replace("_", " ")
    return label[:1].upper() + label[1:]


def may_be_empty(settings_class, name):
    """Whether an empty field stands for the setting's default."""
    return _extra(settings_class, name).get("may_be_empty", False)


def may_be_none(settings_class, name):
    """Whether an empty field, and null, stand for nothing at all."""
    return type(None) in get_args(settings_class.model_fields[name].annotation)


def is_opened(settings_class, name):
    """Whether a form shows the setting at once."""
    return _extra(settings_class, name).get("opens", False)


def schema_of(settings_class, name):
    """Return the JSON schema of a setting in study.yaml, where a list may have other forms too."""
    kind = settings_class.model_fields[name].annotation
    schema = settings_class.model_json_schema()["properties"][name]
    words = {key: schema[key] for key in ("title", "description") if key in schema}
    if choices := choices_of(settings_class, name):
        return words | {"type": "string", "enum": [value for value, _ in choices]}
    if may_be_none(settings_class, name):
        schema |= schema["anyOf"][0]
        schema["type"] = [schema["type"], "null"]
    limits = ("type", "minimum", "maximum", "maxLength")
    shape = {} if kind is list else {key: schema[key] for key in limits if key in schema}
    return words | shape


def _extra(settings_class, name):
    return settings_class.model_fields[name].json_schema_extra or {}


def _rule(settings_class, name):
    metadata = settings_class.model_fields[name].metadata
    return next((rule for rule in metadata if isinstance(rule, Matters)), Matters())


def _in_words(settings_class, name, value):
    if choices := choices_of(settings_class, name):
        return str(dict(choices).get(value, value))
    if value is None:
        return NOT_SENT
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
