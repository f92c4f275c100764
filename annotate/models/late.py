"""Store the workers on MTurk who came too late for a place."""

from django.db import models


class Latecomer(models.Model):
    """A worker who accepted a task on MTurk and found no place left: they can only be paid by name.

    Only here ids are kept of people who never consented; nothing else is kept of them.
    """

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="latecomers")
    participant = models.CharField(max_length=100, help_text="The platform’s id of the person.")
    visit = models.CharField(max_length=100, help_text="The platform’s id of the visit.")
    task = models.CharField(max_length=100, help_text="The platform’s id of the task.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "visit"], name="latecomer_once_a_visit")
        ]

    def __str__(self):
        return f"latecomer {self.pk}"
