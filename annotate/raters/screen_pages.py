"""Fill the pages of screens that are no item to rate: those among the items, before and after."""

import hashlib
import json
from functools import cached_property

from annotate.design import checks, versions
from annotate.design.expected import fits, of_part
from annotate.flow import around
from annotate.models import Answer, Content, Place, Question, Screen
from annotate.raters.forms import (
    Asked,
    ItemForm,
    Spot,
    asked,
    option_on_page,
)
from annotate.raters.option_keys import choose_keys
from annotate.raters.screens import ItemPage, missing_of, progress, shown_now
from annotate.sessions import answers, screens
from annotate.sessions.session import SentAnswer

Kind = Screen.Kind
LONGEST = checks.MOST_OPTIONS * (checks.LONGEST_OPTION + len(checks.SEPARATOR))
STEPS = {
    Kind.SCREENER: "session_screener",
    Kind.BEFORE: "session_questions",
    Kind.EXIT: "session_exit",
}


# Among the items


class OtherItemPage(ItemPage):
    """The page of a gold or repeated item: an item's page, whose answers are no ratings."""

    def stored(self):
        return list(self.place.answers.all())

    def save(self, form):
        """Store the answers that the page sent; return the questions without a required answer."""
        return answers.save(self.place, self.questions, form.answers, form.shown_at, form.emptied)

    def context(self, ratings, count, form=None, gaps=()):
        """Return an item's context; a gold item's answers are saved at an item's address too."""
        context = super().context(ratings, count, form, gaps)
        is_repeat = self.place.kind == Kind.REPEAT
        return context | ({"screen": self.place.pk} if is_repeat else {})


class AttentionPage(OtherItemPage):
    """The page of an attention check: a question about no item."""

    def __init__(self, screen):
        self.place, self.item, self.study = screen, None, screen.session.study
        self.check = checks.read_check(screen.spec)
        scale = self.check.scale_in(self.study.language).as_dict()
        question = Question(pk=0, key=self.check.key, text=self.check.text, scale_spec=scale)
        self.questions, self.spots = [question], [Spot(question, 0)]

    def form(self, data):
        if self.check.is_several:
            return SeveralForm(self.spots, data, self.check)
        return ItemForm(self.spots, data)

    def save(self, form):
        """Store the answer; return (0, question) in a list if it is missing."""
        gaps = super().save(form)
        # What was chosen before stays stored; who takes all of it back is asked once more.
        return [(0, self.questions[0])] if gaps or not form.answers else []

    def context(self, ratings, count, form=None, gaps=()):
        """Return the context of the templates."""
        row_class = AskedBoxes if self.check.is_several else AskedCheck
        stored = {self.spots[0].key: ratings[0]} if ratings else {}
        rows = asked(self.spots, stored, form, gaps, row_class=row_class)
        return (
            {
                "place": self.place,
                "item": None,
                "screen": self.place.pk,
                "asked": rows,
                "count": count,
                "shown": shown_now(),
            }
            | missing_of(rows)
            | progress(self.study, self.place.position, count, rows)
        )


class AskedCheck(Asked):
    """The question of a check on the page."""

    widget = "radios"


class AskedBoxes(AskedCheck):
    """The question of a check of whose options several can be chosen."""

    is_several = True

    @property
    def options(self):
        """Return the boxes: what these send is their label."""
        chosen, labels = self.raw.split(checks.SEPARATOR), self.scale.labels
        keys = choose_keys(self.scale, list(enumerate(labels, start=1)))
        return [
            option_on_page(label, label, own, label in chosen)
            for label, own in zip(labels, keys, strict=True)
        ]


class SeveralForm(ItemForm):
    """The boxes of a check that were chosen: one text."""

    def __init__(self, spots, data, check):
        self.check = check
        super().__init__(spots, data)

    def _read(self, spot, data):
        sent = data.getlist(spot.name)
        self.raw[spot.key] = checks.SEPARATOR.join(sent)[:LONGEST]
        if words := self.check.words(self.check.values(sent)):
            self.answers.append(SentAnswer(spot.question, None, words))


def page_of(place):
    """Return the page of a place or of a screen among the items."""
    is_screen = isinstance(place, Screen)
    if is_screen and place.kind == Kind.ATTENTION:
        return AttentionPage(place)
    questions = versions.asked(place.session.study_id, place.session.version)
    return (OtherItemPage if is_screen else ItemPage)(place, questions)


# Before and after the items


class FormPage:
    """Questions about no item, which a page sends as one form. key: theirs in Study.extra."""

    def __init__(self, session, key, questions):
        self.session, self.key, self.questions = session, key, questions
        self.spots = [Spot(question, 0) for question in questions]

    @property
    def version(self):
        """Return a hash of what is asked: on a page from before a change options may be others."""
        text = json.dumps(self.session.study.extra.get(self.key), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def form(self, data):
        return ItemForm(self.spots, data)

    def is_current(self, data):
        """Return whether a sent page asks what is asked now."""
        return data.get("version") == self.version

    def rows(self, stored, form=None):
        """Return the context of all such pages. stored: {(0, key of the question): answer}."""
        rows = asked(self.spots, stored, form, form.gaps if form else ())
        return {"asked": rows} | missing_of(rows)


class AboutPage(FormPage):
    """Questions about the rater: the screener, those before the items, or those after them."""

    def __init__(self, session, kind):
        super().__init__(session, around.ABOUT[kind], around.about_of(session.study, kind))
        self.kind = kind

    @cached_property
    def stored(self):
        """Return {(0, key): answer} of what the rater told; the screener is answered only once."""
        if self.kind == Kind.SCREENER:
            return {}
        told = Answer.objects.about_raters().filter(screen__session=self.session)
        return {(0, answer.key): answer for answer in told}

    def context(self, form=None):
        """Return the context of about.html."""
        return self.rows(self.stored, form) | {
            "kind": self.kind,
            "step": STEPS[self.kind],
            "version": self.version if self.kind == Kind.SCREENER else "",
            "any_required": any(question.required for question in self.questions),
            "count": screens.count_of(self.session) if self.kind == Kind.EXIT else 0,
        }


class CheckPage(FormPage):
    """The comprehension check; earlier: [{question, answer, right}] of the attempt before."""

    def __init__(self, session, check, number=1, earlier=()):
        super().__init__(session, around.CHECK, check.questions)
        self.check, self.number = check, number
        self.earlier = {answer["question"]: answer for answer in earlier}

    def is_current(self, data):
        """Return whether a sent page is about this attempt at this check."""
        return data.get("attempt") == str(self.number) and super().is_current(data)

    def context(self, form=None):
        """Return the template's context; right answers of the attempt before are chosen already."""
        right, wrong = {}, []
        for question in self.questions:
            before = self.earlier.get(question.text)
            if before and before["right"]:
                value = 1.0 + question.options.index(question.answer)
                right[0, question.pk] = Answer(value=value)
            elif before:
                wrong.append((question, before["answer"]))
        context = self.rows(right, form) | {
            "version": self.version,
            "number": self.number,
            "attempts": max(self.check.attempts, self.number),
            "wrong": wrong,
        }
        for row in context["asked"]:
            row.is_saved = False  # chosen, but not sent
        return context


class PracticePage(ItemPage):
    """An item for practice, and after its answers how they compare."""

    def __init__(self, session, items, position, first_side="A"):
        self.count = len(items)
        self.practice, item = items[position - 1]
        place = Place(
            study=session.study,
            item=item,
            session=session,
            position=position,
            first_side=first_side,
        )
        # The present version's: a rater who practises has no items yet, so no version of their own.
        questions = versions.asked(session.study_id)
        for question in questions:
            question.why = ""
        super().__init__(place, questions)

    def answers(self, form):
        """Return the Answers to store; a part's have the key key@item."""
        parts = {part.pk: f"@{part.key}" for part in self.parts}
        return [
            Answer(
                key=sent.question.key + parts.get(sent.item_id, ""),
                value=sent.value,
                text=sent.text,
            )
            for sent in form.answers
        ]

    @cached_property
    def expected(self):
        """List (key, question, value, part or None) of the expected answers to asked questions."""
        by_key = {question.key: question for question in self.questions}
        parts = {part.key: part for part in self.parts} if self.is_pair else {}
        expectations = []
        for key, expected in self.practice.answers.items():
            question, item = of_part(key)
            question, part = by_key.get(question), parts.get(item)
            about = part if item else self.item
            if question and about and fits(question, about.kind, expected):
                expectations.append((key, question, question.scale.parse(expected), part))
        return expectations

    def feedback(self, given):
        """Return the context of practised.html. given: {key: number or text} that was answered."""
        rows = [
            {
                "about": self._title(part),
                "text": question.text,
                "said": self._words(question, given.get(key)),
                "expected": self._words(question, value),
                "differs": given.get(key) != value,
            }
            for key, question, value, part in self.expected
        ]
        return {
            "position": self.place.position,
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
        scale, side = question.scale, self.first_side
        shown = scale.shown_sides(side) if side and scale.is_about_sides else scale.points
        number = f"{value:.15g}"
        words = str(dict(shown).get(value, number))
        only_ends = len(scale.labels) < len(scale.points)
        return f"{number} ({words})" if only_ends and words != number else words
