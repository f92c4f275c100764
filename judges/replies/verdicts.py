"""A reply with one verdict in words -> its value, or why there is none. Never a guess."""

from collections.abc import Mapping

from judges.replies.parse import RATIONALE, Reason, kept, last_object

VERDICT = "verdict"


def read(reply, values: Mapping[str, float], finish_reason="stop"):
    """(value or Reason, rationale); values: those of the verdicts offered, by their words.

    The last JSON object with a verdict counts. Capitals do not matter, and "1" may be written 1;
    a verdict that was not offered and two of them in one object are none.
    """
    found = last_object(reply, {VERDICT}, finish_reason)
    if isinstance(found, Reason):
        return found, ""
    return _value(found, values), _rationale(found.get(RATIONALE))


def _value(found, values):
    if VERDICT not in found:
        return Reason.MISSING
    if VERDICT in found.twice:
        return Reason.DUPLICATE
    said = found[VERDICT]
    words = str(said).strip().lower() if type(said) in (str, int) else ""
    return values.get(words, Reason.NOT_OFFERED)


def _rationale(said):
    """The reason as one text: a line for each dimension where it has several."""
    if isinstance(said, dict):
        lines = [f"{name}: {text}" for name, text in said.items() if isinstance(text, str)]
        said = "\n".join(lines)
    return kept(said) if isinstance(said, str) else ""


def schema(rationale, words):
    """The JSON schema of a reply: the rationale's own schema first, then one of the words."""
    return {
        "type": "object",
        "properties": {
            RATIONALE: rationale,
            VERDICT: {"type": "string", "enum": list(words)},
        },
        "required": [RATIONALE, VERDICT],
        "additionalProperties": False,
    }
