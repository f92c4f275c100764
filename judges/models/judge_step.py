"""Log which judges were archived or deleted, by whom, and what was taken back."""

from django.conf import settings
from django.db import models


class JudgeStep(models.Model):
    """A line of a study's log of judges. Of a deleted judge it is the trace that stays."""

    class Kind(models.TextChoices):
        ARCHIVED = "archived", "Archived"
        BROUGHT_BACK = "brought_back", "Brought back"
        DELETED = "deleted", "Deleted"
        UNDONE = "undone", "Deletion undone"
        PURGED = "purged", "Its rows were removed for good"

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="judge_steps")
    judge = models.ForeignKey("judges.Judge", models.CASCADE, related_name="steps")
    kind = models.CharField(max_length=20, choices=Kind)
    name = models.CharField(max_length=200, help_text="What the judge was called.")
    because = models.CharField(max_length=300, blank=True)
    facts = models.JSONField(
        default=dict,
        help_text="Of a deletion: the judge's kind and settings_hash, its runs, judgments, calls "
        "and usd.",
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    by_name = models.CharField(max_length=150, help_text="Stays when the account goes.")
    logged_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self):
        return f"{self.kind} {self.name}"
