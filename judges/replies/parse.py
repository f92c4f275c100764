"""Parse a model's reply: a value for each question, or the reason why it has none.

Never a guess.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import Any

from annotate.values.scales.base import Scale
from judges.replies.quotes import NOTHING, Rated, is_all
from judges.replies.thoughts import without_thoughts

RATIONALE = "rationale"
RATIONALE_LENGTH = 400
LONGEST_RATIONALE = 10_000  # characters kept; the whole reply stays in its Call
# What is read at all: an endpoint may send 2 MB, of which a million objects take seconds.
LONGEST_REPLY = 500_000  # characters: more than the 100,000 tokens that a judge may allow
MOST_OBJECTS = 1_000
MOST_TITLES = 1_000  # of a list that a recommender was asked for
OBJECT = re.compile(r'\{\s*["}]')
OBJECT_OR_LIST = re.compile(r'\{\s*["}]|\[\s*[\]{]')
OBJECT_OR_NAMES = re.compile(r'\{\s*["}]|\[\s*[\]{"]')
SPACE = re.compile(r"[ \t\n\r]*")
# Why endpoints say that a reply ended, in small letters and nothing else: these it ended itself.
WHOLE = {
    *("stop", "stopsequence", "end", "endturn", "endofturn", "eos", "eostoken"),
    *("endoftext", "stopstring", "stopsequencereached", "normal", "finish", "finished"),
    *("complete", "completed", "done", "success", "eosfound", "endofsequence", "null", "none"),
    *("toolcall", "toolcalls", "tooluse", "functioncall"),
}
CUT = re.compile("length|max[a-z]*token|tokenlimit|contextwindow")
FILTERED = re.compile(
    "contentfilter|safety|prohibited|recitation|block|spii|sensitive|guardrail|toxic|modelarmor"
    "|moderation|policy"
)


class Reason(StrEnum):
    """Reasons why a reply that arrived gives no value."""

    EMPTY = "empty reply"
    CUT_OFF = "reply cut off at the token limit"
    ENDED = "reply not whole, the endpoint ended it with “{}”"  # its word for why
    FILTERED = "stopped by the content filter"
    REFUSED = "refused by the model"
    REPLY_TOO_LONG = f"reply longer than {LONGEST_REPLY:,} characters"
    TOO_MANY_OBJECTS = f"more than {MOST_OBJECTS:,} JSON objects in the reply"
    NO_JSON = "no JSON in the reply"
    BROKEN_JSON = "broken JSON in the reply"
    QUOTED = "quotes the rated text"
    MISSING = "question not answered"
    EXTRA = "answers to questions that were not asked"
    DUPLICATE = "question answered twice"
    NOT_A_NUMBER = "answer is no number"
    NOT_WHOLE = "fraction on a scale of whole numbers"
    OFF_SCALE = "answer off the scale"
    NOT_OFFERED = "verdict that was not offered"
    LACKS_KEYS = "profile without all seven keys"
    OTHER_KEYS = "profile with keys that were not asked for"
    KEY_TWICE = "profile with a key twice"
    NO_TEXT = "profile with a key that is empty or no text"
    NO_LIST = "no list of titles in the reply"
    SEVERAL_LISTS = "several lists in the reply, or text between the lines of one"
    TOO_MANY_TITLES = f"more than {MOST_TITLES:,} titles in the reply"
    TOO_LONG = "profile longer than 10,000 characters"
    NO_STATEMENTS = "no list of statements in the reply"
    NO_TOPICS = "no list of topics in the reply"


@dataclass
class Verdict:
    """The values of one reply by question key, and reasons where a value is missing."""

    values: dict[str, float] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    rationale: str = ""


class _TooMuch(ValueError):
    """Raised for a reply beyond what is read; `reason` says which limit it breaks."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(str(reason))
        self.reason = reason


class _Object(dict[str, Any]):
    """A JSON object that remembers keys given more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.twice = {key for key, times in Counter(key for key, _ in pairs).items() if times > 1}


_Found = tuple[Any, int, int]  # JSON that answers, where it begins and where it ends


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _decoder() -> json.JSONDecoder:
    """Make a JSON decoder for one reply that counts all objects, nested ones too."""
    made = count(1)

    def make(pairs: list[tuple[str, Any]]) -> _Object:
        if next(made) > MOST_OBJECTS:
            raise _TooMuch(Reason.TOO_MANY_OBJECTS)
        return _Object(pairs)

    # Not strict: a line end within a text can be nothing else.
    return json.JSONDecoder(object_pairs_hook=make, parse_constant=_refuse_constant, strict=False)


def why_not_whole(finish_reason: str) -> Reason | None:
    """Return why a reply is not whole by the reason for which it ended; None where it is."""
    word = re.sub(r"[\W_]+", "", finish_reason.lower()).removeprefix("finishreason")
    if not finish_reason.strip() or word in WHOLE:
        return None
    if FILTERED.search(word):
        return Reason.FILTERED
    if "refus" in word:
        return Reason.REFUSED
    return Reason.CUT_OFF if CUT.search(word) else Reason.ENDED


def answer_in(reply: str, finish_reason: str = "stop") -> str | Reason:
    """Return what a whole reply says beside its thoughts, all at its place; or a Reason."""
    if reason := why_not_whole(finish_reason):
        return reason
    if len(reply) > LONGEST_REPLY:
        return Reason.REPLY_TOO_LONG
    answer = without_thoughts(reply)
    return answer if answer.strip() else Reason.EMPTY


def parse(
    reply: str, scales: Mapping[str, Scale], finish_reason: str = "stop", rated: Rated = NOTHING
) -> Verdict:
    """Parse the last verdict in a reply strictly by the scales of the questions asked.

    JSON in code fences or with prose around it is read. A broken object anywhere, or an answer to
    a question that was not asked, leaves the whole reply without values; else each question
    stands for itself. 4.0 is the whole number 4, as in JSON schema; "4" and true are no numbers.
    """
    answers = last_object(reply, scales.keys(), finish_reason, rated)
    return _none(scales, answers) if isinstance(answers, Reason) else _read(answers, scales)


def last_object(
    reply: str, asked: Set[str], finish_reason: str = "stop", rated: Rated = NOTHING
) -> _Object | Reason:
    """Return the last JSON object that answers a question, or the Reason for no value at all.

    rated: what was shown, which a reply may quote; see `_own`.
    """
    answer = answer_in(reply, finish_reason)
    if isinstance(answer, Reason):
        return answer
    try:
        answers, _ = _last_object(answer, asked, rated, reply)
    except _TooMuch as error:
        return error.reason
    except (ValueError, RecursionError):
        return Reason.BROKEN_JSON
    if answers is None:
        return Reason.NO_JSON
    if isinstance(answers, Reason):
        return answers
    return Reason.EXTRA if set(answers) - asked - {RATIONALE} else answers


def last_list(
    reply: str,
    key: str,
    finish_reason: str = "stop",
    begins: re.Pattern[str] = OBJECT_OR_LIST,
    rated: Rated = NOTHING,
) -> list[Any] | Reason:
    """Return the last JSON list in a reply, alone or under the key, or the Reason why it has none.

    A broken object or list anywhere leaves the whole reply without one. begins: how either begins,
    for prose has brackets too. rated: what was shown, which a reply may quote; see `_own`.
    """
    answer = answer_in(reply, finish_reason)
    if isinstance(answer, Reason):
        return answer
    try:
        return _last_list(answer, key, begins, rated, reply)
    except _TooMuch as error:
        return error.reason
    except (ValueError, RecursionError):
        return Reason.BROKEN_JSON


def _last_list(
    reply: str, key: str, begins: re.Pattern[str], rated: Rated, arrived: str
) -> list[Any] | Reason:
    decoder, position = _decoder(), 0
    answers: list[_Found] = []
    reason = Reason.NO_JSON
    while start := begins.search(reply, position):
        value, position = decoder.raw_decode(reply, start.start())
        reason = Reason.NO_STATEMENTS
        entries = value
        if isinstance(value, _Object):
            entries = None if key in value.twice else value.get(key)
        if isinstance(entries, list):
            answers.append((value, start.start(), position))
    if not answers:
        return reason
    last = _own(reply, answers, rated, arrived)
    if isinstance(last, Reason):
        return last
    return last[0][key] if isinstance(last[0], _Object) else last[0]


def _own(reply: str, answers: list[_Found], rated: Rated, arrived: str) -> _Found | Reason:
    """Return the last of several answers that the judge gives itself, or the Reason why none is.

    One that stands in what was shown is quoted from there, unless it is all that the reply says.
    arrived: the reply before its thoughts were left out. Where the texts shown have marks of
    thoughts, what was left out may have been no thought.
    """
    for value, start, end in reversed(answers):
        if not rated.holds(reply[start:end], value):
            return value, start, end
        if is_all(arrived if rated.has_marks else reply, start, end):
            return value, start, end
    return Reason.QUOTED


def storable(text: str) -> str:
    """Replace what a database cannot hold: NUL and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _none(scales: Mapping[str, Scale], reason: Reason) -> Verdict:
    return Verdict(reasons=dict.fromkeys(scales, reason))


def _last_object(
    reply: str, asked: Set[str], rated: Rated, arrived: str
) -> tuple[_Object | Reason | None, int]:
    """Return the last outermost object that answers a question, else the last of all; its place.

    ValueError when anything that begins as an object is broken: what follows may be a part of it;
    or when the reply has too many objects.
    """
    decoder, position = _decoder(), 0
    answers: list[_Found] = []
    last: tuple[_Object | None, int] = None, 0
    while start := OBJECT.search(reply, position):
        candidate, position = decoder.raw_decode(reply, start.start())
        last = candidate, start.start()
        if asked & candidate.keys():
            answers.append((*last, position))
    if not answers:
        return last
    own = _own(reply, answers, rated, arrived)
    return (own, 0) if isinstance(own, Reason) else own[:2]


def value_spans(
    reply: str, scales: Mapping[str, Scale], rated: Rated = NOTHING
) -> dict[str, tuple[int, int]]:
    """Locate the answer to each question, (start, end), in a reply that `parse` reads."""
    answer = answer_in(reply)
    if isinstance(answer, Reason):
        return {}
    try:
        answers, begins = _last_object(answer, scales.keys(), rated, reply)
    except (ValueError, RecursionError):
        return {}
    if isinstance(answers, Reason):
        return {}
    reply = answer
    spans: dict[str, tuple[int, int]] = {}
    decoder = json.JSONDecoder(strict=False)
    position = _next(reply, begins + 1)
    while answers and reply[position] != "}":
        key, position = decoder.raw_decode(reply, position)
        start = _next(reply, _next(reply, position) + 1)
        _, end = decoder.raw_decode(reply, start)
        spans[key] = start, end
        position = _next(reply, end)
        if reply[position] == ",":
            position = _next(reply, position + 1)
    return spans


def _next(reply: str, position: int) -> int:
    """Return the position of the next character that is no JSON whitespace."""
    return SPACE.match(reply, position).end()  # type: ignore[union-attr]


def _read(answers: _Object, scales: Mapping[str, Scale]) -> Verdict:
    verdict = Verdict()
    rationale = answers.get(RATIONALE)
    if isinstance(rationale, str):
        verdict.rationale = kept(rationale)
    for key, scale in scales.items():
        value = _value(answers, key, scale)
        if isinstance(value, Reason):
            verdict.reasons[key] = value
        else:
            verdict.values[key] = value
    return verdict


def kept(rationale: str) -> str:
    """Return a rationale as it is stored: plain line ends, storable, cut."""
    lines = rationale.replace("\r\n", "\n").replace("\r", "\n")
    return storable(lines)[:LONGEST_RATIONALE]


def _value(answers: _Object, key: str, scale: Scale) -> float | Reason:
    if key not in answers:
        return Reason.MISSING
    if key in answers.twice:
        return Reason.DUPLICATE
    value = answers[key]
    if scale.has_number_labels:
        return _labelled(value, scale)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Reason.NOT_A_NUMBER
    return _off(value, scale) or float(value)


def _labelled(value: object, scale: Scale) -> float | Reason:
    """Return the value of the point whose label it is, which may be written without quotes."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return Reason.NOT_A_NUMBER
    try:
        return float(scale.parse(value))
    except ValueError:
        return Reason.OFF_SCALE


def _off(value: float, scale: Scale) -> Reason | None:
    """Return why a number is no point of the scale; None if it is a point."""
    if not -(2**53) < value < 2**53:  # infinity and whatever a float cannot hold exactly
        return Reason.OFF_SCALE
    if scale.is_whole and value != int(value):
        return Reason.NOT_WHOLE
    if scale.low is not None and scale.high is not None and not scale.low <= value <= scale.high:
        return Reason.OFF_SCALE
    return None


def reply_schema(scales: Mapping[str, Scale], rationale: bool) -> dict[str, Any]:
    """Return the JSON schema of a valid reply, with a rationale before the scores."""
    properties: dict[str, Any] = {}
    if rationale:
        properties[RATIONALE] = {"type": "string", "maxLength": RATIONALE_LENGTH}
    for key, scale in scales.items():
        properties[key] = scale.schema()
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
