"""Parse a reply with one verdict in words: its value, or why it has none. Never a guess."""

from collections.abc import Mapping

from judges.replies.parse import RATIONALE, Reason, kept, last_object
from judges.replies.quotes import NOTHING

VERDICT = "verdict"


def parse_verdict(reply, values: Mapping[str, float], finish_reason="stop", rated=NOTHING):
    """Parse a reply's verdict: (value or Reason, rationale).

    values: {word: value} of the verdicts offered.

    The last JSON object with a verdict counts that is not quoted from what was rated. Capitals do
    not matter, and "1" may be written 1; a verdict that was not offered and two of them in one
    object are none.
    """
    answers = last_object(reply, {VERDICT}, finish_reason, rated)
    if isinstance(answers, Reason):
        return answers, ""
    return _value(answers, values), _rationale(answers.get(RATIONALE))


def _value(answers, values):
    if VERDICT not in answers:
        return Reason.MISSING
    if VERDICT in answers.twice:
        return Reason.DUPLICATE
    verdict = answers[VERDICT]
    words = str(verdict).strip().lower() if type(verdict) in (str, int) else ""
    return values.get(words, Reason.NOT_OFFERED)


def _rationale(rationale):
    """Return the rationale as one text, with a line for each dimension if it has several."""
    if isinstance(rationale, dict):
        lines = [f"{name}: {text}" for name, text in rationale.items() if isinstance(text, str)]
        rationale = "\n".join(lines)
    return kept(rationale) if isinstance(rationale, str) else ""


def schema(rationale, words):
    """Return the JSON schema of a reply: the rationale by its own schema, then one of the words."""
    return {
        "type": "object",
        "properties": {
            RATIONALE: rationale,
            VERDICT: {"type": "string", "enum": list(words)},
        },
        "required": [RATIONALE, VERDICT],
        "additionalProperties": False,
    }
