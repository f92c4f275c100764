from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from judges.models.endpoint import PRICE


class Run(models.Model):
    """One judge over a set of items, at one time, with its settings frozen."""

    class State(models.TextChoices):
        ACTIVE = "active", "Active"
        CANCELLED = "cancelled", "Cancelled"
        FINISHED = "finished", "Finished"
        OUT_OF_BUDGET = "out_of_budget", "Stopped at the budget"

    judge = models.ForeignKey("judges.Judge", models.CASCADE, related_name="runs")
    state = models.CharField(max_length=20, choices=State, default=State.ACTIVE)
    frozen = models.JSONField(default=dict, help_text="The judge's settings as they were.")
    settings_hash = models.CharField(max_length=64, blank=True)
    budget_usd = models.DecimalField(**PRICE)
    reserved_usd = models.DecimalField(
        max_digits=20, decimal_places=8, default=0, help_text="Estimates of the calls under way."
    )
    spent_usd = models.DecimalField(max_digits=20, decimal_places=8, default=0)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["judge"],
                condition=Q(state="active"),
                name="one_active_run_a_judge",
                violation_error_message="This judge is running already.",
            ),
        ]

    def __str__(self):
        return f"run {self.pk}"

    def get_absolute_url(self):
        return reverse("run", args=[self.judge.study.slug, self.pk])


class JudgmentQuerySet(models.QuerySet):
    def open(self):
        """Judgments that wait or are under way."""
        return self.filter(state__in=[Judgment.State.PENDING, Judgment.State.LEASED])

    def settled(self):
        """Judgments that will not be asked again by themselves."""
        return self.exclude(state__in=[Judgment.State.PENDING, Judgment.State.LEASED])


class Judgment(models.Model):
    """One judge's answer to one question on one item; the row exists before the call."""

    class State(models.TextChoices):
        PENDING = "pending", "Waiting"
        LEASED = "leased", "Under way"
        DONE = "done", "Done"
        UNPARSABLE = "unparsable", "Reply not understood"
        REFUSED = "refused", "Refused by the model"
        FAILED = "failed", "Failed"
        NOT_ASKED = "not_asked", "Not asked"

    # Asked and settled, but without a value.
    NO_VALUE = {State.UNPARSABLE, State.REFUSED, State.FAILED}

    run = models.ForeignKey(Run, models.CASCADE, related_name="judgments")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")
    question = models.ForeignKey("annotate.Question", models.RESTRICT, related_name="+")
    sample = models.PositiveSmallIntegerField(default=0)
    order = models.CharField(
        max_length=20, default="", blank=True, help_text="Order of lists or aspects shown."
    )
    # Rows that one call answers share a unit; its lead row is the one that workers lock.
    unit = models.PositiveIntegerField(default=0)
    lead = models.BooleanField(default=False)
    state = models.CharField(max_length=12, choices=State, default=State.PENDING)
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True, help_text="Why there is no value.")
    rationale = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    leased_until = models.DateTimeField(null=True, blank=True)
    leased_by = models.CharField(max_length=80, blank=True)
    call = models.ForeignKey(
        "judges.Call", models.SET_NULL, null=True, blank=True, related_name="judgments"
    )
    cost_usd = models.DecimalField(max_digits=20, decimal_places=8, null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item", "question", "sample", "order"], name="judgment_once_a_run"
            ),
            models.CheckConstraint(
                condition=Q(state="done", value__isnull=False) | ~Q(state="done") & Q(value=None),
                name="value_only_when_done",
            ),
            # An expression, and first: as a plain index of (run, unit) SQLite led the lease by it.
            models.UniqueConstraint(
                F("unit") + 0,
                "run",
                condition=Q(lead=True),
                name="one_lead_a_unit",
                violation_error_message="A unit has one lead judgment.",
            ),
        ]
        indexes = [
            # leasing.lease: the next units of a run
            models.Index(
                fields=["run", "unit"],
                name="judgment_pending",
                condition=Q(state="pending", lead=True),
            ),
            # leasing: all rows of the leased units
            models.Index(fields=["run", "unit"], name="judgment_unit"),
            # leasing.return_expired
            models.Index(
                fields=["leased_until"], name="judgment_leased", condition=Q(state="leased")
            ),
            # the run page's counts
            models.Index(fields=["run", "state"], name="judgment_run_state"),
        ]

    def __str__(self):
        return f"judgment {self.pk}"


class Call(models.Model):
    """One request to an LLM endpoint: the evidence behind its judgments."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="calls")
    unit = models.PositiveIntegerField()
    attempt = models.PositiveSmallIntegerField(default=1)
    endpoint_key = models.CharField(max_length=60)
    model = models.CharField(max_length=200)
    model_returned = models.CharField(max_length=200, blank=True)
    fingerprint = models.CharField(max_length=200, blank=True)
    prompt_name = models.CharField(max_length=100)
    prompt_hash = models.CharField(max_length=64)
    messages = models.JSONField(default=list)
    parameters = models.JSONField(default=dict)
    reply = models.TextField(blank=True, help_text="As it arrived.")
    failure = models.CharField(max_length=40, blank=True, help_text="Empty: a reply arrived.")
    failure_detail = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    tokens_in = models.PositiveIntegerField(null=True, blank=True)
    tokens_cached = models.PositiveIntegerField(null=True, blank=True)
    tokens_out = models.PositiveIntegerField(null=True, blank=True)
    cost_usd = models.DecimalField(max_digits=20, decimal_places=8, null=True, blank=True)
    latency_seconds = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self):
        return f"call {self.pk}"
