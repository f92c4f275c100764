"""Store how long sessions looked at items."""

from django.db import models


class ItemTime(models.Model):
    """How long a session looked at an item; it stays when the place goes to somebody else."""

    session = models.ForeignKey("annotate.Session", models.CASCADE, related_name="times_spent")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")
    active_seconds = models.FloatField(help_text="Visible, and the rater did something.")
    idle_seconds = models.FloatField(help_text="Hidden, or nothing done for 30 seconds.")
    # One for each time the page was opened: [its random name, from, until, active], in seconds
    # since the session began. So what is sent twice counts once, and so do two tabs.
    views = models.JSONField(default=list)

    class Meta:
        constraints = [
            # timing.keep, and the export of times
            models.UniqueConstraint(fields=["session", "item"], name="one_time_an_item")
        ]

    def __str__(self):
        return f"time {self.pk}"
