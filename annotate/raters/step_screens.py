"""Fill the pages before and after the items, for a rater and in the preview alike."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from annotate.design import around, versions
from annotate.design.expected import fits, of_part
from annotate.design.screener import screener_of
from annotate.models import Content, Place
from annotate.raters.forms import ItemForm, Spot, asked
from annotate.raters.screens import ItemPage, missing_of


@dataclass(frozen=True)
class _Stored:
    """An answer in the form that forms.asked expects."""

    question_id: object
    value: float | None
    text: str = ""
    item_id: int = 0
    reason: str = ""


class _Form:
    """Questions that a page sends as one form, and the answers of a sent page."""

    def __init__(self, questions):
        self.questions = questions
        self.spots = [Spot(question, 0) for question in questions]

    def read_form(self, data):
        """Return (the ItemForm, its gaps) of a sent page."""
        form = ItemForm(self.spots, data)
        return form, form.gaps(self.spots)

    def rows(self, stored=(), form=None, gaps=()):
        """Return the context of _question.html and _missing.html."""
        rows = asked(self.spots, stored, form, gaps)
        return {"asked": rows} | missing_of(rows)


def _hash_of(study, key):
    text = json.dumps(study.extra.get(key), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class CheckPage(_Form):
    """The comprehension check; earlier: [{question, answer, right}] of the attempt before."""

    def __init__(self, session, check, number=1, earlier=()):
        super().__init__(check.questions)
        self.session, self.check, self.number = session, check, number
        self.earlier = {answer["question"]: answer for answer in earlier}

    @property
    def version(self):
        """Return a hash of the check, so that a page from before a change costs no attempt."""
        return _hash_of(self.session.study, around.CHECK)

    def is_current(self, data):
        """Return whether a sent page is about this attempt at this check."""
        return data.get("attempt") == str(self.number) and data.get("version") == self.version

    def context(self, form=None, gaps=()):
        """Return the template's context; right answers of the attempt before are chosen already."""
        before = [(question, self.earlier.get(question.text)) for question in self.questions]
        right = [
            _Stored(question.pk, 1.0 + question.options.index(question.answer))
            for question, earlier_answer in before
            if earlier_answer and earlier_answer["right"]
        ]
        context = self.rows(right, form, gaps) | {
            "study": self.session.study,
            "session": self.session,
            "number": self.number,
            "attempts": max(self.check.attempts, self.number),
            "version": self.version,
            "wrong": [
                (q, earlier_answer["answer"])
                for q, earlier_answer in before
                if earlier_answer and not earlier_answer["right"]
            ],
        }
        for row in context["asked"]:
            row.is_saved = False  # chosen, but not sent
        return context


def ready_context(session):
    """Return the context of the page between the check and what follows."""
    count = len(around.practice_items(session.study))
    return {"study": session.study, "session": session, "practice": count}


class PracticePage:
    """An item for practice, and after its answers how they compare."""

    def __init__(self, session, items, position, first_side="A"):
        self.session, self.position = session, position
        self.count = len(items)
        self.practice, self.item = items[position - 1]
        place = Place(
            study=session.study,
            item=self.item,
            session=session,
            position=position,
            first_side=first_side,
        )
        self.screen = ItemPage(place, self._questions())

    def _questions(self):
        """Return the present version's questions, without asking for reasons.

        A rater who practises has no items yet, so the session has no version of its own.
        """
        questions = versions.asked(self.session.study_id)
        for question in questions:
            question.why = ""
        return questions

    def context(self, form=None, gaps=()):
        """Return the context of practice.html."""
        return self.screen.context([], self.count, form, gaps)

    def read_form(self, data):
        """Return (the ItemForm, its gaps) of a sent page."""
        form = ItemForm(self.screen.spots, data)
        return form, form.gaps(self.screen.spots)

    def answers(self, form):
        """Return {question key: value or text} to store, a part's key as key@item."""
        parts = {part.pk: f"@{part.key}" for part in self.screen.parts}
        return {
            answer.question.key + parts.get(answer.item_id, ""): answer.text or answer.value
            for answer in form.answers
        }

    @cached_property
    def expected(self):
        """List (key, question, value, part or None) of the expected answers to asked questions."""
        by_key = {question.key: question for question in self.screen.questions}
        parts = {part.key: part for part in self.screen.parts} if self.screen.is_pair else {}
        expectations = []
        for key, expected in self.practice.answers.items():
            question, item = of_part(key)
            question, part = by_key.get(question), parts.get(item)
            about = part if item else self.item
            if question and about and fits(question, about.kind, expected):
                expectations.append((key, question, question.scale.parse(expected), part))
        return expectations

    def feedback(self, answers):
        """Return the context of practised.html."""
        rows = [
            {
                "about": self._title(part),
                "text": question.text,
                "said": self._words(question, answers.get(key)),
                "expected": self._words(question, value),
                "differs": answers.get(key) != value,
            }
            for key, question, value, part in self.expected
        ]
        return {
            "study": self.session.study,
            "session": self.session,
            "position": self.position,
            "count": self.count,
            "item": self.item,
            "feedback": self.practice.feedback,
            "rows": rows,
            "differing": sum(row["differs"] for row in rows),
        }

    @cached_property
    def _contents(self):
        shown = {part.content_id for *_, part in self.expected if part}
        return Content.objects.in_bulk(shown - {None})

    def _title(self, part):
        """Return what the page calls a part of the item; empty for the item itself."""
        content = self._contents.get(part.content_id) if part else None
        return content.title if content else part.key if part else ""

    def _words(self, question, value):
        """Return a value in the words in which the page showed it."""
        if value is None:
            return ""
        scale, side = question.scale, self.screen.first_side
        shown = scale.shown_sides(side) if side and scale.is_about_sides else scale.points
        number = f"{value:.15g}"
        words = str(dict(shown).get(value, number))
        only_ends = len(scale.labels) < len(scale.points)
        return f"{number} ({words})" if only_ends and words != number else words


class ScreenerPage(_Form):
    """The questions of the screener."""

    def __init__(self, session):
        super().__init__(screener_of(session.study).questions)
        self.session = session

    @property
    def version(self):
        """Return a hash of the screener: on a page from before a change options may be others."""
        return _hash_of(self.session.study, around.SCREENER)

    def is_current(self, data):
        """Return whether a sent page is about this screener."""
        return data.get("version") == self.version

    def context(self, form=None, gaps=()):
        """Return the context of the template."""
        session = {"study": self.session.study, "session": self.session}
        return self.rows((), form, gaps) | session | {"version": self.version}


class QuestionsPage(_Form):
    """The questions about the rater before the instructions; stored: the session's ExitAnswers."""

    def __init__(self, session, stored=()):
        super().__init__(around.before_of(session.study))
        self.session = session
        self.stored = _stored(stored)

    def context(self, form=None, gaps=()):
        """Return the context of the template."""
        return self.rows(self.stored, form, gaps) | {
            "study": self.session.study,
            "session": self.session,
            "any_required": any(question.required for question in self.questions),
        }


def _stored(answers):
    return [_Stored(answer.key, answer.value, answer.text) for answer in answers]


class ExitPage(_Form):
    """The exit questions; count: the session's screens; stored: its ExitAnswers."""

    def __init__(self, session, count, stored=()):
        super().__init__(around.exit_of(session.study))
        self.session, self.count = session, count
        self.stored = _stored(stored)

    def context(self, form=None, gaps=()):
        """Return the context of the template."""
        return self.rows(self.stored, form, gaps) | {
            "study": self.session.study,
            "session": self.session,
            "count": self.count,
            "any_required": any(question.required for question in self.questions),
        }
