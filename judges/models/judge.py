from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from annotate.models import Rater

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

    class Shots(models.TextChoices):
        ZERO = "zero", "None (zero-shot)"
        ONE = "one", "Another rating of the same system (one-shot)"
        PERSONALISED = "personalised", "The same recipient's, same system (personalised one-shot)"

    class Context(models.TextChoices):
        NONE = "none", "Nothing"
        PROFILE = "profile", "The recipient's profile"
        HISTORY = "history", "The recipient's history"

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
    shots = models.CharField("example", max_length=20, choices=Shots, default=Shots.ZERO)
    example_role = models.CharField(
        "example rated by",
        max_length=20,
        choices=Rater.Role,
        default=Rater.Role.RECIPIENT,
        help_text="Who gave the rating that stands in the prompt.",
    )
    strict = models.BooleanField(
        "hold examples out",
        default=False,
        help_text="Items that examples are drawn from are neither judged nor compared with. "
        "Otherwise they stay in the reference, as in the literature.",
    )
    pool_share = models.FloatField(
        "share held out",
        default=0.2,
        validators=[MinValueValidator(0.01), MaxValueValidator(0.9)],
        help_text="Of the rated items, if examples are held out.",
    )
    context = models.CharField(
        "about the recipient",
        max_length=20,
        choices=Context,
        default=Context.NONE,
        help_text="What the prompt says of whom the content was recommended to.",
    )
    history_length = models.PositiveSmallIntegerField(
        default=10,
        validators=[MinValueValidator(1), MaxValueValidator(500)],
        help_text="The newest so many entries, if the history is shown.",
    )
    samples = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="How often each question is asked; the analysis takes the mean. "
        "Several need a temperature above 0.",
    )
    language = models.CharField(
        max_length=20,
        choices=Language,
        default=Language.ENGLISH,
        help_text="Of the texts: it decides what counts as a word.",
    )
    seed = models.PositiveIntegerField(
        default=1,
        validators=[MaxValueValidator(2**31 - 1)],
        help_text="The same seed draws the same.",
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
            models.CheckConstraint(
                condition=models.Q(samples=1) | models.Q(samples__gt=1, temperature__gt=0),
                name="several_samples_need_a_temperature",
                violation_error_message="Several samples at temperature 0 would all be the same.",
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
