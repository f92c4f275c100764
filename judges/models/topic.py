"""Store the samples of reviews that topics are proposed from."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

MOST_REVIEWS, MOST_SAMPLES, MOST_TOPICS = 100, 50, 50


class TopicSettings(models.Model):
    """Settings of judges that propose topics, besides those of all LLM judges."""

    reviews = models.PositiveSmallIntegerField(
        "reviews of a sample",
        default=20,
        db_default=20,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_REVIEWS)],
        help_text="How many are shown in one call.",
    )
    review_samples = models.PositiveSmallIntegerField(
        "samples of reviews",
        default=5,
        db_default=5,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_SAMPLES)],
        help_text="A call each. No review is in two of them while there are enough.",
    )
    most_topics = models.PositiveSmallIntegerField(
        "topics asked for",
        default=10,
        db_default=10,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_TOPICS)],
        help_text="Of each sample, at most; and of all together for a list of topics.",
    )

    class Meta:
        abstract = True


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
