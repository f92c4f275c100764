"""List the kinds of answer scales: what a question offers, and which values are allowed.

A kind is a class in a file of its own; SCALES is the only place that names them all.
"""

from django.utils import translation
from django.utils.translation import gettext

from annotate.values.languages import ENGLISH
from annotate.values.scales.binary import Binary
from annotate.values.scales.choice import Choice
from annotate.values.scales.likert import Likert
from annotate.values.scales.number import Number
from annotate.values.scales.slider import Slider
from annotate.values.scales.text import Text
from annotate.values.wrong import quoted

SCALES = {scale.kind: scale for scale in (Likert, Binary, Choice, Number, Text, Slider)}
NAMED = {name: kind(*ends) for kind in SCALES.values() for name, ends in kind.named.items()}
_mappings = [kind.spec_form for kind in reversed(SCALES.values()) if kind.spec_form]
JSON_FORMS = f"{', '.join([*NAMED, *_mappings[:-1]])} or {_mappings[-1]}"
FORMS = JSON_FORMS.replace('"', "")  # as study.yaml writes them


def scale_from_dict(stored):
    """Make the scale that as_dict wrote; what is missing is as in a scale without it."""
    return SCALES[stored["kind"]](**{key: stored[key] for key in stored if key != "kind"})


def ready_made(name, language):
    """Return the scale of that name, with its words in the language of a study."""
    scale = NAMED[name]
    with translation.override(language):
        return type(scale)(scale.low, scale.high, [gettext(label) for label in scale.labels])


def parse_scale(spec, language=ENGLISH):
    """Parse a Scale from its form in study.yaml; ValueError says which forms there are."""
    if isinstance(spec, str) and spec in NAMED:
        return ready_made(spec, language)
    if isinstance(spec, dict):
        for kind in SCALES.values():
            if kind.spec_form and kind.takes_spec(spec):
                return kind.from_spec(spec)
    raise ValueError(f"found scale {quoted(spec)}; allowed is {FORMS}")


def spec_of(scale, language=ENGLISH):
    """Return the form of a scale in study.yaml: parse_scale makes the same scale of it."""
    names = (name for name in NAMED if scale == ready_made(name, language))
    return next(names, None) or scale.as_spec()
