"""Define what every kind of scale answers: its values, its words, its control and its files."""

from contextlib import suppress
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any, ClassVar

from django.utils.translation import gettext

from annotate.values.numbers import is_number, parse_number, plain
from annotate.values.texts import as_text
from annotate.values.wrong import quoted

LARGEST = 1e9  # of an answer
# The ends of a scale lie within it, on both sides of zero.
FARTHEST = 1_000_000
MOST_RADIOS = 11  # a scale with more points is asked for as a number
GRADED, BINARY, NOMINAL, WORDS = "graded", "binary", "nominal", "words"  # levels of a scale


@dataclass(frozen=True)
class Scale:
    """A scale of a kind, with what all kinds have in common.

    low and high are the ends of the values; labels name the points, first to last.
    """

    low: int | None = None
    high: int | None = None
    labels: list[str] = field(default_factory=list)

    kind: ClassVar[str]  # as it is stored
    level: ClassVar[str] = GRADED  # of its values: what may be done with them
    metrics: ClassVar[tuple[str, ...]] = ()  # of the measures of agreement that take it
    has_points: ClassVar[bool] = False  # whether its values can be listed
    is_whole: ClassVar[bool] = True  # whether every value is a whole number
    is_worded: ClassVar[bool] = False  # whether every value is words of its own
    named: ClassVar[dict[str, tuple]] = {}  # ready-made: {name in study.yaml: (low, high, labels)}
    # The other form in study.yaml, as JSON. A kind that has one makes the scale of it: from_spec.
    spec_form: ClassVar[str] = ""
    offers: ClassVar[dict[str, str]] = {}  # on the page of a question: {name: words}
    words_help: ClassVar[str] = ""  # there: which labels can be typed
    is_about_sides = False  # whether it is a choice between the lists A and B
    has_number_labels = False  # whether a number in a file or a reply is a label, never a value

    def as_dict(self):
        return {"kind": self.kind} | asdict(self)

    @property
    def has_values(self):
        """Tell whether answers are numbers: statistics and judges have nothing to do with words."""
        return self.level != WORDS

    @property
    def is_ordered(self):
        """Tell whether a larger value means more of something."""
        return self.level in (GRADED, BINARY)

    @property
    def is_graded(self):
        """Tell whether it is ordered and has values between its ends: near is nearly right."""
        return self.level == GRADED

    @property
    def is_binary(self):
        return self.level == BINARY

    @property
    def is_nominal(self):
        """Tell whether its values are names without an order."""
        return self.level == NOMINAL

    @property
    def has_ordered_points(self):
        """Tell whether its values can be listed, and have an order."""
        return self.has_points and self.is_ordered

    @property
    def has_graded_points(self):
        """Tell whether its values can be listed, and some lie between its ends."""
        return self.has_points and self.is_graded

    @property
    def has_ends(self):
        """Tell whether its values lie between two ends."""
        return self.low is not None and self.high is not None

    @property
    def cut(self):
        """Return the least mean that is in its upper part; None without ends.

        That is the first point above the middle, 4 of 1 to 5.
        """
        return (self.low + self.high) // 2 + 1.0 if self.has_ends else None

    def is_off(self, values):
        """Tell which of the values, an array, lie beyond its ends; a missing one, NaN, does not."""
        low, high = (self.low, self.high) if self.has_ends else (-inf, inf)
        return (values < low) | (values > high)

    @property
    def points(self):
        """List (value, label) of every point that can be chosen; empty where none can be listed."""
        if not self.has_points:
            return []
        values = range(self.low, self.high + 1)
        if len(self.labels) == len(values):
            return list(zip(values, self.labels, strict=True))
        labels = {self.low: self.labels[0], self.high: self.labels[-1]} if self.labels else {}
        return [(value, labels.get(value, str(value))) for value in values]

    @property
    def summary(self):
        """Describe in a few words what can be answered."""
        if self.is_worded:
            return " / ".join(self.labels)
        ends = f": {self.labels[0]} … {self.labels[-1]}" if self.labels else ""
        return f"{self.low} to {self.high}{ends}"

    @property
    def ends(self):
        """List (value, label) of both ends; empty where these have no words."""
        return [(self.low, self.labels[0]), (self.high, self.labels[-1])] if self.labels else []

    @property
    def allowed(self):
        """Describe the allowed values, for error messages."""
        ends = {"low": self.low, "high": self.high}
        return gettext("a whole number from %(low)s to %(high)s") % ends

    @property
    def widget(self):
        """Name the template of its control on a rater's page, in templates/annotate/scales/."""
        return "radios" if 0 < len(self.points) <= MOST_RADIOS else "number"

    # Answers

    def parse(self, raw):
        """Parse a value of a file, a page or JSON as a number; ValueError says what is allowed.

        For text use the text itself.
        """
        if isinstance(raw, bool):
            return self.parse_truth(raw)
        return self.parse_value(as_text(raw).strip())

    def parse_truth(self, is_true):
        """Parse what YAML and JSON write as true and false, without quotation marks."""
        raise ValueError(
            f"found {quoted(is_true)}; allowed is {self.allowed}: without quotation marks true and "
            "false answer a question of no and yes, or are labels of a choice"
        )

    def parse_value(self, text):
        """Parse a page's value, as parse, but never a label: an option may be called “2”."""
        with suppress(ValueError):
            value = parse_number(text)
            if self.allows(value):
                return value
        raise ValueError(f"found {quoted(text)}; allowed is {self.allowed}")

    def written(self, value):
        """Return a stored value as files and the API have it; parse reads it again."""
        return plain(value)

    def allows(self, value):
        """Return whether a number is a point of the scale.

        NaN, infinities and absurd sizes are not.
        """
        if not abs(value) <= LARGEST:
            return False
        if self.has_ends and not self.low <= value <= self.high:
            return False
        return not self.is_whole or float(value).is_integer()

    # Judges

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of a value in a model's reply."""
        return {"type": "integer", "enum": [value for value, _ in self.points]}

    def rule(self, inside):
        """Describe the allowed values to a model; inside(label) writes a label in a sentence."""
        ends = f"integers between {self.low}-{self.high}"
        if not self.labels:
            return ends
        points = self.points if self.is_worded else self.ends
        meanings = [
            f'{value} indicates the label "{inside(label)}"'
            if is_number_text(label) and label != str(value)
            else f"{value} indicates {inside(label)}"
            for value, label in points
        ]
        return f"{ends}, where {', '.join(meanings[:-1])} and {meanings[-1]}"

    # study.yaml and the page of a question

    @classmethod
    def takes_spec(cls, spec):
        """Return whether a mapping of study.yaml describes a scale of this kind."""
        return set(spec) == {cls.kind}

    def as_spec(self):
        """Return the form in study.yaml of a scale without a name."""
        return {self.kind: list(self.labels)}

    @classmethod
    def spec_of_words(cls, words):
        """Return the form in study.yaml of a scale offered under its kind, with typed words."""
        return {cls.kind: words} if words and cls.spec_form else cls.kind


def is_number_text(text):
    """Return whether a label reads as a number."""
    with suppress(ValueError):
        parse_number(text)
        return True
    return False


def plain_labels(labels):
    """Return labels of a file as texts; ValueError names what no label can be."""
    for label in labels:
        if not (isinstance(label, str) or is_number(label)):
            raise ValueError(
                f"found the label {quoted(label, 40)}; allowed are texts and numbers: write true, "
                "false and null in quotation marks"
            )
    return [str(label) for label in labels]
