"""Define scales of any number, fractions too."""

from django.utils.translation import gettext

from annotate.values.scales.base import Scale


class Number(Scale):
    """A number, within its ends where it has any."""

    kind = "number"
    metrics = ("interval",)
    is_whole = False
    named = {"number": (None, None, [])}
    offers = {"number": "A number"}
    summary = "a number"

    @property
    def allowed(self):
        if not self.has_ends:
            return gettext("a number")
        ends = {"low": self.low, "high": self.high}
        return gettext("a number from %(low)s to %(high)s") % ends

    def schema(self):
        ends = {} if self.low is None else {"minimum": self.low, "maximum": self.high}
        return {"type": "number"} | ends

    def rule(self, inside):
        return self.allowed
