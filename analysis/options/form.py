"""Parse the visible policies of a report, once, from a query string or a command's options."""

from dataclasses import dataclass, fields

from django import forms
from django.http import QueryDict

from analysis.options.fields import ConditionsField, DropOrNumber
from annotate.design.splits import CHOOSE, TEST, split_of
from annotate.models import Rater

ALL = "all"
MOST_SUGGESTED, MOST_GROUPS = 40, 200  # values of a column: offered one by one; grouped by
DEFAULT_DRAWS, MOST_DRAWS = 2000, 20_000
DEFAULT_SPLITS, MOST_SPLITS = 200, 2000
DEFAULT_PERSISTENCE = 0.9
REFERENCES = [
    (str(Rater.Role.RECIPIENT), "Recipient"),
    (str(Rater.Role.THIRD_PARTY), "Third party"),
    (str(Rater.Role.EXPERT), "Expert"),
    (ALL, "All people"),
]
SKIP, ZERO = "skip", "zero"
CLUSTER, PLAIN = "cluster", "plain"
BESIDE, HIDE = "beside", "hide"
BOTH, HIGHER, LOWER = "both", "higher", "lower"
BY_JUDGE, BY_PEOPLE = "judge", "people"
MATCHED = "matched"
TOGETHER, RECIPIENT = "together", "recipient"
# The usual head start of a judge by whom it is to replace, in the alternative annotator test.
EPSILONS = {str(Rater.Role.EXPERT): 0.2}
LARGEST_EPSILON = 0.5
YOUDEN, F1 = "youden", "f1"
# Options with a meaning for the reports that name them as their own, and for no other.
OF_ONE_REPORT = (
    "strong",
    "criterion",
    "against",
    "least_raters",
    "direction",
    "order",
    "splits",
    "persistence",
    "entries",
    "cluster",
)


@dataclass(frozen=True)
class Options:
    """What a report compares with, and how it treats missing or undefined values.

    reference: role whose mean rating is the reference, or "all"; judges: names of those that
    are looked at, () for all of them; exclude: (column, value) of items left out; only: of
    those that stay; by: a column, each value of which has a report of its own;
    missing_reference, missing_judgment: a number put in, or None to drop; undefined: "skip" or
    "zero" for groups without a correlation; threshold: least mean rating that counts as
    positive, None = by the scale; epsilon: head start of a judge in the test of substitution,
    None = by the reference role; standard_errors: of that test, "cluster" or "plain"; weighted:
    judges' probability-weighted values, "beside" the scores or "hide"; strong: how many of the
    lowest ratings are strong misfits; criterion: by which a judge's threshold is chosen, "youden"
    or "f1"; against: the judge that the others differ from, "" = every two; draws: of the
    bootstrap, 0 = no intervals; version: of the questionnaire, None = all; part: of a study with a
    locked test split, "choose", "test" or "all". Of the list of disagreements: least_raters: how
    many an item needs; direction: of the judge; order. splits: how many random splits into a
    training and a test part a regression is tried on. Of ranked lists: persistence of RBO; entries
    that are compared, "all" or those "matched" to the catalogue. cluster: what the bootstrap draws,
    items that a session takes "together", those of a "recipient", or of one value of a column.
    """

    reference: str
    judges: tuple = ()
    exclude: tuple = ()
    only: tuple = ()
    by: str = ""
    missing_reference: float | None = None
    missing_judgment: float | None = None
    undefined: str = SKIP
    threshold: float | None = None
    epsilon: float | None = None
    standard_errors: str = CLUSTER
    weighted: str = BESIDE
    strong: int = 1
    criterion: str = YOUDEN
    against: str = ""
    draws: int = DEFAULT_DRAWS
    seed: int = 1
    version: int | None = None
    part: str = ALL
    least_raters: int = 1
    direction: str = BOTH
    order: str = BY_JUDGE
    splits: int = DEFAULT_SPLITS
    persistence: float = DEFAULT_PERSISTENCE
    entries: str = ALL
    cluster: str = TOGETHER

    def as_dict(self):
        """Return the options as users write them: in JSON, query strings and commands."""
        return {
            "reference": self.reference,
            "judges": list(self.judges),
            "exclude": [f"{column}={value}" for column, value in self.exclude],
            "only": [f"{column}={value}" for column, value in self.only],
            "by": self.by or None,
            "missing_reference": _drop_or(self.missing_reference),
            "missing_judgment": _drop_or(self.missing_judgment),
            "undefined": self.undefined,
            "threshold": self.threshold,
            "epsilon": self.epsilon,
            "standard_errors": self.standard_errors,
            "weighted": self.weighted,
            "strong": self.strong,
            "criterion": self.criterion,
            "against": self.against,
            "draws": self.draws,
            "seed": self.seed,
            "version": self.version or ALL,
            "part": self.part,
            "least_raters": self.least_raters,
            "direction": self.direction,
            "order": self.order,
            "splits": self.splits,
            "persistence": self.persistence,
            "entries": self.entries,
            "cluster": self.cluster,
        }

    def query_string(self, **more):
        """Return the query string that reproduces a page, whatever the defaults become."""
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
    """The values that the options of one study may take.

    columns: values by item column; roles: those whose ratings count, in the order of Rater.Role;
    judges: names, in the order of their first runs; versions: of the questionnaire, those that
    have answers; newest_version: whether they have or not; weighted: whether a judge has weighted
    values; split: the study's Split, None without one.
    """

    columns: dict
    roles: list
    judges: list
    versions: list
    newest_version: int
    weighted: bool = False
    split: object = None

    @classmethod
    def from_answers(cls, answers):
        """Collect the choices that a study's answers offer."""
        columns = {name: list(answers.items[name].cat.categories) for name in answers.items}
        people = answers.select_source("human")
        roles = set(people.loc[~people["excluded"], "role"].unique())
        return cls(
            columns,
            [role for role in Rater.Role.values if role in roles],
            answers.judges,
            answers.versions,
            answers.study.questionnaire_version,
            bool(answers.weighted),
            split_of(answers.study),
        )

    @property
    def reference(self):
        """Return the recipient's role, the ground truth, if recipients rated; else another role."""
        return self.roles[0] if self.roles else Rater.Role.THIRD_PARTY.value

    @property
    def grouping(self):
        """Return the item columns that reports may be grouped by: those that tell items apart."""
        return [name for name, values in self.columns.items() if 1 < len(values) <= MOST_GROUPS]

    @property
    def has_items(self):
        return bool(self.columns["item"])


class OptionsForm(forms.Form):
    """Options of a report on one study; every error says what was given and what is allowed."""

    reference = forms.ChoiceField(choices=REFERENCES, label="Reference role")
    judges = forms.MultipleChoiceField(required=False, label="Judges (none chosen: all)")
    exclude = ConditionsField(required=False, label="Leave out items with")
    only = ConditionsField(required=False, label="Only items with")
    by = forms.ChoiceField(required=False, label="By each")
    missing_reference = DropOrNumber(required=False, label="Missing reference")
    missing_judgment = DropOrNumber(required=False, label="Missing judgment")
    undefined = forms.ChoiceField(
        choices=[(SKIP, "skip them"), (ZERO, "count them as 0")], label="Undefined groups"
    )
    threshold = forms.FloatField(required=False, label="Positive from", widget=forms.TextInput)
    epsilon = forms.FloatField(
        required=False,
        min_value=0,
        max_value=LARGEST_EPSILON,
        label="Head start ε",
        widget=forms.TextInput,
    )
    standard_errors = forms.ChoiceField(
        choices=[(CLUSTER, "by recipient, else content"), (PLAIN, "plain")], label="Standard errors"
    )
    weighted = forms.ChoiceField(
        choices=[(BESIDE, "beside the scores"), (HIDE, "leave out")], label="Weighted scores"
    )
    strong = forms.TypedChoiceField(
        choices=[(1, "the lowest"), (2, "the two lowest")], coerce=int, label="Strong misfits"
    )
    criterion = forms.ChoiceField(
        choices=[(YOUDEN, "Youden's J"), (F1, "F1")], label="Threshold chosen by"
    )
    against = forms.ChoiceField(required=False, label="Differences from")
    draws = forms.IntegerField(min_value=0, max_value=MOST_DRAWS, label="Bootstrap draws")
    seed = forms.IntegerField(min_value=0, max_value=2**32 - 1, label="Seed")
    version = forms.TypedChoiceField(
        coerce=lambda text: None if text == ALL else int(text),
        empty_value=None,
        label="Version of the questions",
    )
    part = forms.ChoiceField(label="Part of the test split")
    least_raters = forms.IntegerField(min_value=1, max_value=1000, label="Raters, at least")
    direction = forms.ChoiceField(
        choices=[(BOTH, "either way"), (HIGHER, "judge higher"), (LOWER, "judge lower")],
        label="Direction",
    )
    order = forms.ChoiceField(
        choices=[(BY_JUDGE, "judge furthest from people"), (BY_PEOPLE, "people most divided")],
        label="Order",
    )
    splits = forms.IntegerField(min_value=1, max_value=MOST_SPLITS, label="Random 70/30 splits")
    persistence = forms.FloatField(min_value=0.01, max_value=0.99, label="Persistence p of RBO")
    entries = forms.ChoiceField(
        choices=[(ALL, "all"), (MATCHED, "matched to the catalogue")], label="Entries compared"
    )
    cluster = forms.ChoiceField(label="Intervals draw")

    DEFAULTS = {
        "missing_reference": "drop",
        "missing_judgment": "drop",
        "undefined": SKIP,
        "standard_errors": CLUSTER,
        "weighted": BESIDE,
        "strong": "1",
        "criterion": YOUDEN,
        "draws": str(DEFAULT_DRAWS),
        "seed": "1",
        "version": ALL,
        "least_raters": "1",
        "direction": BOTH,
        "order": BY_JUDGE,
        "splits": str(DEFAULT_SPLITS),
        "persistence": str(DEFAULT_PERSISTENCE),
        "entries": ALL,
        "cluster": TOGETHER,
    }

    def __init__(self, data, choices):
        merged = data.copy()
        usual = self.DEFAULTS | {"reference": choices.reference, "part": usual_part(choices.split)}
        for name, value in usual.items():
            if not merged.get(name):
                merged[name] = value
        super().__init__(merged)
        self.choices = choices
        self.fields["by"].choices = [("", "all together"), *((c, c) for c in choices.grouping)]
        numbers = range(1, choices.newest_version + 1)
        self.fields["version"].choices = [(ALL, "all"), *((str(n), str(n)) for n in numbers)]
        self.fields["part"].choices = parts_of(choices.split)
        self.fields["part"].error_messages["invalid_choice"] = refusal(choices.split)
        self.fields["judges"].choices = [(name, name) for name in choices.judges]
        self.fields["against"].choices = [("", "every two judges"), *self.fields["judges"].choices]
        columns = ((name, f"by {name}") for name in choices.columns if name != RECIPIENT)
        usual = [(TOGETHER, "what a session takes together"), (RECIPIENT, "recipients")]
        self.fields["cluster"].choices = [*usual, *columns]
        self.fields["judges"].widget.attrs["size"] = min(max(len(choices.judges), 2), 5)

    @property
    def conditions(self):
        """Yield (field, texts asked for and one empty text) of exclude and only."""
        for name in ("exclude", "only"):
            yield self[name], [*filter(str.strip, self.data.getlist(name)), ""]

    @property
    def suggestions(self):
        """Return column=value for the columns with few values."""
        return [
            f"{column}={value}"
            for column, values in self.choices.columns.items()
            if 1 < len(values) <= MOST_SUGGESTED
            for value in values
        ]

    def clean_judges(self):
        """Return the names of the chosen judges, in the order of the study."""
        chosen = set(self.cleaned_data["judges"])
        return tuple(name for name in self.choices.judges if name in chosen)

    def clean_exclude(self):
        return tuple(self._column_and_value(text) for text in self.cleaned_data["exclude"])

    def clean_only(self):
        return tuple(self._column_and_value(text) for text in self.cleaned_data["only"])

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
        """Return the Options of a valid form."""
        names = [field.name for field in fields(Options)]
        return Options(**{name: self.cleaned_data[name] for name in names})

    def errors_in_words(self):
        """Return one line per error, each naming its option."""
        return [
            f"{name}: {message}" for name, messages in self.errors.items() for message in messages
        ]


def version_asked(study, text):
    """Return the questionnaire version that an option names; None for all or an unknown version.

    It is needed before the form, which reports what is wrong: the form's choices depend on it.
    """
    number = int(text) if text and text.isascii() and text.isdecimal() and len(text) < 6 else 0
    return number if 1 <= number <= study.questionnaire_version else None


PARTS = [(CHOOSE, "choose"), (TEST, "test"), (ALL, "all")]


def parts_of(split):
    """Return [(part, its name)] that may be asked for: one part while the split is locked."""
    if split is None:
        return [(ALL, ALL)]
    return PARTS[:1] if split.is_locked else PARTS


def usual_part(split):
    """Return the part that is shown by default: the first of those that may be asked for."""
    return parts_of(split)[0][0]


def refusal(split):
    """Return the message why another part is not shown; %(value)s stands for the part asked for."""
    if split is None:
        return "Found “%(value)s”; this study has no test split, so there is only all."
    if split.is_locked:
        return (
            f"Found “%(value)s”; the test part is locked since {split.since.words}. There is only "
            "choose until an owner unlocks it, on the page Test split."
        )
    return "Found “%(value)s”; allowed is choose, test or all."


def part_asked(study, text):
    """Return the part that an option names; else, or if it may not be shown, the usual part.

    Like the version it is needed before the form, which tells what is wrong.
    """
    split = split_of(study)
    return text if text in dict(parts_of(split)) else usual_part(split)


def query(values):
    """Return option values by name (lists for repeated options) as the form reads them."""
    data = QueryDict(mutable=True)
    for name, value in values.items():
        if isinstance(value, list):
            data.setlist(name, value)
        elif value is not None:
            data[name] = str(value)
    return data
