"""Store endpoints of LLMs, and what they were sent in the last minute."""

from decimal import Decimal

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.functional import cached_property

from annotate.models.study import slug_rule

PRICE = {"max_digits": 12, "decimal_places": 6, "null": True, "blank": True}

# What a model may not take: judges then leave it out or send another; in the order of their hashes.
REFUSABLE = ("max_tokens", "temperature")
# What calls found out about an address with its model and key.
FOUND_OUT = ("known_limit", "known_slow", "not_before", "findings", "tested_at")


class EndpointQuerySet(models.QuerySet):
    def of_installation(self):
        """Return the endpoints that operators made for all studies."""
        return self.filter(study=None)

    def usable_by(self, study):
        """Return the endpoints that judges of the study may call: its own and operators'."""
        return self.filter(models.Q(study=None) | models.Q(study=study))

    def by_name(self):
        """Map names to endpoints; a study's own go before operators'."""
        return {e.key: e for e in sorted(self, key=lambda e: e.study_id is not None)}


class Endpoint(models.Model):
    """An OpenAI-compatible address with one model.

    Operators make endpoints for all studies; owners of a study connect its own, with an API key
    that judges/endpoints/keys.py encrypts.
    """

    study = models.ForeignKey(
        "annotate.Study",
        models.CASCADE,
        null=True,
        editable=False,
        related_name="+",
        help_text="Whose judges alone may call it; empty: an operator's, for all studies.",
    )
    key = models.CharField(max_length=60, validators=[slug_rule])
    # No URLField: that refuses the one-word hosts of a compose file.
    base_url = models.CharField("address", max_length=500, help_text="Ends in /v1, as a rule.")
    model = models.CharField(max_length=200)
    api_key_env = models.CharField(
        "API key variable",
        max_length=100,
        blank=True,
        help_text="The NAME of the environment variable that holds the key, never the key itself.",
    )
    price_in = models.DecimalField("USD per million tokens in", **PRICE)
    price_cached_in = models.DecimalField("USD per million cached tokens in", **PRICE)
    price_out = models.DecimalField("USD per million tokens out", **PRICE)
    concurrency = models.PositiveSmallIntegerField(
        default=8, validators=[MinValueValidator(1), MaxValueValidator(512)]
    )
    rpm = models.PositiveIntegerField(
        "requests a minute",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="At most, by all workers together; empty: no limit.",
    )
    tpm = models.PositiveIntegerField(
        "tokens a minute",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="In and out together, by all workers together; empty: no limit.",
    )
    timeout_seconds = models.PositiveSmallIntegerField(
        default=60, validators=[MinValueValidator(1), MaxValueValidator(3600)]
    )
    json_schema = models.BooleanField(
        default=True,
        help_text="It enforces a JSON schema; else JSON is asked for in words.",
    )
    notice = models.TextField(
        blank=True, help_text="Said beside every judge that uses it, for example a known weakness."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    # The API key that an owner of the study gave:
    secret = models.TextField(blank=True, editable=False, help_text="The API key, encrypted.")
    secret_end = models.CharField(max_length=4, blank=True, editable=False)
    secret_set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, editable=False, related_name="+"
    )
    secret_set_at = models.DateTimeField(null=True, editable=False)
    # Found out by calls, not entered:
    known_limit = models.PositiveSmallIntegerField(
        null=True, editable=False, help_text="Calls at once at the end of the last run."
    )
    known_slow = models.BooleanField(
        default=False, editable=False, help_text="That limit was cut: grow slowly from it."
    )
    not_before = models.DateTimeField(
        null=True, editable=False, help_text="The endpoint asked to be left alone until then."
    )
    tested_at = models.DateTimeField(null=True, editable=False)
    findings = models.JSONField(
        default=dict, editable=False, help_text="Its last test: {name: [works, in words, refused]}."
    )

    objects = EndpointQuerySet.as_manager()

    class Meta:
        ordering = ["key"]
        constraints = [
            models.UniqueConstraint(
                fields=["key"], condition=models.Q(study=None), name="endpoint_of_all_by_key"
            ),
            models.UniqueConstraint(fields=["study", "key"], name="endpoint_of_study_by_key"),
            # Else an owner of a study could have the installation's keys sent to an address.
            models.CheckConstraint(
                condition=models.Q(study=None, secret="")
                | models.Q(study__isnull=False) & models.Q(api_key_env=""),
                name="endpoint_has_its_owners_kind_of_key",
            ),
        ]

    def __str__(self):
        return f"{self.key} ({self.model})"

    def forget_findings(self):
        """Forget, unsaved, what calls found out about another address, model or key."""
        self.known_limit, self.known_slow, self.not_before = None, False, None
        self.findings, self.tested_at = {}, None

    def can(self, name):
        """Return what the last test found: True, False, or None where it was not tried."""
        return self.findings.get(name, [None])[0]

    def refuses(self, name):
        """Whether the last test's call that asked for it got an error in place of a reply."""
        return any(self.findings.get(name, [])[2:])

    @cached_property
    def is_rested_on(self):
        """Whether a judge has it, also one that was deleted: the record of what it asked stays."""
        return self.judges.model.with_deleted.filter(endpoint=self).exists()

    @property
    def refused(self):
        """Return the parameters that the model does not take, by the last test or a run."""
        return [name for name in REFUSABLE if self.refuses(name)]

    @property
    def has_prices(self):
        return self.price_in is not None and self.price_out is not None

    def cost(self, tokens_in, tokens_cached, tokens_out):
        """Return USD of a call by today's prices; None without prices or a count of tokens."""
        if not self.has_prices or tokens_in is None or tokens_out is None:
            return None
        cached = min(tokens_cached or 0, tokens_in)
        price_cached = self.price_in if self.price_cached_in is None else self.price_cached_in
        micro = (
            (tokens_in - cached) * self.price_in
            + cached * price_cached
            + tokens_out * self.price_out
        )
        return (Decimal(micro) / 1_000_000).quantize(Decimal("1e-8"))


class Window(models.Model):
    """What an endpoint was sent in the last seconds, where no Redis counts it."""

    endpoint = models.OneToOneField(Endpoint, models.CASCADE, primary_key=True)
    version = models.PositiveIntegerField(default=0)
    slots = models.JSONField(default=dict, help_text="{r<second>: requests, t<second>: tokens}")

    def __str__(self):
        return f"window of {self.endpoint_id}"
