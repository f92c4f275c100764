"""Read how long an endpoint wants to be left alone, wherever it says so."""

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

SECONDS = {"mil": 0.001, "ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
UNIT = "(?:milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)"
# A number without a unit is seconds; one that goes on is a date or a version.
PART = rf"\d+(?:\.\d+)?(?:\s*{UNIT}(?![a-z])|(?![a-z\d:-]|\.\d))"
SPAN = rf"{PART}(?:[\s,]*(?:and\s+)?{PART})*"
AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*(mil|ms|[smhd]?)", re.IGNORECASE)
# In a body: RetryInfo, fields of gateways, headers that they pass on, and plain words.
TOLD = re.compile(
    r"(?:(?:retry[-_ ]?(?:delay|after|in)|rate-?limit-reset)(?P<ms>[-_]?m(?:illi)?s[a-z]*)?[-_a-z]*"
    r"|try again (?:in|after)|\bwait(?: for)?|estimated_time)"
    rf"[\\\"'\s:={{]*(?:seconds[\\\"'\s:]+)?(?P<span>{SPAN})",
    re.IGNORECASE,
)
EPOCH, EPOCH_MS = 1e9, 1e12  # numbers from here are moments, not lengths


def seconds_told(headers, body, now):
    """Return the longest wait in seconds that a response asks for; None where it asks for none."""
    told = [_of_header(headers, name, value, now) for name, value in headers.items()]
    for match in TOLD.finditer(body):
        told.append(_seconds(match["span"] + ("ms" if match["ms"] else ""), now))
    return max((seconds for seconds in told if seconds is not None), default=None)


def _of_header(headers, name, value, now):
    name = name.lower()
    if "retry-after" in name:
        return _seconds(value + ("ms" if name.endswith("-ms") else ""), now)
    if "reset" in name and re.search("rate-?limit", name):
        # Of several limits only those are waited for of which nothing is left.
        left = headers.get(name.replace("reset", "remaining"), "0")
        return _seconds(value, now) if left.strip().lstrip("-0.") == "" else None
    return None


def _seconds(text, now):
    """Return the seconds of a length or until a moment, never below 0; None if it is neither."""
    text = text.strip()
    if not re.fullmatch(SPAN, text, re.IGNORECASE):
        return _until(text, now)
    amounts = AMOUNT.findall(text)
    total = sum(float(number) * SECONDS[unit.lower() or "s"] for number, unit in amounts)
    if not amounts[0][1] and total >= EPOCH:
        total = total / (1000 if total >= EPOCH_MS else 1) - now.timestamp()
    return max(0.0, total) if math.isfinite(total) else None


def _until(text, now):
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(text)
        except (ValueError, TypeError, OverflowError):
            continue
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - now).total_seconds())
    return None
