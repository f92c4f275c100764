"""Store how long sessions looked at items, and what they heard and unfolded there."""

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


class Listening(models.Model):
    """What a session heard and unfolded of a content on the page of an item."""

    session = models.ForeignKey("annotate.Session", models.CASCADE, related_name="listening")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")
    content = models.ForeignKey("annotate.Content", models.CASCADE, related_name="+")
    # [[from, until], ...] in seconds of the recording, in order and apart: a union, so that what is
    # sent twice, or heard twice, counts once.
    ranges = models.JSONField(default=list)
    played_seconds = models.FloatField(
        null=True,
        blank=True,
        help_text="Of the recording, that were played at least once; NULL: none can be played.",
    )
    skipped_seconds = models.FloatField(
        null=True,
        blank=True,
        help_text="Before the last moment that was played, and not played.",
    )
    duration_seconds = models.FloatField(
        null=True, blank=True, help_text="Of the whole recording, where the browser knew it."
    )
    is_unfolded = models.BooleanField(
        null=True, help_text="Whether the description was; NULL where all of it is in sight."
    )

    class Meta:
        constraints = [
            # listening.keep, and the export of it
            models.UniqueConstraint(
                fields=["session", "item", "content"], name="one_listening_a_content"
            )
        ]

    def __str__(self):
        return f"listening {self.pk}"
