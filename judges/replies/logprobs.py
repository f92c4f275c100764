"""Weight a score by probability: the mean of a scale's points by a reply's log-probabilities.

The weighted value of G-Eval (Liu et al., EMNLP 2023, section 2.3): the sum of p(s)·s over the
points s of the scale, with p(s) as the endpoint gives it for the token of the score. Endpoints
give the likeliest tokens only, so p is divided by what the points have together: the mass.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotate.values.scales.base import Scale
from judges.replies.parse import storable, value_spans
from judges.replies.quotes import NOTHING, Rated

MOST_ALTERNATIVES = 20  # what OpenAI's interface allows at most
LONGEST_TOKEN = 100  # bytes; a score's token has a few
ROUNDING = 0.01  # by which probabilities may add up to more than 1
NEGLIGIBLE = 0.001  # probability of a token that nobody can tell which point it begins
REQUEST = {"logprobs": True, "top_logprobs": MOST_ALTERNATIVES}
NUMBER = re.compile(rb"(-?[0-9]+)(?:\.0+)?")
AFTER = b" \t\r\n,}"


class Reason(StrEnum):
    """Reasons why a score has no weighted value."""

    NOT_SENT = "the endpoint sent no log-probabilities"
    UNUSABLE = "log-probabilities that cannot be right"
    OTHER_TEXT = "the tokens do not spell the reply"
    SEVERAL_TOKENS = "spread over several tokens"
    AMBIGUOUS = "a likely token may begin more than one answer"
    NO_POINT = "no answer of the scale among the likeliest tokens"
    NO_MEAN = "the scale has no mean: its answers are not ordered points"


@dataclass(frozen=True)
class Weighted:
    """A score's weighted value and the probability of all the scale's points, or a reason."""

    value: float | None = None
    mass: float | None = None
    reason: str = ""


def kept(sent: Any, content: str) -> dict[str, Any]:
    """Reduce an endpoint's log-probabilities to what is stored of them.

    Returns {"tokens": [...]} or {"reason": ...}. Of all tokens with a digit: where they begin in
    the reply (bytes), their text, their log-probability and the likeliest tokens in their place.
    """
    tokens = sent.get("content") if isinstance(sent, dict) else None
    if not isinstance(tokens, list) or not tokens:
        return {"reason": Reason.NOT_SENT}
    try:
        pairs = [(_bytes(token), token) for token in tokens]
        if b"".join(text for text, _ in pairs) != content.encode():
            return {"reason": Reason.OTHER_TEXT}
        return {"tokens": list(_with_digits(pairs))}
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError):
        return {"reason": Reason.UNUSABLE}


def _with_digits(pairs):
    start = 0
    for text, token in pairs:
        if re.search(rb"[0-9]", text):
            if len(text) > LONGEST_TOKEN:
                raise ValueError("a token is too long")
            others = (token.get("top_logprobs") or [])[:MOST_ALTERNATIVES]
            likely = {_text(_bytes(other)): _logprob(other) for other in others}
            likely.setdefault(_text(text), _logprob(token))
            yield [start, _text(text), list(likely.items())]
        start += len(text)


def _bytes(token):
    """Return a token's bytes, made from its text where the endpoint sends no bytes."""
    given = token.get("bytes")
    if given is None:
        return token["token"].encode()
    if not isinstance(given, list):  # of a number bytes() would make as many zeros
        raise TypeError("bytes are no list")
    return bytes(given)


def _text(text):
    return storable(text.decode("utf-8", "replace"))[:LONGEST_TOKEN]


def _logprob(token):
    value = token["logprob"]
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise ValueError("no log-probability")
    if value > ROUNDING:
        raise ValueError("a probability above 1")
    return max(float(value), -1e9)  # JSON knows no infinity


def weighted(
    reply: str,
    logprobs: dict[str, Any] | None,
    scales: Mapping[str, Scale],
    rated: Rated = NOTHING,
) -> dict[str, Weighted]:
    """Compute {question: Weighted} of a parsed reply from its stored log-probabilities."""
    missing = (logprobs or {"reason": Reason.NOT_SENT}).get("reason")
    if missing:
        return {key: Weighted(reason=missing) for key in scales}
    assert logprobs is not None
    spans = value_spans(reply, scales, rated)
    return {
        key: _weighted(reply, spans.get(key), logprobs["tokens"], scale)
        for key, scale in scales.items()
    }


def _weighted(reply, span, tokens, scale):
    if not scale.has_ordered_points:
        return Weighted(reason=Reason.NO_MEAN)
    if span is None:
        return Weighted(reason=Reason.NO_POINT)
    start, end = (len(reply[:offset].encode()) for offset in span)
    for begins, text, likely in tokens:
        raw = text.encode()
        if begins <= start and end <= begins + len(raw):
            return _mean(likely, raw[: start - begins].strip(), [p for p, _ in scale.points])
    return Weighted(reason=Reason.SEVERAL_TOKENS)


def _mean(likely, before, points):
    """Average the points; `before` is what precedes the score within its token."""
    mass = dict.fromkeys(points, 0.0)
    for text, logprob in likely:
        point = _point(text.encode(), before)
        if point in mass:
            mass[point] += math.exp(logprob)
    total = sum(mass.values())
    if total > 1 + ROUNDING:
        return Weighted(reason=Reason.UNUSABLE)
    if any(_begins_another(point, mass) for point in points):
        return Weighted(reason=Reason.AMBIGUOUS)
    if not total:
        return Weighted(reason=Reason.NO_POINT)
    return Weighted(sum(point * p for point, p in mass.items()) / total, min(1.0, total))


def _point(text, before):
    """Return the number that a token spells after `before`, or None."""
    text = text.lstrip()
    if not text.startswith(before):
        return None
    number = NUMBER.fullmatch(text[len(before) :].strip().rstrip(AFTER))
    return int(number[1]) if number else None


def _begins_another(point, mass):
    """Whether a likely “1” may begin a “10” that has no token of its own here."""
    longer = [other for other in mass if other != point and str(other).startswith(str(point))]
    return mass[point] >= NEGLIGIBLE and any(not mass[other] for other in longer)
