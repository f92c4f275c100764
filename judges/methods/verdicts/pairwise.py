"""Ask which of two ranked lists fits this person better. Reasons first, then 1, 2 or tie.

The prompt calls them list 1 and list 2, as raters' pages do, so that no reply can be taken for a
verdict on the sides A and B. Which side stood first is drawn and kept with the judgment; the value
is that of the side, on the scale of the question.
"""

import json
import random

from judges.methods.verdicts.position import TIE, position, sides_of
from judges.methods.verdicts.settings import PairwiseSettings
from judges.methods.verdicts.verdict import LIST_PAIR, ReasonedVerdict, verdict_on
from judges.models import Judge
from judges.prompting import episodes, fill
from judges.replies import verdicts
from judges.replies.parse import RATIONALE_LENGTH

LIST_PART = "list.v1"


class Pairwise(ReasonedVerdict):
    """One call for each pair of lists, or two: one in each order."""

    offer = "which of two lists?"
    kinds = (LIST_PAIR,)
    changeable = ("members", "lists")
    wanted = "a choice between A and B about pairs of lists"
    settings = PairwiseSettings
    needed_places = ("lists", "keys", "words")
    optional_places = ("context", "dimensions", "verdicts")
    usual_prompt = "pairwise.v1"
    about = "judges/methods/pairwise.html"
    preview_needs = "a pair of lists, and a question that the judge can answer"

    def judge_page(self, judge):
        newest = judge.runs.judging().select_related("judge__study").first()
        return {"position": position(newest) if newest else None}

    def run_page(self, run):
        return {} if run.is_robustness_test else {"position": position(run)}

    def can_answer(self, question):
        return question.scale.is_about_sides

    def frozen(self, judge):
        return super().frozen(judge) | {"list_sha256": fill.load_part(LIST_PART).sha256}

    def orders(self, judge, item, sample):
        """Return AB or BA, drawn by seed, item and sample, whatever else is asked; or both."""
        if judge.settings.order == Judge.Order.BOTH:
            return ["AB", "BA"]
        draw = random.Random(json.dumps([judge.settings.seed, item.key, sample])).random()
        return ["AB" if draw < 0.5 else "BA"]

    def messages(self, frozen, item, questions, shown=None, order=""):
        """Write the exact messages of one call, with the sides in this order."""
        subject = shown.subject if shown else {}
        part = fill.load_part(LIST_PART).text
        lists = [
            fill.part(part, number=number, episodes=episodes.ranked(subject.get(side, [])))
            for number, side in enumerate(order or "AB", start=1)
        ]
        words = self._words(questions, order)
        meanings = {TIE: "neither is clearly better"}
        dimensions = [fill.one_line(name) for name in frozen["dimensions"]]
        return fill.filled(
            frozen["prompt_text"],
            context=shown.context if shown else "",
            lists="\n\n".join(lists),
            dimensions=", ".join(dimensions),
            keys=", ".join(json.dumps(name, ensure_ascii=False) for name in dimensions),
            verdicts=", ".join(
                f'"{word}" if {meanings.get(word, f"list {word} fits better")}' for word in words
            ),
            words=" or ".join(f'"{word}"' for word in words),
        )

    def schema(self, frozen, questions):
        names = [fill.one_line(name) for name in frozen["dimensions"]]
        length = self.longest_rationale(frozen) // len(names)
        rationale = {
            "type": "object",
            "properties": {name: {"type": "string", "maxLength": length} for name in names},
            "required": names,
            "additionalProperties": False,
        }
        return verdicts.schema(rationale, self._words(questions, "AB"))

    def parse_reply(self, frozen, questions, order, reply, finish_reason, rated):
        value, rationale = verdicts.parse_verdict(
            reply, self._words(questions, order), finish_reason, rated
        )
        return verdict_on(questions, value, rationale)

    def longest_rationale(self, frozen):
        return RATIONALE_LENGTH // 2 * len(frozen["dimensions"])

    def _words(self, questions, order):
        """Return {word: value of the side that it names} of the verdicts offered."""
        sides = sides_of(questions[0].scale)
        words = {str(number): sides[side] for number, side in enumerate(order or "AB", start=1)}
        return words | ({TIE: sides[TIE]} if TIE in sides else {})
