"""Store what raters answer before and after their items. None of it is a rating."""

from django.db import models
from django.db.models import Q

from annotate.models.rater import Session


class CheckAttempt(models.Model):
    """An attempt at the comprehension check."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="check_attempts")
    number = models.PositiveSmallIntegerField(help_text="Counted from 1.")
    answers = models.JSONField(help_text="[{question, answer, right}], as it was asked.")
    passed = models.BooleanField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            # Its index also finds the attempts of a session.
            models.UniqueConstraint(fields=["session", "number"], name="attempt_number_once"),
        ]

    def __str__(self):
        return f"attempt {self.number} of session {self.session_id}"

    @property
    def wrong(self):
        """List the texts of the questions that were answered wrongly."""
        return [answer["question"] for answer in self.answers if not answer["right"]]


class PracticeAnswer(models.Model):
    """The answers about an item for practice."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="practice_answers")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")
    answers = models.JSONField(help_text="{question key: value or text}; of a part: key@item.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["session", "item"], name="practised_once_a_session"),
        ]

    def __str__(self):
        return f"practice {self.pk}"


class ExitAnswer(models.Model):
    """A rater's answer to a question about themselves: a number; a text; of a choice both."""

    class Step(models.TextChoices):
        SCREENER = "screener", "Screener"
        BEFORE = "before", "Questions before"
        EXIT = "exit", "Exit questions"

    session = models.ForeignKey(Session, models.CASCADE, related_name="exit_answers")
    key = models.CharField(max_length=60)
    value = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True)
    step = models.CharField(
        max_length=10,
        choices=Step,
        default=Step.EXIT,
        db_default="exit",
        help_text="In which it was asked.",
    )
    at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["session", "key"], name="exit_question_once_a_session"),
            models.CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(text=""), name="exit_answer_says_something"
            ),
        ]

    def __str__(self):
        return f"{self.key} of session {self.session_id}"

    @property
    def as_shown(self):
        """Return the words, or the number: 4 for 4.0."""
        if self.text or self.value is None:
            return self.text
        return int(self.value) if self.value.is_integer() else self.value
