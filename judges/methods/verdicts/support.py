"""Check support: does the document say all that the statement says? 1 or 0.

Source: Kabongo and Guigue, On the Factual Consistency of Text-based Explainable Recommendation
Models, table IX. The statement is the item's text, the document its reference. No reason is asked
for, as in the paper; with one the reply would no longer be a single character.
"""

import json

from judges.methods.verdicts.settings import SupportSettings
from judges.methods.verdicts.verdict import STATEMENT, VerdictMethod, verdict_on
from judges.prompting import fill
from judges.replies.parse import Reason, answer_in, last_object
from judges.replies.quotes import NOTHING

SUPPORTED = "supported"
VALUES = {"1": 1.0, "0": 0.0}
ONE_CHARACTER = (
    "Reply with exactly one character and nothing else: 1 if the statement is supported, "
    "0 if it is not."
)
ONE_KEY = (
    f'Reply with one JSON object and nothing else, whose only key is "{SUPPORTED}": '
    "1 if the statement is supported, 0 if it is not."
)


class Support(VerdictMethod):
    """One call for each statement and its document.

    A past call with the same statement and document is taken over.
    """

    offer = "is it supported?"
    kinds = (STATEMENT,)
    reuses = True
    wanted = "a yes/no question about statements"
    needed_places = ("document", "statement", "answer")
    asks_for_json = False
    settings = SupportSettings
    usual_prompt = "support.v1"
    about = "judges/methods/support.html"
    preview_needs = "a statement, and a question that the judge can answer"

    def items(self, items):
        return super().items(items).exclude(text__regex=r"^\s*$").without_outdated()

    def can_answer(self, question):
        return question.scale.is_binary

    def beside(self, item):
        return [item.reference]

    def messages(self, frozen, item, questions, shown=None, order=""):
        """Write the exact messages of one call."""
        return fill.filled(
            frozen["prompt_text"],
            answer=ONE_KEY if frozen["json_schema"] else ONE_CHARACTER,
            document=fill.neutral(item.reference.strip()),
            statement=fill.one_line(item.text),
        )

    def schema(self, frozen, questions):
        return {
            "type": "object",
            "properties": {SUPPORTED: {"type": "integer", "enum": [0, 1]}},
            "required": [SUPPORTED],
            "additionalProperties": False,
        }

    def parse_reply(self, frozen, questions, order, reply, finish_reason, rated):
        return verdict_on(questions, value_in(reply, finish_reason, rated), "")

    def longest_rationale(self, frozen):
        return 0


def value_in(reply, finish_reason="stop", rated=NOTHING):
    """Parse a reply, one character or the last JSON object: 1, 0 or the Reason for neither."""
    character = answer_in(reply, finish_reason)
    if not isinstance(character, Reason) and character.strip() in VALUES:
        is_all = reply.strip() == character.strip() or not rated.has_marks
        return VALUES[character.strip()] if is_all else Reason.QUOTED
    answers = last_object(reply, {SUPPORTED}, finish_reason, rated)
    if isinstance(answers, Reason):
        return answers
    if SUPPORTED not in answers:
        return Reason.MISSING
    if SUPPORTED in answers.twice:
        return Reason.DUPLICATE
    # As JSON writes it, so that true is no 1; in quotation marks it is the character asked for.
    answer = answers[SUPPORTED]
    return VALUES.get(answer if isinstance(answer, str) else json.dumps(answer), Reason.NOT_OFFERED)
