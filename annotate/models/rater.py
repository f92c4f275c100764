import secrets

from django.db import models
from django.db.models import Q


def session_token():
    """144 random bits: the address is the only authority over a session."""
    return secrets.token_urlsafe(18)


class Rater(models.Model):
    """A person who answers."""

    class Role(models.TextChoices):
        RECIPIENT = "recipient", "Recipient (rates what was recommended to them)"
        THIRD_PARTY = "third_party", "Third party"
        EXPERT = "expert", "Expert"

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="raters")
    key = models.CharField(max_length=200, help_text="A pseudonym; never a platform's id.")
    role = models.CharField(max_length=20, choices=Role, default=Role.THIRD_PARTY)
    recipient = models.ForeignKey(
        "annotate.Recipient", models.CASCADE, null=True, blank=True, related_name="raters"
    )
    platform_ids = models.JSONField(default=dict, blank=True)
    excluded_because = models.CharField(
        max_length=200, blank=True, help_text="Empty: counts in the analysis."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="rater_key_once_a_study")
        ]

    def __str__(self):
        return self.key

    @property
    def role_words(self):
        """The role as tables say it."""
        return self.role.replace("_", " ")


class SessionQuerySet(models.QuerySet):
    def begun(self):
        """Without the personal links that nobody has used."""
        return self.exclude(source=Session.Source.LINK, state=Session.State.CONSENT)

    def visits(self):
        """Those that somebody began here, not loaded from a file."""
        return self.begun().exclude(source=Session.Source.FILE)

    def with_answers(self):
        """Each with its answers, the items they are about, and when the last one came."""
        return self.annotate(
            answers=models.Count("ratings", distinct=True),
            items=models.Count("ratings__item", distinct=True),
            last_answer=models.Max("ratings__answered_at"),
        )


class Session(models.Model):
    """One rater's visit to one study, from consent to completion code."""

    class State(models.TextChoices):
        CONSENT = "consent", "Reads the consent"
        INSTRUCTIONS = "instructions", "Reads the instructions"
        RATING = "rating", "Rates"
        COMPLETED = "completed", "Completed"
        DECLINED = "declined", "Declined consent"
        ABANDONED = "abandoned", "Stopped for too long"
        SCREENED_OUT = "screened_out", "Screened out"
        FAILED_ATTENTION = "failed_attention", "Failed the attention checks"
        RETURNED = "returned", "Returned on the platform"

    class Source(models.TextChoices):
        WEB = "web", "Answered here"
        LINK = "link", "Personal link"
        FILE = "file", "Loaded from a file"

    # What may follow what; everything else is refused by sessions.move().
    NEXT = {
        State.CONSENT: {State.INSTRUCTIONS, State.DECLINED, State.ABANDONED, State.RETURNED},
        State.INSTRUCTIONS: {State.RATING, State.ABANDONED, State.SCREENED_OUT, State.RETURNED},
        State.RATING: {
            State.COMPLETED,
            State.ABANDONED,
            State.SCREENED_OUT,
            State.FAILED_ATTENTION,
            State.RETURNED,
        },
        State.ABANDONED: {State.CONSENT, State.INSTRUCTIONS, State.RATING, State.RETURNED},
        State.COMPLETED: {State.RETURNED},
        State.DECLINED: set(),
        State.SCREENED_OUT: set(),
        State.FAILED_ATTENTION: set(),
        State.RETURNED: set(),
    }
    # The states in which a visit is over.
    OVER = (
        State.COMPLETED,
        State.DECLINED,
        State.SCREENED_OUT,
        State.FAILED_ATTENTION,
        State.RETURNED,
    )

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="sessions")
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="sessions")
    token = models.CharField(max_length=40, unique=True, default=session_token)
    state = models.CharField(max_length=20, choices=State, default=State.CONSENT)
    source = models.CharField(max_length=10, choices=Source, default=Source.WEB)
    current = models.PositiveSmallIntegerField(
        default=1, help_text="The item on the screen, counted from 1: where a reload resumes."
    )
    started_at = models.DateTimeField(auto_now_add=True)
    last_seen_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = SessionQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [
            # places.release_expired: the sessions that run. Not by last_seen_at: PostgreSQL would
            # then write into every index of the table with every answer.
            models.Index(
                fields=["study"],
                name="session_running",
                condition=Q(state__in=["instructions", "rating"]),
            )
        ]

    def __str__(self):
        return f"session {self.pk}"

    @property
    def times(self):
        """When it began, was last heard of, and ended, for tables."""
        return self.started_at, self.last_seen_at, self.ended_at

    @property
    def can_return(self):
        """Can it still be returned on its platform?"""
        is_held = self.source != self.Source.FILE
        return is_held and self.State.RETURNED in self.NEXT[self.state]


class RepeatVisit(models.Model):
    """A participant of a platform came again, in another visit, and was told so."""

    rater = models.ForeignKey(Rater, models.CASCADE, related_name="repeat_visits")
    visit = models.CharField(max_length=100, help_text="The platform’s id of the other visit.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["rater", "visit"], name="repeat_visit_once_a_rater")
        ]

    def __str__(self):
        return f"repeat visit {self.pk}"


class Place(models.Model):
    """One of the K ratings that an item is to get."""

    class State(models.TextChoices):
        OPEN = "open", "Open"
        HELD = "held", "Held"
        FILLED = "filled", "Filled"

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="places")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="places")
    number = models.PositiveSmallIntegerField()
    shuffle = models.PositiveIntegerField(help_text="A seeded draw: the order among equals.")
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    rater = models.ForeignKey(Rater, models.SET_NULL, null=True, blank=True, related_name="places")
    session = models.ForeignKey(
        Session, models.SET_NULL, null=True, blank=True, related_name="places"
    )
    position = models.PositiveSmallIntegerField(null=True, blank=True)
    first_side = models.CharField(
        max_length=1,
        blank=True,
        default="",
        db_default="",
        help_text="Of a pair of lists: the side, A or B, that stands first for this rater.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="place_number_once_an_item"),
            models.UniqueConstraint(fields=["item", "rater"], name="item_once_a_rater"),
            models.CheckConstraint(
                condition=Q(state="open", rater=None, session=None) | ~Q(state="open"),
                name="open_place_has_no_rater",
            ),
        ]
        indexes = [
            # places.claim: the least filled first
            models.Index(
                fields=["study", "number", "shuffle"],
                name="place_open",
                condition=Q(state="open"),
            ),
            # a session's items in their order
            models.Index(fields=["session", "position"], name="place_of_session"),
        ]

    def __str__(self):
        return f"place {self.number} of item {self.item_id}"
