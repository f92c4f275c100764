"""Log exclusions: who excluded whom by which rule, which places opened, how it was undone."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotate.models.rater import Place


class QualityStep(models.Model):
    """A line of the log: a rule was applied, or an application was undone."""

    BY_HAND = "by_hand"  # where other lines name their rule

    class Kind(models.TextChoices):
        APPLIED = "applied", "Excluded"
        UNDONE = "undone", "Included again"

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="quality_steps")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.APPLIED)
    rule = models.CharField(max_length=40, help_text="A key of quality.RULES, or by_hand.")
    parameters = models.JSONField(default=dict, blank=True)
    words = models.CharField(max_length=200, help_text="The reason that the raters got.")
    reopens = models.BooleanField(default=True, help_text="Whether their places open again.")
    undoes = models.ForeignKey(
        "self", models.CASCADE, null=True, blank=True, related_name="undone_by"
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    by_name = models.CharField(max_length=150, help_text="Stays when the account goes.")
    at = models.DateTimeField(auto_now_add=True)
    rater_count = models.PositiveIntegerField(default=0)
    place_count = models.PositiveIntegerField(
        default=0, help_text="Places that opened, or were given back."
    )
    lost_count = models.PositiveIntegerField(
        default=0, help_text="Undoing: places that others had taken meanwhile."
    )

    class Meta:
        ordering = ["-id"]

    def __str__(self):
        return f"{self.kind} {self.rule}"


class ExcludedRater(models.Model):
    """A rater whom a step excluded, until another step ends the exclusion."""

    step = models.ForeignKey(QualityStep, models.CASCADE, related_name="excluded")
    rater = models.ForeignKey("annotate.Rater", models.CASCADE, related_name="exclusions")
    measured = models.FloatField(null=True, blank=True, help_text="What the rule looked at.")
    ended_by = models.ForeignKey(
        QualityStep, models.CASCADE, null=True, blank=True, related_name="ended"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rater"], condition=Q(ended_by=None), name="one_exclusion_at_a_time"
            )
        ]


class FreedPlace(models.Model):
    """A place that an exclusion opened, with its former rater: undoing gives it back where it can.

    The place itself may go (a study that wants fewer raters drops open ones); its item stays.
    """

    exclusion = models.ForeignKey(ExcludedRater, models.CASCADE, related_name="freed_places")
    place = models.ForeignKey("annotate.Place", models.SET_NULL, null=True, related_name="+")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")
    session = models.ForeignKey("annotate.Session", models.CASCADE, related_name="+")
    state = models.CharField(max_length=10, choices=Place.State)
    position = models.PositiveSmallIntegerField(null=True, blank=True)


class Tombstone(models.Model):
    """The trace of a rater whose data were deleted on request; nothing tells who it was."""

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="tombstones")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    by_name = models.CharField(max_length=150, help_text="Stays when the account goes.")
    at = models.DateTimeField(auto_now_add=True)
    session_count = models.PositiveIntegerField()
    rating_count = models.PositiveIntegerField()

    class Meta:
        ordering = ["-id"]
