"""Check the forms of a check for drift and of a robustness test with its relations' options."""

from django import forms

from judges.checks import drift, robustness
from judges.checks.robustness import Chosen
from judges.runs import plan
from judges.runs.forms import budget_field

LABELS = {"factor": "λ", "by": "λ", "rate": "Rate", "sentences": "Sentences", "title": "Title"}
FIELDS = {int: forms.IntegerField, float: forms.FloatField, str: forms.CharField}


class CheckForm(forms.Form):
    """Take how many items a check for drift asks again, and what it may cost."""

    items = forms.IntegerField(
        initial=drift.USUAL_ITEMS,
        min_value=1,
        max_value=drift.MOST_ITEMS,
        help_text="The same ones at every check.",
    )
    budget = budget_field("Empty: no cap.")

    def start(self, run, user):
        """Start the check, or return None with the reason among the form's errors."""
        data = self.cleaned_data
        try:
            return drift.plan_check(run, data["items"], data["budget"], user)
        except plan.PlanError as error:
            self.add_error(None, str(error))
            return None


class RobustnessForm(forms.Form):
    """Take what a robustness test asks again of a past run, how often, and what it may cost."""

    items = forms.IntegerField(
        initial=robustness.USUAL_ITEMS,
        min_value=1,
        max_value=robustness.MOST_ITEMS,
        help_text="Drawn from the run by the seed.",
    )
    repeats = forms.IntegerField(
        initial=robustness.USUAL_REPEATS,
        min_value=1,
        max_value=robustness.MOST_REPEATS,
        help_text="Of each changed prompt; the unchanged one is asked once more.",
    )
    seed = forms.IntegerField(initial=robustness.SEED, min_value=0, max_value=robustness.MOST_SEED)
    budget = budget_field("Empty: no cap.")

    def __init__(self, run, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.run, self.relations = run, robustness.applicable(run)
        for relation in self.relations:
            self.fields[relation.key] = forms.BooleanField(
                label=relation.label, required=False, initial=True, help_text=relation.says
            )
            for name, usual in relation.options.items():
                self.fields[f"{relation.key}-{name}"] = FIELDS[type(usual)](
                    label=LABELS.get(name, name), initial=usual, required=False
                )

    @property
    def rows(self):
        """Return [(a relation's field, fields of its options)]."""
        return [
            (self[relation.key], [self[f"{relation.key}-{name}"] for name in relation.options])
            for relation in self.relations
        ]

    @property
    def others(self):
        """Return the other fields."""
        return [self[name] for name in ("items", "repeats", "seed", "budget")]

    @property
    def chosen(self):
        """Return what a valid form asks for; an option left empty is the usual one."""
        data = self.cleaned_data
        relations = {
            relation.key: self._options(relation)
            for relation in self.relations
            if data[relation.key]
        }
        return Chosen(relations, data["items"], data["repeats"], data["seed"])

    def _options(self, relation):
        given = {name: self.cleaned_data[f"{relation.key}-{name}"] for name in relation.options}
        return {name: value for name, value in given.items() if value not in (None, "")}

    def tried(self, act, *arguments):
        """Return act(run, chosen, …); None, with the reason among the errors, if refused."""
        try:
            return act(self.run, self.chosen, *arguments)
        except plan.PlanError as error:
            self.add_error(None, str(error))
            return None

    def start(self, user):
        """Start the test, or return None with the reason among the form's errors."""
        return self.tried(robustness.plan_test, self.cleaned_data["budget"], user)
