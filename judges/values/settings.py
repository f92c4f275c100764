"""Declare the settings of a kind of judge once: default, range, label and help.

A method or a scorer declares a subclass of `Settings`, field by field, as pydantic does: `title` is
the label and `description` the help. Forms, files, pages, the API and the columns of the database
follow from that declaration.

declare(default, label, help_text, low=, high=)    the pydantic Field of a setting
Settings.checked(values)                           the settings, or SettingsError says what is wrong
Settings.trusted(stored)                           the settings as they were stored, unchecked
"""

from enum import Enum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from annotate.files.reading.problems import quoted

# What a judge's engine reads of every judge stands for "without" where its kind has no such
# setting: one call, which asks all questions, is shown nothing besides the item, at temperature 0.
WITHOUT = {
    "aspects": "multiple",
    "context": "none",
    "neutral": False,
    "profile_episodes": 0,
    "rationale": False,
    "samples": 1,
    "shots": "zero",
    "strict": False,
    "temperature": 0.0,
    "transcript_length": 0,
    "weighted": False,
}
# Of checks whose message is not about a range, a choice or a type.
OWN_WORDS = ("value_error", "assertion_error")


class SettingsError(ValueError):
    """Raised for settings that may not be; `problems` is {setting: what is wrong with it}."""

    def __init__(self, problems):
        super().__init__("; ".join(f"{name}: {problem}" for name, problem in problems.items()))
        self.problems = problems


def declare(default, label="", help_text="", low=None, high=None, **more):
    """Return the Field of a setting.

    may_be_empty: an empty field of a form stands for the default.
    """
    extra = {name: more.pop(name) for name in ("may_be_empty",) if name in more}
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

    def __getattr__(self, name: str) -> Any:
        """Return what stands for "without" where the engine asks for a setting of other kinds."""
        if name in WITHOUT:
            return WITHOUT[name]
        raise AttributeError(f"{type(self).__name__} has no setting {name}")

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
            raise SettingsError(_problems(cls, error)) from None
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


def choices_of(settings_class, name):
    """Return [(value, words)] of a setting that is a choice; None of another one."""
    kind = settings_class.model_fields[name].annotation
    return kind.choices if isinstance(kind, type) and issubclass(kind, Enum) else None


def limit_of(settings_class, name, which):
    """Return a limit of a setting, `ge`, `le` or `max_length`; None without one."""
    metadata = settings_class.model_fields[name].metadata
    limits = (getattr(limit, which, None) for limit in metadata)
    return next((limit for limit in limits if limit is not None), None)


def may_be_empty(settings_class, name):
    """Whether an empty field stands for the setting's default."""
    return _extra(settings_class, name).get("may_be_empty", False)


def schema_of(settings_class, name):
    """Return the JSON schema of a setting in study.yaml, where a list may have other forms too."""
    kind = settings_class.model_fields[name].annotation
    schema = settings_class.model_json_schema()["properties"][name]
    words = {key: schema[key] for key in ("title", "description") if key in schema}
    if choices := choices_of(settings_class, name):
        return words | {"type": "string", "enum": [value for value, _ in choices]}
    limits = ("type", "minimum", "maximum", "maxLength")
    shape = {} if kind is list else {key: schema[key] for key in limits if key in schema}
    return words | shape


def allowed(settings_class, name):
    """Say in words what a setting can be."""
    if choices := choices_of(settings_class, name):
        return ", ".join(value for value, _ in choices)
    kind = settings_class.model_fields[name].annotation
    if kind is bool:
        return "true or false"
    low, high = (limit_of(settings_class, name, which) for which in ("ge", "le"))
    if kind in (int, float):
        return f"a {'whole ' if kind is int else ''}number from {low} to {high}"
    if kind is str:
        fewest, most = (limit_of(settings_class, name, f"{end}_length") for end in ("min", "max"))
        return f"a text of {fewest or 0} to {most} characters"
    return "a list"


def _extra(settings_class, name):
    return settings_class.model_fields[name].json_schema_extra or {}


def _in_words(settings_class, name, value):
    if choices := choices_of(settings_class, name):
        return str(dict(choices).get(value, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


def _problems(settings_class, error):
    """Return {setting: what is wrong with it} of pydantic's error, the first problem of each."""
    problems: dict = {}
    for problem in error.errors(include_url=False):
        name = str(problem["loc"][0]) if problem["loc"] else ""
        problems.setdefault(name, _problem(settings_class, name, problem))
    return problems


def _problem(settings_class, name, problem):
    if problem["type"] == "model_type":
        return f"found {quoted(problem['input'])}; allowed is a mapping of settings"
    if problem["type"] == "extra_forbidden":
        names = ", ".join(settings_class.names()) or "none"
        return f"is no setting of this kind of judge; allowed are {names}"
    if problem["type"] in OWN_WORDS:
        return str(problem["ctx"]["error"])
    return f"found {quoted(problem['input'])}; allowed is {allowed(settings_class, name)}"
