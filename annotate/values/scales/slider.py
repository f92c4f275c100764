"""Define scales of a line from 0 to 100."""

from annotate.values.scales.base import Scale, plain_labels


class Slider(Scale):
    """A whole number from 0 to 100 on a line, with or without words at its ends."""

    kind = "slider"
    metrics = ("interval",)
    named = {"slider": (0, 100, [])}
    spec_form = '{"slider": [left, right]}'
    offers = {"slider": "A slider from 0 to 100"}
    words_help = "A slider: nothing, or two lines for the words at its ends."
    widget = "slider"

    def schema(self):
        return {"type": "integer", "minimum": self.low, "maximum": self.high}

    @classmethod
    def from_spec(cls, spec):
        labels = spec["slider"]
        if not isinstance(labels, list) or len(labels) != 2:
            raise ValueError("found a slider without two labels, those of 0 and of 100")
        return cls(0, 100, plain_labels(labels))
