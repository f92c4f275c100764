"""Store the profiles that runs were asked to write."""

from django.db import models


class Writing(models.Model):
    """A profile that a run was asked to write: of whom, from what, and the item it became."""

    run = models.ForeignKey("judges.Run", models.CASCADE, related_name="writings")
    recipient = models.ForeignKey("annotate.Recipient", models.CASCADE, related_name="+")
    unit = models.PositiveIntegerField()
    wanted = models.PositiveSmallIntegerField(help_text="Of how many episodes; 0: of all.")
    episodes = models.PositiveIntegerField(default=0, help_text="Of how many it is.")
    source = models.JSONField(
        default=list, help_text="[{content, at, share_listened, rating}], as they were shown."
    )
    text = models.TextField(blank=True, help_text="As the prompt shows them.")
    rules = models.CharField(
        max_length=200,
        blank=True,
        db_default="",
        help_text="Names of the rules that the text meets where it seems to speak to the judge.",
    )
    item = models.OneToOneField(
        "annotate.Item", models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "unit"], name="writing_once_a_unit"),
            models.UniqueConstraint(
                fields=["run", "recipient", "wanted"], name="writing_once_a_recipient"
            ),
        ]

    def __str__(self):
        return f"profile of recipient {self.recipient_id}"
