"""Declare what a plan without any data is made from, once for the page and the command."""

from dataclasses import dataclass

from django import forms

from analysis.options.declare import choice, declared, number, option, whole_number
from analysis.options.fields import WordOrNumber
from analysis.options.form import OptionsForm
from analysis.reports.verdict.options import SHARES
from analysis.stats.planning.planning import KNOWN_SHARE, POWER, RELIABILITIES

RATE_ITEMS, COMPARE_SYSTEMS = "rate_items", "compare_systems"
USES = [
    (RATE_ITEMS, "The judge rates items in place of a rater"),
    (COMPARE_SYSTEMS, "The judge compares systems"),
]
USUAL_AGREEMENT, EQUAL = "usual", "equal"
RANGE = "range"
SPREAD, ONE_END = "spread", "one_end"
SCALES = [
    ("2", "2 points, such as yes and no"),
    ("5", "5 points"),
    ("7", "7 points"),
    ("10", "10 points"),
    (RANGE, "another range, given below"),
]
MOST_ITEMS = 1000


def _word_or_number(default, words, low, label, about):
    """Declare a number within low..1 that has names: words is {name: its number, or None}."""
    return option(
        words[default],
        label=label,
        about=about,
        make_field=lambda study: WordOrNumber(words, min_value=low, max_value=1, label=label),
        schema={},  # the API has no planner
        usual=lambda study: default,
        write=lambda value: EQUAL if value is None else value,
    )


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """What a plan assumes of raters, judge and collecting.

    use: "rate_items" or "compare_systems"; rho: agreement of two raters; judge: its correlation
    with what raters share, None for a judge as good as one rater; fee: in per cent of the pay;
    power: the chance of a yes that is aimed at.
    """

    use: str = choice(
        RATE_ITEMS,
        "For which use?",
        "rate_items: the judge rates items in place of a rater; compare_systems: it says which of "
        "two systems is better",
        USES,
    )
    rho: float = _word_or_number(
        USUAL_AGREEMENT,
        RELIABILITIES,
        0,
        "How far do two raters of an item agree?",
        "agreement of two raters: poor (.1), fair (.2), usual (.3), good (.5), or the correlation "
        "of their answers, 0 to 1",
    )
    judge: float | None = _word_or_number(
        EQUAL,
        {EQUAL: None},
        -1,
        "How good is the judge?",
        "quality of the judge: equal (to one rater), or its correlation with what raters share, "
        "-1 to 1",
    )
    retention: str = choice(
        "2/3",
        "Share of a rater’s agreement to keep",
        "what a judge has to keep of the agreement of two raters: 1/2, 2/3 or 4/5; not asked where "
        "systems are compared",
        [(share, share) for share in SHARES],
    )
    scale: str = choice(
        "5", "Scale", "points of the scale: 2, 5, 7, 10, or range (another range)", SCALES
    )
    answers: str = choice(
        SPREAD,
        "Where are most answers?",
        "spread (over the scale) or one_end: half of them or more are the lowest, or the highest",
        [(SPREAD, "spread over the scale"), (ONE_END, "at one end: half or more are one answer")],
    )
    scale_range: float = number(
        100,
        1e-3,
        1_000_000,
        "Another range of the scale",
        "largest minus smallest value, such as 100 for 0 to 100; only with scale range",
    )
    session_items: int = whole_number(
        10, 1, MOST_ITEMS, "Items per session", "items that one rater rates"
    )
    item_seconds: float = number(40, 0, 36_000, "Seconds per rating", "time that one rating takes")
    hourly_pay: float = number(9, 0, 100_000, "Pay per hour", "of a rater, in your currency")
    fee: float = number(
        33.33, 0, 1000, "Fee of the platform", "per cent that come on top of the pay"
    )
    cluster_items: int = whole_number(
        1,
        1,
        MOST_ITEMS,
        "Items per cluster",
        "items about the same content or person, which together tell less; 1: no clusters",
    )
    systems: int = whole_number(
        0,
        0,
        MOST_ITEMS,
        "Systems and other groups",
        "number of systems and of other groups of items, the clusters not counted",
    )
    known: float = number(
        KNOWN_SHARE,
        0,
        0.95,
        "Known without reading",
        "share of what raters agree on that text length, systems and contents explain, 0 to .95",
    )
    power: float = number(
        POWER,
        0.5,
        0.99,
        "Chance of a yes",
        "chance with which a judge like this is to pass all checks together, .5 to .99",
    )

    def as_dict(self):
        """Return the options as users write them."""
        return {name: option.write(getattr(self, name)) for name, option in OPTIONS.items()}


OPTIONS = declared(PlanOptions)
GROUPS = {
    "Raters and judge": ("rho", "judge", "retention", "scale", "answers"),
    "Collecting": ("session_items", "item_seconds", "hourly_pay", "fee"),
}
MORE = ("scale_range", "cluster_items", "systems", "known", "power")  # what few change


class PlanForm(OptionsForm):
    """The questions of a plan; what is left blank takes its usual value."""

    def __init__(self, data):
        """Set up the form from a query string, or from a command's arguments in that shape."""
        super().__init__(data, None, OPTIONS)
        self.fields["use"].widget = forms.RadioSelect(choices=USES)
        for name, field in self.fields.items():
            if name != "use":
                field.help_text = f"{OPTIONS[name].about[0].upper()}{OPTIONS[name].about[1:]}."
            if isinstance(field.widget, forms.TextInput) and name not in ("rho", "judge"):
                field.widget.attrs["inputmode"] = "decimal"

    def clean(self):
        """Refuse what an address names and no question of a plan is called."""
        if unknown := [name for name in self.data if name not in self.fields]:
            names = " and ".join(f"“{name}”" for name in unknown)
            raise forms.ValidationError(
                f"{names}: not known here. Known are {', '.join(self.fields)}."
            )
        return super().clean()

    @property
    def groups(self):
        """Return [(legend, fields)] of the questions that follow the use, in their order."""
        return [(legend, [self[name] for name in names]) for legend, names in GROUPS.items()]

    @property
    def more(self):
        return [self[name] for name in MORE]

    @property
    def has_more(self):
        """Return whether any of the rarer questions is answered in an unusual way, or wrongly."""
        is_range = self.data.get("scale") == RANGE
        return is_range or any(
            name in self.errors or self.data.get(name) != OPTIONS[name].usual(None) for name in MORE
        )
