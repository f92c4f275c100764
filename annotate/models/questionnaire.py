"""Store earlier versions of a study's questionnaire."""

from django.conf import settings
from django.db import models


class QuestionnaireVersion(models.Model):
    """The questions of a study before they changed. The present version is in Question."""

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="versions")
    number = models.PositiveSmallIntegerField()
    questions = models.JSONField(help_text="A list: the key and the fields of each question.")
    replaced_at = models.DateTimeField(auto_now_add=True)
    replaced_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["number"]
        constraints = [
            # Its index finds the wording of a session: access.asked_of_session, design/versions.py.
            models.UniqueConstraint(fields=["study", "number"], name="version_once_a_study")
        ]

    def __str__(self):
        return f"version {self.number}"
