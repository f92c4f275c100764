"""Store studies with their questions and members."""

import secrets

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce
from django.urls import reverse
from django.utils.functional import cached_property

from annotate.models.item import Item
from annotate.models.rater import Place
from annotate.values.languages import ENGLISH
from annotate.values.scales import scale_from_dict

slug_rule = RegexValidator(
    r"^[a-z0-9][a-z0-9-]{0,59}\Z", "Use 1 to 60 lower-case letters, digits and hyphens."
)

TAKEN = ("new", "being-deleted")  # addresses of pages that stand where a study's would


def study_slug_rule(slug):
    """Check a slug for the address of a study; ValidationError says why not."""
    slug_rule(slug)
    if slug in TAKEN:
        raise ValidationError(f"Not “{slug}”: that is the address of a page of its own.")


def completion_code():
    """Draw eight characters that cannot be misread: no 0/O, no 1/I."""
    return "".join(secrets.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(8))


def rows_of(relation, **conditions):
    """Count rows of a relation by a subquery: joins of two relations would multiply."""
    rows = Study._meta.get_field(relation).related_model.objects
    counted = rows.filter(study=models.OuterRef("pk"), **conditions).order_by().values("study")
    return Coalesce(models.Subquery(counted.annotate(n=models.Count("pk")).values("n")), 0)


class StudyQuerySet(models.QuerySet):
    """Queries over studies."""

    def kept(self):
        """Return the studies that nobody has asked to delete, and that are no previews."""
        return self.filter(deletion=None, preview_of=None)

    def visible_to(self, user):
        """Return the studies of which the user is a member, whatever the role."""
        return self.kept().filter(memberships__user=user)

    def to_be_deleted_by(self, day):
        """Return the studies whose retention date is this day or earlier."""
        dated = self.annotate(delete_on=Cast(KT("extra__delete_on"), models.TextField()))
        return dated.filter(delete_on__lte=day.isoformat())

    def being_deleted_of(self, user):
        """Return the user's studies that are being deleted, each with its deletion."""
        going = self.filter(memberships__user=user, deletion__isnull=False)
        return going.select_related("deletion").order_by("deletion__asked_at", "pk")

    def with_progress(self):
        """Annotate each with its number of items, of places, and of filled places."""
        places = rows_of("places")
        filled = rows_of("places", state=Place.State.FILLED)
        return self.annotate(item_count=rows_of("items"), place_count=places, filled_count=filled)


class Study(models.Model):
    """A research project: questionnaire, items, raters, judges, results."""

    class Kind(models.TextChoices):
        EXPLANATION = "explanation", "Explanations"
        RECOMMENDATION = "recommendation", "Single recommendations"
        LIST_PAIR = "list_pair", "Pairs of recommendation lists"
        STATEMENT = "statement", "Statement support"
        TEXT = "text", "Texts"
        FACTUALITY = "factuality", "Factual consistency of explanations"

    class State(models.TextChoices):
        OPEN = "open", "Open for raters"
        CLOSED = "closed", "Closed for raters"

    class Layout(models.TextChoices):
        LIST = "list", "One under the other"
        ONE_AT_A_TIME = "one_at_a_time", "One at a time"
        GRID = "grid", "In a grid, where neighbours have the same options"

    slug = models.CharField(max_length=60, unique=True, validators=[study_slug_rule])
    title = models.CharField(max_length=200)
    kind = models.CharField(max_length=20, choices=Kind, default=Kind.EXPLANATION)
    language = models.CharField(
        max_length=20,
        default=ENGLISH,
        help_text="Of the buttons, hints and messages that raters read. What you write yourself "
        "stays as it is.",
    )
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    notice = models.TextField(
        blank=True,
        help_text="Said on every page of the study, such as: raters are simulated.",
    )
    consent = models.TextField(blank=True)
    instructions = models.TextField(blank=True)
    raters_per_item = models.PositiveSmallIntegerField(
        default=3, validators=[MinValueValidator(1), MaxValueValidator(1000)]
    )
    raters_per_item_max = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        validators=[MaxValueValidator(1000)],
        help_text="Items whose raters disagree get more of them, up to so many; 0 is off.",
    )
    adaptive_from = models.JSONField(
        default=dict, blank=True, help_text="From which spread on: see recruitment/more_raters.py."
    )
    items_per_session = models.PositiveSmallIntegerField(
        default=10, validators=[MinValueValidator(1), MaxValueValidator(500)]
    )
    hold_minutes = models.PositiveSmallIntegerField(
        default=60,
        validators=[MinValueValidator(1), MaxValueValidator(32_767)],
        help_text="How long a rater may pause before the places held for them open again.",
    )
    show_history = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(100)],
        help_text="How many contents of the recipient's history raters see; 0 shows none.",
    )
    media_hosts = models.JSONField(
        default=list, blank=True, help_text="Where pictures and recordings may come from."
    )
    completion_code = models.CharField(max_length=40, default=completion_code)
    questionnaire_version = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1)],
        editable=False,
        help_text="Of the questions as they are now; earlier ones are QuestionnaireVersions.",
    )
    extra = models.JSONField(
        default=dict, blank=True, help_text="Keys of study.yaml that later versions use."
    )
    split = models.JSONField(
        default=dict,
        blank=True,
        db_default={},
        editable=False,
        help_text="The locked test split, seed, share and log: see annotate/design/splits.py.",
    )
    loads = models.PositiveIntegerField(
        default=0,
        editable=False,
        help_text="How many loads changed it: see annotate/files/loading.",
    )
    preview_of = models.ForeignKey(
        "self",
        models.CASCADE,
        null=True,
        blank=True,
        editable=False,
        related_name="previews",
        help_text="The study of which this is a copy for one preview: see raters/preview.py.",
    )
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, through="Membership")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "slug"]
        verbose_name_plural = "studies"

    def __str__(self):
        return self.title

    @property
    def item_kind(self):
        """Return the kind of items that name no kind."""
        return Item.Kind.EXPLANATION if self.kind == Study.Kind.FACTUALITY else self.kind

    @property
    def layout(self):
        """Return how the questions of a page stand, for sessions that claim their items now."""
        return self.extra.get("layout") or Study.Layout.LIST

    def get_absolute_url(self):
        return reverse("study", args=[self.slug])

    @property
    def origin(self):
        """Return the study that a preview is of; any other study itself."""
        return self.preview_of or self

    @property
    def origin_id(self):
        return self.preview_of_id or self.pk

    def join_path(self):
        """Return the address where raters arrive."""
        return reverse("join", args=[self.slug])

    @property
    def is_open(self):
        return self.state == self.State.OPEN


class Question(models.Model):
    """A question about an item, on a scale; it keeps its key, and so its identity, in all versions.

    Its row is what the present version says; design/versions.py knows what earlier ones said.
    """

    class Why(models.TextChoices):
        NONE = "", "Not asked"
        OPTIONAL = "optional", "Asked, may be left empty"
        REQUIRED = "required", "Asked, must be answered"

    study = models.ForeignKey(Study, models.CASCADE, related_name="questions")
    key = models.CharField(max_length=60, validators=[slug_rule])
    text = models.TextField()
    scale_spec = models.JSONField(help_text="kind, low, high, labels; see annotate/values/scales/")
    required = models.BooleanField(default=True)
    applies_to = models.JSONField(
        default=list, blank=True, help_text="Item kinds it is asked of; empty means all."
    )
    position = models.PositiveSmallIntegerField(default=0)
    why = models.CharField(
        "why",
        max_length=10,
        choices=Why,
        blank=True,
        default=Why.NONE,
        db_default="",
        help_text="A field for the rater's reason under the scale.",
    )
    retired = models.BooleanField(
        default=False, db_default=False, help_text="Kept for its answers, no longer asked."
    )

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "key"],
                name="question_key_once_a_study",
                violation_error_message="This study already has a question with that key.",
            )
        ]

    def __str__(self):
        return self.key

    @cached_property
    def scale(self):
        return scale_from_dict(self.scale_spec)

    @property
    def kinds(self):
        """List the kinds of items that it is asked of, in words; empty for all."""
        return [label.lower() for kind, label in Item.Kind.choices if kind in self.applies_to]

    def applies_to_kind(self, kind):
        return not self.applies_to or kind in self.applies_to


class Membership(models.Model):
    """The role of a researcher in a study."""

    class Role(models.TextChoices):
        OWNER = "owner", "Owner"
        EDITOR = "editor", "Editor"
        VIEWER = "viewer", "Viewer"

    study = models.ForeignKey(Study, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.VIEWER)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "user"],
                name="one_role_a_member",
                violation_error_message="This person already is a member of the study.",
            )
        ]

    def __str__(self):
        return f"{self.user} is {self.role} of {self.study}"
