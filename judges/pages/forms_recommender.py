"""Check the form of a test of a recommender."""

from django import forms

from judges.methods.recommend import lists
from judges.methods.recommend.plans import (
    MOST_ITERATIONS,
    MOST_K,
    MOST_L,
    MOST_SEED,
    MOST_USERS,
    PLANS,
    Trial,
    offered,
)
from judges.pages.forms_llm import Numbers
from judges.perturbations.relations import RELATIONS
from judges.runs import plan, resume
from judges.runs.forms import budget_field

USUAL = Trial()
SCALE = "Of the ratings, as the prompt names it."


def whole(label, initial, most, help_text="", least=1, **more):
    """Return a field for a whole number up to a most value."""
    return forms.IntegerField(
        label=label, initial=initial, min_value=least, max_value=most, help_text=help_text, **more
    )


def option_name(relation, option):
    """Return the name of the field for a relation's option."""
    return f"{relation}-{option}"


class TrialForm(forms.Form):
    """Take what a recommender is asked; `trial` is what was entered, checked."""

    plans = forms.MultipleChoiceField(
        label="Plans",
        choices=PLANS,
        initial=USUAL.plans,
        widget=forms.CheckboxSelectMultiple,
        help_text="Each makes one of the tables: how far perturbed prompts change the lists, and "
        "how far lists differ by chance where k or l changes.",
    )
    relations = forms.MultipleChoiceField(
        label="Relations",
        initial=[key for key, _ in USUAL.relations],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="The same prompt is asked again besides, whichever are chosen.",
    )
    users = whole(
        "Recipients", 10, MOST_USERS, "Drawn by the seed. Empty: all who rated.", required=False
    )
    iterations = whole("Iterations", USUAL.iterations, MOST_ITERATIONS, "Of each relation.")
    k = whole("k", USUAL.k, MOST_K, "Contents asked for.")
    l = whole(  # noqa: E741
        "l",
        USUAL.l,
        MOST_L,
        "Rated contents shown, drawn once for each recipient. Who rated fewer is not asked.",
    )
    low = forms.FloatField(label="Lowest rating", initial=USUAL.low, help_text=SCALE)
    high = forms.FloatField(label="Highest rating", initial=USUAL.high, help_text=SCALE)
    ks = Numbers(label="Sweep of k", initial=USUAL.ks, max_length=200, help_text="Values of k.")
    above = forms.FloatField(
        label="Rated above",
        initial=USUAL.above,
        help_text="The sweep of k shows all contents rated above it.",
    )
    ls = Numbers(label="Sweep of l", initial=USUAL.ls, max_length=200, help_text="Values of l.")
    seed = whole("Seed", USUAL.seed, MOST_SEED, "The same seed draws the same.", least=0)
    budget = budget_field("Empty: no cap. The run stops before it would spend more.")
    user = forms.CharField(label="Recipient to look at", required=False, max_length=200)
    relation = forms.ChoiceField(label="Relation to look at", required=False)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        choices = [(relation.key, f"{relation.label}: {relation.says}") for relation in offered()]
        self.fields["relations"].choices = choices
        self.fields["relation"].choices = [(relation.key, relation.label) for relation in offered()]
        for relation in offered():
            for name, value in relation.options.items():
                kind = forms.CharField if isinstance(value, str) else forms.FloatField
                sign = "λ" if name in ("factor", "by") else name
                self.fields[option_name(relation.key, name)] = kind(
                    label=f"{relation.label}: {sign}", initial=value, required=False
                )

    @classmethod
    def for_study(cls, study, data=None):
        """Return the form for a study, whose ratings tell where their scale begins."""
        return cls(data, initial={"low": lists.usual_low(study)})

    @property
    def usual(self):
        """Return what the form asks for by default."""
        return Trial(users=self["users"].initial, low=self["low"].initial)

    @property
    def asked(self):
        """Return the fields of what is asked, but for the options."""
        return [self[name] for name in self.base_fields if name not in ("user", "relation")]

    @property
    def options(self):
        """Return the fields of the relations' options."""
        return [self[name] for name in self.fields if name not in self.base_fields]

    @property
    def looked_at(self):
        """Return the fields that say which prompt is shown."""
        return [self["user"], self["relation"]]

    def clean(self):
        super().clean()
        self.trial = None
        if not self.errors:
            try:
                self.trial = self._trial().checked()
            except ValueError as error:
                self.add_error(None, f"The recommender cannot be tested so: {error}")
        return self.cleaned_data

    def _trial(self):
        data = self.cleaned_data
        names = (
            "plans",
            "users",
            "iterations",
            "k",
            "l",
            "seed",
            "low",
            "high",
            "above",
            "ks",
            "ls",
        )
        relations = [[key, self._options(key)] for key in data["relations"]]
        return Trial(**{name: data[name] for name in names}, relations=relations)

    def _options(self, key):
        """Return a relation's options as entered; an empty field is the usual option, 2.0 is 2."""
        options = {}
        for name in RELATIONS[key].options:
            value = self.cleaned_data[option_name(key, name)]
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if value not in (None, ""):
                options[name] = value
        return options

    def checked_for(self, judge):
        """Whether the judge can be asked this; else the reason is among the form's errors."""
        if problem := lists.problem_of(judge, self.trial):
            self.add_error(None, problem)
        return not self.errors

    def start(self, judge, user):
        """Return (run, what happened), or (None, "") with the reason among the form's errors."""
        budget = self.cleaned_data["budget"]
        try:
            return resume.start(judge, None, budget, user, reuse=False, trial=self.trial)
        except plan.PlanError as error:
            self.add_error(None, str(error))
            return None, ""
