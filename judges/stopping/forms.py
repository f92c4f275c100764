"""Enter a stopping plan: judges, questions, role, level, planned clusters, exclusion rules."""

from django import forms
from django.db.models import prefetch_related_objects

from analysis.stats.planning.planning import ALPHA
from analysis.stats.planning.stopping import FIRST_LOOK, PLANNED
from annotate.models import Rater
from annotate.quality.forms import parameter_field
from annotate.quality.rules import LIST
from judges.models import Judge
from judges.stopping.answered import answered_questions

MOST_CLUSTERS = 1_000_000
SMALLEST_ALPHA, LARGEST_ALPHA = 0.001, 0.2
# The others ask for words, which depend on questions that are not asked yet.
RULES = [rule for rule in LIST if not any(parameter.is_text for parameter in rule.parameters)]


def _chosen(queryset, offered, label, help_text):
    """Return a field that offers these rows of the queryset, which are read already."""
    field = forms.ModelMultipleChoiceField(
        queryset, label=label, help_text=help_text, widget=forms.CheckboxSelectMultiple
    )
    field.choices = [(row.pk, str(row)) for row in offered]
    return field


NO_JUDGE = "No judge of this study answers its questions on their scales. Make one first."


class PlanForm(forms.Form):
    """Take what a plan fixes: each judge is decided on each chosen question that it answers."""

    role = forms.ChoiceField(
        choices=Rater.Role,
        label="Whose ratings count",
        help_text="An item is complete once it has all its ratings by raters of this role.",
    )
    planned = forms.IntegerField(
        min_value=FIRST_LOOK,
        max_value=MOST_CLUSTERS,
        initial=PLANNED,
        label="Planned clusters",
        help_text="Recipients, else contents, else single items. The bounds are about narrowest "
        "when so many are complete.",
    )
    alpha = forms.FloatField(
        min_value=SMALLEST_ALPHA,
        max_value=LARGEST_ALPHA,
        initial=ALPHA,
        label="Level of all decisions together",
        help_text="It is divided by the number of pairs of a judge and a question that it answers.",
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
    )

    def __init__(self, study, data=None):
        """Set up the form with the study's judges and questions, and with all rules."""
        super().__init__(data)
        asked = study.questions.filter(retired=False).exclude(scale_spec__kind="text")
        judges, questions = _read_judges(study), list(asked)
        rows = {judge.pk: answered_questions(judge, questions) for judge in judges}
        self.answered = {pk: {q.pk for q in answered} for pk, answered in rows.items() if answered}
        offered = [judge for judge in judges if judge.pk in self.answered]
        about = "On which the rule decides. Only those that answer questions on people's scales."
        self.fields["judges"] = _chosen(
            Judge.objects.filter(pk__in=self.answered).order_by("key"),
            offered,
            "Judges",
            about if offered else NO_JUDGE,
        )
        self.fields["questions"] = _chosen(
            asked, questions, "Questions", "Each judge is decided on each of them that it answers."
        )
        self.fields["role"].initial = _usual_role(study)
        for rule in RULES:
            self.fields[rule.key] = forms.BooleanField(required=False, label=rule.title)
            for parameter in rule.parameters:
                field = parameter_field(parameter)
                field.required, field.initial = False, parameter.default
                self.fields[f"{rule.key}-{parameter.name}"] = field

    def clean_questions(self):
        """Refuse a choice in which some judge would be decided on nothing."""
        questions = self.cleaned_data["questions"]
        for judge in self.cleaned_data.get("judges", ()):
            if not {question.pk for question in questions} & self.answered[judge.pk]:
                raise forms.ValidationError(f"{judge} answers none of these on their scales.")
        return questions

    def clean(self):
        """Ask for all numbers of the rules that are chosen."""
        data = super().clean()
        for name in (name for rule in RULES if data.get(rule.key) for name in _names(rule)):
            if data.get(name) is None and name not in self.errors:
                self.add_error(name, "This rule needs a number.")
        return data

    @property
    def pairs(self):
        """Return [(judge, question)] of the decisions."""
        data = self.cleaned_data
        return [
            (judge, question)
            for judge in data["judges"]
            for question in data["questions"]
            if question.pk in self.answered[judge.pk]
        ]

    @property
    def exclusions(self):
        """Return the rules that are frozen, as plans store them."""
        data = self.cleaned_data
        return [
            {
                "rule": rule.key,
                "parameters": {p.name: data[f"{rule.key}-{p.name}"] for p in rule.parameters},
            }
            for rule in RULES
            if data[rule.key]
        ]

    @property
    def first_fields(self):
        """Return the fields that stand before the rules."""
        return [self[name] for name in ("judges", "questions", "role", "planned", "alpha")]

    @property
    def rules(self):
        """Return [(rule, its checkbox, fields of its numbers)]."""
        return [(rule, self[rule.key], [self[name] for name in _names(rule)]) for rule in RULES]


def _read_judges(study):
    """Return the study's judges by name, ensembles with their members: two queries at most."""
    current = Judge.objects.current().filter(study=study)
    judges = list(current.select_related("study").order_by("key"))
    ensembles = [judge for judge in judges if judge.kind == Judge.Kind.ENSEMBLE]
    prefetch_related_objects(ensembles, "members")
    return judges


def _usual_role(study):
    """Return the role of the study's raters; of third parties where they have several or none."""
    roles = set(study.raters.order_by().values_list("role", flat=True).distinct())
    return roles.pop() if len(roles) == 1 else Rater.Role.THIRD_PARTY


def _names(rule):
    return [f"{rule.key}-{parameter.name}" for parameter in rule.parameters]
