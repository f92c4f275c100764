"""Ask pointwise: does this recommendation fit this person? Reasons first, then fit or no fit.

The value is on a scale of its own: 1 fit, 0 no fit, and .5 neutral where that is offered. It stands
as the judge's answer to a question of the study about recommendations, and is compared with that
question's ratings by order (AUC) or above and below a threshold, never point by point.
"""

from annotate.values.scales.base import BINARY, NOMINAL
from judges.methods.verdicts.settings import FitSettings
from judges.methods.verdicts.verdict import RECOMMENDATION, ReasonedVerdict, verdict_on
from judges.prompting import episodes, fill
from judges.replies import verdicts
from judges.replies.parse import RATIONALE_LENGTH

VALUES = {"fit": 1.0, "no fit": 0.0}
NEUTRAL = {"fit": 1.0, "neutral": 0.5, "no fit": 0.0}
MEANINGS = {
    "fit": "the recommendation is a good fit",
    "neutral": "nothing speaks clearly for it or against it",
    "no fit": "it is not",
}


class Fit(ReasonedVerdict):
    """One call for each recommendation."""

    offer = "does it fit?"
    kinds = (RECOMMENDATION,)
    scale, ends = "0 to 1: no fit or fit", (0.0, 1.0)
    wanted = "a Likert or yes/no question about recommendations"
    settings = FitSettings
    needed_places = ("episode", "words")
    optional_places = ("context", "verdicts")
    usual_prompt = "fit.v1"
    about = "judges/methods/fit.html"
    preview_needs = "a recommendation, and a question that the judge can answer"

    def can_answer(self, question):
        return question.scale.has_ordered_points

    def is_on_scale(self, judge, question):
        return question.scale.level in ((NOMINAL,) if judge.settings.neutral else (BINARY, NOMINAL))

    def messages(self, frozen, item, questions, shown=None, order=""):
        """Write the exact messages of one call."""
        entries = shown.subject.get("item", []) if shown else []
        words = self._values(frozen)
        return fill.filled(
            frozen["prompt_text"],
            context=shown.context if shown else "",
            episode="\n".join(episodes.lines(entry) for entry in entries),
            verdicts=", ".join(f'"{word}" if {MEANINGS[word]}' for word in words),
            words=" or ".join(f'"{word}"' for word in words),
        )

    def schema(self, frozen, questions):
        rationale = {"type": "string", "maxLength": RATIONALE_LENGTH}
        return verdicts.schema(rationale, self._values(frozen))

    def parse_reply(self, frozen, questions, order, reply, finish_reason, rated):
        value, rationale = verdicts.parse_verdict(reply, self._values(frozen), finish_reason, rated)
        return verdict_on(questions, value, rationale)

    def longest_rationale(self, frozen):
        return RATIONALE_LENGTH

    def _values(self, frozen):
        return NEUTRAL if frozen["neutral"] else VALUES
