"""Ask each question on its own scale, all in one call or each in its own."""

from annotate.models import Rater
from judges.methods.base import Method
from judges.models import Judge
from judges.models.judge import MOST_SEED
from judges.prompting import fill
from judges.replies.parse import RATIONALE_LENGTH, parse, reply_schema


class Questions(Method):
    """The usual method, for items with a text."""

    offer = "the questions"
    needed_places = ("aspects", "rules", "keys", "text")
    optional_places = ("content", "example", "context")
    may_be_weighted = True
    changeable = ("subject", "numbers", "aspects")
    keys = (
        "endpoint",
        "prompt",
        "aspects",
        "temperature",
        "rationale",
        "max_tokens",
        "samples",
        "weighted",
        "shots",
        "example_role",
        "strict",
        "pool_share",
        "seed",
        "context",
        "history_length",
    )

    def read_settings(self, reader, judge):
        judge.aspects = reader.choice("aspects", Judge.Aspects)
        judge.temperature = reader.number("temperature", 0.0, 0, 2, (int, float))
        judge.max_tokens = reader.number("max_tokens", self.usual_tokens, 1, 100_000, int)
        judge.rationale = reader.yes_or_no("rationale")
        judge.endpoint = reader.endpoint()
        judge.prompt = reader.prompt(self.usual_prompt)
        judge.samples = reader.number("samples", 1, 1, 100, int)
        judge.weighted = reader.yes_or_no("weighted")
        judge.shots = reader.choice("shots", Judge.Shots)
        judge.example_role = reader.choice("example_role", Rater.Role)
        judge.strict = reader.yes_or_no("strict")
        judge.pool_share = reader.number("pool_share", 0.2, 0.01, 0.9, (int, float))
        judge.seed = reader.number("seed", 1, 0, MOST_SEED, int)
        judge.context = reader.choice("context", Judge.Context)
        judge.history_length = reader.number("history_length", 10, 1, 500, int)

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
