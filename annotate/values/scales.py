"""Define answer scales: what a question offers, and which values are allowed."""

from dataclasses import asdict, dataclass, field, replace

from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from annotate.values.languages import ENGLISH

AGREEMENT_7 = [
    gettext_noop("Strongly disagree"),
    gettext_noop("Disagree"),
    gettext_noop("Somewhat disagree"),
    gettext_noop("Neutral"),
    gettext_noop("Somewhat agree"),
    gettext_noop("Agree"),
    gettext_noop("Strongly agree"),
]
AGREEMENT = [label for label in AGREEMENT_7 if not label.startswith("Somewhat")]
NO_YES = [gettext_noop("No"), gettext_noop("Yes")]
TIE = "tie"  # of a choice between the lists A and B: the label that means neither, in any case
LARGEST = 1e9  # of an answer
# The ends of a scale lie within it, on both sides of zero.
FARTHEST = 1_000_000
KINDS = ("likert", "binary", "choice", "number", "text")


@dataclass(frozen=True)
class Scale:
    """A scale of its kind.

    low and high are the ends of the values; labels name the points, first to last.
    """

    kind: str
    low: int | None = None
    high: int | None = None
    labels: list[str] = field(default_factory=list)

    def as_dict(self):
        return asdict(self)

    @property
    def points(self):
        """List (value, label) of every point that can be chosen; empty for number and text."""
        if self.kind in ("number", "text") or self.low is None or self.high is None:
            return []
        values = range(self.low, self.high + 1)
        if len(self.labels) == len(values):
            return list(zip(values, self.labels, strict=True))
        labels = {self.low: self.labels[0], self.high: self.labels[-1]} if self.labels else {}
        return [(value, labels.get(value, str(value))) for value in values]

    @property
    def is_about_sides(self):
        """Tell whether it is a choice between the lists A and B, as a rule with a tie."""
        return self.kind == "choice" and {"A", "B"} <= set(self.labels)

    def shown_sides(self, first):
        """List (value, label) of a choice about two lists, of which the side `first` stands first.

        The value stays that of the side, whatever the place where it is shown.
        """
        first_list, second_list = (
            gettext("List %(number)s") % {"number": number} for number in (1, 2)
        )
        sides = iter([(first, first_list), ("A" if first == "B" else "B", second_list)])
        shown = [
            next(sides) if label in ("A", "B") else (label, _in_words(label))
            for label in self.labels
        ]
        values = {label: value for value, label in self.points}
        return [(values[label], words[:1].upper() + words[1:]) for label, words in shown]

    @property
    def summary(self):
        """Describe in a few words what can be answered."""
        if self.kind in ("text", "number"):
            return "free text" if self.kind == "text" else "a number"
        if self.kind != "likert":
            return " / ".join(self.labels)
        ends = f": {self.labels[0]} … {self.labels[-1]}" if self.labels else ""
        return f"{self.low} to {self.high}{ends}"

    @property
    def allowed(self):
        """Describe the allowed values, for error messages."""
        if self.kind == "text":
            return gettext("any text")
        if self.kind == "number":
            if self.low is None or self.high is None:
                return gettext("a number")
            ends = {"low": self.low, "high": self.high}
            return gettext("a number from %(low)s to %(high)s") % ends
        if self.kind == "choice":
            return gettext("one of %(labels)s") % {"labels": ", ".join(map(str, self.labels))}
        ends = {"low": self.low, "high": self.high}
        return gettext("a whole number from %(low)s to %(high)s") % ends

    def parse(self, raw):
        """Parse a value as a number; ValueError says what is allowed.

        For text use the text itself.
        """
        text = str(raw).strip()
        if self.kind == "choice" and text in self.labels:
            return 1.0 + self.labels.index(text)
        return self.parse_value(text)

    def parse_value(self, text):
        """Parse a page's value, as parse, but never a label: an option may be called “2”."""
        try:
            value = float(text)
        except ValueError:
            raise ValueError(f"found {text!r}; allowed is {self.allowed}") from None
        # Python also reads 1_0 and other scripts' digits, which nobody means.
        if "_" in text or not text.isascii() or not self.allows(value):
            raise ValueError(f"found {text!r}; allowed is {self.allowed}")
        return value

    def allows(self, value):
        """Return whether a number is a point of the scale.

        NaN, infinities and absurd sizes are not.
        """
        if not abs(value) <= LARGEST:
            return False
        if self.low is not None and self.high is not None and not self.low <= value <= self.high:
            return False
        return self.kind == "number" or float(value).is_integer()


NAMED = {
    "likert5": Scale("likert", 1, 5, AGREEMENT),
    "likert7": Scale("likert", 1, 7, AGREEMENT_7),
    "binary": Scale("binary", 0, 1, NO_YES),
    "number": Scale("number"),
    "text": Scale("text"),
}


def _in_words(label):
    """Return a tie in the language of raters; other words are the researcher's."""
    return gettext("Both equally") if label.strip().lower() == TIE else label


def ready_made(name, language):
    """Return the scale of that name, with its words in the language of a study."""
    with translation.override(language):
        return replace(NAMED[name], labels=[gettext(label) for label in NAMED[name].labels])


def parse_scale(spec, language=ENGLISH):
    """Parse a Scale from its form in study.yaml; ValueError says which forms there are."""
    if isinstance(spec, str) and spec in NAMED:
        return ready_made(spec, language)
    if isinstance(spec, dict) and set(spec) == {"choice"}:
        return _choice(spec["choice"])
    if isinstance(spec, dict) and set(spec) == {"binary"}:
        return _binary(spec["binary"])
    if isinstance(spec, dict) and {"min", "max"} <= set(spec) <= {"min", "max", "labels"}:
        return _ends(spec["min"], spec["max"], spec.get("labels", []))
    raise ValueError(
        f"found scale {spec!r}; allowed is likert5, likert7, binary, number, text, "
        "{choice: [..]}, {binary: [no, yes]} or {min: .., max: .., labels: [..]}"
    )


def spec_of(scale, language=ENGLISH):
    """Return the form of a scale in study.yaml: parse_scale makes the same scale of it."""
    for name in NAMED:
        if scale == ready_made(name, language):
            return name
    if scale.kind in ("choice", "binary"):
        return {scale.kind: list(scale.labels)}
    labels = {"labels": list(scale.labels)} if scale.labels else {}
    return {"min": scale.low, "max": scale.high} | labels


def _choice(labels):
    if not isinstance(labels, list) or len(labels) < 2 or len(set(map(str, labels))) < len(labels):
        raise ValueError("found a choice scale without two or more different labels")
    return Scale("choice", 1, len(labels), _plain(labels))


def _binary(labels):
    """Return a scale with its own words for 0 and 1, such as: Not supported, Supported."""
    if not isinstance(labels, list) or len(labels) != 2 or len(set(map(str, labels))) != 2:
        raise ValueError("found a binary scale without two different labels, those of 0 and of 1")
    return Scale("binary", 0, 1, _plain(labels))


def _ends(low, high, labels):
    # type(), because true and false are ints to isinstance.
    whole = type(low) is int and type(high) is int and low < high <= low + 100
    if not whole or low < -FARTHEST or high > FARTHEST:
        raise ValueError(
            f"found min {low!r:.40}, max {high!r:.40}; allowed are whole numbers, min < max, "
            f"at most 100 apart, from -{FARTHEST} to {FARTHEST}"
        )
    if not isinstance(labels, list) or len(labels) not in (0, 2, high - low + 1):
        raise ValueError("labels must name both ends (two) or every point of the scale")
    return Scale("likert", low, high, _plain(labels))


def _plain(labels):
    for label in labels:
        if isinstance(label, bool) or not isinstance(label, str | int | float):
            raise ValueError(
                f"found the label {label!r:.40}; allowed are texts and numbers: write true, false "
                "and null in quotation marks"
            )
    return [str(label) for label in labels]
