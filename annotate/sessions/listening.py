"""Keep what raters heard and unfolded: check and join what the page of an item reports.

A page reports, of each content, which parts of its recording were played and whether its
description was unfolded. Parts are joined, so that a report that comes twice, a second tab, and
what is played twice change nothing.
"""

import json
import math
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q

from annotate.models import Item, Listening
from annotate.sessions import timing

MOST_CHARACTERS = 20_000
MOST_CONTENTS = 100
MOST_RANGES = 200  # of one recording, as reported and as kept
LONGEST = 86_400.0  # seconds
GAP = 0.5  # seconds: shorter ones are of pausing and going on, not of skipping


@dataclass(frozen=True)
class Report:
    """What a page has counted of one content: parts of its recording, its length, unfolding.

    ranges: None where the page has no recording of it that can be played.
    """

    ranges: tuple | None
    duration: float | None
    is_unfolded: bool | None


def parse_reports(data):
    """Parse {content id: Report} of a form's field `heard`; what is invalid is left out."""
    text = data.get("heard", "")
    try:
        told = json.loads(text) if len(text) <= MOST_CHARACTERS else {}
    except (ValueError, RecursionError):
        return {}
    if not isinstance(told, dict) or len(told) > MOST_CONTENTS:
        return {}
    reports = {key: _parse_report(value) for key, value in told.items() if key.isdecimal()}
    return {int(key): report for key, report in reports.items() if report and len(key) < 19}


def _parse_report(value):
    try:
        ranges, duration, is_unfolded = value
        parts = None if ranges is None else _parts(ranges)
        duration = None if duration is None else _seconds(duration)
    except (TypeError, ValueError):
        return None
    return Report(parts, duration, None if is_unfolded is None else bool(is_unfolded))


def _parts(ranges):
    parts = tuple((_seconds(start), _seconds(until)) for start, until in ranges)
    if len(parts) > MOST_RANGES or any(start > until for start, until in parts):
        raise ValueError("no parts of a recording")
    return parts


def _seconds(value):
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("seconds are a number")
    if not 0 <= value <= LONGEST:  # never true of NaN
        raise ValueError("not a time within a recording")
    return float(value)


def keep(place, reports, now):
    """Join reports to what is kept of the session and the item of a place, unless it is too late.

    Only contents that the page of the item shows are kept.
    """
    if not reports or not timing.is_heard(place.session, now):
        return
    shown = Item.objects.filter(Q(pk=place.item_id) | Q(parent=place.item_id))
    contents = set(shown.filter(content__in=reports).values_list("content_id", flat=True))
    with transaction.atomic():
        if not contents or not timing.lock_unless_withdrawn(place.session):
            return
        key = {"session": place.session, "item_id": place.item_id}
        kept = {row.content_id: row for row in Listening.objects.filter(**key)}
        rows = [
            _joined(kept.get(content) or Listening(content_id=content, **key), reports[content])
            for content in sorted(contents)
        ]
        Listening.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["session", "item", "content"],
            update_fields=[
                "ranges",
                "played_seconds",
                "skipped_seconds",
                "duration_seconds",
                "is_unfolded",
            ],
        )


def _joined(row, report):
    """Add a report to a row; parts beyond the most that are kept are left out."""
    ranges = union([*row.ranges, *(report.ranges or ())])
    if report.ranges is not None and len(ranges) <= MOST_RANGES:
        row.ranges = ranges
        row.played_seconds, row.skipped_seconds = sums(ranges)
    row.duration_seconds = report.duration if report.duration is not None else row.duration_seconds
    if report.is_unfolded is not None:
        row.is_unfolded = bool(row.is_unfolded or report.is_unfolded)
    row.pk = None  # found again by its session, item and content
    return row


def union(ranges):
    """Return [[from, until], ...] of all moments in the ranges, in order; short gaps are closed."""
    joined: list = []
    for start, until in sorted(map(tuple, ranges)):
        if joined and start - joined[-1][1] < GAP:
            joined[-1][1] = max(joined[-1][1], until)
        else:
            joined.append([start, until])
    return [[round(start, 1), round(until, 1)] for start, until in joined]


def sums(ranges):
    """Return the (played, skipped) seconds of a union of ranges."""
    played = math.fsum(until - start for start, until in ranges)
    end = ranges[-1][1] if ranges else 0.0
    return round(played, 1), round(max(end - played, 0.0), 1)
