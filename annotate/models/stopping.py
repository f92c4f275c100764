"""Store what a study fixed before collecting, so that looks at its results may end collecting."""

from django.conf import settings
from django.db import models
from django.db.models import Q, Value
from django.utils import timezone

from annotate.models.rater import Rater


class StoppingPlan(models.Model):
    """The rule by which collecting may stop, as it was fixed before the first rating.

    Nothing of it changes afterwards. Which judges are decided on stands in judges.StoppingPair, as
    nothing that raters are near to may name a judge.
    """

    study = models.OneToOneField("annotate.Study", models.CASCADE, related_name="stopping_plan")
    planned = models.PositiveIntegerField(
        help_text="Clusters at which the bounds are about narrowest."
    )
    alpha = models.FloatField(help_text="Level of all decisions together, one-sided.")
    decisions = models.PositiveIntegerField(
        help_text="Pairs of a judge and a question that share alpha; a deleted judge still counts."
    )
    raters_per_item = models.PositiveSmallIntegerField(
        help_text="Ratings after which an item is complete."
    )
    role = models.CharField(
        max_length=20,
        choices=Rater.Role,
        blank=True,
        default="",
        db_default="",
        help_text="Whose ratings count at a look. Blank in older plans of studies with raters of "
        "several roles: those of all people are counted.",
    )
    seed = models.PositiveBigIntegerField(help_text="From which the order was drawn.")
    order = models.JSONField(help_text="Ids of the clusters, in the order drawn.")
    items = models.JSONField(
        default=list,
        db_default=Value([], models.JSONField()),
        help_text="Primary keys of each cluster's items, in that order. Empty in older plans, "
        "which take those that their clusters have now.",
    )
    exclusions = models.JSONField(
        default=list, help_text="The exclusion rules, [{rule, parameters}]: see annotate/quality."
    )
    fixed_at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    by_name = models.CharField(max_length=150, help_text="Stays when the account goes.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(alpha__gt=0, alpha__lt=0.5),
                name="stopping_alpha_below_half",
                violation_error_message="The level is a number above 0 and below .5.",
            ),
            models.CheckConstraint(
                condition=Q(planned__gte=1, decisions__gte=1, raters_per_item__gte=2),
                name="stopping_plan_decides",
                violation_error_message="A plan has clusters, a decision and two ratings per item.",
            ),
        ]

    def __str__(self):
        return f"stopping plan of {self.study_id}"
