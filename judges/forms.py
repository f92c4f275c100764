"""Forms of the judge and run pages, and of endpoints in /admin/."""

import math
import re

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from judges import checking, hosts, planning, prompting
from judges.forms_kinds import EnsembleForm, KindForm, ScorerForm
from judges.models import Endpoint, Judge


class JudgeForm(KindForm):
    """An LLM judge."""

    prompt = forms.ChoiceField(
        initial="explanation.v2",
        help_text="Prompts are never changed; a new version is a new name.",
    )
    temperature = forms.FloatField(
        initial=0.0,
        validators=[MinValueValidator(0), MaxValueValidator(2)],
        help_text="0 asks for the likeliest answer; 2 is the most.",
    )
    max_tokens = forms.IntegerField(
        label="Most tokens of a reply",
        initial=400,
        validators=[MinValueValidator(1), MaxValueValidator(100_000)],
    )

    class Meta:
        model = Judge
        fields = [
            "key", "endpoint", "prompt", "aspects", "rationale", "temperature", "max_tokens",
            "samples", "shots", "example_role", "strict", "pool_share", "seed", "context",
            "history_length",
        ]  # fmt: skip
        labels = {"rationale": "Ask for a rationale", "aspects": "Questions"}

    def __init__(self, study, kind, *args, **kwargs):
        super().__init__(study, kind, *args, **kwargs)
        self.fields["prompt"].choices = [(name, name) for name in prompting.names()]
        self.fields["endpoint"].required = True
        self.fields["endpoint"].help_text = "Operators make endpoints under Administration."

    def _post_clean(self):
        """After the fields, when the judge has their values: what does not go together."""
        super()._post_clean()
        if not self.errors:
            for name, problem in checking.problems_of(self.instance).items():
                self.add_error(name, problem)

    def clean_temperature(self):
        value = self.cleaned_data["temperature"]
        if math.isnan(value):
            raise forms.ValidationError("Enter a number from 0 to 2.")
        return value


def judge_form(study, kind, *args, **kwargs):
    """The form of a judge of this kind."""
    forms_of = {Judge.Kind.LLM: JudgeForm, Judge.Kind.ENSEMBLE: EnsembleForm}
    return forms_of.get(kind, ScorerForm)(study, kind, *args, **kwargs)


class RunForm(forms.Form):
    """How much of a study a run judges, and what it may cost."""

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

    def without_budget(self):
        """The form for a judge that costs nothing."""
        del self.fields["budget"]
        return self

    def clean_budget(self):
        budget = self.cleaned_data["budget"]
        if budget == 0:
            raise forms.ValidationError("Enter more than 0, or nothing for no cap.")
        return budget

    def start(self, judge, user):
        """(run, what happened), or (None, "") with the reason among the form's errors."""
        data = self.cleaned_data
        try:
            return planning.start(judge, data["limit"], data.get("budget"), user)
        except planning.PlanError as error:
            self.add_error(None, str(error))
            return None, ""


class EndpointForm(forms.ModelForm):
    """For operators: the address is checked against the hosts that may be called."""

    class Meta:
        model = Endpoint
        fields = "__all__"

    def clean_base_url(self):
        base_url = self.cleaned_data["base_url"].strip().rstrip("/")
        try:
            hosts.check(base_url)
        except hosts.HostRefused as error:
            raise forms.ValidationError(str(error)) from None
        return base_url

    def clean_api_key_env(self):
        name = self.cleaned_data["api_key_env"]
        # Only such names: the value is sent to the endpoint, and SECRET_KEY must never be.
        if name and not re.fullmatch(r"([A-Z][A-Z0-9_]*_)?API_KEY(_[A-Z0-9_]+)?", name):
            raise forms.ValidationError(
                "Enter the name of a variable with API_KEY in it, such as OPENAI_API_KEY; "
                "the key itself stays in the environment."
            )
        return name

    def clean(self):
        data = super().clean()
        prices = [data.get("price_in"), data.get("price_out")]
        if any(price is not None and price < 0 for price in [*prices, data.get("price_cached_in")]):
            raise forms.ValidationError("A price cannot be below 0.")
        if (prices[0] is None) != (prices[1] is None):
            raise forms.ValidationError("Enter the prices in and out, or neither.")
        return data
