"""Define the scale of answers in words, which is none."""

from django.utils.translation import gettext

from annotate.values.scales.base import WORDS, Scale


class Text(Scale):
    """Free text: nothing is counted, and no judge is asked."""

    kind = "text"
    level = WORDS
    named = {"text": (None, None, [])}
    offers = {"text": "Free text"}
    summary = "free text"
    widget = "text"

    @property
    def allowed(self):
        return gettext("any text")
