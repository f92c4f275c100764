"""All tables, as one migration in place of 22: a database that had them all has this one too."""

import django.core.validators
import django.db.models.deletion
import django.db.models.fields.json
import django.db.models.functions.comparison
import django.db.models.lookups
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import annotate.models.media
import annotate.models.rater
import annotate.models.study
import annotate.models.token


class Migration(migrations.Migration):
    replaces = [
        ("annotate", "0001_first"),
        ("annotate", "0002_running_sessions"),
        ("annotate", "0003_study_loads"),
        ("annotate", "0004_exclusions"),
        ("annotate", "0005_platforms"),
        ("annotate", "0006_first_side_history_media"),
        ("annotate", "0007_steps"),
        ("annotate", "0008_session_screens"),
        ("annotate", "0009_timing_and_media"),
        ("annotate", "0010_versions"),
        ("annotate", "0011_language"),
        ("annotate", "0012_api_tokens"),
        ("annotate", "0013_more_raters_coding"),
        ("annotate", "0014_raters_by_participant"),
        ("annotate", "0015_test_split"),
        ("annotate", "0016_latecomers"),
        ("annotate", "0017_kept_places"),
        ("annotate", "0018_factuality_studies"),
        ("annotate", "0019_token_life_in_plain_sql"),
        ("annotate", "0020_deletions"),
        ("annotate", "0021_deletions_begun"),
        ("annotate", "0022_items_by_kind"),
    ]

    initial = True

    dependencies = [
        ("auth", "__first__"),
    ]

    operations = [
        migrations.CreateModel(
            name="Study",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "slug",
                    models.CharField(
                        max_length=60,
                        unique=True,
                        validators=[annotate.models.study.study_slug_rule],
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("explanation", "Explanations"),
                            ("recommendation", "Single recommendations"),
                            ("list_pair", "Pairs of recommendation lists"),
                            ("statement", "Statement support"),
                            ("text", "Texts"),
                            ("factuality", "Factual consistency of explanations"),
                        ],
                        default="explanation",
                        max_length=20,
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        default="en",
                        help_text="Of the buttons, hints and messages that raters read. What you write yourself stays as it is.",
                        max_length=20,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Open for raters"), ("closed", "Closed for raters")],
                        default="open",
                        max_length=10,
                    ),
                ),
                (
                    "notice",
                    models.TextField(
                        blank=True,
                        help_text="Said on every page of the study, such as: raters are simulated.",
                    ),
                ),
                ("consent", models.TextField(blank=True)),
                ("instructions", models.TextField(blank=True)),
                (
                    "raters_per_item",
                    models.PositiveSmallIntegerField(
                        default=3,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                (
                    "raters_per_item_max",
                    models.PositiveSmallIntegerField(
                        db_default=0,
                        default=0,
                        help_text="Items whose raters disagree get more of them, up to so many; 0 is off.",
                        validators=[django.core.validators.MaxValueValidator(1000)],
                    ),
                ),
                (
                    "adaptive_from",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="From which spread on: see recruitment/more_raters.py.",
                    ),
                ),
                (
                    "items_per_session",
                    models.PositiveSmallIntegerField(
                        default=10,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(500),
                        ],
                    ),
                ),
                (
                    "hold_minutes",
                    models.PositiveSmallIntegerField(
                        default=60,
                        help_text="How long a rater may pause before the places held for them open again.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(32767),
                        ],
                    ),
                ),
                (
                    "show_history",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="How many contents of the recipient's history raters see; 0 shows none.",
                        validators=[django.core.validators.MaxValueValidator(100)],
                    ),
                ),
                (
                    "media_hosts",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Where pictures and recordings may come from.",
                    ),
                ),
                (
                    "completion_code",
                    models.CharField(default=annotate.models.study.completion_code, max_length=40),
                ),
                (
                    "questionnaire_version",
                    models.PositiveSmallIntegerField(
                        default=1,
                        editable=False,
                        help_text="Of the questions as they are now; earlier ones are QuestionnaireVersions.",
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "extra",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="Keys of study.yaml that later versions use.",
                    ),
                ),
                (
                    "split",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        editable=False,
                        help_text="The locked test split, seed, share and log: see annotate/design/splits.py.",
                    ),
                ),
                (
                    "loads",
                    models.PositiveIntegerField(
                        default=0,
                        editable=False,
                        help_text="How many loads changed it: see annotate/files/loading.",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name_plural": "studies",
                "ordering": ["-created_at", "slug"],
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("may_write", models.BooleanField(default=False)),
                ("all_studies", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                (
                    "last_used_at",
                    models.DateTimeField(
                        blank=True, help_text="To the hour: not every request writes.", null=True
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "studies",
                    models.ManyToManyField(blank=True, related_name="+", to="annotate.study"),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=django.db.models.lookups.LessThanOrEqual(
                            annotate.models.token.DaysBetween("created_at", "expires_at"), 366
                        ),
                        name="api_token_expires_within_a_year",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Code",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "merged_into",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="merged",
                        to="annotate.code",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="codes",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "name"),
                        name="code_once_a_study",
                        violation_error_message="This study has a code with that name, or had one.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CodesCompared",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("by_name", models.CharField(max_length=150)),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "study",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="codes_compared",
                        to="annotate.study",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Content",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200)),
                ("title", models.TextField(blank=True)),
                ("description", models.TextField(blank=True)),
                ("image_url", models.TextField(blank=True)),
                ("audio_url", models.TextField(blank=True)),
                ("show", models.TextField(blank=True)),
                ("data", models.JSONField(blank=True, default=dict)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="contents",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "key"), name="content_key_once_a_study"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Deletion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                (
                    "started_at",
                    models.DateTimeField(help_text="When a worker first took it.", null=True),
                ),
                (
                    "due_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        help_text="Until when the worker that deletes the study counts.",
                    ),
                ),
                (
                    "waits_for",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="What has to end first, in words.",
                        max_length=200,
                    ),
                ),
                (
                    "rows",
                    models.PositiveBigIntegerField(
                        help_text="How many rows there were.", null=True
                    ),
                ),
                (
                    "deleted",
                    models.PositiveBigIntegerField(
                        default=0, help_text="How many of them are gone."
                    ),
                ),
                (
                    "study",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deletion",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["asked_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="ExtraPlaces",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("by_hand", "By hand"), ("adaptive", "Raters disagree")],
                        default="by_hand",
                        max_length=10,
                    ),
                ),
                ("words", models.CharField(blank=True, help_text="Why.", max_length=200)),
                (
                    "by_name",
                    models.CharField(
                        blank=True,
                        help_text="Stays when the account goes; empty: the rule.",
                        max_length=150,
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("item_count", models.PositiveIntegerField()),
                ("place_count", models.PositiveIntegerField()),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                ("undone_by_name", models.CharField(blank=True, max_length=150)),
                (
                    "undone_count",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="Places that undoing took away: those that were open still.",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
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
                        related_name="extra_places",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="Latecomer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "participant",
                    models.CharField(help_text="The platform’s id of the person.", max_length=100),
                ),
                (
                    "visit",
                    models.CharField(help_text="The platform’s id of the visit.", max_length=100),
                ),
                (
                    "task",
                    models.CharField(help_text="The platform’s id of the task.", max_length=100),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="latecomers",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "visit"), name="latecomer_once_a_visit"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MediaFile",
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
                        default=annotate.models.media.media_token, max_length=40, unique=True
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="As it was called where it came from.", max_length=200
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("image", "Picture"), ("audio", "Recording")], max_length=10
                    ),
                ),
                ("content_type", models.CharField(max_length=40)),
                ("size", models.PositiveBigIntegerField(help_text="Bytes.")),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "by",
                    models.ForeignKey(
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
                        related_name="media_files",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["name", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "name"),
                        name="media_name_once_a_study",
                        violation_error_message="This study already has a file of that name.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "Owner"), ("editor", "Editor"), ("viewer", "Viewer")],
                        default="viewer",
                        max_length=10,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "user"),
                        name="one_role_a_member",
                        violation_error_message="This person already is a member of the study.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MissingMedia",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("image", "Picture"), ("audio", "Recording")], max_length=10
                    ),
                ),
                ("address", models.TextField(help_text="What the content named then.")),
                ("count", models.PositiveIntegerField(default=1)),
                ("first_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                (
                    "content",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.content",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="missing_media",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["-last_at", "-id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("content", "kind"), name="missing_media_once_a_content"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="OrderCounter",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("taken", models.PositiveIntegerField(default=0)),
                (
                    "study",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.study",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="QualityStep",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("applied", "Excluded"), ("undone", "Included again")],
                        default="applied",
                        max_length=10,
                    ),
                ),
                (
                    "rule",
                    models.CharField(
                        help_text="A key of quality.RULES, or by_hand.", max_length=40
                    ),
                ),
                ("parameters", models.JSONField(blank=True, default=dict)),
                (
                    "words",
                    models.CharField(help_text="The reason that the raters got.", max_length=200),
                ),
                (
                    "reopens",
                    models.BooleanField(default=True, help_text="Whether their places open again."),
                ),
                (
                    "by_name",
                    models.CharField(help_text="Stays when the account goes.", max_length=150),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("rater_count", models.PositiveIntegerField(default=0)),
                (
                    "place_count",
                    models.PositiveIntegerField(
                        default=0, help_text="Places that opened, or were given back."
                    ),
                ),
                (
                    "lost_count",
                    models.PositiveIntegerField(
                        default=0, help_text="Undoing: places that others had taken meanwhile."
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "undoes",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="undone_by",
                        to="annotate.qualitystep",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="quality_steps",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="Question",
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
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9][a-z0-9-]{0,59}\\Z",
                                "Use 1 to 60 lower-case letters, digits and hyphens.",
                            )
                        ],
                    ),
                ),
                ("text", models.TextField()),
                (
                    "scale_spec",
                    models.JSONField(
                        help_text="kind, low, high, labels; see annotate/values/scales.py"
                    ),
                ),
                ("required", models.BooleanField(default=True)),
                (
                    "applies_to",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Item kinds it is asked of; empty means all.",
                    ),
                ),
                ("position", models.PositiveSmallIntegerField(default=0)),
                (
                    "why",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Not asked"),
                            ("optional", "Asked, may be left empty"),
                            ("required", "Asked, must be answered"),
                        ],
                        db_default="",
                        default="",
                        help_text="A field for the rater's reason under the scale.",
                        max_length=10,
                        verbose_name="why",
                    ),
                ),
                (
                    "retired",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Kept for its answers, no longer asked.",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="questions",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["position", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "key"),
                        name="question_key_once_a_study",
                        violation_error_message="This study already has a question with that key.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="QuestionnaireVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "questions",
                    models.JSONField(help_text="A list: the key and the fields of each question."),
                ),
                ("replaced_at", models.DateTimeField(auto_now_add=True)),
                (
                    "replaced_by",
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
                        related_name="versions",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("study", "number"), name="version_once_a_study")
                ],
            },
        ),
        migrations.CreateModel(
            name="Recipient",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200)),
                ("data", models.JSONField(blank=True, default=dict)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recipients",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "key"), name="recipient_key_once_a_study"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Interaction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("rating", models.FloatField(blank=True, null=True)),
                ("share_listened", models.FloatField(blank=True, help_text="0 to 1", null=True)),
                ("at", models.DateTimeField(blank=True, null=True)),
                ("data", models.JSONField(blank=True, default=dict)),
                (
                    "content",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.content",
                    ),
                ),
                (
                    "recipient",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="interactions",
                        to="annotate.recipient",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="interactions",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("recipient", "content", "at"), name="interaction_once_at_a_time"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("at", None)),
                        fields=("recipient", "content"),
                        name="interaction_once_without_a_time",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Rater",
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
                        help_text="A pseudonym; never a platform's id.", max_length=200
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("recipient", "Recipient (rates what was recommended to them)"),
                            ("third_party", "Third party"),
                            ("expert", "Expert"),
                        ],
                        default="third_party",
                        max_length=20,
                    ),
                ),
                ("platform_ids", models.JSONField(blank=True, default=dict)),
                (
                    "participant",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.functions.comparison.Coalesce(
                            django.db.models.fields.json.KeyTextTransform(
                                "PROLIFIC_PID", "platform_ids"
                            ),
                            django.db.models.fields.json.KeyTextTransform(
                                "workerId", "platform_ids"
                            ),
                        ),
                        output_field=models.TextField(null=True),
                    ),
                ),
                (
                    "excluded_because",
                    models.CharField(
                        blank=True, help_text="Empty: counts in the analysis.", max_length=200
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "recipient",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="raters",
                        to="annotate.recipient",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="raters",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(fields=["study", "participant"], name="rater_participant")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("study", "key"), name="rater_key_once_a_study")
                ],
            },
        ),
        migrations.CreateModel(
            name="ExcludedRater",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "measured",
                    models.FloatField(blank=True, help_text="What the rule looked at.", null=True),
                ),
                (
                    "ended_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ended",
                        to="annotate.qualitystep",
                    ),
                ),
                (
                    "step",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="excluded",
                        to="annotate.qualitystep",
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exclusions",
                        to="annotate.rater",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_by", None)),
                        fields=("rater",),
                        name="one_exclusion_at_a_time",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RepeatVisit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "visit",
                    models.CharField(
                        help_text="The platform’s id of the other visit.", max_length=100
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="repeat_visits",
                        to="annotate.rater",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rater", "visit"), name="repeat_visit_once_a_rater"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Session",
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
                        default=annotate.models.rater.session_token, max_length=40, unique=True
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("consent", "Reads the consent"),
                            ("instructions", "Reads the instructions"),
                            ("check", "Answers the comprehension check"),
                            ("practice", "Practises"),
                            ("rating", "Rates"),
                            ("exit", "Answers the exit questions"),
                            ("completed", "Completed"),
                            ("declined", "Declined consent"),
                            ("abandoned", "Stopped for too long"),
                            ("screened_out", "Screened out"),
                            ("failed_attention", "Failed the attention checks"),
                            ("returned", "Returned on the platform"),
                        ],
                        default="consent",
                        max_length=20,
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("web", "Answered here"),
                            ("link", "Personal link"),
                            ("file", "Loaded from a file"),
                        ],
                        default="web",
                        max_length=10,
                    ),
                ),
                (
                    "current",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="The item on the screen, counted from 1: where a reload resumes.",
                    ),
                ),
                (
                    "version",
                    models.PositiveSmallIntegerField(
                        db_default=1,
                        default=1,
                        help_text="Of the questionnaire: the one that was present when its items were claimed.",
                    ),
                ),
                (
                    "order_row",
                    models.PositiveIntegerField(
                        blank=True, help_text="Its row of the study's design, from 0.", null=True
                    ),
                ),
                (
                    "hurried_at",
                    models.DateTimeField(
                        blank=True, help_text="When it was first asked to take its time.", null=True
                    ),
                ),
                (
                    "stopped_in",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The state that it was in when it stopped before its end.",
                        max_length=20,
                    ),
                ),
                ("browser", models.CharField(blank=True, db_default="", default="", max_length=10)),
                ("device", models.CharField(blank=True, db_default="", default="", max_length=10)),
                (
                    "screen_width",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Rounded down to a class; see annotate/sessions/browsers.py.",
                        null=True,
                    ),
                ),
                ("started_at", models.DateTimeField(auto_now_add=True)),
                ("last_seen_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "items_done_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When the last item was left with all its answers.",
                        null=True,
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to="annotate.rater",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(
                            ("state__in", ["instructions", "check", "practice", "rating", "exit"])
                        ),
                        fields=["study"],
                        name="session_running",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CheckAttempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(help_text="Counted from 1.")),
                (
                    "answers",
                    models.JSONField(help_text="[{question, answer, right}], as it was asked."),
                ),
                ("passed", models.BooleanField()),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="check_attempts",
                        to="annotate.session",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session", "number"), name="attempt_number_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ExitAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=60)),
                ("value", models.FloatField(blank=True, null=True)),
                ("text", models.TextField(blank=True)),
                ("at", models.DateTimeField(auto_now=True)),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exit_answers",
                        to="annotate.session",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session", "key"), name="exit_question_once_a_session"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("value__isnull", False),
                            models.Q(("text", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="exit_answer_says_something",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="System",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="systems",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("study", "key"), name="system_key_once_a_study")
                ],
            },
        ),
        migrations.CreateModel(
            name="Item",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("explanation", "Explanation"),
                            ("recommendation", "Recommendation"),
                            ("list_pair", "Pair of lists"),
                            ("profile", "Profile"),
                            ("statement", "Statement"),
                            ("text", "Text"),
                        ],
                        max_length=20,
                    ),
                ),
                ("text", models.TextField(blank=True)),
                ("reference", models.TextField(blank=True)),
                ("review", models.TextField(blank=True)),
                ("feature", models.TextField(blank=True)),
                (
                    "side",
                    models.CharField(blank=True, choices=[("A", "A"), ("B", "B")], max_length=1),
                ),
                ("position", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "data",
                    models.JSONField(blank=True, default=dict, help_text="Extra columns, by name."),
                ),
                (
                    "is_practice",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="For practice: it has no places to be claimed.",
                    ),
                ),
                (
                    "content",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="annotate.content",
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="children",
                        to="annotate.item",
                    ),
                ),
                (
                    "recipient",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="annotate.recipient",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="annotate.study",
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="annotate.system",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("parent", None)),
                        fields=["study", "kind"],
                        name="item_kind",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "key"),
                        name="item_key_once_a_study",
                        violation_error_message="This study already has an item with that id.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Extra",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("attention", "Attention check"),
                            ("gold", "Gold item"),
                            ("repeat", "Repeated item"),
                        ],
                        max_length=10,
                    ),
                ),
                ("check_key", models.CharField(blank=True, max_length=60)),
                (
                    "spec",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="The check, or the right answers, as they were when it was drawn.",
                    ),
                ),
                (
                    "first_side",
                    models.CharField(blank=True, db_default="", default="", max_length=1),
                ),
                (
                    "is_whole",
                    models.BooleanField(default=False, help_text="Nothing required is missing."),
                ),
                ("passed", models.BooleanField(blank=True, null=True)),
                (
                    "item",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="extras",
                        to="annotate.session",
                    ),
                ),
            ],
            options={
                "ordering": ["session", "position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session", "position"), name="extra_once_a_position"
                    ),
                    models.UniqueConstraint(
                        fields=("session", "kind", "item"), name="extra_item_once_a_session"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("check_key", ""), _negated=True),
                        fields=("session", "check_key"),
                        name="extra_check_once_a_session",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("item", None),
                                ("kind", "attention"),
                                models.Q(("check_key", ""), _negated=True),
                            ),
                            models.Q(
                                ("check_key", ""),
                                ("item__isnull", False),
                                ("kind__in", ["gold", "repeat"]),
                            ),
                            _connector="OR",
                        ),
                        name="extra_has_an_item_or_a_check",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ExtraAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("value", models.FloatField(blank=True, null=True)),
                ("text", models.TextField(blank=True)),
                ("reason", models.TextField(blank=True, db_default="", default="")),
                (
                    "passed",
                    models.BooleanField(
                        blank=True, help_text="Empty: nothing is right.", null=True
                    ),
                ),
                ("seconds", models.FloatField(blank=True, null=True)),
                ("answered_at", models.DateTimeField()),
                (
                    "changes",
                    models.JSONField(
                        blank=True, default=list, help_text="[value or text, until when]"
                    ),
                ),
                (
                    "extra",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="annotate.extra",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.question",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("extra", "item", "question"),
                        name="one_answer_a_question_of_an_extra",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("item", None)),
                        fields=("extra",),
                        name="one_answer_a_check",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("item", None), ("question", None)),
                            models.Q(("item__isnull", False), ("question__isnull", False)),
                            _connector="OR",
                        ),
                        name="extra_answer_is_about_both_or_neither",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("value__isnull", False),
                            models.Q(("text", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="extra_answer_has_an_answer",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ItemTime",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "active_seconds",
                    models.FloatField(help_text="Visible, and the rater did something."),
                ),
                (
                    "idle_seconds",
                    models.FloatField(help_text="Hidden, or nothing done for 30 seconds."),
                ),
                ("views", models.JSONField(default=list)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="times_spent",
                        to="annotate.session",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("session", "item"), name="one_time_an_item")
                ],
            },
        ),
        migrations.CreateModel(
            name="Place",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "shuffle",
                    models.PositiveIntegerField(help_text="A seeded draw: the order among equals."),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Open"), ("held", "Held"), ("filled", "Filled")],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("position", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "first_side",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Of a pair of lists: the side, A or B, that stands first for this rater.",
                        max_length=1,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="places",
                        to="annotate.item",
                    ),
                ),
                (
                    "kept_for",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        help_text="The recipient who alone may take it; see annotate/sessions/kept_places.py.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="kept_places",
                        to="annotate.rater",
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="places",
                        to="annotate.rater",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="places",
                        to="annotate.session",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="places",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("kept_for", None), ("state", "open")),
                        fields=["study", "number", "shuffle"],
                        name="place_claimable",
                    ),
                    models.Index(
                        condition=models.Q(("kept_for__isnull", False)),
                        fields=["kept_for"],
                        name="place_kept",
                    ),
                    models.Index(fields=["session", "position"], name="place_of_session"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("item", "number"), name="place_number_once_an_item"
                    ),
                    models.UniqueConstraint(fields=("item", "rater"), name="item_once_a_rater"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("rater", None), ("session", None), ("state", "open")),
                            models.Q(("state", "open"), _negated=True),
                            _connector="OR",
                        ),
                        name="open_place_has_no_rater",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kept_for", None), ("state", "open"), _connector="OR"),
                        name="kept_place_is_open",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AddedPlace",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "step",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="added",
                        to="annotate.extraplaces",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="added_places",
                        to="annotate.item",
                    ),
                ),
                (
                    "place",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="added",
                        to="annotate.place",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FreedPlace",
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
                        choices=[("open", "Open"), ("held", "Held"), ("filled", "Filled")],
                        max_length=10,
                    ),
                ),
                ("position", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "exclusion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="freed_places",
                        to="annotate.excludedrater",
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
                    "place",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotate.place",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.session",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PracticeAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "answers",
                    models.JSONField(
                        help_text="{question key: value or text}; of a part: key@item."
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="practice_answers",
                        to="annotate.session",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session", "item"), name="practised_once_a_session"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("value", models.FloatField(blank=True, null=True)),
                (
                    "text",
                    models.TextField(
                        blank=True, help_text="The answer to a question on a text scale."
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                (
                    "seconds",
                    models.FloatField(
                        blank=True, help_text="From showing the item to this answer.", null=True
                    ),
                ),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "first_side",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Of a pair of lists: the side that stood first. The place may go to others.",
                        max_length=1,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ratings",
                        to="annotate.item",
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="ratings",
                        to="annotate.question",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ratings",
                        to="annotate.session",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session", "item", "question"),
                        name="one_answer_a_question",
                        violation_error_message="This question is answered already.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("value__isnull", False),
                            models.Q(("text", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="rating_has_an_answer",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Coding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "coder_name",
                    models.CharField(help_text="Stays when the account goes.", max_length=150),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "code",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="codings",
                        to="annotate.code",
                    ),
                ),
                (
                    "coder",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rating",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="codings",
                        to="annotate.rating",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rating", "coder_name", "code"), name="code_once_a_coder"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("code", None)),
                        fields=("rating", "coder_name"),
                        name="none_once_a_coder",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingRevision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("value", models.FloatField(blank=True, null=True)),
                ("text", models.TextField(blank=True)),
                ("reason", models.TextField(blank=True, db_default="", default="")),
                ("at", models.DateTimeField()),
                (
                    "rating",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="annotate.rating",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="Tombstone",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "by_name",
                    models.CharField(help_text="Stays when the account goes.", max_length=150),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("session_count", models.PositiveIntegerField()),
                ("rating_count", models.PositiveIntegerField()),
                (
                    "by",
                    models.ForeignKey(
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
                        related_name="tombstones",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.AddField(
            model_name="study",
            name="members",
            field=models.ManyToManyField(
                through="annotate.Membership", to=settings.AUTH_USER_MODEL
            ),
        ),
    ]
