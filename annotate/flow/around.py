"""Read what a study asks before and after its items: questions, comprehension check, practice.

They stand in Study.extra as in study.yaml; annotate/files/reading/stepspec.py reads them.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.models import Answer, Making, Screen, Session
from annotate.taste import study as taste
from annotate.values.languages import ENGLISH
from annotate.values.scales import parse_scale
from annotate.values.scales.base import Scale
from annotate.values.scales.choice import Choice
from annotate.values.scales.likert import Likert
from annotate.values.scales.number import Number
from annotate.values.scales.text import Text

CHECK, PRACTICE, EXIT, BEFORE = "comprehension", "practice", "exit", "questions_before"
SCREENER = "screener"
# What is asked about the rater on a screen of each kind, in the order of a visit.
ABOUT = {Screen.Kind.SCREENER: SCREENER, Screen.Kind.BEFORE: BEFORE, Screen.Kind.EXIT: EXIT}
ATTEMPTS, MOST_ATTEMPTS = 2, 5


# The steps between consent and instructions; a study has those in which it asks something.
FIRST = (Session.State.SCREENER, Session.State.QUESTIONS, Session.State.TASTE)

# The ready-made questions about raters


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

    def is_right(self, value):
        return self.option_text(value) == self.answer


@dataclass(frozen=True)
class Check:
    """The comprehension check: its questions, and how many attempts a rater has."""

    questions: list[CheckQuestion]
    attempts: int = ATTEMPTS


@dataclass(frozen=True)
class Practice:
    """An item to practise on: its id, expected {question key: value}, feedback shown after it."""

    item: str
    answers: dict = field(default_factory=dict)
    feedback: str = ""


@dataclass(frozen=True)
class ExitQuestion:
    """A question about the rater, asked before or after the items; ready: it is among READY."""

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


def about_of(study, kind):
    """Return the questions about the rater on a study's screen of this kind, in their order."""
    entries = entries_about_raters(study.extra)[ABOUT[kind]]
    return [exit_question(entry, study.language) for entry in entries]


def exit_of(study):
    return about_of(study, Screen.Kind.EXIT)


def before_of(study):
    return about_of(study, Screen.Kind.BEFORE)


def exit_question(entry, language=ENGLISH):
    """Build the ExitQuestion of an entry: a name, or a mapping; the screener's has options."""
    data = {"ready": entry} if isinstance(entry, str) else entry
    required = data.get("required", False)
    if name := data.get("ready"):
        text, scale = READY[name]
        return ExitQuestion(name, data.get("text") or text, scale, required, ready=True)
    if options := data.get("options"):
        return ExitQuestion(data["key"], data["text"], Choice(1, len(options), options), True)
    return ExitQuestion(data["key"], data["text"], parse_scale(data["scale"], language), required)


def practice_items(study):
    """List (Practice, its item) of those whose item the study has, in their order."""
    wanted = practice_of(study)
    if not wanted:
        return []
    practice_rows = study.items.filter(key__in=[practice.item for practice in wanted], parent=None)
    items = {item.key: item for item in practice_rows.select_related("content")}
    return [(practice, items[practice.item]) for practice in wanted if practice.item in items]


def entries_about_raters(extra):
    """Return {key in Study.extra: its entries} of the three lists of questions about raters."""
    screener = extra.get(SCREENER) or {}
    lists = {key: extra.get(key) or [] for key in (BEFORE, EXIT)}
    return {SCREENER: screener.get("questions") or []} | lists


def frozen_keys(study, entries):
    """List the keys of questions about raters with answers whose entries change the scale.

    Their answers keep the old scale.
    """
    present = chain(*entries_about_raters(study.extra).values())
    old, new = (
        {question.key: question.scale for question in _questions(some, study.language)}
        for some in (present, entries)
    )
    changed = [key for key, scale in new.items() if key in old and old[key] != scale]
    if not changed:
        return []
    answers = Answer.objects.about_raters()
    given = answers.filter(screen__session__study=study, key__in=changed)
    return sorted(set(given.values_list("key", flat=True)))


def _questions(entries, language=ENGLISH):
    return [exit_question(entry, language) for entry in entries]


def shared_key(extra):
    """Return a key that two of the lists of questions about raters have; empty without one."""
    lists = entries_about_raters(extra).values()
    keys = [question.key for question in _questions(chain(*lists))]
    return next((key for number, key in enumerate(keys) if key in keys[:number]), "")


def asks_in(study, state, rater=None):
    """Return whether the study asks anything in this step between its consent and instructions.

    rater: whom, if that is known; recipients of the study do not pick what they like.
    """
    if state == Session.State.TASTE:
        return taste.is_asked(study, rater)
    key = {Session.State.SCREENER: SCREENER, Session.State.QUESTIONS: BEFORE}.get(state)
    return key is not None and bool(study.extra.get(key))


def step_after(study, state, rater=None):
    """Return the state of the study's next step after its consent, or after one of the FIRST."""
    rest = FIRST[FIRST.index(state) + 1 :] if state in FIRST else FIRST
    asked = (step for step in rest if asks_in(study, step, rater))
    return next(asked, Session.State.INSTRUCTIONS)


def left_before(session):
    """Return the state of the step that a session still has to do before its items, or None."""
    states, study = Session.State, session.study
    making = taste.making_of(session)
    if making is None and taste.is_asked(study, session.rater):
        first = (states.SCREENER, states.QUESTIONS)
        return session.state if session.state in first else states.TASTE
    if session.state != states.TASTE and asks_in(study, session.state):
        return session.state
    before_practice = session.state in (states.INSTRUCTIONS, states.CHECK)
    if before_practice and check_of(study) and not has_passed(session):
        return states.CHECK
    items = [item.pk for _, item in practice_items(study)]
    practised = session.screens.filter(kind=Screen.Kind.PRACTICE, item__in=items)
    done = practised.count() if items else 0
    if done < len(items):
        return states.PRACTICE
    return states.WAITING if making and making.state != Making.State.MADE else None


def has_passed(session):
    """Return whether the session has a right attempt at the check."""
    return session.screens.filter(kind=Screen.Kind.CHECK, passed=True).exists()


def forgotten_items(extra):
    """Return a study's extra for a similar study, without the practice, whose items it lacks."""
    return {key: value for key, value in extra.items() if key != PRACTICE}
