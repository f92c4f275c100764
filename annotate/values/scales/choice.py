"""Define scales of named options without an order, such as list A, list B or a tie."""

from django.utils.translation import gettext

from annotate.values.scales.base import NOMINAL, Scale, plain_labels
from annotate.values.texts import as_text

TIE = "tie"  # of a choice between the lists A and B: the label that means neither, in any case


class Choice(Scale):
    """One of several options, stored as its rank from 1."""

    kind = "choice"
    level = NOMINAL
    metrics = ("nominal",)
    has_points = is_worded = True
    spec_form = '{"choice": [..]}'
    offers = {"choice": "One of several options"}
    words_help = "Options: one a line."

    @property
    def allowed(self):
        return gettext("one of %(labels)s") % {"labels": ", ".join(map(str, self.labels))}

    @property
    def is_about_sides(self):
        """Tell whether it is a choice between the lists A and B, as a rule with a tie."""
        return {"A", "B"} <= set(self.labels)

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

    def parse(self, raw):
        """Parse a label or a value."""
        text = as_text(raw).strip()
        return 1.0 + self.labels.index(text) if text in self.labels else self.parse_value(text)

    @classmethod
    def from_spec(cls, spec):
        labels = spec["choice"]
        many = isinstance(labels, list) and len(labels) >= 2
        if not many or len(set(map(str, labels))) < len(labels):
            raise ValueError("found a choice scale without two or more different labels")
        return cls(1, len(labels), plain_labels(labels))

    @classmethod
    def spec_of_words(cls, words):
        return {cls.kind: words}


def _in_words(label):
    """Return a tie in the language of raters; other words are the researcher's."""
    return gettext("Both fit equally well") if label.strip().lower() == TIE else label
