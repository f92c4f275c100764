"""Store which judges a study's stopping rule decides on."""

from django.db import models


class StoppingPair(models.Model):
    """A judge and a question that the study's StoppingPlan decides on."""

    plan = models.ForeignKey("annotate.StoppingPlan", models.CASCADE, related_name="+")
    judge = models.ForeignKey("judges.Judge", models.CASCADE, related_name="+")
    question = models.ForeignKey("annotate.Question", models.CASCADE, related_name="+")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["plan", "judge", "question"],
                name="stopping_pair_once_a_plan",
                violation_error_message="The plan names this judge and question already.",
            )
        ]

    def __str__(self):
        return f"{self.judge_id} on {self.question_id}"
