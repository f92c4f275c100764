"""Extract what an explanation or a review says, each statement with topic and sentiment.

It scores nothing. Its unit is a part of a text, which several items may share, so its judgments
have neither item nor question; what it finds becomes statements (extract.py).
"""

import json

from annotate.models import Item
from judges.methods.base import Method
from judges.methods.extract import triplets
from judges.methods.profile.method import PROFILE
from judges.models import Extraction as ExtractedText
from judges.prompting import fill
from judges.prompting.materials import Shown
from judges.replies.parse import Reason, Verdict

USUAL_STATEMENTS = 10  # of a reply, for an estimate
STATEMENT_LENGTH = 60


class Extraction(Method):
    """One call for each part of each different text."""

    kinds = (str(Item.Kind.EXPLANATION), str(Item.Kind.TEXT))
    extracts = True

    def questions(self, judge, questions):
        return []

    def asks(self, question, item):
        return False

    def asked(self, run, numbers):
        """Return what units ask about their parts of a text; see Method.asked."""
        rows = ExtractedText.objects.filter(run=run, unit__in=numbers).order_by("unit")
        return [(row.unit, PROFILE, Shown(context=row.text)) for row in rows]

    def settings(self, judge):
        return {
            "method": str(judge.method),
            "sides": str(judge.sides),
            "topics": judge.topics,
            "part_length": judge.part_length,
            "most_statements": judge.most_statements,
        }

    def messages(self, frozen, item, questions, shown=None, order=""):
        """Write the exact messages of one call."""
        text = fill.neutral(shown.context.strip()) if shown else ""
        return fill.filled(frozen["prompt_text"], topics=_topics(frozen["topics"]), text=text)

    def schema(self, frozen, questions):
        triplet = {
            "statement": {"type": "string", "maxLength": triplets.LONGEST},
            "topic": {"type": "string", "enum": [name for name, _ in frozen["topics"]]},
            "sentiment": {"type": "string", "enum": list(triplets.SENTIMENTS)},
        }
        most = frozen["most_statements"]
        items = {"type": "array", "items": _object(triplet), "maxItems": most}
        return _object({triplets.KEY: items})

    def parse_reply(self, frozen, questions, order, reply, finish_reason):
        """Parse a reply: the value is how many statements are kept, the rationale all parsed."""
        names, most = {name for name, _ in frozen["topics"]}, frozen["most_statements"]
        parsed = triplets.parse_statements(reply, names, finish_reason, most)
        if isinstance(parsed, Reason):
            return Verdict(reasons={PROFILE.key: parsed})
        text = json.dumps(vars(parsed), ensure_ascii=False)
        return Verdict(values={PROFILE.key: float(len(parsed.kept))}, rationale=text)

    def longest_rationale(self, frozen):
        return USUAL_STATEMENTS * STATEMENT_LENGTH


def _object(properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _topics(topics):
    """Write the topics one a line, as the prompt has them."""
    lines = [(fill.one_line(name), fill.one_line(words)) for name, words in topics]
    return "\n".join(f"- {name}: {words}" if words else f"- {name}" for name, words in lines)
