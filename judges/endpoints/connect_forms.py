"""Check the form by which an owner connects a model to a study."""

import itertools
import re

from django import forms
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.views.decorators.debug import sensitive_variables

from judges.endpoints import keys, providers
from judges.endpoints.forms import check_prices, checked_address, guessed
from judges.models import Endpoint
from judges.models.endpoint import FOUND_OUT

LONGEST_KEY = 4000
USUAL_WAIT, LONG_WAIT = 60, 120  # seconds; models on machines without a graphics card are slow
KEY = re.compile(r"[!-~]{8,}")  # what is shorter could not be struck out of replies that echo it
WRONG_KEY = (
    "A key has 8 characters or more, all of them visible letters, digits and signs of ASCII."
)
NO_KEY = "Paste the key: {} wants one."
ANEW = "The address changed, so paste the key anew: a stored key is never sent to another address."
NO_SECRETS = "This installation has no SECRETS_KEYS, so it can keep no key."
PRICE_HELP = "Empty: unknown."


class ConnectForm(forms.ModelForm):
    """Take a model of a provider or of a listed address, its key, and what it costs.

    The key is written and never shown again: a page that comes back with an error has none.
    """

    api_key = forms.CharField(
        label="API key",
        required=False,
        max_length=LONGEST_KEY,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    field_order = ("base_url", "api_key", "model", "price_in", "price_cached_in", "price_out")

    class Meta:
        model = Endpoint
        fields = ("base_url", "model", "price_in", "price_cached_in", "price_out")
        help_texts = {"price_in": PRICE_HELP, "price_out": PRICE_HELP}
        widgets = {"model": forms.TextInput(attrs={"list": "model-names", "autocomplete": "off"})}

    def __init__(self, study, preset, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.instance.study, self.preset = study, preset
        self.fields["model"].help_text = "As the provider spells it."
        self.fields["price_cached_in"].help_text = "Empty: as those that are not cached."
        if preset:
            self.instance.base_url = preset.base_url
            del self.fields["base_url"]
        else:
            self._offer_addresses()
        self._explain_key()
        if self.instance.pk and self.instance.is_rested_on:
            self.fields["model"].disabled = True
            self.fields["model"].help_text = "Judges rest on it. Connect another model beside it."

    def _offer_addresses(self):
        """Say which addresses an operator listed; a browser offers those with a port."""
        field = self.fields["base_url"]
        field.help_text = f"An operator listed {', '.join(settings.ENDPOINT_HOSTS)}."
        field.widget.attrs |= {"list": "listed-addresses", "placeholder": "http://…/v1"}

    def _explain_key(self):
        field, endpoint = self.fields["api_key"], self.instance
        if endpoint.secret:
            field.help_text = f"Empty: the key …{endpoint.secret_end} stays."
        elif self.preset:
            field.help_text = "It is stored encrypted, and never shown again."
        else:
            field.help_text = "Leave it empty where the server wants none."

    @property
    def listed_addresses(self):
        """Return [(address, its Provider or None)] that a browser offers: of hosts with a port."""
        hosts = [host for host in settings.ENDPOINT_HOSTS if re.search(r":\d+$", host)]
        addresses = [f"http://{host}/v1" for host in hosts]
        return [(address, providers.provider_at(address)) for address in addresses]

    def clean_base_url(self):
        return checked_address(self.cleaned_data["base_url"])

    @sensitive_variables()
    def clean_api_key(self):
        key = self.cleaned_data["api_key"]
        if key and not KEY.fullmatch(key):
            raise forms.ValidationError(WRONG_KEY)
        if key and not keys.can_keep():
            raise forms.ValidationError(NO_SECRETS)
        return key

    @sensitive_variables()
    def clean(self):
        data = super().clean()
        check_prices(data)
        address = data.get("base_url", self.instance.base_url)
        is_new_address = bool(self.instance.secret) and address != self.instance.base_url
        preset = providers.connectable_at(address)
        if data.get("api_key") or "api_key" in self.errors:
            return data
        if is_new_address:
            self.add_error("api_key", ANEW)
        elif preset and not self.instance.secret:
            self.add_error("api_key", NO_KEY.format(preset.label))
        return data

    @property
    def needs_test(self):
        """Whether what was found out holds no more."""
        return bool({"base_url", "model", "api_key"} & set(self.changed_data))

    @sensitive_variables()
    def saved(self, user):
        """Save and return the endpoint; None where somebody takes its name at this moment."""
        endpoint, key = self.instance, self.cleaned_data["api_key"]
        if self.needs_test:
            endpoint.forget_findings()
            endpoint.findings = guessed(endpoint)
            described = providers.provider_at(endpoint.base_url)
            endpoint.json_schema = described is None or described.keeps_schemas
        try:
            with transaction.atomic():
                if endpoint.pk is None:
                    endpoint.key = self._free_name()
                    endpoint.timeout_seconds = USUAL_WAIT if self.preset else LONG_WAIT
                    endpoint.save()
                if key:
                    keys.set_key(endpoint, key, user)
                endpoint.save(update_fields=self._changed_columns())
        except IntegrityError:
            self.add_error(None, "Somebody else connected a model just now. Try again.")
            return None
        return endpoint

    def _changed_columns(self):
        """List what is written: another owner may change the rest at the same time."""
        columns = set(self.changed_data) - {"api_key"}
        columns |= set(keys.COLUMNS) if "api_key" in self.changed_data else set()
        return columns | ({*FOUND_OUT, "json_schema"} if self.needs_test else set())

    def _free_name(self):
        """Name the endpoint by its provider and model, apart from all that the study may use."""
        study, model = self.instance.study, self.instance.model
        taken = set(Endpoint.objects.usable_by(study).values_list("key", flat=True))
        start = slugify(f"{self.preset.name if self.preset else 'own'}-{model}")[:50].strip("-_")
        start = re.sub(r"[^a-z0-9-]+", "-", start)
        names = itertools.chain([start], (f"{start}-{number}" for number in itertools.count(2)))
        return next(name for name in names if name not in taken)
