"""Store what reviews and explanations say, as statements with a topic and a sentiment."""

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q, Value
from django.db.models.functions import Cast, Coalesce, NullIf

from judges.models.run import Run

ADDED_FROM = 10_001  # numbers of statements that people add; no text has as many of a run
LONGEST_TOPIC = 60


class Side(models.TextChoices):
    GENERATED = "generated", "Generated text"
    REFERENCE = "reference", "Reference"


class Sentiment(models.TextChoices):
    POSITIVE = "positive", "Positive"
    NEGATIVE = "negative", "Negative"
    NEUTRAL = "neutral", "Neutral"


SIGNS = {Sentiment.POSITIVE: "+", Sentiment.NEGATIVE: "−", Sentiment.NEUTRAL: "○"}


def side_text(item, side):
    """Return the text of an item that a side stands for."""
    if side == Side.GENERATED:
        return item.text
    return item.review if item.review.strip() else item.reference


def ended_runs(study):
    """Return runs whose extractions may speak."""
    moving = [Run.State.ACTIVE, Run.State.WAITING]
    return Run.objects.judging().filter(judge__study=study).exclude(state__in=moving)


class SpeakingQuerySet(models.QuerySet):
    """Rows with a run, an item and a side."""

    def whole(self):
        """Keep rows of sides of which their run has read every part."""
        unread = Extraction.objects.filter(
            run=OuterRef("run"), item=OuterRef("item"), side=OuterRef("side"), kept=None
        )
        return self.exclude(Exists(unread))

    def newest(self, study):
        """Keep rows of sides that no newer ended run has whole.

        Not by a subquery with a limit, nor beside an OR: PostgreSQL could make no join of it.
        """
        runs = ended_runs(study).values("pk")
        newer = Extraction.objects.filter(
            item=OuterRef("item"), side=OuterRef("side"), run__gt=OuterRef("run"), part=0
        )
        return self.whole().exclude(Exists(newer.filter(run__in=runs).whole()))


class ExtractionQuerySet(SpeakingQuerySet):
    """Queries over extractions."""

    def speaking(self, study):
        """Keep all parts of each side, by the newest ended run that has it whole."""
        return self.filter(run__in=ended_runs(study).values("pk")).newest(study)


class Extraction(models.Model):
    """A part of a side of an item whose statements a run extracts.

    Sides with the same text share a unit, so that it is asked about once.
    """

    run = models.ForeignKey("judges.Run", models.CASCADE, related_name="extractions")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")
    side = models.CharField(max_length=20, choices=Side)
    part = models.PositiveSmallIntegerField(default=0)
    unit = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    start = models.PositiveIntegerField(default=0, help_text="Where it begins in the side's text.")
    rules = models.CharField(
        max_length=200,
        blank=True,
        help_text="Names of the rules that the text meets where it seems to speak to the judge.",
    )
    kept = models.PositiveIntegerField(
        null=True, help_text="How many statements were kept; empty: it was not read."
    )
    dropped = models.JSONField(default=list, help_text="[{statement, topic, sentiment, why}]")

    objects = ExtractionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item", "side", "part"], name="extraction_once_a_part"
            ),
        ]
        indexes = [
            models.Index(fields=["run", "unit"], name="extraction_unit"),  # leasing, settling
            models.Index(fields=["item", "side", "run"], name="extraction_item"),  # speaking
        ]

    def __str__(self):
        return f"part {self.part} of the {self.side} text of item {self.item_id}"


class StatementQuerySet(SpeakingQuerySet):
    """Queries over statements."""

    def extracted(self, study):
        """Keep statements of the newest ended run that has the item's side, and added ones.

        Statements that people added have no run, so that no run is newer.
        """
        read = Q(run=None) | Q(run__in=ended_runs(study).values("pk"))
        return self.filter(read, item__study=study).newest(study)

    def speaking(self, study):
        """Keep statements that count: extracted or added, and not removed."""
        return self.extracted(study).filter(is_removed=False)

    def with_said(self):
        """Add what counts of each: now_statement, now_topic, now_sentiment."""
        fields = "statement", "topic", "sentiment"
        blank = Value("", output_field=models.TextField())
        return self.annotate(
            **{
                f"now_{name}": Coalesce(
                    NullIf(Cast(f"corrected_{name}", models.TextField()), blank),
                    Cast(name, models.TextField()),
                )
                for name in fields
            }
        )


class Statement(models.Model):
    """A thing that a side of an item says, by a run or added by a person.

    A correction is kept with what was extracted, never in its place.
    """

    run = models.ForeignKey(
        "judges.Run",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="statements",
        help_text="Empty: a person added it.",
    )
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")
    side = models.CharField(max_length=20, choices=Side)
    number = models.PositiveIntegerField()
    statement = models.TextField()
    topic = models.CharField(max_length=LONGEST_TOPIC)
    sentiment = models.CharField(max_length=20, choices=Sentiment)
    start = models.PositiveIntegerField(
        null=True, blank=True, help_text="Where in the side's text it comes from, if found."
    )
    end = models.PositiveIntegerField(null=True, blank=True)
    corrected_statement = models.TextField(blank=True)
    corrected_topic = models.CharField(max_length=LONGEST_TOPIC, blank=True)
    corrected_sentiment = models.CharField(max_length=20, choices=Sentiment, blank=True)
    is_removed = models.BooleanField(default=False)
    corrected_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    corrected_at = models.DateTimeField(null=True, blank=True)

    objects = StatementQuerySet.as_manager()

    class Meta:
        ordering = ["item", "side", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item", "side", "number"], name="statement_once_a_run"
            ),
            models.UniqueConstraint(
                fields=["item", "side", "number"],
                condition=Q(run=None),
                name="statement_added_once",
            ),
            models.CheckConstraint(
                condition=Q(start=None, end=None) | Q(start__lt=models.F("end")),
                name="statement_stands_somewhere_or_nowhere",
            ),
        ]
        indexes = [
            models.Index(fields=["item", "side"], name="statement_item"),  # an item's page
        ]

    def __str__(self):
        return self.said

    @property
    def said(self):
        """Return the statement's words as they count."""
        return self.corrected_statement or self.statement

    @property
    def about(self):
        """Return the topic as it counts."""
        return self.corrected_topic or self.topic

    @property
    def feels(self):
        """Return the sentiment as it counts."""
        return self.corrected_sentiment or self.sentiment

    @property
    def is_added(self):
        """Whether a person added it."""
        return self.run_id is None

    @property
    def is_corrected(self):
        return bool(self.corrected_statement or self.corrected_topic or self.corrected_sentiment)

    @property
    def sign(self):
        """Return a sign for the sentiment, where a colour alone would say it."""
        return SIGNS[self.feels]

    @property
    def label(self):
        """Return its number, as pages show it."""
        return f"A{self.number - ADDED_FROM + 1}" if self.is_added else str(self.number)
