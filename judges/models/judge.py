"""Store judges with their settings."""

from itertools import count

from django.db import models
from django.utils.module_loading import import_string

from judges.models.settings import SettingsField

SETTINGS_CLASS = "judges.scorers.settings_class"
LONGEST_STEM, MOST_DIGITS = 190, 4  # of a name with a number at its end
NAME_TAKEN = "This study already has a judge of that name."


class JudgeQuerySet(models.QuerySet):
    """Queries over judges."""

    def current(self):
        """Keep judges that nobody archived."""
        return self.filter(archived_at=None)

    def free_name(self, name):
        """Return the name where none of these judges has it, else the next one with a number."""
        taken = set(self.values_list("key", flat=True))
        if name not in taken:
            return name
        stem, _, number = name.rpartition("-")
        if stem not in taken or not number.isdecimal() or len(number) > MOST_DIGITS:
            stem, number = name, "1"
        numbered = (f"{stem[:LONGEST_STEM]}-{n}" for n in count(int(number) + 1))
        return next(name for name in numbered if name not in taken)


class KeptManager(models.Manager.from_queryset(JudgeQuerySet)):  # type: ignore[misc]
    """The judges that nobody deleted: all that pages, files, runs and the API know of."""

    def get_queryset(self):
        """Return the judges that are not deleted."""
        return super().get_queryset().filter(deleted_at=None)


class Judge(models.Model):
    """An automatic scorer of items. Its settings are frozen by hash at its first run."""

    class Kind(models.TextChoices):
        LLM = "llm", "LLM"
        RANDOM = "random", "Random (seeded)"
        BLEU_1 = "bleu-1", "BLEU-1"
        BLEU_4 = "bleu-4", "BLEU-4"
        ROUGE_1 = "rouge-1", "ROUGE-1-F"
        ROUGE_L = "rouge-l", "ROUGE-L-F"
        CHRF = "chrf", "chrF"
        STS = "sts", "STS cosine (MiniLM)"
        SBERT = "sbert", "sBERT-Sim: profile and episode"
        BERT_SCORE = "bert-score", "BERTScore F1"
        NLI = "nli", "NLI: does the reference entail it?"
        PAIR_MODEL = "pair-model", "Pair model: one number of text and reference"
        CF = "cf", "CF: counterfactual, retrained in full"
        CF_APPROXIMATE = "cf-a", "CF-A: counterfactual, the recipient’s factors alone"
        CF_WARM = "cf-warm", "CF, warm start: retraining goes on from the model"
        ITEM_SIM = "item-sim", "Item-Sim: cosine in the model"
        GENRE_JACC = "genre-jacc", "Genre-Jacc: genres in common"
        ENSEMBLE = "ensemble", "Ensemble"
        IMPORTED = "imported", "Imported from a file"

    class Method(models.TextChoices):
        QUESTIONS = "questions", "Each question on its scale"
        FIT = "fit", "Whether one recommendation fits"
        PAIRWISE = "pairwise", "Which of two lists fits better"
        PROFILE = "profile", "Nothing: it writes profiles of recipients"
        RECOMMENDER = "recommender", "Nothing: it recommends, and is itself tested"
        EXTRACTION = "extraction", "Nothing: it extracts statements"
        SUPPORT = "support", "Whether a document supports a statement"
        TOPICS = "topics", "Nothing: it proposes topics"

    # Their judgments have neither item nor question.
    JUDGING_NOTHING = (Method.PROFILE, Method.RECOMMENDER, Method.EXTRACTION, Method.TOPICS)

    class Order(models.TextChoices):
        SHUFFLED = "shuffled", "Drawn for each pair"
        BOTH = "both", "Both orders of each pair"

    class Pick(models.TextChoices):
        LISTENED = "listened", "Those with the highest share listened to, then the newest"
        NEWEST = "newest", "The newest"

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

    class Form(models.TextChoices):
        IMPLICIT = "implicit", "Implicit: seen or not"
        EXPLICIT = "explicit", "Explicit: the ratings"

    class Effect(models.TextChoices):
        SCORE = "score", "Difference of the model’s scores, from -1 to 1"
        RANK = "rank", "By how many ranks it falls"

    class Sides(models.TextChoices):
        BOTH = "both", "The generated text and the reference"
        GENERATED = "generated", "The generated text only"
        REFERENCE = "reference", "The reference only"

    class Against(models.TextChoices):
        REFERENCE = "reference", "The item’s reference"
        REVIEW = "review", "The item’s review"

    class Rule(models.TextChoices):
        MEAN = "mean", "Mean"
        MEDIAN = "median", "Median"
        MAJORITY = "majority", "Majority, without a value at a tie"
        LEARNED = "learned", "Weights learned from people, recipient by recipient"

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="+")
    key = models.CharField("name", max_length=200)
    kind = models.CharField(max_length=20, choices=Kind, default=Kind.LLM)
    endpoint = models.ForeignKey(
        "judges.Endpoint", models.RESTRICT, null=True, blank=True, related_name="judges"
    )
    method = models.CharField(
        "what is asked", max_length=20, choices=Method, default=Method.QUESTIONS
    )
    question = models.CharField(
        max_length=60,
        blank=True,
        help_text="Which one the verdict answers; empty: the only one that it can.",
    )
    prompt = models.CharField(max_length=100, blank=True, help_text="Name and version of a file.")
    settings = SettingsField()
    members = models.ManyToManyField(
        "self",
        symmetrical=False,
        blank=True,
        related_name="+",
        help_text="Two judges or more. By mean and median they weigh alike only on the same scale.",
    )
    rule = models.CharField(
        max_length=20,
        choices=Rule,
        default=Rule.MEAN,
        help_text="Questions with a choice of words always take the majority.",
    )
    settings_hash = models.CharField(max_length=64, blank=True, help_text="Set at the first run.")
    named_at = models.DateTimeField(
        "named beforehand",
        null=True,
        blank=True,
        editable=False,
        help_text="When it was named for the verdict, before any judgment of it.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    like = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        help_text="The judge that it was made from as a duplicate.",
    )
    archived_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="Since when lists and results leave it out; it still counts in the family.",
    )
    deleted_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="Since when it is hidden everywhere; its row stays for the family of judges.",
    )
    gone_pairs = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="Keys of the questions that it had answered, once its judgments are gone.",
    )
    undone_pairs = models.JSONField(
        default=list,
        blank=True,
        editable=False,
        help_text="Keys of questions that it had answered in loads that were undone.",
    )

    objects = KeptManager()
    with_deleted = JudgeQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "key"],
                name="judge_key_once_a_study",
                violation_error_message=NAME_TAKEN,
            ),
            models.UniqueConstraint(
                fields=["study"],
                condition=models.Q(named_at__isnull=False),
                name="one_judge_named_a_study",
                violation_error_message="This study has already named a judge beforehand.",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="llm", endpoint__isnull=False)
                | ~models.Q(kind="llm") & models.Q(endpoint=None),
                name="llm_judge_has_an_endpoint",
            ),
            models.CheckConstraint(
                condition=models.Q(method="questions")
                | models.Q(kind="llm")
                | models.Q(kind="imported", method="extraction"),
                name="only_an_llm_has_a_method",
            ),
        ]

    _kept = None

    def __str__(self):
        return self.key

    @property
    def is_frozen(self):
        """Whether the judge was run, so that its settings stay."""
        return bool(self.settings_hash)

    @property
    def is_archived(self):
        """Whether it stands in no list and on no page of results."""
        return self.archived_at is not None

    @property
    def kept_settings(self):
        """Return the settings that its newest run froze, or {}; read once: they never change."""
        if self._kept is None and self.settings_hash:
            run = self.runs.judging().first()
            self._kept = run.frozen if run else {}
        return self._kept or {}

    @kept_settings.setter
    def kept_settings(self, settings):
        self._kept = settings

    @property
    def refused(self):
        """Return the parameters that its model does not take, as in its past runs."""
        if self.endpoint is None:
            return []
        return (self.kept_settings or {"refused": self.endpoint.refused}).get("refused") or []

    @property
    def not_taken(self):
        """Return {parameter: what the endpoint said} of those its past runs left out unplanned."""
        return self.kept_settings.get("not_taken", {})

    @property
    def settings_class(self):
        """Return the class that declares the settings of a judge of its kind and method."""
        return import_string(SETTINGS_CLASS)(self.kind, self.method)

    @property
    def judges_nothing(self):
        """Whether it gives no answer to a question about an item."""
        return self.method in Judge.JUDGING_NOTHING

    @property
    def runs_here(self):
        """Whether its scores come from runs, not from a file or from its members."""
        return self.kind not in (Judge.Kind.IMPORTED, Judge.Kind.ENSEMBLE)
