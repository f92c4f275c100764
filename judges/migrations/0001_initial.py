"""All tables, as one migration in place of 33: a database that had them all has this one too."""

import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import judges.models.upload


class Migration(migrations.Migration):
    replaces = [
        ("judges", "0001_first"),
        ("judges", "0002_one_lead_a_unit"),
        ("judges", "0003_scorers"),
        ("judges", "0004_prompts_with_examples"),
        ("judges", "0005_weighted_values_and_checks"),
        ("judges", "0006_fit_and_pairwise"),
        ("judges", "0007_versions"),
        ("judges", "0008_limits"),
        ("judges", "0009_pilots_and_reuse"),
        ("judges", "0010_computations"),
        ("judges", "0011_own_prompts_and_flags"),
        ("judges", "0012_profiles_that_are_written"),
        ("judges", "0013_hashes_of_runs_from_files"),
        ("judges", "0014_reasons_of_failed_computations"),
        ("judges", "0015_time_at_work"),
        ("judges", "0016_flags_of_sources"),
        ("judges", "0017_counterfactual"),
        ("judges", "0018_studies_made_of_ratings"),
        ("judges", "0019_computations_by_their_query"),
        ("judges", "0020_relation_of_a_judgment"),
        ("judges", "0021_recommenders_under_test"),
        ("judges", "0022_statements"),
        ("judges", "0023_support_checks"),
        ("judges", "0024_entailments"),
        ("judges", "0025_pair_models"),
        ("judges", "0026_nothing_to_compare_with"),
        ("judges", "0027_topic_samples"),
        ("judges", "0028_json_list"),
        ("judges", "0029_finite_settings"),
        ("judges", "0030_writers_of_prompts"),
        ("judges", "0031_clocks"),
        ("judges", "0032_upload_off_scale"),
        ("judges", "0033_when_work_was_handed_over"),
    ]

    initial = True

    dependencies = [
        ("annotate", "0001_initial"),
        ("auth", "__first__"),
    ]

    operations = [
        migrations.CreateModel(
            name="Clock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("beat", models.CharField(max_length=120, unique=True)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Computation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        help_text="Hash of what is asked for.", max_length=64, unique=True
                    ),
                ),
                (
                    "report",
                    models.CharField(blank=True, help_text="Blank: the index.", max_length=40),
                ),
                ("query", models.TextField(blank=True, help_text="Its options.")),
                (
                    "n_answers",
                    models.PositiveIntegerField(
                        help_text="How many ratings and judgments it reads."
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a worker"),
                            ("computing", "Computing"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Why it failed.",
                        max_length=500,
                    ),
                ),
                (
                    "asked_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        help_text="Since when it waits, or waited, for a worker.",
                    ),
                ),
                ("started_at", models.DateTimeField(null=True)),
                (
                    "due_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        help_text="Until when its worker, or a message about it, counts.",
                    ),
                ),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.study",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Endpoint",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        max_length=60,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9][a-z0-9-]{0,59}\\Z",
                                "Use 1 to 60 lower-case letters, digits and hyphens.",
                            )
                        ],
                    ),
                ),
                (
                    "base_url",
                    models.CharField(
                        help_text="Ends in /v1, as a rule.", max_length=500, verbose_name="address"
                    ),
                ),
                ("model", models.CharField(max_length=200)),
                (
                    "api_key_env",
                    models.CharField(
                        blank=True,
                        help_text="The NAME of the environment variable that holds the key, never the key itself.",
                        max_length=100,
                        verbose_name="API key variable",
                    ),
                ),
                (
                    "price_in",
                    models.DecimalField(
                        blank=True,
                        decimal_places=6,
                        max_digits=12,
                        null=True,
                        verbose_name="USD per million tokens in",
                    ),
                ),
                (
                    "price_cached_in",
                    models.DecimalField(
                        blank=True,
                        decimal_places=6,
                        max_digits=12,
                        null=True,
                        verbose_name="USD per million cached tokens in",
                    ),
                ),
                (
                    "price_out",
                    models.DecimalField(
                        blank=True,
                        decimal_places=6,
                        max_digits=12,
                        null=True,
                        verbose_name="USD per million tokens out",
                    ),
                ),
                (
                    "concurrency",
                    models.PositiveSmallIntegerField(
                        default=8,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(512),
                        ],
                    ),
                ),
                (
                    "rpm",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="At most, by all workers together; empty: no limit.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="requests a minute",
                    ),
                ),
                (
                    "tpm",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="In and out together, by all workers together; empty: no limit.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="tokens a minute",
                    ),
                ),
                (
                    "timeout_seconds",
                    models.PositiveSmallIntegerField(
                        default=60,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(3600),
                        ],
                    ),
                ),
                (
                    "json_schema",
                    models.BooleanField(
                        default=True,
                        help_text="It enforces a JSON schema; else JSON is asked for in words.",
                    ),
                ),
                (
                    "notice",
                    models.TextField(
                        blank=True,
                        help_text="Said beside every judge that uses it, for example a known weakness.",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "known_limit",
                    models.PositiveSmallIntegerField(
                        editable=False,
                        help_text="Calls at once at the end of the last run.",
                        null=True,
                    ),
                ),
                (
                    "known_slow",
                    models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="That limit was cut: grow slowly from it.",
                    ),
                ),
                (
                    "not_before",
                    models.DateTimeField(
                        editable=False,
                        help_text="The endpoint asked to be left alone until then.",
                        null=True,
                    ),
                ),
                ("tested_at", models.DateTimeField(editable=False, null=True)),
                (
                    "findings",
                    models.JSONField(
                        default=dict,
                        editable=False,
                        help_text="Its last test: {name: [works, in words, refused]}.",
                    ),
                ),
            ],
            options={
                "ordering": ["key"],
            },
        ),
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("worker", models.CharField(max_length=120, unique=True)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Judge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "measure",
                    models.CharField(
                        choices=[
                            ("ent_f1", "StEnt-F1"),
                            ("ent_p", "StEnt-P"),
                            ("ent_r", "StEnt-R"),
                            ("ent_bin_f1", "StEnt-bin-F1"),
                            ("ent_bin_p", "StEnt-bin-P"),
                            ("ent_bin_r", "StEnt-bin-R"),
                            ("coh_p", "StCoh-P"),
                            ("coh_r", "StCoh-R"),
                            ("summac_zs", "SummaC-ZS: sentences, entailment less contradiction"),
                            ("align_score", "As AlignScore: sentences in chunks, entailment"),
                        ],
                        db_default="ent_f1",
                        default="ent_f1",
                        help_text="Of an explanation; a statement has the probability that its reference entails it. All measures of statements come from the same scores, and stand in the report.",
                        max_length=20,
                        verbose_name="what is computed",
                    ),
                ),
                (
                    "against",
                    models.CharField(
                        choices=[
                            ("reference", "The item’s reference"),
                            ("review", "The item’s review"),
                        ],
                        db_default="reference",
                        default="reference",
                        max_length=20,
                        verbose_name="compared with",
                    ),
                ),
                (
                    "model",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The name of a folder that an operator put among PAIR_MODELS.",
                        max_length=100,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[A-Za-z0-9][A-Za-z0-9._-]{0,99}\\Z",
                                "This is no name of a folder.",
                            )
                        ],
                    ),
                ),
                (
                    "output",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The label whose probability is the score; empty: the only output, or the one label that says aligned, entailed, consistent or supported.",
                        max_length=100,
                    ),
                ),
                (
                    "direction",
                    models.CharField(
                        choices=[
                            ("reference_first", "The reference first, then the text"),
                            ("text_first", "The text first, then the reference"),
                        ],
                        db_default="reference_first",
                        default="reference_first",
                        help_text="As the model was trained: models of entailment read first what is to entail.",
                        max_length=20,
                        verbose_name="order of the pair",
                    ),
                ),
                (
                    "parts",
                    models.CharField(
                        choices=[
                            ("whole", "Both as they are"),
                            (
                                "chunks",
                                "Sentences of the second, each by its best chunk of the first",
                            ),
                        ],
                        db_default="whole",
                        default="whole",
                        help_text="In chunks of about 350 words, as AlignScore: the mean over sentences of the best chunk. Otherwise long texts are cut to what the model reads.",
                        max_length=20,
                        verbose_name="compared",
                    ),
                ),
                (
                    "sides",
                    models.CharField(
                        choices=[
                            ("both", "The generated text and the reference"),
                            ("generated", "The generated text only"),
                            ("reference", "The reference only"),
                        ],
                        db_default="both",
                        default="both",
                        help_text="Of each item. The reference is its review, or where it has none its reference.",
                        max_length=20,
                        verbose_name="texts",
                    ),
                ),
                (
                    "topics",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="[[short name, description], …], as the prompt has them",
                    ),
                ),
                (
                    "part_length",
                    models.PositiveIntegerField(
                        db_default=4000,
                        default=4000,
                        help_text="Characters of a text in one call; a longer one is cut between sentences.",
                        validators=[
                            django.core.validators.MinValueValidator(500),
                            django.core.validators.MaxValueValidator(50000),
                        ],
                        verbose_name="longest part",
                    ),
                ),
                (
                    "most_statements",
                    models.PositiveSmallIntegerField(
                        db_default=100,
                        default=100,
                        help_text="A JSON schema allows no more, which ends the lists of small models; what is said beyond is dropped.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(500),
                        ],
                        verbose_name="most statements of a part",
                    ),
                ),
                (
                    "reviews",
                    models.PositiveSmallIntegerField(
                        db_default=20,
                        default=20,
                        help_text="How many are shown in one call.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(100),
                        ],
                        verbose_name="reviews of a sample",
                    ),
                ),
                (
                    "review_samples",
                    models.PositiveSmallIntegerField(
                        db_default=5,
                        default=5,
                        help_text="A call each. No review is in two of them while there are enough.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(50),
                        ],
                        verbose_name="samples of reviews",
                    ),
                ),
                (
                    "most_topics",
                    models.PositiveSmallIntegerField(
                        db_default=10,
                        default=10,
                        help_text="Of each sample, at most; and of all together for a list of topics.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(50),
                        ],
                        verbose_name="topics asked for",
                    ),
                ),
                ("key", models.CharField(max_length=200, verbose_name="name")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("llm", "LLM"),
                            ("random", "Random (seeded)"),
                            ("bleu-1", "BLEU-1"),
                            ("bleu-4", "BLEU-4"),
                            ("rouge-1", "ROUGE-1-F"),
                            ("rouge-l", "ROUGE-L-F"),
                            ("sts", "STS cosine (MiniLM)"),
                            ("sbert", "sBERT-Sim: profile and episode"),
                            ("bert-score", "BERTScore F1"),
                            ("nli", "NLI: does the reference entail it?"),
                            ("pair-model", "Pair model: one number of text and reference"),
                            ("cf", "CF: counterfactual, retrained in full"),
                            ("cf-a", "CF-A: counterfactual, the recipient’s factors alone"),
                            ("cf-warm", "CF, warm start: retraining goes on from the model"),
                            ("item-sim", "Item-Sim: cosine in the model"),
                            ("genre-jacc", "Genre-Jacc: genres in common"),
                            ("ensemble", "Ensemble"),
                            ("imported", "Imported from a file"),
                        ],
                        default="llm",
                        max_length=20,
                    ),
                ),
                (
                    "method",
                    models.CharField(
                        choices=[
                            ("questions", "Each question on its scale"),
                            ("fit", "Whether one recommendation fits"),
                            ("pairwise", "Which of two lists fits better"),
                            ("profile", "Nothing: it writes profiles of recipients"),
                            ("recommender", "Nothing: it recommends, and is itself tested"),
                            ("extraction", "Nothing: it extracts statements"),
                            ("support", "Whether a document supports a statement"),
                            ("topics", "Nothing: it proposes topics"),
                        ],
                        default="questions",
                        max_length=20,
                        verbose_name="what is asked",
                    ),
                ),
                (
                    "question",
                    models.CharField(
                        blank=True,
                        help_text="Which one the verdict answers; empty: the only one that it can.",
                        max_length=60,
                    ),
                ),
                (
                    "neutral",
                    models.BooleanField(
                        default=False,
                        help_text="Offer “neutral” beside “fit” and “no fit”.",
                        verbose_name="three classes",
                    ),
                ),
                (
                    "dimensions",
                    models.JSONField(
                        default=list, help_text="What the two lists are compared in, one by one."
                    ),
                ),
                (
                    "order",
                    models.CharField(
                        choices=[
                            ("shuffled", "Drawn for each pair"),
                            ("both", "Both orders of each pair"),
                        ],
                        default="shuffled",
                        help_text="Both orders: two calls a pair. Where they disagree the verdict counts as a tie.",
                        max_length=20,
                        verbose_name="order of the lists",
                    ),
                ),
                (
                    "threshold",
                    models.FloatField(
                        default=0.5,
                        help_text="A recommendation is aligned if its cosine with the profile is above it.",
                        validators=[
                            django.core.validators.MinValueValidator(-1),
                            django.core.validators.MaxValueValidator(1),
                        ],
                    ),
                ),
                (
                    "prompt",
                    models.CharField(
                        blank=True, help_text="Name and version of a file.", max_length=100
                    ),
                ),
                (
                    "aspects",
                    models.CharField(
                        choices=[
                            ("multiple", "All questions in one call"),
                            ("single", "One call a question"),
                        ],
                        default="multiple",
                        max_length=20,
                    ),
                ),
                ("temperature", models.FloatField(default=0.0)),
                (
                    "rationale",
                    models.BooleanField(
                        default=False, help_text="Ask for a reason, written before the score."
                    ),
                ),
                ("max_tokens", models.PositiveIntegerField(default=400)),
                (
                    "shots",
                    models.CharField(
                        choices=[
                            ("zero", "None (zero-shot)"),
                            ("one", "Another rating of the same system (one-shot)"),
                            (
                                "personalised",
                                "The same recipient's, same system (personalised one-shot)",
                            ),
                        ],
                        default="zero",
                        max_length=20,
                        verbose_name="example",
                    ),
                ),
                (
                    "example_role",
                    models.CharField(
                        choices=[
                            ("recipient", "Recipient (rates what was recommended to them)"),
                            ("third_party", "Third party"),
                            ("expert", "Expert"),
                        ],
                        default="recipient",
                        help_text="Who gave the rating that stands in the prompt.",
                        max_length=20,
                        verbose_name="example rated by",
                    ),
                ),
                (
                    "strict",
                    models.BooleanField(
                        default=False,
                        help_text="Items that examples are drawn from are neither judged nor compared with. Otherwise they stay in the reference, as in the literature.",
                        verbose_name="hold examples out",
                    ),
                ),
                (
                    "pool_share",
                    models.FloatField(
                        default=0.2,
                        help_text="Of the rated items, if examples are held out.",
                        validators=[
                            django.core.validators.MinValueValidator(0.01),
                            django.core.validators.MaxValueValidator(0.9),
                        ],
                        verbose_name="share held out",
                    ),
                ),
                (
                    "context",
                    models.CharField(
                        choices=[
                            ("none", "Nothing"),
                            ("profile", "The recipient's profile"),
                            ("history", "The recipient's history"),
                        ],
                        default="none",
                        help_text="What the prompt says of whom the content was recommended to.",
                        max_length=20,
                        verbose_name="about the recipient",
                    ),
                ),
                (
                    "history_length",
                    models.PositiveSmallIntegerField(
                        default=10,
                        help_text="The newest so many entries, if the history is shown.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(500),
                        ],
                    ),
                ),
                (
                    "transcript_length",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="Of each episode of the history that has one, from its beginning; 0: none.",
                        validators=[django.core.validators.MaxValueValidator(50000)],
                        verbose_name="characters of a transcript",
                    ),
                ),
                (
                    "profile_episodes",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="Where profiles were written of several numbers; 0: the newest profile.",
                        validators=[django.core.validators.MaxValueValidator(500)],
                        verbose_name="profile made of so many episodes",
                    ),
                ),
                (
                    "days",
                    models.PositiveSmallIntegerField(
                        default=90,
                        help_text="Back from the newest interaction of each recipient; 0: everything.",
                        validators=[django.core.validators.MaxValueValidator(3650)],
                    ),
                ),
                (
                    "episodes",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="A profile of so many episodes for each recipient; several numbers make several.",
                    ),
                ),
                (
                    "pick",
                    models.CharField(
                        choices=[
                            (
                                "listened",
                                "Those with the highest share listened to, then the newest",
                            ),
                            ("newest", "The newest"),
                        ],
                        default="listened",
                        help_text="Of those in that time, where fewer are wanted than there are.",
                        max_length=20,
                        verbose_name="which episodes",
                    ),
                ),
                (
                    "content_word",
                    models.CharField(
                        db_default="movie",
                        default="movie",
                        help_text="As a prompt that asks for recommendations calls one: movie, episode, book, …",
                        max_length=40,
                        verbose_name="word for a content",
                    ),
                ),
                (
                    "json_list",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Ask for each list as JSON, by a schema of k titles, and read it exactly. The endpoint has to keep schemas.",
                        verbose_name="lists as JSON",
                    ),
                ),
                (
                    "samples",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="How often each question is asked; the analysis takes the mean. Several need a temperature above 0.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(100),
                        ],
                    ),
                ),
                (
                    "weighted",
                    models.BooleanField(
                        default=False,
                        help_text="Ask for log-probabilities, and keep beside each score the mean over the scale's points, weighted by how likely each was. The endpoint has to support them.",
                        verbose_name="probability-weighted score",
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[
                            ("en", "English"),
                            ("zh", "Chinese"),
                            ("words", "Another, with spaces between words"),
                            ("characters", "Another, character by character"),
                        ],
                        default="en",
                        help_text="Of the texts: it decides what counts as a word.",
                        max_length=20,
                    ),
                ),
                (
                    "seed",
                    models.PositiveIntegerField(
                        default=1,
                        help_text="The same seed draws the same.",
                        validators=[django.core.validators.MaxValueValidator(2147483647)],
                    ),
                ),
                (
                    "form",
                    models.CharField(
                        choices=[
                            ("implicit", "Implicit: seen or not"),
                            ("explicit", "Explicit: the ratings"),
                        ],
                        db_default="implicit",
                        default="implicit",
                        max_length=20,
                        verbose_name="form of the model",
                    ),
                ),
                (
                    "factors",
                    models.PositiveSmallIntegerField(
                        db_default=40,
                        default=40,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(200),
                        ],
                    ),
                ),
                (
                    "iterations",
                    models.PositiveSmallIntegerField(
                        db_default=20,
                        default=20,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(200),
                        ],
                    ),
                ),
                (
                    "regularisation",
                    models.FloatField(
                        db_default=0.01,
                        default=0.01,
                        validators=[
                            django.core.validators.MinValueValidator(1e-06),
                            django.core.validators.MaxValueValidator(1000000.0),
                        ],
                    ),
                ),
                (
                    "confidence",
                    models.FloatField(
                        db_default=1.0,
                        default=1.0,
                        help_text="Weight of a seen content, in the implicit form; an unseen one weighs 1.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(1000000.0),
                        ],
                    ),
                ),
                (
                    "effect",
                    models.CharField(
                        choices=[
                            ("score", "Difference of the model’s scores, from -1 to 1"),
                            ("rank", "By how many ranks it falls"),
                        ],
                        db_default="score",
                        default="score",
                        max_length=20,
                        verbose_name="what is measured",
                    ),
                ),
                (
                    "top",
                    models.PositiveSmallIntegerField(
                        db_default=1,
                        default=1,
                        help_text="With K, whether the content falls out of the K best.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(100),
                        ],
                        verbose_name="recommendations shown",
                    ),
                ),
                (
                    "rule",
                    models.CharField(
                        choices=[
                            ("mean", "Mean"),
                            ("median", "Median"),
                            ("majority", "Majority, without a value at a tie"),
                            ("learned", "Weights learned from people, recipient by recipient"),
                        ],
                        default="mean",
                        help_text="Questions with a choice of words always take the majority.",
                        max_length=20,
                    ),
                ),
                (
                    "settings_hash",
                    models.CharField(blank=True, help_text="Set at the first run.", max_length=64),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "endpoint",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judges",
                        to="judges.endpoint",
                    ),
                ),
                (
                    "members",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Two judges or more. By mean and median they weigh alike only on the same scale.",
                        related_name="+",
                        to="judges.judge",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "key"),
                        name="judge_key_once_a_study",
                        violation_error_message="This study already has a judge of that name.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("endpoint__isnull", False), ("kind", "llm")),
                            models.Q(models.Q(("kind", "llm"), _negated=True), ("endpoint", None)),
                            _connector="OR",
                        ),
                        name="llm_judge_has_an_endpoint",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("samples", 1),
                            models.Q(("samples__gt", 1), ("temperature__gt", 0)),
                            _connector="OR",
                        ),
                        name="several_samples_need_a_temperature",
                        violation_error_message="Several samples at temperature 0 would all be the same.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("method", "questions"),
                            ("kind", "llm"),
                            models.Q(("kind", "imported"), ("method", "extraction")),
                            _connector="OR",
                        ),
                        name="only_an_llm_has_a_method",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("weighted", False), ("method", "questions"), _connector="OR"
                        ),
                        name="only_scores_are_weighted",
                        violation_error_message="Only scores of the questions can be weighted.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("method", "pairwise"), ("order", "both"), _negated=True),
                            ("samples", 1),
                            _connector="OR",
                        ),
                        name="both_orders_are_asked_once",
                        violation_error_message="Both orders are asked once each, without samples.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("json_list", False), ("method", "recommender"), _connector="OR"
                        ),
                        name="only_recommenders_give_lists",
                        violation_error_message="Only a recommender gives lists.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("threshold__gte", -1),
                            ("threshold__lte", 1),
                            ("temperature__gte", 0),
                            ("temperature__lte", 2),
                            ("pool_share__gte", 0.01),
                            ("pool_share__lte", 0.9),
                            ("regularisation__gte", 1e-06),
                            ("regularisation__lte", 1000000.0),
                            ("confidence__gte", 1),
                            ("confidence__lte", 1000000.0),
                        ),
                        name="judge_numbers_are_finite",
                        violation_error_message="A setting that is a number is not finite, or outside what is allowed for it.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("active", "Active"),
                            ("waiting", "Waiting for confirmation"),
                            ("cancelled", "Cancelled"),
                            ("finished", "Finished"),
                            ("out_of_budget", "Stopped at the budget"),
                            ("stopped", "Stopped by the endpoint"),
                        ],
                        default="active",
                        max_length=20,
                    ),
                ),
                (
                    "frozen",
                    models.JSONField(default=dict, help_text="The judge's settings as they were."),
                ),
                ("settings_hash", models.CharField(blank=True, max_length=64)),
                (
                    "version",
                    models.PositiveSmallIntegerField(
                        db_default=1,
                        default=1,
                        help_text="Of the questionnaire: it asks that wording to its end.",
                    ),
                ),
                ("stopped_because", models.CharField(blank=True, max_length=300)),
                (
                    "unit_usd",
                    models.DecimalField(
                        decimal_places=8,
                        default=0,
                        help_text="What a unit can cost at most.",
                        max_digits=20,
                    ),
                ),
                (
                    "budget_usd",
                    models.DecimalField(blank=True, decimal_places=6, max_digits=12, null=True),
                ),
                (
                    "reserved_usd",
                    models.DecimalField(
                        decimal_places=8,
                        default=0,
                        help_text="Estimates of the calls under way.",
                        max_digits=20,
                    ),
                ),
                ("spent_usd", models.DecimalField(decimal_places=8, default=0, max_digits=20)),
                (
                    "pilot",
                    models.JSONField(
                        default=dict,
                        help_text="Units asked first, for the forecast: {seed, units}.",
                    ),
                ),
                (
                    "in_pilot",
                    models.BooleanField(
                        default=False,
                        help_text="Nothing else is asked until somebody confirms the forecast.",
                    ),
                ),
                (
                    "reuse",
                    models.BooleanField(
                        default=False,
                        help_text="Takes over replies to identical calls of the study's past runs.",
                    ),
                ),
                (
                    "flagged",
                    models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="Items whose texts seem to speak to the judge.",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "idle_seconds",
                    models.FloatField(
                        db_default=0,
                        default=0,
                        help_text="Between its beginning and its end, but not at work.",
                    ),
                ),
                (
                    "checked",
                    models.ForeignKey(
                        blank=True,
                        help_text="A check for drift, or a test of robustness: the run whose items it asks again. Its judgments never count.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="checks",
                        to="judges.run",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "judge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="judges.judge",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "active")),
                        fields=("judge",),
                        name="one_active_run_a_judge",
                        violation_error_message="This judge is running already.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Call",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("unit", models.PositiveIntegerField()),
                (
                    "worker",
                    models.CharField(blank=True, help_text="Who held the unit.", max_length=80),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=1)),
                ("endpoint_key", models.CharField(max_length=60)),
                ("model", models.CharField(max_length=200)),
                ("model_returned", models.CharField(blank=True, max_length=200)),
                ("fingerprint", models.CharField(blank=True, max_length=200)),
                ("prompt_name", models.CharField(max_length=100)),
                ("prompt_hash", models.CharField(max_length=64)),
                ("messages", models.JSONField(default=list)),
                ("parameters", models.JSONField(default=dict)),
                ("reply", models.TextField(blank=True, help_text="As it arrived.")),
                (
                    "failure",
                    models.CharField(
                        blank=True, help_text="Empty: a reply arrived.", max_length=40
                    ),
                ),
                ("failure_detail", models.TextField(blank=True)),
                ("finish_reason", models.CharField(blank=True, max_length=40)),
                (
                    "logprobs",
                    models.JSONField(
                        blank=True,
                        help_text="Of the tokens with digits, where they were asked for.",
                        null=True,
                    ),
                ),
                ("tokens_in", models.PositiveIntegerField(blank=True, null=True)),
                ("tokens_cached", models.PositiveIntegerField(blank=True, null=True)),
                ("tokens_out", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "cost_usd",
                    models.DecimalField(blank=True, decimal_places=8, max_digits=20, null=True),
                ),
                ("latency_seconds", models.FloatField(blank=True, null=True)),
                (
                    "request_hash",
                    models.CharField(
                        blank=True,
                        db_default="",
                        help_text="Of all that was sent, and the study; see runs/reuse.py.",
                        max_length=64,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "reused_from",
                    models.ForeignKey(
                        blank=True,
                        help_text="Nothing was sent: the reply is that of this call.",
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="reuses",
                        to="judges.call",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="calls",
                        to="judges.run",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("request_hash", ""), _negated=True),
                        fields=["request_hash"],
                        name="call_request",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Entailment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "grain",
                    models.CharField(
                        choices=[
                            ("statement", "Statements"),
                            ("sentence", "Sentences"),
                            ("chunk", "Sentences in chunks of the reference"),
                        ],
                        default="statement",
                        max_length=20,
                    ),
                ),
                ("n_generated", models.PositiveIntegerField()),
                ("n_reference", models.PositiveIntegerField()),
                (
                    "generated",
                    models.JSONField(default=list, help_text="The texts, as the model saw them."),
                ),
                ("reference", models.JSONField(default=list)),
                ("forward", models.BinaryField(default=bytes)),
                ("backward", models.BinaryField(default=bytes)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty: loaded from entailments.csv.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="entailments",
                        to="judges.run",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "item", "grain"), name="entailment_once_a_run"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("run", None)),
                        fields=("item", "grain"),
                        name="entailment_loaded_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Extraction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "side",
                    models.CharField(
                        choices=[("generated", "Generated text"), ("reference", "Reference")],
                        max_length=20,
                    ),
                ),
                ("part", models.PositiveSmallIntegerField(default=0)),
                ("unit", models.PositiveIntegerField()),
                ("text", models.TextField(blank=True)),
                (
                    "start",
                    models.PositiveIntegerField(
                        default=0, help_text="Where it begins in the side's text."
                    ),
                ),
                (
                    "rules",
                    models.CharField(
                        blank=True,
                        help_text="Names of the rules that the text meets where it seems to speak to the judge.",
                        max_length=200,
                    ),
                ),
                (
                    "kept",
                    models.PositiveIntegerField(
                        help_text="How many statements were kept; empty: it was not read.",
                        null=True,
                    ),
                ),
                (
                    "dropped",
                    models.JSONField(
                        default=list, help_text="[{statement, topic, sentiment, why}]"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="extractions",
                        to="judges.run",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["run", "unit"], name="extraction_unit"),
                    models.Index(fields=["item", "side", "run"], name="extraction_item"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "item", "side", "part"), name="extraction_once_a_part"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Flag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "rules",
                    models.CharField(
                        help_text="Names of the rules, with | between them.", max_length=200
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="flags",
                        to="judges.run",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "item"), name="one_flag_an_item_of_a_run"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="HeldOut",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="held_out",
                        to="judges.run",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("run", "item"), name="held_out_once_a_run")
                ],
            },
        ),
        migrations.CreateModel(
            name="Judgment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sample", models.PositiveSmallIntegerField(default=0)),
                (
                    "order",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Order of lists or aspects shown.",
                        max_length=20,
                    ),
                ),
                (
                    "relation",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="In a test of robustness: how the prompt was changed; see perturbations.",
                        max_length=40,
                    ),
                ),
                ("unit", models.PositiveIntegerField(default=0)),
                ("lead", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Waiting"),
                            ("leased", "Under way"),
                            ("done", "Done"),
                            ("unparsable", "Reply not understood"),
                            ("refused", "Refused by the model"),
                            ("failed", "Failed"),
                            ("not_asked", "Not asked"),
                        ],
                        default="pending",
                        max_length=12,
                    ),
                ),
                ("value", models.FloatField(blank=True, null=True)),
                (
                    "reason",
                    models.CharField(
                        blank=True, help_text="Why there is no value.", max_length=300
                    ),
                ),
                ("rationale", models.TextField(blank=True)),
                ("weighted_value", models.FloatField(blank=True, null=True)),
                ("weighted_mass", models.FloatField(blank=True, null=True)),
                ("weighted_reason", models.CharField(blank=True, max_length=100)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("leased_until", models.DateTimeField(blank=True, null=True)),
                ("leased_by", models.CharField(blank=True, max_length=80)),
                (
                    "cost_usd",
                    models.DecimalField(blank=True, decimal_places=8, max_digits=20, null=True),
                ),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "call",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="judgments",
                        to="judges.call",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="annotate.question",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judgments",
                        to="judges.run",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["run", "unit"], name="judgment_unit"),
                    models.Index(
                        condition=models.Q(("state", "leased")),
                        fields=["leased_until"],
                        name="judgment_leased",
                    ),
                    models.Index(fields=["run", "state"], name="judgment_run_state"),
                    models.Index(
                        condition=models.Q(("lead", True), ("state", "pending")),
                        fields=["run", "unit"],
                        name="judgment_pending",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "item", "question", "sample", "order", "relation"),
                        name="judgment_once_a_run",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "done"), ("value__isnull", False)),
                            models.Q(models.Q(("state", "done"), _negated=True), ("value", None)),
                            _connector="OR",
                        ),
                        name="value_only_when_done",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state", "done"),
                            models.Q(
                                ("weighted_mass", None),
                                ("weighted_reason", ""),
                                ("weighted_value", None),
                            ),
                            _connector="OR",
                        ),
                        name="weighted_only_when_done",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("item", None), ("question", None)),
                            models.Q(("item__isnull", False), ("question__isnull", False)),
                            _connector="OR",
                        ),
                        name="judgment_of_an_item_or_a_profile",
                    ),
                    models.UniqueConstraint(
                        django.db.models.expressions.CombinedExpression(
                            models.F("unit"), "+", models.Value(0)
                        ),
                        models.F("run"),
                        condition=models.Q(("lead", True)),
                        name="one_lead_a_unit",
                        violation_error_message="A unit has one lead judgment.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Material",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "ratings",
                    models.JSONField(
                        default=dict, help_text="Of the example by that rater, by question."
                    ),
                ),
                ("context", models.TextField(blank=True)),
                (
                    "subject",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="What is judged where it is no text: one or two lists.",
                    ),
                ),
                (
                    "example",
                    models.ForeignKey(
                        help_text="Another item.",
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotate.rater",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="materials",
                        to="judges.run",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("run", "item"), name="material_once_an_item"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("example", None),
                            models.Q(("example", models.F("item")), _negated=True),
                            _connector="OR",
                        ),
                        name="no_item_is_its_own_example",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RecommendedList",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("unit", models.PositiveIntegerField()),
                (
                    "plan",
                    models.CharField(
                        choices=[
                            (
                                "relations",
                                "Relations: the prompt perturbed, against one baseline list",
                            ),
                            ("k_sweep", "Sweep of k: how many are asked for"),
                            ("l_sweep", "Sweep of l: how many rated contents are shown"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "relation",
                    models.CharField(
                        help_text="How the prompt was perturbed: a key of perturbations.RELATIONS.",
                        max_length=60,
                    ),
                ),
                (
                    "options",
                    models.JSONField(default=dict, help_text="Of the relation: {name: value}."),
                ),
                (
                    "cell",
                    models.CharField(
                        help_text="The relation with its options, as one text.", max_length=150
                    ),
                ),
                ("iteration", models.PositiveSmallIntegerField(help_text="0: the baseline list.")),
                (
                    "k",
                    models.PositiveSmallIntegerField(help_text="How many contents are asked for."),
                ),
                (
                    "l",
                    models.PositiveSmallIntegerField(
                        help_text="How many rated contents are shown; 0: all above the run's threshold."
                    ),
                ),
                (
                    "given",
                    models.JSONField(
                        default=list, help_text="[[content id, rating], …], as drawn."
                    ),
                ),
                ("text", models.TextField(blank=True, help_text="The prompt, as it is sent.")),
                (
                    "entries",
                    models.JSONField(
                        default=list,
                        help_text='[{"said", "content": its id or null, "how": exact, normalised, fuzzy or ""}, …], in the reply\'s order, each content once, at most k.',
                    ),
                ),
                (
                    "left_out",
                    models.JSONField(
                        default=list,
                        help_text='[{"said", "content", "why": repeated or extra}, …].',
                    ),
                ),
                (
                    "repeated",
                    models.PositiveSmallIntegerField(default=0, help_text="Entries said before."),
                ),
                (
                    "unmatched",
                    models.PositiveSmallIntegerField(default=0, help_text="Not in the catalogue."),
                ),
                (
                    "extra",
                    models.PositiveSmallIntegerField(default=0, help_text="Entries beyond k."),
                ),
                (
                    "known",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Entries that the recipient's own history has."
                    ),
                ),
                ("is_parsed", models.BooleanField(default=False)),
                (
                    "read_at",
                    models.DateTimeField(help_text="When its reply was last read.", null=True),
                ),
                (
                    "recipient",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.recipient",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recommended_lists",
                        to="judges.run",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("run", "unit"), name="recommended_once_a_unit"),
                    models.UniqueConstraint(
                        fields=("run", "recipient", "plan", "cell", "k", "l", "iteration"),
                        name="recommended_once_an_iteration",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RunPace",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("worker", models.CharField(max_length=80)),
                ("began_at", models.DateTimeField()),
                (
                    "points",
                    models.JSONField(
                        default=list, help_text="[[seconds since then, limit, why], …]"
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="paces",
                        to="judges.run",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(fields=("run", "worker"), name="one_pace_a_worker")
                ],
            },
        ),
        migrations.CreateModel(
            name="Statement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "side",
                    models.CharField(
                        choices=[("generated", "Generated text"), ("reference", "Reference")],
                        max_length=20,
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("statement", models.TextField()),
                ("topic", models.CharField(max_length=60)),
                (
                    "sentiment",
                    models.CharField(
                        choices=[
                            ("positive", "Positive"),
                            ("negative", "Negative"),
                            ("neutral", "Neutral"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "start",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="Where in the side's text it comes from, if found.",
                        null=True,
                    ),
                ),
                ("end", models.PositiveIntegerField(blank=True, null=True)),
                ("corrected_statement", models.TextField(blank=True)),
                ("corrected_topic", models.CharField(blank=True, max_length=60)),
                (
                    "corrected_sentiment",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("positive", "Positive"),
                            ("negative", "Negative"),
                            ("neutral", "Neutral"),
                        ],
                        max_length=20,
                    ),
                ),
                ("is_removed", models.BooleanField(default=False)),
                ("corrected_at", models.DateTimeField(blank=True, null=True)),
                (
                    "corrected_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty: a person added it.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="statements",
                        to="judges.run",
                    ),
                ),
            ],
            options={
                "ordering": ["item", "side", "number"],
                "indexes": [models.Index(fields=["item", "side"], name="statement_item")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "item", "side", "number"), name="statement_once_a_run"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("run", None)),
                        fields=("item", "side", "number"),
                        name="statement_added_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("end", None), ("start", None)),
                            ("start__lt", models.F("end")),
                            _connector="OR",
                        ),
                        name="statement_stands_somewhere_or_nowhere",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="StudyPrompt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="Lower-case letters, digits and hyphens. Judges name it own/NAME.vN.",
                        max_length=60,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9][a-z0-9-]{0,59}\\Z",
                                "Use 1 to 60 lower-case letters, digits and hyphens.",
                            )
                        ],
                    ),
                ),
                ("version", models.PositiveSmallIntegerField(default=1)),
                (
                    "method",
                    models.CharField(
                        choices=[
                            ("questions", "Each question on its scale"),
                            ("fit", "Whether one recommendation fits"),
                            ("pairwise", "Which of two lists fits better"),
                            ("profile", "Nothing: it writes profiles of recipients"),
                            ("recommender", "Nothing: it recommends, and is itself tested"),
                            ("extraction", "Nothing: it extracts statements"),
                            ("support", "Whether a document supports a statement"),
                            ("topics", "Nothing: it proposes topics"),
                        ],
                        max_length=20,
                        verbose_name="what is asked",
                    ),
                ),
                ("text", models.TextField()),
                (
                    "sha256",
                    models.CharField(
                        blank=True,
                        help_text="Of the text; set at the first run that uses it.",
                        max_length=64,
                    ),
                ),
                (
                    "written_by",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="Of a paraphrase by an LLM: endpoint, model, what was asked of which prompt, tokens and USD. Empty: people wrote it.",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["name", "version"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "name", "version"),
                        name="prompt_version_once_a_study",
                        violation_error_message="This study already has that version of the prompt.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TopicSample",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("unit", models.PositiveIntegerField()),
                (
                    "reviews",
                    models.JSONField(default=list, help_text="[[item, its review in one line], …]"),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="topic_samples",
                        to="judges.run",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("run", "unit"), name="topic_sample_once_a_unit")
                ],
            },
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "token",
                    models.CharField(
                        default=judges.models.upload.upload_token, max_length=40, unique=True
                    ),
                ),
                ("slug", models.CharField(blank=True, max_length=60)),
                (
                    "is_new",
                    models.BooleanField(default=False, help_text="It makes a study of its own."),
                ),
                (
                    "making",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        help_text="The plan of a study of counterfactual explanations that its ratings become.",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("checked", "Checked"),
                            ("loading", "Being loaded"),
                            ("loaded", "Loaded"),
                            ("failed", "Not loaded"),
                        ],
                        default="checked",
                        max_length=10,
                    ),
                ),
                (
                    "files",
                    models.JSONField(
                        default=list, help_text="For each file: table, name, first rows."
                    ),
                ),
                (
                    "counts",
                    models.JSONField(
                        default=dict, help_text="Rows by table: new, changed, unchanged."
                    ),
                ),
                (
                    "problems",
                    models.JSONField(default=dict, help_text="total, and the first fifty."),
                ),
                (
                    "off_scale",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        help_text="Judgments outside their question's scale: lines by judge, whether there is anything to choose, and what was chosen.",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "waiting_since",
                    models.DateTimeField(
                        help_text="Since when it waits for a worker; none once one has begun.",
                        null=True,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="Window",
            fields=[
                (
                    "endpoint",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to="judges.endpoint",
                    ),
                ),
                ("version", models.PositiveIntegerField(default=0)),
                (
                    "slots",
                    models.JSONField(
                        default=dict, help_text="{r<second>: requests, t<second>: tokens}"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Writing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("unit", models.PositiveIntegerField()),
                (
                    "wanted",
                    models.PositiveSmallIntegerField(help_text="Of how many episodes; 0: of all."),
                ),
                (
                    "episodes",
                    models.PositiveIntegerField(default=0, help_text="Of how many it is."),
                ),
                (
                    "source",
                    models.JSONField(
                        default=list,
                        help_text="[{content, at, share_listened, rating}], as they were shown.",
                    ),
                ),
                ("text", models.TextField(blank=True, help_text="As the prompt shows them.")),
                (
                    "rules",
                    models.CharField(
                        blank=True,
                        db_default="",
                        help_text="Names of the rules that the text meets where it seems to speak to the judge.",
                        max_length=200,
                    ),
                ),
                (
                    "item",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "recipient",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.recipient",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="writings",
                        to="judges.run",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("run", "unit"), name="writing_once_a_unit"),
                    models.UniqueConstraint(
                        fields=("run", "recipient", "wanted"), name="writing_once_a_recipient"
                    ),
                ],
            },
        ),
    ]
