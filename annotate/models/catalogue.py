"""Store what a study's items refer to: recipients, contents, systems and interactions."""

from django.db import models

from annotate.models.load import Loaded


class Recipient(Loaded):
    """The recommender's user: the person for whom something was recommended."""

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="recipients")
    key = models.CharField(max_length=200)
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="recipient_key_once_a_study")
        ]

    def __str__(self):
        return self.key


class Content(Loaded):
    """The thing recommended: a film, an episode, a product."""

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="contents")
    key = models.CharField(max_length=200)
    title = models.TextField(blank=True)
    description = models.TextField(blank=True)
    image_url = models.TextField(blank=True)
    audio_url = models.TextField(blank=True)
    show = models.TextField(blank=True)
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="content_key_once_a_study")
        ]

    def __str__(self):
        return self.title or self.key


class System(Loaded):
    """The recommender or generator that produced the text or the list."""

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="systems")
    key = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="system_key_once_a_study")
        ]

    def __str__(self):
        return self.key


class Interaction(Loaded):
    """An event of a recipient with a content, such as a rating: part of the history."""

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="interactions")
    recipient = models.ForeignKey(Recipient, models.CASCADE, related_name="interactions")
    content = models.ForeignKey(Content, models.CASCADE, related_name="+")
    rating = models.FloatField(null=True, blank=True)
    share_listened = models.FloatField(null=True, blank=True, help_text="0 to 1")
    at = models.DateTimeField(null=True, blank=True)
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["recipient", "content", "at"],
                name="interaction_once_at_a_time",
            ),
            # The one above lets through any number without a time: NULLs are never equal.
            models.UniqueConstraint(
                fields=["recipient", "content"],
                condition=models.Q(at=None),
                name="interaction_once_without_a_time",
            ),
        ]
