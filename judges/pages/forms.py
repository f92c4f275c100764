"""Choose the form of a judge, and check the form of a run."""

from django import forms

from judges.models import Judge
from judges.pages.forms_kinds import EnsembleForm, ScorerForm
from judges.pages.forms_llm import llm_form
from judges.runs import plan, resume


def judge_form(study, kind, *args, method=Judge.Method.QUESTIONS, **kwargs):
    """Return the form of a judge of this kind, and of this method if it is an LLM."""
    if kind == Judge.Kind.LLM:
        return llm_form(method)(study, kind, *args, method=method, **kwargs)
    form = EnsembleForm if kind == Judge.Kind.ENSEMBLE else ScorerForm
    return form(study, kind, *args, **kwargs)


class RunForm(forms.Form):
    """Take how much of a study a run judges, and what it may cost."""

    limit = forms.IntegerField(
        label="First items only",
        required=False,
        min_value=1,
        max_value=10_000_000,
        help_text="Empty: all items.",
    )
    budget = forms.DecimalField(
        label="Budget in USD",
        required=False,
        min_value=0,
        max_digits=12,
        decimal_places=6,
        help_text="Empty: no cap. The run stops before it would spend more.",
    )
    reuse = forms.BooleanField(
        label="Take over replies to identical calls",
        required=False,
        initial=True,
        help_text="Of past runs of this study, at no cost. Without it to see how much replies "
        "differ from run to run.",
    )

    def without_budget(self):
        """Return the form for a judge that calls nobody."""
        del self.fields["budget"], self.fields["reuse"]
        return self

    def without_reuse(self):
        """Return the form for a judge whose samples are there to differ."""
        del self.fields["reuse"]
        return self

    def about_recipients(self):
        """Return the form for a judge that writes profiles."""
        self.fields["limit"].label = "First recipients only"
        self.fields["limit"].help_text = "Empty: all recipients."
        return self

    def clean_budget(self):
        budget = self.cleaned_data["budget"]
        if budget == 0:
            raise forms.ValidationError("Enter more than 0, or nothing for no cap.")
        return budget

    def start(self, judge, user):
        """Return (run, what happened), or (None, "") with the reason among the form's errors."""
        data = self.cleaned_data
        try:
            return resume.start(
                judge, data["limit"], data.get("budget"), user, reuse=data.get("reuse", False)
            )
        except plan.PlanError as error:
            self.add_error(None, str(error))
            return None, ""
