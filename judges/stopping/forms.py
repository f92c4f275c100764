"""Enter a stopping plan: judges, questions, role, level, planned clusters, exclusion rules."""

from django import forms

from analysis.stats.planning.confidence_sequence import ALPHA, FIRST_LOOK, PLANNED
from annotate.models import Rater
from annotate.quality.forms import parameter_field
from annotate.quality.rules import LIST
from judges.models import Judge
from judges.stopping.answered import answered_questions

MOST_CLUSTERS = 1_000_000
SMALLEST_ALPHA, LARGEST_ALPHA = 0.001, 0.2
# The others ask for words, which depend on questions that are not asked yet.
RULES = [rule for rule in LIST if not any(parameter.is_text for parameter in rule.parameters)]


def _chosen(queryset, label, help_text):
    return forms.ModelMultipleChoiceField(
        queryset, label=label, help_text=help_text, widget=forms.CheckboxSelectMultiple
    )


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
        self.answered = _answered_by_judge(study, list(asked))
        judges = Judge.objects.filter(pk__in=self.answered).order_by("key")
        about = "On which the rule decides. Only those that answer questions on people's scales."
        self.fields["judges"] = _chosen(judges, "Judges", about if self.answered else NO_JUDGE)
        self.fields["questions"] = _chosen(
            asked, "Questions", "Each judge is decided on each of them that it answers."
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


def _answered_by_judge(study, questions):
    """Return {pk: the questions' pks} of the judges that answer any on its scale."""
    judges = Judge.objects.filter(study=study).select_related("study").prefetch_related("members")
    rows = {judge.pk: answered_questions(judge, questions) for judge in judges}
    return {pk: {question.pk for question in asked} for pk, asked in rows.items() if asked}


def _usual_role(study):
    """Return the role of the study's raters; of third parties where they have several or none."""
    roles = set(study.raters.order_by().values_list("role", flat=True).distinct())
    return roles.pop() if len(roles) == 1 else Rater.Role.THIRD_PARTY


def _names(rule):
    return [f"{rule.key}-{parameter.name}" for parameter in rule.parameters]
