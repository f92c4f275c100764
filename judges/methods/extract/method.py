"""Extract what an explanation or a review says, each statement with topic and sentiment.

It scores nothing. Its unit is a part of a text, which several items may share, so its judgments
have neither item nor question; what it finds becomes statements (extract.py).
"""

from annotate.design.disclosure import Data
from annotate.models import Item
from judges.methods.base import ASKED, ApartMethod
from judges.methods.draft import begin_draft
from judges.methods.extract import extract, triplets
from judges.methods.extract.settings import ExtractionSettings
from judges.models import Extraction as ExtractedText
from judges.models import Judge
from judges.models.statement import side_text
from judges.prompting import fill
from judges.prompting.materials import Shown

USUAL_STATEMENTS = 10  # of a reply, for an estimate
STATEMENT_LENGTH = 60


class Extraction(ApartMethod):
    """One call for each part of each different text."""

    offer = "extract statements"
    kinds = (str(Item.Kind.EXPLANATION), str(Item.Kind.TEXT))
    rereads_values = False  # statements stay as they are
    may_be_loaded = has_statements = True
    begins_with = str(Judge.Method.TOPICS)
    nobody = extract.NOBODY
    settings = ExtractionSettings
    needed_places = ("topics", "text")
    usual_prompt = "extract.v1"
    about = "judges/methods/extraction.html"
    preview_needs = "an explanation or a text"
    usual_reply = (
        "ten statements. A text that several items have is asked about once, which the estimate "
        "for all leaves out"
    )
    flagged = ("item", "text", "Look at their statements before they are used")

    write_rows = staticmethod(extract.write_rows)
    keep = staticmethod(extract.keep)
    attach = staticmethod(extract.attach)

    def asked(self, run, numbers):
        """Return what units ask about their parts of a text; see Method.asked."""
        rows = ExtractedText.objects.filter(run=run, unit__in=numbers).order_by("unit")
        return [(row.unit, ASKED, Shown(context=row.text)) for row in rows]

    def shows_of_people(self, judge):
        """A reference may be the recipient's own review."""
        sides = judge.settings.sides
        return [] if sides == Judge.Sides.GENERATED else [(Data.REVIEW, "")]

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

    def parse_reply(self, frozen, questions, order, reply, finish_reason, rated):
        """Parse a reply: the value is how many statements are kept, the rationale all parsed."""
        names, most = {name for name, _ in frozen["topics"]}, frozen["most_statements"]
        parsed = triplets.parse_statements(reply, names, finish_reason, most, rated)
        return self.verdict_on(parsed)

    def longest_rationale(self, frozen):
        return USUAL_STATEMENTS * STATEMENT_LENGTH

    def hidden_units(self, run, units):
        return extract.hidden_units(run.judge.study, run, units)

    def draft(self, judge, items, key, prompt):
        """Return the Draft of each part of an item's texts, even if other items share a text."""
        if (draft := begin_draft(items.select_related("content"), key)) is None:
            return None
        texts = [
            (side, side_text(draft.subject, side)) for side in extract.SIDES[judge.settings.sides]
        ]
        for side, text in texts:
            parts = [part for _, part in extract.parts_of(judge, text) if part]
            for number, part in enumerate(parts, 1):
                about = side.label.lower() + (f", part {number}" if len(parts) > 1 else "")
                draft.calls.append((f"the {about}", ASKED, Shown(context=part)))
        if draft.calls:
            draft.texts, draft.count = [text for _, text in texts], items.count()
        else:
            draft.missing = extract.NO_TEXT[texts[-1][0]]
        return draft


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
