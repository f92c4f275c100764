"""Ask each question on its own scale, all in one call or each in its own."""

from typing import Annotated

from annotate.models import Rater
from judges.methods.base import Method
from judges.methods.shared_settings import (
    Context,
    HistoryLength,
    MaxTokens,
    SampledSettings,
    Samples,
    Seed,
    Temperature,
)
from judges.models import Judge
from judges.prompting import fill
from judges.replies.parse import RATIONALE_LENGTH, parse, reply_schema
from judges.values.settings import Matters, declare


class QuestionsSettings(SampledSettings):
    """How each question is asked, and what stands in the prompt besides the item."""

    aspects: Judge.Aspects = declare(Judge.Aspects.MULTIPLE, "questions")
    temperature: Temperature
    rationale: bool = declare(
        False, "ask for a rationale", "Ask for a reason, written before the score.", opens=True
    )
    max_tokens: MaxTokens
    samples: Samples
    weighted: Annotated[bool, Matters(unless=False)] = declare(
        False,
        "probability-weighted score",
        "Ask for log-probabilities, and keep beside each score the mean over the scale's "
        "points, weighted by how likely each was. The endpoint has to support them.",
    )
    shots: Annotated[Judge.Shots, Matters(unless=Judge.Shots.ZERO, place="example")] = declare(
        Judge.Shots.ZERO, "example"
    )
    example_role: Annotated[Rater.Role, Matters(where="shots")] = declare(
        Rater.Role.RECIPIENT,
        "example rated by",
        "Who gave the rating that stands in the prompt.",
    )
    strict: Annotated[bool, Matters(unless=False, where="shots")] = declare(
        False,
        "hold examples out",
        "Items that examples are drawn from are neither judged nor compared with. "
        "Otherwise they stay in the reference, as in the literature.",
    )
    pool_share: Annotated[float, Matters(where="strict")] = declare(
        0.2,
        "share held out",
        "Of the rated items, if examples are held out.",
        low=0.01,
        high=0.9,
    )
    seed: Annotated[Seed, Matters(where="shots")]
    context: Context
    history_length: HistoryLength

    @property
    def asks_singly(self):
        return self.aspects == Judge.Aspects.SINGLE


class Questions(Method):
    """The usual method, for items with a text."""

    offer = "the questions"
    needed_places = ("aspects", "rules", "keys", "text")
    optional_places = ("content", "example", "context")
    changeable = ("subject", "numbers", "aspects")
    columns = ("endpoint", "prompt")
    settings = QuestionsSettings

    def items(self, items):
        """Select the items with a text."""
        return items.exclude(text__regex=r"^\s*$").order_by("id")

    def frozen(self, judge):
        return {}

    def messages(self, frozen, item, questions, shown=None, order=""):
        """Write the exact messages of one call."""
        template = frozen["prompt_text"]
        return fill.messages(template, item, questions, frozen["rationale"], shown)

    def schema(self, frozen, questions):
        """Return the JSON schema of a valid reply."""
        return reply_schema({q.key: q.scale for q in questions}, frozen["rationale"])

    def parse_reply(self, frozen, questions, order, reply, finish_reason, rated):
        """Parse a reply into its Verdict."""
        return parse(reply, {q.key: q.scale for q in questions}, finish_reason, rated)

    def longest_rationale(self, frozen):
        """Return how many characters a rationale may have, where the schema is kept."""
        return RATIONALE_LENGTH if frozen["rationale"] else 0
