"""Store a session's extra screens and their answers, which are no ratings and fill no place."""

from django.db import models
from django.db.models import OuterRef, Q, Subquery

from annotate.models.rater import Session
from annotate.models.rating import Rating


class Extra(models.Model):
    """An extra screen: an attention check, an item with known answers, or an item shown again.

    position counts all screens of the session, its items' too: see annotate/sessions/extras.py.
    """

    class Kind(models.TextChoices):
        ATTENTION = "attention", "Attention check"
        GOLD = "gold", "Gold item"
        REPEAT = "repeat", "Repeated item"

    session = models.ForeignKey(Session, models.CASCADE, related_name="extras")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    item = models.ForeignKey(
        "annotate.Item", models.CASCADE, null=True, blank=True, related_name="+"
    )
    check_key = models.CharField(max_length=60, blank=True)
    spec = models.JSONField(
        default=dict,
        blank=True,
        help_text="The check, or the right answers, as they were when it was drawn.",
    )
    first_side = models.CharField(max_length=1, blank=True, default="", db_default="")
    is_whole = models.BooleanField(default=False, help_text="Nothing required is missing.")
    passed = models.BooleanField(null=True, blank=True)

    class Meta:
        ordering = ["session", "position"]
        constraints = [
            # extras.arrange and the rater's pages: the screens of a session in their order
            models.UniqueConstraint(fields=["session", "position"], name="extra_once_a_position"),
            models.UniqueConstraint(
                fields=["session", "kind", "item"], name="extra_item_once_a_session"
            ),
            models.UniqueConstraint(
                fields=["session", "check_key"],
                condition=~Q(check_key=""),
                name="extra_check_once_a_session",
            ),
            models.CheckConstraint(
                condition=Q(kind="attention", item=None) & ~Q(check_key="")
                | Q(kind__in=["gold", "repeat"], item__isnull=False, check_key=""),
                name="extra_has_an_item_or_a_check",
            ),
        ]

    def __str__(self):
        return f"{self.kind} {self.check_key or self.item_id}"

    @property
    def name(self):
        """Return what identifies it, whatever its position: the same however often it is drawn."""
        return str(self.kind), self.item_id, self.check_key


class ExtraAnswerQuerySet(models.QuerySet):
    """Queries over answers on extra screens."""

    def for_analysis(self):
        """Return answers of completed sessions by raters who are not excluded."""
        done = self.filter(extra__session__state=Session.State.COMPLETED)
        return done.filter(extra__session__rater__excluded_because="")

    def with_first(self):
        """Annotate each with the item's first answer (`first`), None where there was none."""
        before = Rating.objects.filter(
            session=OuterRef("extra__session"), item=OuterRef("item"), question=OuterRef("question")
        )
        return self.annotate(first=Subquery(before.values("value")[:1]))

    def test_retest(self):
        """Iterate (rater, item, question, first, second) of numbers given twice: ids, values.

        Call it on for_analysis() to read only raters who count.
        """
        repeated = self.filter(extra__kind=Extra.Kind.REPEAT)
        both = repeated.with_first().filter(first__isnull=False, value__isnull=False)
        names = ["extra__session__rater", "item", "question", "first", "value"]
        return both.order_by("pk").values_list(*names).iterator(chunk_size=5000)


class ExtraAnswer(models.Model):
    """An answer on an extra screen; changes keeps its earlier values, with the time."""

    extra = models.ForeignKey(Extra, models.CASCADE, related_name="answers")
    item = models.ForeignKey(
        "annotate.Item", models.CASCADE, null=True, blank=True, related_name="+"
    )
    question = models.ForeignKey(
        "annotate.Question", models.CASCADE, null=True, blank=True, related_name="+"
    )
    value = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True)
    reason = models.TextField(blank=True, default="", db_default="")
    passed = models.BooleanField(null=True, blank=True, help_text="Empty: nothing is right.")
    seconds = models.FloatField(null=True, blank=True)
    answered_at = models.DateTimeField()
    changes = models.JSONField(default=list, blank=True, help_text="[value or text, until when]")

    objects = ExtraAnswerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["extra", "item", "question"], name="one_answer_a_question_of_an_extra"
            ),
            models.UniqueConstraint(
                fields=["extra"], condition=Q(item=None), name="one_answer_a_check"
            ),
            models.CheckConstraint(
                condition=Q(item=None, question=None)
                | Q(item__isnull=False, question__isnull=False),
                name="extra_answer_is_about_both_or_neither",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(text=""), name="extra_answer_has_an_answer"
            ),
        ]

    def __str__(self):
        return f"extra answer {self.pk}"

    @property
    def as_shown(self):
        """Return the number, or the text."""
        return self.text if self.value is None else self.value


class OrderCounter(models.Model):
    """How many sessions of a study took a row of its design: see annotate/sessions/order.py.

    No column of the study: whoever begins holds their session, and those who lock the study wait
    for sessions.
    """

    study = models.OneToOneField("annotate.Study", models.CASCADE, related_name="+")
    taken = models.PositiveIntegerField(default=0)

    def __str__(self):
        return f"{self.taken} rows of study {self.study_id}"
