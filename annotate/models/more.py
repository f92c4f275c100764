"""Log places beyond the number that a study asks for: who wanted them and why."""

from django.conf import settings
from django.db import models


class ExtraPlaces(models.Model):
    """A line of the log: items got places beyond the study's raters_per_item."""

    class Kind(models.TextChoices):
        BY_HAND = "by_hand", "By hand"
        ADAPTIVE = "adaptive", "Raters disagree"

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="extra_places")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.BY_HAND)
    words = models.CharField(max_length=200, blank=True, help_text="Why.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    by_name = models.CharField(
        max_length=150, blank=True, help_text="Stays when the account goes; empty: the rule."
    )
    at = models.DateTimeField(auto_now_add=True)
    item_count = models.PositiveIntegerField()
    place_count = models.PositiveIntegerField()
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by_name = models.CharField(max_length=150, blank=True)
    undone_count = models.PositiveIntegerField(
        default=0, help_text="Places that undoing took away: those that were open still."
    )

    class Meta:
        ordering = ["-id"]

    def __str__(self):
        return f"{self.place_count} extra places"


class AddedPlace(models.Model):
    """A place that a line of the log added; undoing leaves the row and its item, without the place.

    A load that wants fewer raters leaves such places alone. They stand in a table of their own, so
    that the table that every claim writes needs no further index.
    """

    step = models.ForeignKey(ExtraPlaces, models.CASCADE, related_name="added")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="added_places")
    place = models.OneToOneField("annotate.Place", models.SET_NULL, null=True, related_name="added")
