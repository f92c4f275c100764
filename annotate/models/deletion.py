"""Store what a worker has to delete: whole studies, and words of raters that stand elsewhere."""

from django.db import models
from django.db.models.functions import Coalesce
from django.utils import timezone


class DeletionQuerySet(models.QuerySet):
    """Queries over deletions of studies."""

    def due(self, now):
        """Return the deletions that no worker is busy with."""
        return self.filter(due_at__lte=now)

    def claim(self, now, until):
        """Take a deletion that no worker is busy with; return whether it is the caller's now."""
        return self.due(now).update(due_at=until, started_at=Coalesce("started_at", now)) == 1


class Deletion(models.Model):
    """A study that is being deleted: how far a worker is.

    A row of its own, so that asking never waits for whoever holds the study's row. It goes with
    the study, as the last of its rows.
    """

    study = models.OneToOneField("annotate.Study", models.CASCADE, related_name="deletion")
    asked_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, help_text="When a worker first took it.")
    due_at = models.DateTimeField(
        default=timezone.now, help_text="Until when the worker that deletes the study counts."
    )
    waits_for = models.CharField(
        max_length=200, blank=True, default="", help_text="What has to end first, in words."
    )
    rows = models.PositiveBigIntegerField(null=True, help_text="How many rows there were.")
    deleted = models.PositiveBigIntegerField(default=0, help_text="How many of them are gone.")

    objects = DeletionQuerySet.as_manager()

    class Meta:
        ordering = ["asked_at", "pk"]

    def __str__(self):
        return f"deletion of {self.study_id}"

    @property
    def deleted_shown(self):
        """How many rows are gone, never more than there were: some may have come meanwhile."""
        return min(self.deleted, self.rows or 0)


class Erasure(models.Model):
    """A rater who withdrew or was deleted, and whose answers may still be quoted by judges.

    Their answers are gone when this row comes. A worker removes the quotes, once more after an
    hour, then the row: see judges/removal/quotes.py.
    """

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="erasures")
    rater = models.ForeignKey(
        "annotate.Rater",
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="Empty: the rater is deleted.",
    )
    asked_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, help_text="When no quote was left at first.")

    class Meta:
        ordering = ["pk"]

    def __str__(self):
        return f"erasure {self.pk}"
