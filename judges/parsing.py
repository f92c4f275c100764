"""A model's reply -> a value for each question, or the reason why there is none. Never a guess."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from annotate.scales import Scale

RATIONALE = "rationale"
RATIONALE_LENGTH = 400
LONGEST_RATIONALE = 10_000  # characters kept; the whole reply stays in its Call
OBJECT = re.compile(r'\{\s*["}]')


class Reason(StrEnum):
    """Why a reply that arrived gives no value."""

    EMPTY = "empty reply"
    CUT_OFF = "reply cut off at the token limit"
    NO_JSON = "no JSON in the reply"
    BROKEN_JSON = "broken JSON in the reply"
    MISSING = "question not answered"
    EXTRA = "answers to questions that were not asked"
    DUPLICATE = "question answered twice"
    NOT_A_NUMBER = "answer is no number"
    NOT_WHOLE = "fraction on a scale of whole numbers"
    OFF_SCALE = "answer off the scale"


@dataclass
class Verdict:
    """What one reply says: values by question key, reasons where there is no value."""

    values: dict[str, float] = field(default_factory=dict)
    reasons: dict[str, Reason] = field(default_factory=dict)
    rationale: str = ""


class _Object(dict[str, Any]):
    """A JSON object that remembers which of its keys came twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.twice = {key for key, times in Counter(key for key, _ in pairs).items() if times > 1}


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_Object, parse_constant=_refuse_constant)


def parse(reply: str, scales: Mapping[str, Scale], finish_reason: str = "stop") -> Verdict:
    """The last verdict in the reply, read strictly by the scales of the questions asked.

    JSON in code fences or with prose around it is read. A broken object anywhere, or an answer to
    a question that was not asked, leaves the whole reply without values; else each question
    stands for itself. 4.0 is the whole number 4, as in JSON schema; "4" and true are no numbers.
    """
    if finish_reason == "length":
        return _none(scales, Reason.CUT_OFF)
    if not reply.strip():
        return _none(scales, Reason.EMPTY)
    try:
        found = _last_verdict(reply, scales)
    except (ValueError, RecursionError):
        return _none(scales, Reason.BROKEN_JSON)
    if found is None:
        return _none(scales, Reason.NO_JSON)
    if set(found) - set(scales) - {RATIONALE}:
        return _none(scales, Reason.EXTRA)
    return _read(found, scales)


def storable(text: str) -> str:
    """The text without what a database cannot hold: NUL and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _none(scales: Mapping[str, Scale], reason: Reason) -> Verdict:
    return Verdict(reasons=dict.fromkeys(scales, reason))


def _last_verdict(reply: str, scales: Mapping[str, Scale]) -> _Object | None:
    """The last outermost JSON object that answers a question, else the last one at all.

    ValueError when anything that begins as an object is broken: what follows may be a part of it.
    """
    found: _Object | None = None
    answers, position = False, 0
    while start := OBJECT.search(reply, position):
        candidate, position = _DECODER.raw_decode(reply, start.start())
        if scales.keys() & candidate or not answers:
            found, answers = candidate, bool(scales.keys() & candidate)
    return found


def _read(found: _Object, scales: Mapping[str, Scale]) -> Verdict:
    verdict = Verdict()
    rationale = found.get(RATIONALE)
    if isinstance(rationale, str):
        verdict.rationale = _kept(rationale)
    for key, scale in scales.items():
        value = _value(found, key, scale)
        if isinstance(value, Reason):
            verdict.reasons[key] = value
        else:
            verdict.values[key] = value
    return verdict


def _kept(rationale: str) -> str:
    """Escapes inside the object bring back what was taken out of the reply around it."""
    lines = rationale.replace("\r\n", "\n").replace("\r", "\n")
    return storable(lines)[:LONGEST_RATIONALE]


def _value(found: _Object, key: str, scale: Scale) -> float | Reason:
    if key not in found:
        return Reason.MISSING
    if key in found.twice:
        return Reason.DUPLICATE
    value = found[key]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Reason.NOT_A_NUMBER
    return _off(value, scale) or float(value)


def _off(value: float, scale: Scale) -> Reason | None:
    """Why a number is no point of the scale; None when it is one."""
    if not -(2**53) < value < 2**53:  # infinity and whatever a float cannot hold exactly
        return Reason.OFF_SCALE
    if scale.kind != "number" and value != int(value):
        return Reason.NOT_WHOLE
    if scale.low is not None and scale.high is not None and not scale.low <= value <= scale.high:
        return Reason.OFF_SCALE
    return None


def reply_schema(scales: Mapping[str, Scale], rationale: bool) -> dict[str, Any]:
    """The JSON schema of a valid reply; a rationale stands before the scores."""
    properties: dict[str, Any] = {}
    if rationale:
        properties[RATIONALE] = {"type": "string", "maxLength": RATIONALE_LENGTH}
    for key, scale in scales.items():
        properties[key] = _schema(scale)
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _schema(scale: Scale) -> dict[str, Any]:
    if scale.points:
        return {"type": "integer", "enum": [value for value, _ in scale.points]}
    if scale.low is None:
        return {"type": "number"}
    return {"type": "number", "minimum": scale.low, "maximum": scale.high}
