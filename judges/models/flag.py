"""Store which items seem to speak to the judge."""

from django.db import models


class Flag(models.Model):
    """An item whose text, as a run sent it, seems to speak to the judge.

    It never changes a score. Only flagged items have rows here, so that judgments cost nothing
    more.
    """

    run = models.ForeignKey("judges.Run", models.CASCADE, related_name="flags")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")
    rules = models.CharField(max_length=200, help_text="Names of the rules, with | between them.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "item"], name="one_flag_an_item_of_a_run"),
        ]

    def __str__(self):
        return self.rules
