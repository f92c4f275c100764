"""Name whom a report compares: a judge, a rater, a rater of several, a role's mean, or a panel."""

from contextlib import suppress
from dataclasses import dataclass

from django import forms

from analysis.options.choices import ALL
from analysis.options.declare import TEXT, option
from annotate.values.texts import composed

A_RATER = "a rater"
MEAN_OF = "mean of "
AND = " + "  # between the members of a panel
RATER_TOO = " (rater)"  # after the name of a rater that is a judge's name too
JUDGE, RATER, EACH, MEAN, PANEL = "judge", "rater", "each", "mean", "panel"
FEWEST_ITEMS = 10  # that a rater rated, to be compared
MOST_NAMED = 20  # names in a sentence


class UnknownEvaluator(ValueError):
    """Raised for a name that is nobody's."""


@dataclass(frozen=True)
class Named:
    """An evaluator: its name, its kind, and what it is made of.

    who: the judge, the rater, or a mean's role, by its own name; members: the Named of a panel.
    """

    name: str
    kind: str
    who: str = ""
    members: tuple = ()

    @property
    def raters(self):
        """Return the raters whom it names, on whose ratings it may not be measured."""
        own = self.members or (self,)
        return {named.who for named in own if named.kind == RATER}

    @property
    def judges(self):
        """Return the judges whom it names."""
        own = self.members or (self,)
        return [named.who for named in own if named.kind == JUDGE]

    @property
    def facts(self):
        """Return whose number it is, for an Entry."""
        return {"judge": next(iter(self.judges), ""), "kind": self.kind}


def name_of_rater(rater, judges):
    """Return what a rater is called among judges."""
    return f"{rater}{RATER_TOO}" if rater in judges else rater


def find_evaluator(text, judges, raters, roles):
    """Return the Named of a text; raises UnknownEvaluator where nobody has the name.

    A panel is its members' names with “ + ” between them, in any order.
    """
    if text == A_RATER:  # a judge of that name is compared under no other
        return Named(text, EACH)
    if text in judges:
        return Named(text, JUDGE, text)
    if text.startswith(MEAN_OF) and text.removeprefix(MEAN_OF) in (*roles, ALL):
        return Named(text, MEAN, text.removeprefix(MEAN_OF))
    own = next((rater for rater in raters if name_of_rater(rater, judges) == text), None)
    if own is not None:
        return Named(text, RATER, own)
    if AND not in text:
        raise UnknownEvaluator(text)
    return _panel(text, judges, raters, roles)


def _panel(text, judges, raters, roles):
    members = {find_evaluator(part.strip(), judges, raters, roles) for part in text.split(AND)}
    if len(members) < 2 or not {member.kind for member in members} <= {JUDGE, RATER}:
        raise UnknownEvaluator(text)
    order = [*judges, *sorted(raters)]
    ordered = sorted(members, key=lambda member: (member.kind, order.index(member.who)))
    return Named(AND.join(member.name for member in ordered), PANEL, members=tuple(ordered))


def list_names(choices):
    """Return the names that a study offers, panels aside: people together, judges, raters."""
    raters = [
        name_of_rater(rater, choices.judges)
        for rater, n in choices.raters.items()
        if n >= FEWEST_ITEMS
    ]
    means = [f"{MEAN_OF}{role}" for role in choices.roles]
    people = [*([A_RATER] if len(choices.raters) > 1 else []), *means]
    return list(dict.fromkeys([*people, *choices.judges, *raters]))


class _Names:
    """Read names of evaluators by what a study has."""

    def __init__(self, choices, placeholder="", **options):
        self.offered, self.placeholder = choices, placeholder
        super().__init__(required=False, **options)

    @property
    def names(self):
        """Return the names that the page suggests."""
        return list_names(self.offered)

    def parse(self, text):
        choices = self.offered
        for spelt in (text, composed(text)):  # as ids are; older names may be in another form
            with suppress(UnknownEvaluator):
                named = find_evaluator(spelt, choices.judges, choices.raters, choices.roles)
                break
        else:
            names = self.names
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            raise forms.ValidationError(
                f"Found “{text[:80]}”; allowed are {', '.join(names[:MOST_NAMED])}{more}, and the "
                "mean of several judges and raters, their names with “ + ” between them."
            )
        for rater in sorted(named.raters):
            if (n := choices.raters[rater]) < FEWEST_ITEMS:
                raise forms.ValidationError(
                    f"Found “{text[:80]}”; {rater} rated {n} items, and {FEWEST_ITEMS} are needed."
                )
        return named.name


class EvaluatorField(_Names, forms.CharField):
    """A field for the name of one evaluator, or none."""

    def clean(self, value):
        text = super().clean(value)
        return self.parse(text) if text else ""


class EvaluatorsField(_Names, forms.MultipleChoiceField):
    """A field for the names of any number of evaluators."""

    def to_python(self, values):
        return [text.strip() for text in values or [] if text.strip()]

    def validate(self, values):
        """Accept any list: `clean` checks each name."""

    def clean(self, value):
        return tuple(dict.fromkeys(self.parse(text) for text in super().clean(value)))


def evaluator(label, about, usual, many=False, **facts):
    """Declare the name of an evaluator, or none, or any number; usual: words of who it is then."""
    field = EvaluatorsField if many else EvaluatorField
    return option(
        () if many else "",
        label=label,
        about=about,
        make_field=lambda choices: field(choices, usual, label=label),
        schema=TEXT,
        metavar="EVALUATOR",
        is_repeated=many,
        of_study=True,
        write=list if many else lambda value: value or None,
        **facts,
    )
