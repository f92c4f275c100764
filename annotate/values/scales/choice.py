"""Define scales of named options without an order, such as list A, list B or a tie."""

import json
import re
import unicodedata
from functools import cached_property

from django.utils.translation import gettext

from annotate.values.numbers import parse_number, plain
from annotate.values.scales.base import NOMINAL, Scale, is_number_text, plain_labels
from annotate.values.texts import as_text, composed, one_line_ends
from annotate.values.wrong import quoted

TIE = "tie"  # of a choice between the lists A and B: the label that means neither, in any case


class Choice(Scale):
    """One of several options, stored as its rank from 1; files and the API have its label.

    A rank is read too, as older files have it, where no label has a number that it may mean.
    """

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

    @cached_property
    def _labels(self):
        return dict(self.points)

    @cached_property
    def _ranks(self):
        """Return {text: rank}; a label is also found as cells of files have it, if only it is."""
        return _of_one(map(_as_in_cell, self.labels)) | _of_one(self.labels)

    @cached_property
    def _ranks_of_numbers(self):
        numbers = (parse_number(label) if is_number_text(label) else None for label in self.labels)
        return _of_one(numbers)

    @cached_property
    def has_number_labels(self):
        """Whether some label has a number other than its rank, in digits of any script."""
        return any(
            is_number_text(label) or not _numbers_in(label) <= {rank} for rank, label in self.points
        )

    def parse(self, raw):
        """Parse a label; among labels that are numbers, 3.0 is the label 3."""
        text = as_text(raw)
        if isinstance(raw, bool) and text not in self._ranks:
            return self.parse_truth(raw)
        for form in (text, _as_in_cell(text)):
            if form in self._ranks:
                return self._ranks[form]
        if not self.has_number_labels:
            return self.parse_value(text.strip())
        try:
            return self._ranks_of_numbers[parse_number(text)]
        except (ValueError, KeyError):
            raise ValueError(f"found {quoted(text.strip())}; allowed is {self.allowed}") from None

    def written(self, value):
        """Return the label of a point; any other number, such as a metric's, is itself."""
        return self._labels.get(value, plain(value))

    # Judges are asked for ranks, as in the literature, or for labels that they could take for ranks

    def schema(self):
        labels = {"type": "string", "enum": list(self.labels)}
        return labels if self.has_number_labels else super().schema()

    def rule(self, inside):
        if not self.has_number_labels:
            return super().rule(inside)
        labels = ", ".join(json.dumps(label, ensure_ascii=False) for label in self.labels)
        return f"one of these labels, in quotation marks: {labels}"

    @classmethod
    def from_spec(cls, spec):
        labels = spec["choice"]
        many = isinstance(labels, list) and len(labels) >= 2
        if not many or len(set(map(str, labels))) < len(labels):
            raise ValueError("found a choice scale without two or more different labels")
        if not all(str(label).strip() for label in labels):
            raise ValueError("found a blank label; allowed is a text (a blank cell is no answer)")
        return cls(1, len(labels), plain_labels(labels))

    @classmethod
    def spec_of_words(cls, words):
        return {cls.kind: words}


def _numbers_in(label):
    """Return the numbers of digits that stand together, and of signs such as ½; 三 only alone."""
    signs = [sign for sign in label if sign.isnumeric() and not sign.isdecimal()]
    signs = [s for s in signs if unicodedata.category(s) != "Lo" or s == label.strip()]
    return {*map(float, re.findall(r"\d+", label)), *map(unicodedata.numeric, signs)}


def _as_in_cell(label):
    """Return a label as a cell may have it: without blanks at its ends, é as one letter."""
    return composed(one_line_ends(label).strip())


def _of_one(texts):
    """Return {text: rank} of those that stand once in a list of as many as there are options."""
    texts = list(texts)
    return {text: 1.0 + place for place, text in enumerate(texts) if texts.count(text) == 1}


def _in_words(label):
    """Return a tie in the language of raters; other words are the researcher's."""
    return gettext("Both fit equally well") if label.strip().lower() == TIE else label
