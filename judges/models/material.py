"""Store what a run's prompts show besides the items' texts."""

from django.db import models


class Material(models.Model):
    """What a run's prompts show of an item besides its text, kept as it was at planning."""

    run = models.ForeignKey("judges.Run", models.CASCADE, related_name="materials")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")
    example = models.ForeignKey(
        "annotate.Item", models.RESTRICT, null=True, related_name="+", help_text="Another item."
    )
    rater = models.ForeignKey("annotate.Rater", models.SET_NULL, null=True, related_name="+")
    ratings = models.JSONField(default=dict, help_text="Of the example by that rater, by question.")
    context = models.TextField(blank=True)
    subject = models.JSONField(
        default=dict, blank=True, help_text="What is judged where it is no text: one or two lists."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "item"], name="material_once_an_item"),
            models.CheckConstraint(
                condition=models.Q(example=None) | ~models.Q(example=models.F("item")),
                name="no_item_is_its_own_example",
            ),
        ]

    def __str__(self):
        return f"material of item {self.item_id}"


class HeldOut(models.Model):
    """An item that a strict judge's examples are drawn from: nothing is compared there."""

    run = models.ForeignKey("judges.Run", models.CASCADE, related_name="held_out")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "item"], name="held_out_once_a_run")]

    def __str__(self):
        return f"item {self.item_id} held out"
