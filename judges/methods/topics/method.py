"""Ask which topics the reviews of a domain are about: a list for extracting statements.

It scores nothing. Its unit is a sample of reviews, so its judgments have neither item nor question;
what all samples say together is counted when it is looked at (judges/methods/topics/propose.py).
"""

import json

from judges.methods.base import Method
from judges.methods.extract.topics import LONGEST_NAME
from judges.methods.profile.method import PROFILE
from judges.methods.topics import reviews, shortlist
from judges.prompting import fill
from judges.prompting.materials import Shown
from judges.replies.parse import Reason, Verdict

USUAL_NAME = 15


class Topics(Method):
    """One call for each sample of reviews."""

    kinds = reviews.KINDS
    proposes = True

    def questions(self, judge, questions):
        return []

    def asks(self, question, item):
        return False

    def asked(self, run, numbers):
        """Return what units ask about their samples; see Method.asked."""
        samples = reviews.shown_samples(run, numbers)
        return [(unit, PROFILE, Shown(context=text)) for unit, text in samples]

    def settings(self, judge):
        return {
            "method": str(judge.method),
            "sides": str(judge.sides),
            "reviews": judge.reviews,
            "review_samples": judge.review_samples,
            "most_topics": judge.most_topics,
            "seed": judge.seed,
            "longest_review": reviews.LONGEST,
        }

    def messages(self, frozen, item, questions, shown=None, order=""):
        """Write the exact messages of one call; its reviews were neutralised when drawn."""
        sample = shown.context if shown else ""
        most = str(frozen["most_topics"])
        return fill.filled(frozen["prompt_text"], reviews=sample, most=most)

    def schema(self, frozen, questions):
        name = {"type": "string", "maxLength": LONGEST_NAME}
        names = {"type": "array", "items": name, "maxItems": frozen["most_topics"]}
        return {
            "type": "object",
            "properties": {shortlist.KEY: names},
            "required": [shortlist.KEY],
            "additionalProperties": False,
        }

    def parse_reply(self, frozen, questions, order, reply, finish_reason):
        """Parse a reply: the value is how many topics it names, the rationale all parsed."""
        parsed = shortlist.parse_names(reply, frozen["most_topics"], finish_reason)
        if isinstance(parsed, Reason):
            return Verdict(reasons={PROFILE.key: parsed})
        text = json.dumps(vars(parsed), ensure_ascii=False)
        return Verdict(values={PROFILE.key: float(len(parsed.kept))}, rationale=text)

    def longest_rationale(self, frozen):
        return USUAL_NAME * frozen["most_topics"]
