"""Store the studies' own prompts."""

from django.conf import settings
from django.db import models

from annotate.models.study import slug_rule
from judges.models.judge import Judge

# Before the names of studies' own prompts, so that no prompt of the project is ever taken for one.
OWN = "own/"


class StudyPrompt(models.Model):
    """A version of a study's own prompt. Once a run used it, it never changes."""

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="+")
    name = models.CharField(
        max_length=60,
        validators=[slug_rule],
        help_text="Lower-case letters, digits and hyphens. Judges name it own/NAME.vN.",
    )
    version = models.PositiveSmallIntegerField(default=1)
    method = models.CharField("what is asked", max_length=20, choices=Judge.Method)
    text = models.TextField()
    sha256 = models.CharField(
        max_length=64, blank=True, help_text="Of the text; set at the first run that uses it."
    )
    written_by = models.JSONField(
        default=dict,
        blank=True,
        help_text="Of a paraphrase by an LLM: endpoint, model, what was asked of which prompt, "
        "tokens and USD. Empty: people wrote it.",
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "version"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name", "version"],
                name="prompt_version_once_a_study",
                violation_error_message="This study already has that version of the prompt.",
            )
        ]

    def __str__(self):
        return self.key

    @property
    def key(self):
        """Return the name by which a judge uses it."""
        return f"{OWN}{self.name}.v{self.version}"

    @property
    def is_frozen(self):
        return bool(self.sha256)
