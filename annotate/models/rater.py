"""Store raters, their sessions, and the places of items that they fill."""

import secrets

from django.db import models
from django.db.models import Q
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.models.load import Loaded

PREVIEW = "preview-"  # how the tokens of previews begin


def session_token():
    """Draw 144 random bits: the address is the only authority over a session."""
    return secrets.token_urlsafe(18)


def token_in(study):
    """Draw a token for a session of a study; one of a preview shows what it is."""
    return (PREVIEW if study.preview_of_id else "") + session_token()


class Rater(Loaded):
    """A person who answers questions about items."""

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
    # Made of platform_ids by the database, so the two never differ; NULL for who has no such id.
    participant = models.GeneratedField(
        expression=Coalesce(KT("platform_ids__PROLIFIC_PID"), KT("platform_ids__workerId")),
        output_field=models.TextField(null=True),
        db_persist=True,
    )
    excluded_because = models.CharField(
        max_length=200, blank=True, help_text="Empty: counts in the analysis."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="rater_key_once_a_study")
        ]
        indexes = [
            # earlier_visit in annotate/design/platform.py; the search by the platform's id
            models.Index(fields=["study", "participant"], name="rater_participant")
        ]

    def __str__(self):
        return self.key

    @property
    def role_words(self):
        """Return the role as tables write it."""
        return self.role.replace("_", " ")


class SessionQuerySet(models.QuerySet):
    """Queries over sessions."""

    def locked(self, pk):
        """Lock and return a session with its study and rater; its other steps wait."""
        locked = self.select_for_update(of=("self",))
        return locked.select_related("study", "rater").get(pk=pk)

    def begun(self):
        """Leave out the personal links that nobody has used."""
        return self.exclude(source=Session.Source.LINK, state=Session.State.CONSENT)

    def visits(self):
        """Return the sessions that a rater began here, not loaded from a file."""
        return self.begun().exclude(source=Session.Source.FILE)

    def with_any_answer(self):
        """Keep the sessions in which at least one answer was given."""
        ratings = Session._meta.get_field("ratings").related_model.objects
        return self.filter(models.Exists(ratings.filter(session=models.OuterRef("pk"))))

    def with_answers(self):
        """Annotate each with its answers, the answered items, and when the last came."""
        return self.annotate(
            answers=models.Count("ratings", distinct=True),
            items=models.Count("ratings__item", distinct=True),
            last_answer=models.Max("ratings__answered_at"),
        )

    def with_times(self):
        """Annotate each with the seconds spent on items, NULL where nothing was measured."""
        spent = Session._meta.get_field("times_spent").related_model.objects
        rows = spent.filter(session=models.OuterRef("pk")).order_by().values("session")
        return self.annotate(
            **{
                name: models.Subquery(rows.annotate(n=models.Sum(f"{name}_seconds")).values("n"))
                for name in ("active", "idle")
            }
        )


class Session(models.Model):
    """A rater's visit to a study, from consent to completion code."""

    class State(models.TextChoices):
        CONSENT = "consent", "Reads the consent"
        SCREENER = "screener", "Answers the screener"
        QUESTIONS = "questions", "Answers the questions before"
        TASTE = "taste", "Picks what they like"
        INSTRUCTIONS = "instructions", "Reads the instructions"
        CHECK = "check", "Answers the comprehension check"
        PRACTICE = "practice", "Practises"
        WAITING = "waiting", "Waits for their lists"
        RATING = "rating", "Rates"
        EXIT = "exit", "Answers the exit questions"
        COMPLETED = "completed", "Completed"
        DECLINED = "declined", "Declined consent"
        ABANDONED = "abandoned", "Stopped for too long"
        SCREENED_OUT = "screened_out", "Screened out"
        FAILED_ATTENTION = "failed_attention", "Failed the attention checks"
        RETURNED = "returned", "Returned on the platform"
        WITHDRAWN = "withdrawn", "Withdrew"

    class Source(models.TextChoices):
        WEB = "web", "Answered here"
        LINK = "link", "Personal link"
        FILE = "file", "Loaded from a file"

    # How a visit may stop wherever it is, from the first step after the consent on.
    STOPS = {State.ABANDONED, State.RETURNED, State.WITHDRAWN}
    # What may follow what; everything else is refused by session.move().
    NEXT = {
        State.CONSENT: {
            State.SCREENER,
            State.QUESTIONS,
            State.TASTE,
            State.INSTRUCTIONS,
            State.DECLINED,
            State.ABANDONED,
            State.RETURNED,
        },
        State.SCREENER: {
            *STOPS,
            State.QUESTIONS,
            State.TASTE,
            State.INSTRUCTIONS,
            State.SCREENED_OUT,
        },
        State.QUESTIONS: {*STOPS, State.TASTE, State.INSTRUCTIONS},
        State.TASTE: {*STOPS, State.INSTRUCTIONS},
        State.INSTRUCTIONS: {
            *STOPS,
            State.TASTE,  # the researchers asked for it meanwhile
            State.CHECK,
            State.PRACTICE,
            State.WAITING,
            State.RATING,
            State.SCREENED_OUT,
        },
        State.CHECK: {
            *STOPS,
            State.TASTE,
            State.PRACTICE,
            State.WAITING,
            State.RATING,
            State.SCREENED_OUT,
        },
        State.PRACTICE: {*STOPS, State.TASTE, State.WAITING, State.RATING},
        State.WAITING: {*STOPS, State.RATING, State.SCREENED_OUT},
        State.RATING: {
            *STOPS,
            State.EXIT,
            State.COMPLETED,
            State.SCREENED_OUT,
            State.FAILED_ATTENTION,
        },
        State.EXIT: {*STOPS, State.COMPLETED},
        State.ABANDONED: {
            State.CONSENT,
            State.SCREENER,
            State.QUESTIONS,
            State.TASTE,
            State.INSTRUCTIONS,
            State.RATING,
            State.EXIT,
            State.RETURNED,
            State.WITHDRAWN,
        },
        State.COMPLETED: {State.RETURNED, State.WITHDRAWN},
        State.DECLINED: set(),
        State.SCREENED_OUT: {State.WITHDRAWN},
        State.FAILED_ATTENTION: {State.WITHDRAWN},
        State.RETURNED: {State.WITHDRAWN},
        State.WITHDRAWN: set(),
    }
    # The states before the items: nothing is held yet.
    BEFORE = (
        State.SCREENER,
        State.QUESTIONS,
        State.TASTE,
        State.INSTRUCTIONS,
        State.CHECK,
        State.PRACTICE,
        State.WAITING,
    )
    # The states in which a visit is over.
    OVER = (
        State.COMPLETED,
        State.DECLINED,
        State.SCREENED_OUT,
        State.FAILED_ATTENTION,
        State.RETURNED,
        State.WITHDRAWN,
    )

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="sessions")
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="sessions")
    token = models.CharField(max_length=40, unique=True, default=session_token)
    state = models.CharField(max_length=20, choices=State, default=State.CONSENT)
    source = models.CharField(max_length=10, choices=Source, default=Source.WEB)
    current = models.PositiveSmallIntegerField(
        default=1, help_text="The item on the screen, counted from 1: where a reload resumes."
    )
    version = models.PositiveSmallIntegerField(
        default=1,
        db_default=1,
        help_text="Of the questionnaire: the one that was present when its items were claimed.",
    )
    order_row = models.PositiveIntegerField(
        null=True, blank=True, help_text="Its row of the study's design, from 0."
    )
    hurried_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was first asked to take its time."
    )
    stopped_in = models.CharField(
        max_length=20,
        blank=True,
        default="",
        db_default="",
        help_text="The state that it was in when it stopped before its end.",
    )
    layout = models.CharField(
        max_length=20,
        blank=True,
        default="",
        db_default="",
        help_text="Of its questions: the study’s when its items were claimed.",
    )
    arm = models.CharField(
        max_length=60,
        blank=True,
        default="",
        db_default="",
        help_text="Of the study’s arms: the one to which it was assigned at its consent.",
    )
    browser = models.CharField(max_length=10, blank=True, default="", db_default="")
    device = models.CharField(max_length=10, blank=True, default="", db_default="")
    screen_width = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="Rounded down to a class; see annotate/sessions/browsers.py.",
    )
    withdrawn_items = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="On how many items who withdrew had answered something, to be paid by.",
    )
    told_endpoints = models.JSONField(
        null=True,
        blank=True,
        help_text="{host: [what it is shown]} as the consent said; empty before it was kept.",
    )
    started_at = models.DateTimeField(auto_now_add=True)
    last_seen_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    items_done_at = models.DateTimeField(
        null=True, blank=True, help_text="When the last item was left with all its answers."
    )

    objects = SessionQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [
            # places.quiet: the sessions that run. Not by last_seen_at: PostgreSQL would
            # then write into every index of the table with every answer.
            models.Index(
                fields=["study"],
                name="session_running",
                condition=Q(
                    state__in=[
                        "screener",
                        "questions",
                        "taste",
                        "instructions",
                        "check",
                        "practice",
                        "waiting",
                        "rating",
                        "exit",
                    ]
                ),
            )
        ]

    def __str__(self):
        return f"session {self.pk}"

    def touch(self):
        """Note that its rater is there."""
        Session.objects.filter(pk=self.pk).update(last_seen_at=timezone.now())

    @property
    def times(self):
        """Return when it began, was last heard of, and ended, for tables."""
        return self.started_at, self.last_seen_at, self.ended_at

    @property
    def can_return(self):
        """Tell whether it can still be returned on its platform."""
        is_held = self.source != self.Source.FILE
        return is_held and self.State.RETURNED in self.NEXT[self.state]

    @property
    def can_withdraw(self):
        """Tell whether its rater can still take back all that they gave, from consent on."""
        return self.State.WITHDRAWN in self.NEXT[self.state]


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
    kept_for = models.ForeignKey(
        Rater,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="kept_places",
        db_index=False,  # place_kept
        help_text="The recipient who alone may take it; see annotate/sessions/kept_places.py.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="place_number_once_an_item"),
            models.UniqueConstraint(fields=["item", "rater"], name="item_once_a_rater"),
            models.CheckConstraint(
                condition=Q(state="open", rater=None, session=None) | ~Q(state="open"),
                name="open_place_has_no_rater",
            ),
            models.CheckConstraint(
                condition=Q(kept_for=None) | Q(state="open"), name="kept_place_is_open"
            ),
        ]
        indexes = [
            # places.claim: the least filled first, without those kept for somebody
            models.Index(
                fields=["study", "number", "shuffle"],
                name="place_claimable",
                condition=Q(state="open", kept_for=None),
            ),
            # keeping: what is kept, and for whom
            models.Index(
                fields=["kept_for"], name="place_kept", condition=Q(kept_for__isnull=False)
            ),
            # a session's items in their order
            models.Index(fields=["session", "position"], name="place_of_session"),
        ]

    def __str__(self):
        return f"place {self.number} of item {self.item_id}"


class OrderCounter(models.Model):
    """How many sessions of a study took a row of its design: see annotate/sessions/order.py.

    No column of the study: whoever begins holds their session, and those who lock the study wait
    for sessions.
    """

    study = models.OneToOneField("annotate.Study", models.CASCADE, related_name="+")
    taken = models.PositiveIntegerField(default=0)

    def __str__(self):
        return f"{self.taken} rows of study {self.study_id}"
