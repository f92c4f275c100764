"""Store how raters' texts are coded: a study's codes, and which coder gave which code."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class Code(models.Model):
    """A code of a study. It stays when it is deleted or merged, so that either can be undone."""

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="codes")
    name = models.CharField(max_length=60)
    merged_into = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="merged"
    )
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"],
                name="code_once_a_study",
                violation_error_message="This study has a code with that name, or had one.",
            )
        ]

    def __str__(self):
        return self.name


class Coding(models.Model):
    """A code that a coder gave to an answer.

    Without a code: the coder says that no code applies.
    """

    rating = models.ForeignKey("annotate.Rating", models.CASCADE, related_name="codings")
    code = models.ForeignKey(Code, models.CASCADE, null=True, related_name="codings")
    coder = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    coder_name = models.CharField(max_length=150, help_text="Stays when the account goes.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["rating", "coder_name", "code"], name="code_once_a_coder"
            ),
            models.UniqueConstraint(
                fields=["rating", "coder_name"], condition=Q(code=None), name="none_once_a_coder"
            ),
        ]

    def __str__(self):
        return f"coding {self.pk}"


class CodesCompared(models.Model):
    """The coders' codes were opened to all of them: from then on nobody codes independently."""

    study = models.OneToOneField("annotate.Study", models.CASCADE, related_name="codes_compared")
    by_name = models.CharField(max_length=150)
    at = models.DateTimeField(auto_now_add=True)
