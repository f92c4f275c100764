"""Define what verdicts share: each answers one question of the study."""

from abc import ABC, abstractmethod

from annotate.models import Item
from judges.methods.base import Method
from judges.prompting import episodes
from judges.replies.parse import Reason, Verdict

NO_QUESTION = "The study has no question that such a verdict answers: {}."
WHICH = "Name the question that the verdict answers: {}."
NOT_THIS = "Found the question {!r}; a verdict can answer {}."
RECOMMENDATION, LIST_PAIR = str(Item.Kind.RECOMMENDATION), str(Item.Kind.LIST_PAIR)
STATEMENT = str(Item.Kind.STATEMENT)


class VerdictMethod(Method, ABC):
    """A method that asks an LLM for one verdict, which answers one question of the study."""

    columns = (*Method.columns, "question")

    @abstractmethod
    def can_answer(self, question):
        """Whether the verdict can answer a question."""

    def frozen(self, judge):
        return super().frozen(judge) | {"question": judge.question}

    def candidates(self, questions):
        return [
            question
            for question in questions
            if self.can_answer(question) and any(map(question.applies_to_kind, self.kinds))
        ]

    def questions(self, judge, questions):
        """Return the one question that is answered, as a list."""
        candidates = self.candidates(questions)
        keys = ", ".join(question.key for question in candidates)
        if not candidates:
            raise ValueError(NO_QUESTION.format(self.wanted))
        if judge.question and judge.question not in [question.key for question in candidates]:
            raise ValueError(NOT_THIS.format(judge.question, keys))
        if not judge.question and len(candidates) > 1:
            raise ValueError(WHICH.format(keys))
        return [question for question in candidates if judge.question in ("", question.key)]


class ReasonedVerdict(VerdictMethod):
    """A verdict on contents recommended to a recipient, always with a reason before it."""

    shows_lists = True

    def frozen(self, judge):
        return super().frozen(judge) | {"longest_text": episodes.LONGEST}


def verdict_on(questions, value, rationale):
    """Make the Verdict of a reply about the one question that it answers."""
    (key,) = [question.key for question in questions]
    if isinstance(value, Reason):
        return Verdict(reasons={key: value}, rationale=rationale)
    return Verdict(values={key: value}, rationale=rationale)
