"""Define scales of numbered points in an order, such as 1 to 5."""

from django.utils.translation import gettext_noop

from annotate.values.numbers import is_number, is_whole
from annotate.values.scales.base import FARTHEST, Scale, plain_labels
from annotate.values.wrong import quoted

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
OWN = "own"  # offered on the page of a question: points that the study defines


class Likert(Scale):
    """Numbered points with words for all of them, for both ends, or for none."""

    kind = "likert"
    metrics = ("nominal", "ordinal", "interval")
    has_points = True
    named = {"likert5": (1, 5, AGREEMENT), "likert7": (1, 7, AGREEMENT_7)}
    spec_form = '{"min": .., "max": .., "labels": [..]}'
    offers = {
        "likert5": "Agreement, five points",
        "likert7": "Agreement, seven points",
        OWN: "Points of your own, from … to …",
    }
    words_help = (
        "Points of your own: two lines for the words at both ends, or one for every point, or "
        "nothing."
    )

    @classmethod
    def takes_spec(cls, spec):
        return {"min", "max"} <= set(spec) <= {"min", "max", "labels"}

    @classmethod
    def from_spec(cls, spec):
        low, high, labels = spec["min"], spec["max"], spec.get("labels", [])
        whole = is_whole(low) and is_whole(high) and low < high <= low + 100
        if not whole or low < -FARTHEST or high > FARTHEST:
            ends = [end if is_number(end) else quoted(end, 40) for end in (low, high)]
            raise ValueError(
                f"found min {ends[0]!s:.40}, max {ends[1]!s:.40}; allowed are whole numbers, "
                f"min < max, at most 100 apart, from -{FARTHEST} to {FARTHEST}"
            )
        if not isinstance(labels, list) or len(labels) not in (0, 2, high - low + 1):
            raise ValueError("labels must name both ends (two) or every point of the scale")
        return cls(low, high, plain_labels(labels))

    def as_spec(self):
        labels = {"labels": list(self.labels)} if self.labels else {}
        return {"min": self.low, "max": self.high} | labels
