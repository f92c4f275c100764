"""Define scales of no and yes."""

from django.utils.translation import gettext_noop

from annotate.values.scales.base import BINARY, Scale, plain_labels

NO_YES = [gettext_noop("No"), gettext_noop("Yes")]


class Binary(Scale):
    """No and yes as 0 and 1, or two words of the study, such as: Not supported, Supported."""

    kind = "binary"
    level = BINARY
    metrics = ("nominal", "ordinal", "interval")
    has_points = is_worded = True
    named = {"binary": (0, 1, NO_YES)}
    spec_form = '{"binary": [no, yes]}'
    offers = {"binary": "No or yes, or two words of your own"}
    cut = 0.5  # half of the raters say yes
    words_help = "No or yes: nothing, or two lines."

    @classmethod
    def from_spec(cls, spec):
        labels = spec["binary"]
        if not isinstance(labels, list) or len(labels) != 2 or len(set(map(str, labels))) != 2:
            raise ValueError(
                "found a binary scale without two different labels, those of 0 and of 1"
            )
        return cls(0, 1, plain_labels(labels))

    def parse_truth(self, is_true):
        return float(is_true)
