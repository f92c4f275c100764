"""Store runs, their judgments, and the calls behind them."""

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.urls import reverse
from django.utils import timezone

from annotate.models import Loaded
from judges.models.endpoint import PRICE

FROM_FILE = "imported"  # the frozen kind of a run whose judgments were loaded, of any judge


class RunQuerySet(models.QuerySet):
    """Queries over runs."""

    def from_files(self):
        """Keep runs whose judgments were loaded from a file; nothing was asked here."""
        return self.kept().filter(Q(frozen__kind=FROM_FILE) | Q(judge__kind=FROM_FILE))

    def kept(self):
        """Keep runs whose judge nobody deleted."""
        return self.filter(judge__deleted_at=None)

    def judging(self):
        """Keep runs whose judgments count; checks are about the judge, not the items."""
        return self.kept().filter(checked=None)

    def asked(self):
        """Keep runs that asked or computed something here, whatever came of it."""
        settled = Judgment.objects.filter(run=OuterRef("pk"), state__in=Judgment.ASKED)
        own = self.filter(checked=None).exclude(frozen__kind=FROM_FILE)
        return own.filter(Exists(settled))

    def silent(self, version=None):
        """Keep runs from files that speak for their judge no longer, as it was asked here.

        A judge's numbers never come from a file and a model together. version: of the
        questionnaire, where only its runs are looked at.
        """
        asked = Run.objects.asked().filter(judge=OuterRef("judge"))
        asked = asked if version is None else asked.filter(version=version)
        return self.filter(Exists(asked), frozen__kind=FROM_FILE)

    def speaking(self, version=None):
        """Keep runs whose judgments count and speak for their judge."""
        return self.judging().exclude(pk__in=Run.objects.silent(version).values("pk"))

    def checks(self):
        """Keep checks for drift and robustness tests."""
        return self.kept().exclude(checked=None)

    def robustness_tests(self):
        """Keep tests that ask the same in prompts changed by relations."""
        return self.checks().filter(frozen__has_key="robustness")


class Run(models.Model):
    """A judge's run over a set of items, with its settings frozen."""

    class State(models.TextChoices):
        ACTIVE = "active", "Active"
        WAITING = "waiting", "Waiting for confirmation"
        CANCELLED = "cancelled", "Cancelled"
        FINISHED = "finished", "Finished"
        OUT_OF_BUDGET = "out_of_budget", "Stopped at the budget"
        STOPPED = "stopped", "Stopped by the endpoint"

    judge = models.ForeignKey("judges.Judge", models.CASCADE, related_name="runs")
    checked = models.ForeignKey(
        "self",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="checks",
        help_text="A check for drift, or a test of robustness: the run whose items it asks again. "
        "Its judgments never count.",
    )
    state = models.CharField(max_length=20, choices=State, default=State.ACTIVE)
    frozen = models.JSONField(default=dict, help_text="The judge's settings as they were.")
    settings_hash = models.CharField(max_length=64, blank=True)
    version = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="Of the questionnaire: it asks that wording to its end."
    )
    stopped_because = models.CharField(max_length=300, blank=True)
    unit_usd = models.DecimalField(
        max_digits=20, decimal_places=8, default=0, help_text="What a unit can cost at most."
    )
    budget_usd = models.DecimalField(**PRICE)
    reserved_usd = models.DecimalField(
        max_digits=20, decimal_places=8, default=0, help_text="Estimates of the calls under way."
    )
    spent_usd = models.DecimalField(max_digits=20, decimal_places=8, default=0)
    pilot = models.JSONField(
        default=dict, help_text="Units asked first, for the forecast: {seed, units}."
    )
    in_pilot = models.BooleanField(
        default=False, help_text="Nothing else is asked until somebody confirms the forecast."
    )
    reuse = models.BooleanField(
        default=False, help_text="Takes over replies to identical calls of the study's past runs."
    )
    flagged = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Items whose texts seem to speak to the judge."
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    idle_seconds = models.FloatField(
        default=0, db_default=0, help_text="Between its beginning and its end, but not at work."
    )

    objects = RunQuerySet.as_manager()

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

    @property
    def is_from_file(self):
        """Whether its judgments were loaded: nothing of it can be asked or read again."""
        return self.frozen.get("kind") == FROM_FILE

    @property
    def is_robustness_test(self):
        """Whether the run tests robustness."""
        return "robustness" in self.frozen

    def get_absolute_url(self):
        return reverse("run", args=[self.judge.study.slug, self.pk])


class JudgmentQuerySet(models.QuerySet):
    """Queries over judgments."""

    def judging(self):
        """Keep judgments that count: not those of checks and tests, and no profiles."""
        kept = {"run__judge__deleted_at": None, "run__checked": None}
        return self.filter(question__isnull=False, **kept)

    def speaking(self, version=None):
        """Keep judgments that count and whose run speaks for its judge."""
        return self.judging().exclude(run__in=Run.objects.silent(version).values("pk"))

    def open(self):
        """Keep judgments that wait or are under way."""
        return self.filter(state__in=[Judgment.State.PENDING, Judgment.State.LEASED])

    def settled(self):
        """Keep judgments that will not be asked again by themselves."""
        return self.exclude(state__in=[Judgment.State.PENDING, Judgment.State.LEASED])


class Judgment(Loaded):
    """A judge's answer to a question on an item; the row exists before the call."""

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
    ASKED = (State.DONE, State.UNPARSABLE, State.REFUSED, State.FAILED)

    @classmethod
    def beginning(cls, missing):
        """Return the fields of a planned row: {}, or for a row that is not asked its reason."""
        if not missing:
            return {}
        return {"state": cls.State.NOT_ASKED, "reason": missing, "settled_at": timezone.now()}

    run = models.ForeignKey(Run, models.CASCADE, related_name="judgments")
    # Both, or neither: a profile that is written stands with its Writing, by run and unit.
    item = models.ForeignKey("annotate.Item", models.CASCADE, null=True, related_name="+")
    question = models.ForeignKey("annotate.Question", models.RESTRICT, null=True, related_name="+")
    sample = models.PositiveSmallIntegerField(default=0)
    order = models.CharField(
        max_length=20, default="", blank=True, help_text="Order of lists or aspects shown."
    )
    relation = models.CharField(
        max_length=40,
        default="",
        db_default="",
        blank=True,
        help_text="In a test of robustness: how the prompt was changed; see perturbations.",
    )
    # Rows that one call answers share a unit; its lead row is the one that workers lock.
    unit = models.PositiveIntegerField(default=0)
    lead = models.BooleanField(default=False)
    state = models.CharField(max_length=12, choices=State, default=State.PENDING)
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True, help_text="Why there is no value.")
    rationale = models.TextField(blank=True)
    # Beside the sampled value, never in its place: the mean of the scale's points by their
    # probabilities, how much probability the points had, or why there is none.
    weighted_value = models.FloatField(null=True, blank=True)
    weighted_mass = models.FloatField(null=True, blank=True)
    weighted_reason = models.CharField(max_length=100, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    leased_until = models.DateTimeField(null=True, blank=True)
    leased_by = models.CharField(max_length=80, blank=True)
    call = models.ForeignKey(
        "judges.Call", models.SET_NULL, null=True, blank=True, related_name="judgments"
    )
    cost_usd = models.DecimalField(max_digits=20, decimal_places=8, null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    data = models.JSONField(
        default=dict, db_default={}, blank=True, help_text="Extra columns of its file, by name."
    )

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item", "question", "sample", "order", "relation"],
                name="judgment_once_a_run",
            ),
            models.CheckConstraint(
                condition=Q(state="done", value__isnull=False) | ~Q(state="done") & Q(value=None),
                name="value_only_when_done",
            ),
            models.CheckConstraint(
                condition=Q(state="done")
                | Q(weighted_value=None, weighted_mass=None, weighted_reason=""),
                name="weighted_only_when_done",
            ),
            models.CheckConstraint(
                condition=Q(item=None, question=None)
                | Q(item__isnull=False, question__isnull=False),
                name="judgment_of_an_item_or_a_profile",
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
            # judges/runs/lease.py: all rows of the leased units
            models.Index(fields=["run", "unit"], name="judgment_unit"),
            # return_expired in judges/runs/lease.py
            models.Index(
                fields=["leased_until"], name="judgment_leased", condition=Q(state="leased")
            ),
            # judges/uploads/undo.py: what a load brought
            models.Index(fields=["load"], name="judgment_of_load", condition=Q(load__isnull=False)),
            # the run page's counts
            models.Index(fields=["run", "state"], name="judgment_run_state"),
            # lease.lease: the next units of a run, those that were asked least first
            models.Index(
                fields=["run", "attempts", "unit"],
                name="judgment_pending",
                condition=Q(state="pending", lead=True),
            ),
        ]

    def __str__(self):
        return f"judgment {self.pk}"


class Call(models.Model):
    """A request to an LLM endpoint: the evidence behind its judgments."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="calls")
    unit = models.PositiveIntegerField()
    worker = models.CharField(max_length=80, blank=True, help_text="Who held the unit.")
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
    logprobs = models.JSONField(
        null=True, blank=True, help_text="Of the tokens with digits, where they were asked for."
    )
    tokens_in = models.PositiveIntegerField(null=True, blank=True)
    tokens_cached = models.PositiveIntegerField(null=True, blank=True)
    tokens_out = models.PositiveIntegerField(null=True, blank=True)
    cost_usd = models.DecimalField(max_digits=20, decimal_places=8, null=True, blank=True)
    latency_seconds = models.FloatField(null=True, blank=True)
    request_hash = models.CharField(
        max_length=64,
        blank=True,
        db_default="",
        help_text="Of all that was sent, and the study; see runs/reuse.py.",
    )
    reused_from = models.ForeignKey(
        "self",
        models.RESTRICT,
        null=True,
        blank=True,
        related_name="reuses",
        help_text="Nothing was sent: the reply is that of this call.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            # reuse.past_calls
            models.Index(
                fields=["request_hash"], name="call_request", condition=~Q(request_hash="")
            )
        ]

    def __str__(self):
        return f"call {self.pk}"
