"""Store judges with their settings."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from annotate.models import Rater
from judges.models.entailment import MetricSettings
from judges.models.finite import NOT_FINITE, finite, within_ranges
from judges.models.pairs import PairSettings
from judges.models.statement import ExtractionSettings
from judges.models.topic import TopicSettings

MOST_TRANSCRIPT = 50_000
MOST_EPISODES = 500
MOST_DAYS = 3650
MOST_SEED = 2**31 - 1
NAME_TAKEN = "This study already has a judge of that name."


def default_dimensions():
    """List what a list of podcasts is liked for, by the paper on profile-aware judges."""
    return ["topic", "tone", "format", "host style"]


class Judge(ExtractionSettings, MetricSettings, PairSettings, TopicSettings):
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

    class Rule(models.TextChoices):
        MEAN = "mean", "Mean"
        MEDIAN = "median", "Median"
        MAJORITY = "majority", "Majority, without a value at a tie"
        LEARNED = "learned", "Weights learned from people, recipient by recipient"

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="+")
    key = models.CharField("name", max_length=200)
    kind = models.CharField(max_length=20, choices=Kind, default=Kind.LLM)
    endpoint = models.ForeignKey(
        "judges.Endpoint", models.PROTECT, null=True, blank=True, related_name="judges"
    )
    method = models.CharField(
        "what is asked", max_length=20, choices=Method, default=Method.QUESTIONS
    )
    question = models.CharField(
        max_length=60,
        blank=True,
        help_text="Which one the verdict answers; empty: the only one that it can.",
    )
    neutral = models.BooleanField(
        "three classes",
        default=False,
        help_text="Offer “neutral” beside “fit” and “no fit”.",
    )
    dimensions = models.JSONField(
        default=default_dimensions, help_text="What the two lists are compared in, one by one."
    )
    order = models.CharField(
        "order of the lists",
        max_length=20,
        choices=Order,
        default=Order.SHUFFLED,
        help_text="Both orders: two calls a pair. Where they disagree the verdict counts as a tie.",
    )
    threshold = models.FloatField(
        default=0.5,
        validators=[finite, MinValueValidator(-1), MaxValueValidator(1)],
        help_text="A recommendation is aligned if its cosine with the profile is above it.",
    )
    prompt = models.CharField(max_length=100, blank=True, help_text="Name and version of a file.")
    aspects = models.CharField(max_length=20, choices=Aspects, default=Aspects.MULTIPLE)
    temperature = models.FloatField(default=0.0, validators=[finite])
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
        validators=[finite, MinValueValidator(0.01), MaxValueValidator(0.9)],
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
    transcript_length = models.PositiveIntegerField(
        "characters of a transcript",
        default=0,
        validators=[MaxValueValidator(MOST_TRANSCRIPT)],
        help_text="Of each episode of the history that has one, from its beginning; 0: none.",
    )
    profile_episodes = models.PositiveSmallIntegerField(
        "profile made of so many episodes",
        default=0,
        validators=[MaxValueValidator(MOST_EPISODES)],
        help_text="Where profiles were written of several numbers; 0: the newest profile.",
    )
    days = models.PositiveSmallIntegerField(
        default=90,
        validators=[MaxValueValidator(MOST_DAYS)],
        help_text="Back from the newest interaction of each recipient; 0: everything.",
    )
    episodes = models.JSONField(
        default=list,
        blank=True,
        help_text="A profile of so many episodes for each recipient; several numbers make several.",
    )
    pick = models.CharField(
        "which episodes",
        max_length=20,
        choices=Pick,
        default=Pick.LISTENED,
        help_text="Of those in that time, where fewer are wanted than there are.",
    )
    content_word = models.CharField(
        "word for a content",
        max_length=40,
        default="movie",
        db_default="movie",
        help_text="As a prompt that asks for recommendations calls one: movie, episode, book, …",
    )
    json_list = models.BooleanField(
        "lists as JSON",
        default=False,
        db_default=False,
        help_text="Ask for each list as JSON, by a schema of k titles, and read it exactly. The "
        "endpoint has to keep schemas.",
    )
    samples = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="How often each question is asked; the analysis takes the mean. "
        "Several need a temperature above 0.",
    )
    weighted = models.BooleanField(
        "probability-weighted score",
        default=False,
        help_text="Ask for log-probabilities, and keep beside each score the mean over the scale's "
        "points, weighted by how likely each was. The endpoint has to support them.",
    )
    language = models.CharField(
        max_length=20,
        choices=Language,
        default=Language.ENGLISH,
        help_text="Of the texts: it decides what counts as a word.",
    )
    seed = models.PositiveIntegerField(
        default=1,
        validators=[MaxValueValidator(MOST_SEED)],
        help_text="The same seed draws the same.",
    )
    form = models.CharField(
        "form of the model",
        max_length=20,
        choices=Form,
        default=Form.IMPLICIT,
        db_default=Form.IMPLICIT,
    )
    factors = models.PositiveSmallIntegerField(
        default=40, db_default=40, validators=[MinValueValidator(1), MaxValueValidator(200)]
    )
    iterations = models.PositiveSmallIntegerField(
        default=20, db_default=20, validators=[MinValueValidator(1), MaxValueValidator(200)]
    )
    regularisation = models.FloatField(
        default=0.01,
        db_default=0.01,
        validators=[finite, MinValueValidator(1e-6), MaxValueValidator(1e6)],
    )
    confidence = models.FloatField(
        default=1.0,
        db_default=1.0,
        validators=[finite, MinValueValidator(1), MaxValueValidator(1e6)],
        help_text="Weight of a seen content, in the implicit form; an unseen one weighs 1.",
    )
    effect = models.CharField(
        "what is measured",
        max_length=20,
        choices=Effect,
        default=Effect.SCORE,
        db_default=Effect.SCORE,
    )
    top = models.PositiveSmallIntegerField(
        "recommendations shown",
        default=1,
        db_default=1,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="With K, whether the content falls out of the K best.",
    )
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
                condition=models.Q(samples=1) | models.Q(samples__gt=1, temperature__gt=0),
                name="several_samples_need_a_temperature",
                violation_error_message="Several samples at temperature 0 would all be the same.",
            ),
            models.CheckConstraint(
                condition=models.Q(method="questions")
                | models.Q(kind="llm")
                | models.Q(kind="imported", method="extraction"),
                name="only_an_llm_has_a_method",
            ),
            models.CheckConstraint(
                condition=models.Q(weighted=False) | models.Q(method="questions"),
                name="only_scores_are_weighted",
                violation_error_message="Only scores of the questions can be weighted.",
            ),
            models.CheckConstraint(
                condition=~models.Q(method="pairwise", order="both") | models.Q(samples=1),
                name="both_orders_are_asked_once",
                violation_error_message="Both orders are asked once each, without samples.",
            ),
            models.CheckConstraint(
                condition=models.Q(json_list=False) | models.Q(method="recommender"),
                name="only_recommenders_give_lists",
                violation_error_message="Only a recommender gives lists.",
            ),
            models.CheckConstraint(
                condition=within_ranges(),
                name="judge_numbers_are_finite",
                violation_error_message=NOT_FINITE,
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
    def judges_nothing(self):
        """Whether it gives no answer to a question about an item."""
        return self.method in Judge.JUDGING_NOTHING

    @property
    def runs_here(self):
        """Whether its scores come from runs, not from a file or from its members."""
        return self.kind not in (Judge.Kind.IMPORTED, Judge.Kind.ENSEMBLE)
