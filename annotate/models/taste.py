"""Store what raters bring in their session, and how far the lists made from it are."""

from django.db import models

from annotate.models.rater import Session


class Pick(models.Model):
    """A content that a rater picked as something they like."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="picks")
    content = models.ForeignKey("annotate.Content", models.CASCADE, related_name="+")
    picked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["session", "content"], name="picked_once_a_session"),
        ]

    def __str__(self):
        return f"pick {self.pk}"


class Making(models.Model):
    """The lists that are made for a session from its picks: a single set, whatever happens."""

    class State(models.TextChoices):
        WANTED = "wanted", "Being made"
        MADE = "made", "Made"
        FAILED = "failed", "Could not be made"

    session = models.ForeignKey(Session, models.CASCADE, related_name="makings")
    recipient = models.ForeignKey(
        "annotate.Recipient", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    state = models.CharField(max_length=10, choices=State, default=State.WANTED)
    lists = models.JSONField(
        default=dict, help_text="{system: [content ids]} of the sources that have answered."
    )
    why = models.CharField(max_length=300, blank=True, help_text="Why it failed, in English.")
    wanted_at = models.DateTimeField(auto_now_add=True)
    taken_at = models.DateTimeField(null=True, blank=True, help_text="When a worker last began.")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["session"], name="made_once_a_session"),
        ]
        indexes = [
            # find_waiting in judges/runs/making/make.py: what a worker has still to make
            models.Index(fields=["wanted_at"], condition=models.Q(state="wanted"), name="wanted")
        ]

    def __str__(self):
        return f"lists for session {self.session_id}"
