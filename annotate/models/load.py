"""Store loads of files, so that the rows which each brought can be told apart and taken back."""

from django.conf import settings
from django.db import models


class Loaded(models.Model):
    """A row that a load of files may have brought.

    A number without a foreign key: with one the database would look up the load for every row.
    """

    load = models.PositiveBigIntegerField(
        null=True, editable=False, help_text="The FileLoad that brought it; none came with none."
    )

    class Meta:
        abstract = True


class FileLoad(models.Model):
    """A load that wrote something: who loaded what, and who took it back."""

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="file_loads")
    names = models.CharField(max_length=500, help_text="The names of its files.")
    counts = models.JSONField(default=dict, help_text="New rows by table.")
    changed = models.PositiveIntegerField(default=0, help_text="Rows that it changed.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    by_name = models.CharField(max_length=150, help_text="Stays when the account goes.")
    loaded_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True)
    undone_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    undone = models.JSONField(
        default=dict, blank=True, db_default={}, help_text="Rows that went, by table."
    )

    class Meta:
        ordering = ["-id"]

    def __str__(self):
        return f"load {self.pk}"

    @property
    def rows(self):
        """Return (table, new rows) pairs; a template cannot ask a dict that has a key "items"."""
        return list(self.counts.items())
