"""Read how long an endpoint wants to be left alone, wherever it says so."""

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

SECONDS = {"mil": 0.001, "ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
UNIT = "(?:milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)"
# A number without a unit is seconds; one that goes on is a date or a version.
PART = rf"\d+(?:\.\d+)?(?:\s*{UNIT}(?![a-z])|(?![a-z\d:-]|\.\d))"
MOMENT = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]{0,20}(?:\s?(?:Z|[+-]\d\d:?\d\d))?"
SPAN = rf"{PART}(?:[\s,]*(?:and\s+)?{PART})*"
AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*(mil|ms|[smhd]?)", re.IGNORECASE)
# In a body: RetryInfo, fields of gateways, headers that they pass on.
# What follows a name is bounded: a body of 2 MB that repeats one is read in a moment, not hours.
FIELD = re.compile(
    r"(?:retry[-_ ]?(?:delay|after|in)|rate-?limit-reset|resets?[-_ ]?(?:at|after|in|delay|time)"
    r"|estimated_time)"
    r"(?P<ms>[-_]?m(?:illi)?s)?(?:[-_]?(?P<unit>minutes?|hours?|days?))?[-_a-z]{0,40}"
    rf"[\\\"'\s]*[:=][\\\"'\s:={{]*(?:seconds[\\\"'\s:]+)?(?P<span>{MOMENT}|{SPAN})",
    re.IGNORECASE,
)
# In plain words: "100 years" are no hundred seconds.
PROSE_PART = rf"\d+(?:\.\d+)?(?:\s*{UNIT}(?![a-z])|(?![a-z\d:-]|\.\d|\s+[a-z]))"
ABOUT = r"\s+(?:about |approximately |around |at least |~ ?)?"
# A bare number after "again in" or "resets in" may be a year of the rated text.
PROSE = re.compile(
    r"(?:(?:(?:retry|retry your request|try again)[-_ ]?(?:in|after)|\bwait(?: for)?)"
    rf"{ABOUT}|(?:again|resets?|available)[-_ ](?:in|after){ABOUT}"
    rf"(?=\d+(?:\.\d+)?\s*{UNIT}(?![a-z])))"
    rf"(?P<span>{PROSE_PART}(?:[\s,]*(?:and\s+)?{PROSE_PART})*)",
    re.IGNORECASE,
)
# In the headers RateLimit and RateLimit-Policy of the IETF, by its older drafts and its newer ones:
# what is left of a limit, the seconds until its reset, and those of its window.
NEXT_LIMIT = re.compile(
    r',(?=\s*(?:"[^"]*"|[\w*/:.-]+)\s*(?:[;,]|\Z)|\s*limit=[^;]*reset=)', re.IGNORECASE
)
OF_LIMIT = re.compile(r"(?<![\w.*-])(r|remaining|t|reset|w)\s*=\s*(-?\d{1,9})\b")
PARTS = {"r": "left", "remaining": "left", "t": "reset", "reset": "reset", "w": "window"}
LONGEST_IN_PROSE = 3600  # seconds; words that ask for more may be anybody's, as an echoed text's
EPOCH, EPOCH_MS = 1e9, 1e12  # numbers from here are moments, not lengths


def seconds_told(headers, body, now):
    """Return the longest wait in seconds that a response asks for; None where it asks for none."""
    told = [_of_header(headers, name, value, now) for name, value in headers.items()]
    for match in FIELD.finditer(body):
        unit = "ms" if match["ms"] else match["unit"] or ""
        told.append(_seconds(match["span"] + unit, now))
    in_prose = [_seconds(match["span"], now) for match in PROSE.finditer(body)]
    told += [seconds for seconds in in_prose if seconds is not None and seconds <= LONGEST_IN_PROSE]
    return max((seconds for seconds in told if seconds is not None), default=None)


def _of_header(headers, name, value, now):
    name = name.lower()
    if name == "ratelimit":
        windows = dict(_limits(headers.get("ratelimit-policy", "")))
        waits = [
            told.get("reset", windows.get(limit, {}).get("window"))
            for limit, told in _limits(value)
            if told.get("left", 1) <= 0
        ]
        return max((seconds for seconds in waits if seconds is not None), default=None)
    if "retry-after" in name:
        return _seconds(value + ("ms" if name.endswith("-ms") else ""), now)
    if "reset" in name and re.search("rate-?limit", name):
        # Of several limits only those are waited for of which nothing is left.
        left = headers.get(name.replace("reset", "remaining"), "0").strip()
        is_used_up = left.startswith("-") or left.strip("0.") == ""
        return _seconds(value, now) if is_used_up else None
    return None


def _limits(header):
    """List (its name, {"left", and in seconds "reset" and "window"}) of the limits of a header."""
    limits = []
    for limit in NEXT_LIMIT.split(header):
        told = OF_LIMIT.findall(re.sub('"[^"]*"', "", limit).lower())
        name = limit.partition(";")[0].strip(' "')
        numbers = {PARTS[key]: float(number) for key, number in told}
        limits.append((name, {part: n for part, n in numbers.items() if part == "left" or n >= 0}))
    return limits


def _seconds(text, now):
    """Return the seconds of a length or until a moment, never below 0; None if it is neither.

    Of several in a list, as gateways make of a header that came twice, it is the longest.
    """
    text = text.strip(' \t"')
    if re.fullmatch(SPAN, text, re.IGNORECASE):
        return _length(text, now)
    until = _until(text, now)
    head, comma, rest = text.partition(",")
    if until is not None or not comma:
        return until
    spans = [seconds for part in (head, rest) if (seconds := _seconds(part, now)) is not None]
    return max(spans, default=None)


def _length(text, now):
    amounts = [(float(number), unit.lower()) for number, unit in AMOUNT.findall(text)]
    spans = [amount * SECONDS[unit or "s"] for amount, unit in amounts]
    are_parts = all(unit for _, unit in amounts[:-1])  # as in 2m30s; else it is a list
    total = sum(spans) if are_parts else max(spans)
    number, unit = amounts[0]
    if unit in ("", "ms") and number >= (EPOCH_MS if unit else EPOCH):
        total = number / (1000 if number >= EPOCH_MS else 1) - now.timestamp()
    return max(0.0, total) if math.isfinite(total) else None


def _until(text, now):
    for read in (parsedate_to_datetime, _of_iso):
        try:
            moment = read(text)
        except (ValueError, TypeError, OverflowError):
            continue
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - now).total_seconds())
    return None


def _of_iso(text):
    """Read a moment of ISO 8601, also with a blank before the offset or with UTC behind it."""
    return datetime.fromisoformat(re.sub(r"\s(?=[+-]\d|Z)|\s?UTC\Z", "", text))
