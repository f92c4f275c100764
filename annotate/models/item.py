"""Store the items that people rate and judges score."""

from django.db import models
from django.db.models import Q
from django.urls import reverse

from annotate.models.load import Loaded

OUTDATED = "outdated"  # the extra column of a statement item whose statement was corrected since
# The extra column of items made for a rater in their own session, who alone rates them.
MADE_HERE = "made_in_session"
WITHHELD = "withheld: the item belongs to the locked test part"  # what a file of such a study says


class ItemQuerySet(models.QuerySet):
    """Queries over items."""

    def without_outdated(self):
        """Leave out statement items whose statement was corrected since, or withheld.

        They keep their answers. A statement that a file's study withheld cannot be rated: nobody
        could tell what it says.
        """
        says_nothing = Q(data__has_key=OUTDATED) | Q(text=WITHHELD)
        return self.exclude(says_nothing, kind=Item.Kind.STATEMENT)

    def with_places(self):
        """Return the items that get open places: no parts, practice or outdated items.

        Nor those made for a rater in their own session: they get the place of that rater alone.
        """
        standing = self.filter(parent=None, is_practice=False).without_outdated()
        return standing.without_made()

    def without_made(self):
        """Leave out the items that were made for a rater in their own session."""
        return self.exclude(data__has_key=MADE_HERE)


class Item(Loaded):
    """The unit that people rate and judges score alike."""

    class Kind(models.TextChoices):
        EXPLANATION = "explanation", "Explanation"
        RECOMMENDATION = "recommendation", "Recommendation"
        LIST_PAIR = "list_pair", "Pair of lists"
        PROFILE = "profile", "Profile"
        STATEMENT = "statement", "Statement"
        TEXT = "text", "Text"

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="items")
    key = models.CharField(max_length=200)
    kind = models.CharField(max_length=20, choices=Kind)
    recipient = models.ForeignKey(
        "annotate.Recipient", models.CASCADE, null=True, blank=True, related_name="items"
    )
    content = models.ForeignKey(
        "annotate.Content", models.CASCADE, null=True, blank=True, related_name="items"
    )
    system = models.ForeignKey(
        "annotate.System", models.CASCADE, null=True, blank=True, related_name="items"
    )
    text = models.TextField(blank=True)
    reference = models.TextField(blank=True)
    review = models.TextField(blank=True)
    feature = models.TextField(blank=True)
    parent = models.ForeignKey(
        "self", models.CASCADE, null=True, blank=True, related_name="children"
    )
    side = models.CharField(max_length=1, blank=True, choices=[("A", "A"), ("B", "B")])
    position = models.PositiveSmallIntegerField(null=True, blank=True)
    data = models.JSONField(default=dict, blank=True, help_text="Extra columns, by name.")
    is_practice = models.BooleanField(
        default=False, db_default=False, help_text="For practice: it has no places to be claimed."
    )

    objects = ItemQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "key"],
                name="item_key_once_a_study",
                violation_error_message="This study already has an item with that id.",
            )
        ]
        indexes = [
            # find_kinds in annotate/sessions/mix.py
            models.Index(fields=["study", "kind"], condition=Q(parent=None), name="item_kind")
        ]

    def __str__(self):
        return self.key

    def get_absolute_url(self):
        return reverse("item", args=[self.study.slug, self.pk])
