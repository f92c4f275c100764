"""Forms of the judge, run and endpoint pages."""

import re
from decimal import Decimal

from django import forms

from judges import drifting, going_on, hosts, planning
from judges.forms_kinds import EnsembleForm, ScorerForm
from judges.forms_llm import LLM_FORMS
from judges.models import Endpoint, Judge


def judge_form(study, kind, *args, method=Judge.Method.QUESTIONS, **kwargs):
    """The form of a judge of this kind, and of this method if it is an LLM."""
    forms_of = {Judge.Kind.LLM: LLM_FORMS[method], Judge.Kind.ENSEMBLE: EnsembleForm}
    return forms_of.get(kind, ScorerForm)(study, kind, *args, **kwargs)


def budget_field(help_text):
    """What a run may cost; empty where there is no cap."""
    return forms.DecimalField(
        label="Budget in USD",
        required=False,
        min_value=Decimal("0.000001"),
        max_digits=12,
        decimal_places=6,
        help_text=help_text,
    )


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
    reuse = forms.BooleanField(
        label="Take over replies to identical calls",
        required=False,
        initial=True,
        help_text="Of past runs of this study, at no cost. Without it to see how much replies "
        "differ from run to run.",
    )

    def without_budget(self):
        """The form for a judge that calls nobody."""
        del self.fields["budget"], self.fields["reuse"]
        return self

    def without_reuse(self):
        """The form for a judge whose samples are there to differ."""
        del self.fields["reuse"]
        return self

    def about_recipients(self):
        """The form for a judge that writes profiles."""
        self.fields["limit"].label = "First recipients only"
        self.fields["limit"].help_text = "Empty: all recipients."
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
            return going_on.start(
                judge, data["limit"], data.get("budget"), user, reuse=data.get("reuse", False)
            )
        except planning.PlanError as error:
            self.add_error(None, str(error))
            return None, ""


class CheckForm(forms.Form):
    """How many items a check for drift asks again, and what it may cost."""

    items = forms.IntegerField(
        initial=drifting.USUAL_ITEMS,
        min_value=1,
        max_value=drifting.MOST_ITEMS,
        help_text="The same ones at every check.",
    )
    budget = budget_field("Empty: no cap.")

    def start(self, run, user):
        """The check, or None with the reason among the form's errors."""
        data = self.cleaned_data
        try:
            return drifting.plan_check(run, data["items"], data["budget"], user)
        except planning.PlanError as error:
            self.add_error(None, str(error))
            return None


class EndpointForm(forms.ModelForm):
    """For operators: the address is checked against the hosts that may be called."""

    class Meta:
        model = Endpoint
        fields = "__all__"
        labels = {
            "key": "Name",
            "concurrency": "Calls at once",
            "timeout_seconds": "Time-out in seconds",
            "json_schema": "JSON schema",
        }
        help_texts = {"concurrency": "At most; runs begin with fewer and find out what it stands."}
        widgets = {"notice": forms.Textarea(attrs={"rows": 3})}

    def save(self, commit=True):
        """What was found out by calls holds no longer once the address or a limit is another."""
        if {"base_url", "model", "concurrency", "api_key_env"} & set(self.changed_data):
            self.instance.known_limit, self.instance.known_slow = None, False
            self.instance.not_before = None
        if {"base_url", "model", "api_key_env"} & set(self.changed_data):
            self.instance.findings, self.instance.tested_at = {}, None
        return super().save(commit)

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
