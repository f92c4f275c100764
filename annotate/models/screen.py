"""Store what raters answer beside the items that they rate. None of it is a rating."""

from django.db import models
from django.db.models import OuterRef, Q, Subquery

from annotate.models.rater import Session
from annotate.models.rating import Rating


class ScreenQuerySet(models.QuerySet):
    """Queries over screens."""

    def among_items(self):
        """Keep checks, gold items and repeated items."""
        return self.filter(position__isnull=False)


class Screen(models.Model):
    """A page of a session, beside those of its places.

    position counts all screens among the items, theirs too: see annotate/sessions/screens.py. What
    stands before or after the items has none.
    """

    class Kind(models.TextChoices):
        ATTENTION = "attention", "Attention check"
        GOLD = "gold", "Gold item"
        REPEAT = "repeat", "Repeated item"
        SCREENER = "screener", "Screener"
        BEFORE = "before", "Questions before"
        CHECK = "check", "Comprehension check"
        PRACTICE = "practice", "Practice"
        EXIT = "exit", "Exit questions"

    AMONG_ITEMS = (Kind.ATTENTION, Kind.GOLD, Kind.REPEAT)
    ABOUT_RATER = (Kind.SCREENER, Kind.BEFORE, Kind.EXIT)

    session = models.ForeignKey(Session, models.CASCADE, related_name="screens")
    kind = models.CharField(max_length=10, choices=Kind)
    position = models.PositiveSmallIntegerField(null=True, blank=True)
    item = models.ForeignKey(
        "annotate.Item", models.CASCADE, null=True, blank=True, related_name="+"
    )
    key = models.CharField(max_length=60, blank=True, help_text="Of an attention check.")
    number = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Of an attempt at the comprehension check, from 1."
    )
    spec = models.JSONField(
        default=dict,
        blank=True,
        help_text="The check, or the right answers, as they were when it was drawn; of an attempt "
        "the questions as they were asked.",
    )
    first_side = models.CharField(max_length=1, blank=True, default="", db_default="")
    is_whole = models.BooleanField(
        default=False, help_text="Among the items: nothing required is missing."
    )
    passed = models.BooleanField(null=True, blank=True)

    objects = ScreenQuerySet.as_manager()

    class Meta:
        ordering = ["session", "position", "number", "id"]
        constraints = [
            # screens.arrange and the rater's pages: the screens of a session in their order
            models.UniqueConstraint(fields=["session", "position"], name="screen_once_a_position"),
            models.UniqueConstraint(
                fields=["session", "kind", "item"], name="screen_of_an_item_once_a_session"
            ),
            models.UniqueConstraint(
                fields=["session", "kind", "key"],
                condition=~Q(key=""),
                name="screen_of_a_key_once_a_session",
            ),
            models.UniqueConstraint(fields=["session", "number"], name="attempt_number_once"),
            models.UniqueConstraint(
                fields=["session", "kind"],
                condition=Q(kind__in=["screener", "before", "exit"]),
                name="screen_about_the_rater_once_a_session",
            ),
            models.CheckConstraint(
                condition=Q(kind="attention", position__isnull=False, item=None, number=None)
                & ~Q(key="")
                | Q(kind__in=["gold", "repeat"], position__isnull=False, item__isnull=False)
                & Q(key="", number=None)
                | Q(kind="practice", position=None, item__isnull=False, key="", number=None)
                | Q(kind="check", position=None, item=None, key="", number__isnull=False)
                | Q(kind__in=["screener", "before", "exit"], position=None, item=None)
                & Q(key="", number=None),
                name="screen_has_what_its_kind_has",
            ),
        ]

    def __str__(self):
        return f"{self.kind} {self.key or self.item_id or self.number or ''}".strip()

    @property
    def name(self):
        """Return what identifies it, whatever its position: the same however often it is drawn."""
        return str(self.kind), self.item_id, self.key

    @property
    def judged(self):
        """List [{question, answer, right}] of an attempt at the check, in the order asked."""
        return [
            {"question": text, "answer": answer.text, "right": answer.passed}
            for text, answer in zip(self.spec["questions"], self.answers.all(), strict=True)
        ]

    @property
    def by_key(self):
        """Return {key: number or text} of what was answered under keys."""
        return {answer.key: answer.as_shown for answer in self.answers.all()}


class AnswerQuerySet(models.QuerySet):
    """Queries over answers."""

    def among_items(self):
        """Keep those on attention checks, gold items and repeated items."""
        return self.filter(screen__kind__in=Screen.AMONG_ITEMS)

    def about_raters(self):
        """Keep those to the screener, and to the questions before and after the items."""
        return self.filter(screen__kind__in=Screen.ABOUT_RATER)

    def for_analysis(self):
        """Return answers of completed sessions by raters who are not excluded."""
        done = self.filter(screen__session__state=Session.State.COMPLETED)
        return done.filter(screen__session__rater__excluded_because="")

    def with_first(self):
        """Annotate each with the item's first answer (`first`), None where there was none."""
        before = Rating.objects.filter(
            session=OuterRef("screen__session"),
            item=OuterRef("item"),
            question=OuterRef("question"),
        )
        return self.annotate(first=Subquery(before.values("value")[:1]))

    def test_retest(self):
        """Iterate (rater, item, question, first, second) of numbers given twice: ids, values.

        Call it on for_analysis() to read only raters who count.
        """
        repeated = self.filter(screen__kind=Screen.Kind.REPEAT)
        both = repeated.with_first().filter(first__isnull=False, value__isnull=False)
        names = ["screen__session__rater", "item", "question", "first", "value"]
        return both.order_by("pk").values_list(*names).iterator(chunk_size=5000)


class Answer(models.Model):
    """An answer on a screen: about an item, or under a key; changes keeps its earlier values.

    The key is that of a question about the rater or of an attention check, the number of a
    question of the comprehension check, and of practice the question's key, of a part key@item:
    those questions may go, and what was answered stays.
    """

    screen = models.ForeignKey(Screen, models.CASCADE, related_name="answers")
    item = models.ForeignKey(
        "annotate.Item", models.CASCADE, null=True, blank=True, related_name="+"
    )
    question = models.ForeignKey(
        "annotate.Question", models.CASCADE, null=True, blank=True, related_name="+"
    )
    key = models.CharField(max_length=300, blank=True)
    value = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True, help_text="Of a choice about the rater its words.")
    reason = models.TextField(blank=True, default="", db_default="")
    passed = models.BooleanField(null=True, blank=True, help_text="Empty: nothing is right.")
    seconds = models.FloatField(null=True, blank=True)
    answered_at = models.DateTimeField()
    changes = models.JSONField(default=list, blank=True, help_text="[value or text, until when]")

    objects = AnswerQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["screen", "item", "question"], name="one_answer_a_question_of_a_screen"
            ),
            models.UniqueConstraint(
                fields=["screen", "key"], condition=~Q(key=""), name="one_answer_a_key_of_a_screen"
            ),
            models.CheckConstraint(
                condition=Q(item=None, question=None) & ~Q(key="")
                | Q(item__isnull=False, question__isnull=False, key=""),
                name="answer_is_about_an_item_or_has_a_key",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(text=""), name="answer_says_something"
            ),
        ]

    def __str__(self):
        return f"answer {self.pk}"

    @property
    def name(self):
        """Return what identifies it on its screen."""
        return self.item_id, self.question_id, self.key

    @property
    def as_shown(self):
        """Return the number, or the text."""
        return self.text if self.value is None else self.value

    @property
    def words(self):
        """Return the words, or the number: 4 for 4.0."""
        if self.text or self.value is None:
            return self.text
        return int(self.value) if self.value.is_integer() else self.value
