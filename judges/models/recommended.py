"""Store the lists that recommenders under test were asked for."""

from django.db import models

from judges.values.titles import identity


class RecommendedListQuerySet(models.QuerySet):
    """Queries over the lists of recommenders."""

    def kept(self):
        """Keep lists of recommenders that nobody deleted."""
        return self.filter(run__judge__deleted_at=None)


class RecommendedList(models.Model):
    """A list that a recommender under test was asked for: of whom, from what, and the reply.

    Its judgment of the same run and unit says whether it was asked, and whether it could be read.
    """

    class Plan(models.TextChoices):
        RELATIONS = "relations", "Relations: the prompt perturbed, against one baseline list"
        K_SWEEP = "k_sweep", "Sweep of k: how many are asked for"
        L_SWEEP = "l_sweep", "Sweep of l: how many rated contents are shown"

    run = models.ForeignKey("judges.Run", models.CASCADE, related_name="recommended_lists")
    recipient = models.ForeignKey("annotate.Recipient", models.CASCADE, related_name="+")
    unit = models.PositiveIntegerField()
    plan = models.CharField(max_length=20, choices=Plan)
    relation = models.CharField(
        max_length=60, help_text="How the prompt was perturbed: a key of perturbations.RELATIONS."
    )
    options = models.JSONField(default=dict, help_text="Of the relation: {name: value}.")
    cell = models.CharField(max_length=150, help_text="The relation with its options, as one text.")
    iteration = models.PositiveSmallIntegerField(help_text="0: the baseline list.")
    k = models.PositiveSmallIntegerField(help_text="How many contents are asked for.")
    l = models.PositiveSmallIntegerField(  # noqa: E741 - the literature's name for it
        help_text="How many rated contents are shown; 0: all above the run's threshold."
    )
    given = models.JSONField(default=list, help_text="[[content id, rating], …], as drawn.")
    text = models.TextField(blank=True, help_text="The prompt, as it is sent.")
    entries = models.JSONField(
        default=list,
        help_text='[{"said", "content": its id or null, "how": exact, normalised, fuzzy or ""}, …],'
        " in the reply's order, each content once, at most k.",
    )
    left_out = models.JSONField(
        default=list, help_text='[{"said", "content", "why": repeated or extra}, …].'
    )
    repeated = models.PositiveSmallIntegerField(default=0, help_text="Entries said before.")
    unmatched = models.PositiveSmallIntegerField(default=0, help_text="Not in the catalogue.")
    extra = models.PositiveSmallIntegerField(default=0, help_text="Entries beyond k.")
    known = models.PositiveSmallIntegerField(
        default=0, help_text="Entries that the recipient's own history has."
    )
    is_parsed = models.BooleanField(default=False)
    read_at = models.DateTimeField(null=True, help_text="When its reply was last read.")

    objects = RecommendedListQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "unit"], name="recommended_once_a_unit"),
            models.UniqueConstraint(
                fields=["run", "recipient", "plan", "cell", "k", "l", "iteration"],
                name="recommended_once_an_iteration",
            ),
        ]

    def __str__(self):
        return f"list for recipient {self.recipient_id}"

    @property
    def identities(self):
        """Return the list's entries, best first, as they are compared with another list."""
        return [identity(entry) for entry in self.entries]
