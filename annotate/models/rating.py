"""Store raters' answers, and define which of them count."""

from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce

from annotate.models.load import Loaded
from annotate.models.rater import Place, Session

# Why an answer of a session that counts does not: see RatingQuerySet.surplus.
SURPLUS = "surplus: the place had gone to another rater"


def own_place():
    """Build the condition that the rating's session has the place of its item, or of the whole.

    The unique index on (item, rater) finds that place, so every rating costs one look-up.
    """
    return Exists(
        Place.objects.filter(
            item=Coalesce(OuterRef("item__parent"), OuterRef("item")),
            rater=OuterRef("session__rater"),
            session=OuterRef("session"),
        )
    )


class RatingQuerySet(models.QuerySet):
    """Queries over ratings: which of them count."""

    def for_analysis(self):
        """Return the counted sessions' answers, each in the session's own place."""
        loaded = Q(session__source=Session.Source.FILE)
        return self.of_counted_sessions().filter(loaded | own_place())

    def surplus(self):
        """Return the answers without a place in sessions that count; for_analysis omits them.

        The rater paused for too long, the place went to somebody else, and then they came back.
        Loaded sessions have no such rule: a file may have any number of raters for an item.
        """
        on_web = self.of_counted_sessions().exclude(session__source=Session.Source.FILE)
        return on_web.filter(~own_place())

    def of_counted_sessions(self):
        """Return answers of completed sessions by raters who are not excluded."""
        finished = self.filter(session__state=Session.State.COMPLETED)
        return finished.filter(session__rater__excluded_because="")

    def with_shown_item(self):
        """Annotate each with the item on whose page it was asked: the whole of a part."""
        return self.annotate(shown_item=Coalesce(F("item__parent"), F("item")))


class Rating(Loaded):
    """A rater's answer to a question about an item."""

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
    data = models.JSONField(
        default=dict, db_default={}, blank=True, help_text="Extra columns of its file, by name."
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
        indexes = [
            # judges/uploads/undo.py: what a load brought
            models.Index(fields=["load"], name="rating_of_load", condition=Q(load__isnull=False))
        ]

    def __str__(self):
        return f"rating {self.pk}"


class RatingRevision(models.Model):
    """A value of an answer at a time; the newest equals the rating."""

    rating = models.ForeignKey(Rating, models.CASCADE, related_name="revisions")
    value = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True)
    reason = models.TextField(blank=True, default="", db_default="")
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
