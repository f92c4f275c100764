from django.db import models
from django.db.models import Q

from annotate.models.rater import Session


class RatingQuerySet(models.QuerySet):
    def for_analysis(self):
        """Answers of finished sessions by raters whom no rule excluded."""
        finished = self.filter(session__state=Session.State.COMPLETED)
        return finished.filter(session__rater__excluded_because="")


class Rating(models.Model):
    """One rater's answer to one question on one item."""

    session = models.ForeignKey("annotate.Session", models.CASCADE, related_name="ratings")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="ratings")
    question = models.ForeignKey("annotate.Question", models.RESTRICT, related_name="ratings")
    value = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True, help_text="The answer to a question on a text scale.")
    reason = models.TextField(blank=True)
    seconds = models.FloatField(
        null=True, blank=True, help_text="From showing the item to this answer."
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    first_side = models.CharField(
        max_length=1,
        blank=True,
        default="",
        db_default="",
        help_text="Of a pair of lists: the side that stood first. The place may go to others.",
    )

    objects = RatingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session", "item", "question"],
                name="one_answer_a_question",
                violation_error_message="This question is answered already.",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(text=""), name="rating_has_an_answer"
            ),
        ]

    def __str__(self):
        return f"rating {self.pk}"


class RatingRevision(models.Model):
    """What an answer was at one time; the newest equals the rating."""

    rating = models.ForeignKey(Rating, models.CASCADE, related_name="revisions")
    value = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
