from django.core.validators import MaxValueValidator
from django.db import models

NAME_TAKEN = "This study already has a judge of that name."


class Judge(models.Model):
    """Anything automatic that scores items. Its settings are frozen by hash at its first run."""

    class Kind(models.TextChoices):
        LLM = "llm", "LLM"
        RANDOM = "random", "Random (seeded)"
        BLEU_1 = "bleu-1", "BLEU-1"
        BLEU_4 = "bleu-4", "BLEU-4"
        ROUGE_1 = "rouge-1", "ROUGE-1-F"
        ROUGE_L = "rouge-l", "ROUGE-L-F"
        STS = "sts", "STS cosine (MiniLM)"
        ENSEMBLE = "ensemble", "Ensemble"
        IMPORTED = "imported", "Imported from a file"

    class Aspects(models.TextChoices):
        MULTIPLE = "multiple", "All questions in one call"
        SINGLE = "single", "One call a question"

    class Language(models.TextChoices):
        ENGLISH = "en", "English"
        CHINESE = "zh", "Chinese"
        WORDS = "words", "Another, with spaces between words"
        CHARACTERS = "characters", "Another, character by character"

    class Rule(models.TextChoices):
        MEAN = "mean", "Mean"
        MEDIAN = "median", "Median"
        MAJORITY = "majority", "Majority, without a value at a tie"

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="+")
    key = models.CharField("name", max_length=200)
    kind = models.CharField(max_length=20, choices=Kind, default=Kind.LLM)
    endpoint = models.ForeignKey(
        "judges.Endpoint", models.PROTECT, null=True, blank=True, related_name="judges"
    )
    prompt = models.CharField(max_length=100, blank=True, help_text="Name and version of a file.")
    aspects = models.CharField(max_length=20, choices=Aspects, default=Aspects.MULTIPLE)
    temperature = models.FloatField(default=0.0)
    rationale = models.BooleanField(
        default=False, help_text="Ask for a reason, written before the score."
    )
    max_tokens = models.PositiveIntegerField(default=400)
    language = models.CharField(
        max_length=20,
        choices=Language,
        default=Language.ENGLISH,
        help_text="Of the texts: it decides what counts as a word.",
    )
    seed = models.PositiveIntegerField(
        default=1,
        validators=[MaxValueValidator(2**31 - 1)],
        help_text="The same seed draws the same scores.",
    )
    members = models.ManyToManyField(
        "self",
        symmetrical=False,
        blank=True,
        related_name="+",
        help_text="Two judges or more. They weigh alike only on the same scale.",
    )
    rule = models.CharField(
        max_length=20,
        choices=Rule,
        default=Rule.MEAN,
        help_text="Questions with a choice of words always take the majority.",
    )
    settings_hash = models.CharField(max_length=64, blank=True, help_text="Set at the first run.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "key"],
                name="judge_key_once_a_study",
                violation_error_message=NAME_TAKEN,
            ),
            models.CheckConstraint(
                condition=models.Q(kind="llm", endpoint__isnull=False)
                | ~models.Q(kind="llm") & models.Q(endpoint=None),
                name="llm_judge_has_an_endpoint",
            ),
        ]

    def __str__(self):
        return self.key

    @property
    def is_frozen(self):
        return bool(self.settings_hash)

    @property
    def runs_here(self):
        """Whether its scores are made by runs, not loaded from a file or those of its members."""
        return self.kind not in (Judge.Kind.IMPORTED, Judge.Kind.ENSEMBLE)
