"""Store the samples of reviews that topics are proposed from."""

from django.db import models


class TopicSample(models.Model):
    """The reviews of a call of a run that proposes topics, as they were at planning."""

    run = models.ForeignKey("judges.Run", models.CASCADE, related_name="topic_samples")
    unit = models.PositiveIntegerField()
    reviews = models.JSONField(default=list, help_text="[[item, its review in one line], …]")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "unit"], name="topic_sample_once_a_unit"),
        ]

    def __str__(self):
        return f"sample {self.unit + 1} of run {self.run_id}"
