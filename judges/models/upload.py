"""Store uploads of files until they are loaded."""

import secrets

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone


def upload_token():
    """Return a new name of an upload's folder, also the end of its address."""
    return secrets.token_urlsafe(18)


class UploadQuerySet(models.QuerySet):
    """Queries over uploads."""

    def begin(self, pk):
        """Move a checked upload to loading; False when somebody was faster."""
        loading = {"state": Upload.State.LOADING, "waiting_since": timezone.now()}
        return bool(self._checked(pk).update(**loading))

    def note_begun(self, pk):
        """Note that a worker has begun: from now on nothing waits for a worker."""
        self.filter(pk=pk, waiting_since__isnull=False).update(waiting_since=None)

    def choose(self, pk, off_scale):
        """Keep what was chosen for judgments outside their question's scale."""
        self._checked(pk).update(off_scale=off_scale)

    def _checked(self, pk):
        return self.filter(pk=pk, state=Upload.State.CHECKED)


class ColumnMapping(models.Model):
    """What somebody used columns for, offered again for a table with the same columns."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    signature = models.CharField(max_length=64, help_text="Hash of the sorted column names.")
    mapping = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "signature"], name="column_mapping_once")
        ]

    def __str__(self):
        return f"column mapping {self.pk}"


class Upload(models.Model):
    """Files that a researcher sent, checked and shown before anything is written."""

    class State(models.TextChoices):
        MAPPING = "mapping", "Columns to choose"
        CHECKED = "checked", "Checked"
        LOADING = "loading", "Being loaded"
        LOADED = "loaded", "Loaded"
        FAILED = "failed", "Not loaded"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    token = models.CharField(max_length=40, unique=True, default=upload_token)
    slug = models.CharField(max_length=60, blank=True)
    is_new = models.BooleanField(default=False, help_text="It makes a study of its own.")
    making = models.JSONField(
        default=dict,
        blank=True,
        db_default={},
        help_text="The plan of a study of counterfactual explanations that its ratings become.",
    )
    state = models.CharField(max_length=10, choices=State, default=State.CHECKED)
    files = models.JSONField(default=list, help_text="For each file: table, name, first rows.")
    counts = models.JSONField(default=dict, help_text="Rows by table: new, changed, unchanged.")
    problems = models.JSONField(default=dict, help_text="total, and the first fifty.")
    off_scale = models.JSONField(
        default=dict,
        blank=True,
        db_default={},
        help_text="Judgments outside their question's scale: lines by judge, whether there is "
        "anything to choose, and what was chosen.",
    )
    bringing = models.JSONField(
        default=dict,
        blank=True,
        db_default={},
        help_text="Of a table that is brought: its name, how it was read, its columns, what each "
        "is used for, the questions of a new study. See judges/uploads/bring.py.",
    )
    load = models.PositiveBigIntegerField(
        null=True, editable=False, help_text="The FileLoad that it became."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    waiting_since = models.DateTimeField(
        null=True, help_text="Since when it waits for a worker; none once one has begun."
    )

    objects = UploadQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self):
        return f"upload {self.pk}"

    def get_absolute_url(self):
        return reverse("upload", args=[self.token])

    @property
    def rows(self):
        """Return (table, counts) pairs; a template cannot ask a dict that has a key "items"."""
        return list(self.counts.items())

    @property
    def differs(self):
        """Whether rows say something else of loaded answers, which is not taken."""
        return any(count.get("stays") for count in self.counts.values())

    @property
    def changes(self):
        """Whether loading it would write anything."""
        return any(count["new"] or count["changed"] for count in self.counts.values())
