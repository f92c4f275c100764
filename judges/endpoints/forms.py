"""Check the form of an endpoint; apart from other forms, as the admin loads it at every start."""

import re

from django import forms

from judges.endpoints import hosts, providers
from judges.models import Endpoint


def checked_address(text):
    """Return an entered address as it is stored; ValidationError says why it may not be called."""
    base_url = text.strip().rstrip("/")
    try:
        hosts.check(base_url)
    except hosts.HostRefused as error:
        raise forms.ValidationError(str(error)) from None
    return base_url


def check_prices(data):
    """Raise ValidationError unless the prices in and out are both there, or neither."""
    prices = [data.get("price_in"), data.get("price_out")]
    if any(price is not None and price < 0 for price in [*prices, data.get("price_cached_in")]):
        raise forms.ValidationError("A price cannot be below 0.")
    if (prices[0] is None) != (prices[1] is None):
        raise forms.ValidationError("Enter the prices in and out, or neither.")


def guessed(endpoint):
    """Return the findings that hold until a test: what its provider is known to refuse."""
    provider = providers.provider_at(endpoint.base_url)
    refused = provider.refused_by(endpoint.model) if provider else {}
    return {name: [False, why, True] for name, why in refused.items()}


class EndpointForm(forms.ModelForm):
    """Let operators enter an endpoint; its host must be among those that may be called."""

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
        """Save; forget what calls found out once the address or a limit changes."""
        if {"base_url", "model", "api_key_env"} & set(self.changed_data):
            self.instance.forget_findings()
            self.instance.findings = guessed(self.instance)
        elif "concurrency" in self.changed_data:
            self.instance.known_limit, self.instance.known_slow = None, False
            self.instance.not_before = None
        return super().save(commit)

    def clean_key(self):
        """Refuse a name that another endpoint of all studies has."""
        key = self.cleaned_data["key"]
        others = Endpoint.objects.of_installation().exclude(pk=self.instance.pk)
        if others.filter(key=key).exists():
            raise forms.ValidationError(f"There is an endpoint {key} already.")
        return key

    def clean_base_url(self):
        return checked_address(self.cleaned_data["base_url"])

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
        check_prices(data)
        return data
