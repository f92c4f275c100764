"""Ask each question on its own scale, all in one call or each in its own."""

from judges.methods.base import Method
from judges.prompting import fill
from judges.replies.parse import RATIONALE_LENGTH, parse, reply_schema


class Questions(Method):
    """The usual method, for items with a text."""

    def items(self, items):
        """Select the items with a text."""
        return items.exclude(text__regex=r"^\s*$").order_by("id")

    def settings(self, judge):
        return {"aspects": judge.aspects, "rationale": judge.rationale}

    def messages(self, frozen, item, questions, shown=None, order=""):
        """Write the exact messages of one call."""
        template = frozen["prompt_text"]
        return fill.messages(template, item, questions, frozen["rationale"], shown)

    def schema(self, frozen, questions):
        """Return the JSON schema of a valid reply."""
        return reply_schema({q.key: q.scale for q in questions}, frozen["rationale"])

    def parse_reply(self, frozen, questions, order, reply, finish_reason):
        """Parse a reply into its Verdict."""
        return parse(reply, {q.key: q.scale for q in questions}, finish_reason)

    def longest_rationale(self, frozen):
        """Return how many characters a rationale may have, where the schema is kept."""
        return RATIONALE_LENGTH if frozen["rationale"] else 0
