"""The visible policies of a report: parsed once, from a query string or a command's options."""

from dataclasses import dataclass, fields

from django import forms
from django.http import QueryDict

from annotate.models import Rater

ALL = "all"
LARGEST = 1e9  # number that may be put in for a missing one
MOST_SUGGESTED = 40  # values of a column
DEFAULT_DRAWS, MOST_DRAWS = 2000, 20_000
REFERENCES = [
    (str(Rater.Role.RECIPIENT), "Recipient"),
    (str(Rater.Role.THIRD_PARTY), "Third party"),
    (str(Rater.Role.EXPERT), "Expert"),
    (ALL, "All people"),
]
SKIP, ZERO = "skip", "zero"


@dataclass(frozen=True)
class Options:
    """What a report compares with, and what it does with what is missing or undefined.

    reference: role whose mean rating is the reference, or "all"; exclude: (column, value) of
    items left out; missing_reference, missing_judgment: a number put in, or None to drop;
    undefined: "skip" or "zero" for groups without a correlation; threshold: least mean rating
    that counts as positive, None = by the scale; draws: of the bootstrap, 0 = no intervals.
    """

    reference: str
    exclude: tuple = ()
    missing_reference: float | None = None
    missing_judgment: float | None = None
    undefined: str = SKIP
    threshold: float | None = None
    draws: int = DEFAULT_DRAWS
    seed: int = 1

    def as_dict(self):
        """The options as one writes them: in JSON, in a query string, on the command line."""
        return {
            "reference": self.reference,
            "exclude": [f"{column}={value}" for column, value in self.exclude],
            "missing_reference": _drop_or(self.missing_reference),
            "missing_judgment": _drop_or(self.missing_judgment),
            "undefined": self.undefined,
            "threshold": self.threshold,
            "draws": self.draws,
            "seed": self.seed,
        }

    def query_string(self, **more):
        """The query string that reproduces a page, whatever the defaults become."""
        query = QueryDict(mutable=True)
        for name, value in (self.as_dict() | more).items():
            if isinstance(value, list):
                query.setlist(name, value)
            elif value is not None:
                query[name] = f"{value:.17g}" if isinstance(value, float) else value
        return query.urlencode()


def _drop_or(number):
    return "drop" if number is None else number


@dataclass(frozen=True)
class Choices:
    """What the options of one study may name.

    columns: values by item column; roles: those whose ratings count, in the order of Rater.Role;
    judges: names, in the order of their first runs.
    """

    columns: dict
    roles: list
    judges: list

    @classmethod
    def of(cls, answers):
        """The choices of a study's answers."""
        columns = {name: list(answers.items[name].cat.categories) for name in answers.items}
        people = answers.of("human")
        roles = set(people.loc[~people["excluded"], "role"].unique())
        return cls(columns, [role for role in Rater.Role.values if role in roles], answers.judges)

    @property
    def reference(self):
        """The recipient, the ground truth, if the study has such ratings; else third parties."""
        return self.roles[0] if self.roles else Rater.Role.THIRD_PARTY.value

    @property
    def has_items(self):
        return bool(self.columns["item"])


class DropOrNumber(forms.FloatField):
    """The word drop, which is None, or a number that is put in."""

    widget = forms.TextInput
    default_error_messages = {"invalid": "Use drop, or the number to put in."}

    def to_python(self, value):
        return None if str(value or "drop").strip() == "drop" else super().to_python(value)

    def __init__(self, **options):
        super().__init__(min_value=-LARGEST, max_value=LARGEST, **options)


class ExcludeField(forms.MultipleChoiceField):
    """Any number of column=value, each of them true of some item."""

    def to_python(self, values):
        return [text.strip() for text in values or [] if text.strip()]

    def validate(self, values):
        """Nothing here: clean_exclude knows the items."""


class OptionsForm(forms.Form):
    """Options for one study; every error says what was found and what is allowed."""

    reference = forms.ChoiceField(choices=REFERENCES, label="Reference role")
    exclude = ExcludeField(required=False, label="Leave out items with")
    missing_reference = DropOrNumber(required=False, label="Missing reference")
    missing_judgment = DropOrNumber(required=False, label="Missing judgment")
    undefined = forms.ChoiceField(
        choices=[(SKIP, "skip them"), (ZERO, "count them as 0")], label="Undefined groups"
    )
    threshold = forms.FloatField(required=False, label="Positive from", widget=forms.TextInput)
    draws = forms.IntegerField(min_value=0, max_value=MOST_DRAWS, label="Bootstrap draws")
    seed = forms.IntegerField(min_value=0, max_value=2**32 - 1, label="Seed")

    DEFAULTS = {
        "missing_reference": "drop",
        "missing_judgment": "drop",
        "undefined": SKIP,
        "draws": str(DEFAULT_DRAWS),
        "seed": "1",
    }

    def __init__(self, data, choices):
        merged = data.copy()
        usual = self.DEFAULTS | {"reference": choices.reference}
        for name, value in usual.items():
            if not merged.get(name):
                merged[name] = value
        super().__init__(merged)
        self.choices = choices

    @property
    def excluded(self):
        """What is left out, as it was asked for, and an empty place for one more."""
        return [*(text for text in self.data.getlist("exclude") if text.strip()), ""]

    @property
    def suggestions(self):
        """column=value of the columns with few values."""
        return [
            f"{column}={value}"
            for column, values in self.choices.columns.items()
            if 1 < len(values) <= MOST_SUGGESTED
            for value in values
        ]

    def clean_exclude(self):
        return tuple(self._column_and_value(text) for text in self.cleaned_data["exclude"])

    def _column_and_value(self, text):
        column, equals, value = text.partition("=")
        columns = self.choices.columns
        if not equals or column not in columns:
            raise forms.ValidationError(
                f"Found {text!r}; use column=value with one of the columns {', '.join(columns)}."
            )
        values = columns[column]
        if value not in values:
            shown = ", ".join(str(value) or "(blank)" for value in values[:20])
            raise forms.ValidationError(
                f"No item has {text}; values of {column} are {shown}{' …' * (len(values) > 20)}."
            )
        return column, value

    def options(self):
        """The options of a valid form."""
        names = [field.name for field in fields(Options)]
        return Options(**{name: self.cleaned_data[name] for name in names})

    def errors_in_words(self):
        """One line an error, each naming its option."""
        return [
            f"{name}: {message}" for name, messages in self.errors.items() for message in messages
        ]


def query(values):
    """Option values by name (lists for repeated ones) as the form wants them."""
    data = QueryDict(mutable=True)
    for name, value in values.items():
        if isinstance(value, list):
            data.setlist(name, value)
        elif value is not None:
            data[name] = str(value)
    return data
