"""Read what a study asks before and after its items: comprehension check, practice, exit questions.

They stand in Study.extra as in study.yaml; annotate/files/reading/stepspec.py reads them.
"""

from dataclasses import dataclass, field
from functools import cached_property

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.models import ExitAnswer, PracticeAnswer, Session
from annotate.values.languages import ENGLISH
from annotate.values.scales import parse_scale
from annotate.values.scales.base import Scale
from annotate.values.scales.choice import Choice
from annotate.values.scales.likert import Likert
from annotate.values.scales.number import Number
from annotate.values.scales.text import Text

CHECK, PRACTICE, EXIT = "comprehension", "practice", "exit"
ATTEMPTS, MOST_ATTEMPTS = 2, 5


# The ready-made exit questions


class PercentScale(Likert):
    """A scale of 0, 10, … 100 %; the value is the percentage."""

    @property
    def points(self):
        return [(n, gettext("%(percent)s %%") % {"percent": n}) for n in range(0, 101, 10)]

    def allows(self, value):
        """Return whether the value is one of the steps."""
        return value in dict(self.points)


# What is stored and exported, and what raters read.
GENDERS = {
    "woman": _("Woman"),
    "man": _("Man"),
    "non-binary": _("Non-binary"),
    "other": _("Other"),
    "prefer not to say": _("Prefer not to say"),
}
READY = {
    "gender": (_("What is your gender?"), Choice(1, len(GENDERS), list(GENDERS.values()))),
    "age": (_("How old are you, in years?"), Number(1, 130)),
    "familiarity": (
        _("What share of the films was familiar to you?"),
        PercentScale(0, 100),
    ),
    "movies_per_month": (
        _("How many films do you watch in a month, on average?"),
        Number(0, 1000),
    ),
    "comments": (_("Is there anything that you would like to tell us?"), Text()),
}


# What a study asks


@dataclass(frozen=True)
class CheckQuestion:
    """A multiple-choice question about the instructions; on pages it is asked like any other."""

    pk: int
    text: str
    options: list[str]
    answer: str
    explanation: str = ""
    required: bool = True
    why = ""  # no reason is asked

    @cached_property
    def scale(self):
        return Choice(1, len(self.options), self.options)

    def option_text(self, value):
        """Return the option with this value."""
        return self.options[int(value) - 1]


@dataclass(frozen=True)
class Check:
    """The comprehension check: its questions, and how many attempts a rater has."""

    questions: list[CheckQuestion]
    attempts: int = ATTEMPTS

    def judged(self, values):
        """Judge {question pk: value} as an attempt keeps it: [{question, answer, right}]."""
        chosen = [
            (question, question.option_text(values[question.pk])) for question in self.questions
        ]
        return [
            {"question": question.text, "answer": answer, "right": answer == question.answer}
            for question, answer in chosen
        ]


@dataclass(frozen=True)
class Practice:
    """An item to practise on: its id, expected {question key: value}, feedback shown after it."""

    item: str
    answers: dict = field(default_factory=dict)
    feedback: str = ""


@dataclass(frozen=True)
class ExitQuestion:
    """A question about the rater; ready: it is among READY."""

    key: str
    text: str
    scale: Scale
    required: bool = False
    ready: bool = False
    why = ""  # no reason is asked

    @property
    def pk(self):
        """Return the question's name on the page, as other questions have their number."""
        return self.key

    def words(self, value):
        """Return the words of a chosen value, those of a ready question in English.

        Empty on scales without words for every value.
        """
        if not self.scale.is_worded:
            return ""
        if self.ready:
            return list(GENDERS)[int(value) - 1]
        return dict(self.scale.points)[int(value)]


def check_of(study):
    """Return the Check of a study, or None."""
    data = study.extra.get(CHECK)
    if not data:
        return None
    questions = [
        CheckQuestion(number, **entry) for number, entry in enumerate(data["questions"], 1)
    ]
    return Check(questions, data["attempts"])


def practice_of(study):
    """Return the Practice items of a study, in their order."""
    return [Practice(**entry) for entry in study.extra.get(PRACTICE) or ()]


def exit_of(study):
    """Return the ExitQuestions of a study, in their order."""
    return [exit_question(entry, study.language) for entry in study.extra.get(EXIT) or ()]


def exit_question(entry, language=ENGLISH):
    """Build the ExitQuestion of an entry: a name, or a mapping."""
    data = {"ready": entry} if isinstance(entry, str) else entry
    required = data.get("required", False)
    if name := data.get("ready"):
        text, scale = READY[name]
        return ExitQuestion(name, data.get("text") or text, scale, required, ready=True)
    return ExitQuestion(data["key"], data["text"], parse_scale(data["scale"], language), required)


def practice_items(study):
    """List (Practice, its item) of those whose item the study has, in their order."""
    wanted = practice_of(study)
    if not wanted:
        return []
    practice_rows = study.items.filter(key__in=[practice.item for practice in wanted], parent=None)
    items = {item.key: item for item in practice_rows.select_related("content")}
    return [(practice, items[practice.item]) for practice in wanted if practice.item in items]


def frozen_keys(study, entries):
    """List the keys of exit questions that have answers, but whose entries change the scale.

    Their answers keep the old scale.
    """
    old = {question.key: question.scale for question in exit_of(study)}
    asked = (exit_question(entry, study.language) for entry in entries)
    new = {question.key: question.scale for question in asked}
    changed = [key for key, scale in new.items() if key in old and old[key] != scale]
    if not changed:
        return []
    given = ExitAnswer.objects.filter(session__study=study, key__in=changed)
    return sorted(set(given.values_list("key", flat=True)))


def left_before(session):
    """Return the state of the step that a session still has to do before its items, or None."""
    states = Session.State
    before_practice = session.state in (states.INSTRUCTIONS, states.CHECK)
    if before_practice and check_of(session.study) and not has_passed(session):
        return states.CHECK
    items = [item.pk for _, item in practice_items(session.study)]
    done = PracticeAnswer.objects.filter(session=session, item__in=items).count() if items else 0
    return states.PRACTICE if done < len(items) else None


def has_passed(session):
    """Return whether the session has a right attempt at the check."""
    return session.check_attempts.filter(passed=True).exists()


def forgotten_items(extra):
    """Return a study's extra for a similar study, without the practice, whose items it lacks."""
    return {key: value for key, value in extra.items() if key != PRACTICE}
