"""Measure how long raters look at items: check and add up what the page reports.

A page counts from when it was opened, and says its sums under a random name, as often as it likes.
So a report that comes twice changes nothing, and the times of two tabs that were open at once are
joined, not added.
"""

import math
import re
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction

from annotate.models import ItemTime, Session

NAME = re.compile(r"[A-Za-z0-9_-]{8,40}")
LONGEST = 86_400.0  # seconds
MOST_VIEWS = 50  # of one item by one session; what is opened more often is not counted
# The page of the last item says its sums once more when it is left, which is after the end.
LATE = timedelta(minutes=1)


@dataclass(frozen=True)
class Report:
    """The seconds that one opening of a page has counted by now."""

    view: str
    active: float
    idle: float

    @property
    def total(self):
        return self.active + self.idle


def parse_report(data):
    """Parse the Report of a form; None without JavaScript, or if it is invalid."""
    view = data.get("view", "")
    try:
        active, idle = float(data.get("active", "")), float(data.get("idle", ""))
    except ValueError:
        return None
    is_sound = 0 <= active <= LONGEST and 0 <= idle <= LONGEST  # never true of NaN
    return Report(view, active, idle) if NAME.fullmatch(view) and is_sound else None


def keep(place, report, now):
    """Count a report for the session and the item of a place, unless it is None or comes too late.

    Nothing is longer than the session itself.
    """
    session = place.session
    if report is None or not is_heard(session, now):
        return
    age = max((now - session.started_at).total_seconds(), 0.0)
    with transaction.atomic():
        if not lock_unless_withdrawn(session):
            return
        # Locked: two tabs may be closed at once.
        time, _ = ItemTime.objects.select_for_update().get_or_create(
            session=session,
            item_id=place.item_id,
            defaults={"active_seconds": 0.0, "idle_seconds": 0.0},
        )
        views = with_report(time.views, report, age)
        if views != time.views:
            time.views = views
            time.active_seconds, time.idle_seconds = sums(views)
            time.save(update_fields=["views", "active_seconds", "idle_seconds"])


def is_heard(session, now):
    """Return whether what a page of the session reports still counts."""
    at_work = session.state == Session.State.RATING
    return at_work or (session.ended_at is not None and now - session.ended_at < LATE)


def lock_unless_withdrawn(session):
    """Lock the session; False if its rater withdrew, and nothing may be kept.

    A withdrawal deletes what is kept before it, or is there already.
    """
    sessions = Session.objects.select_for_update(of=("self",), no_key=True)
    withdrawn = {"state": Session.State.WITHDRAWN}
    return bool(sessions.filter(pk=session.pk).exclude(**withdrawn).values_list("pk"))


def with_report(views, report, age):
    """Merge a report into the stored views; age: seconds since the session started."""
    times_by_view = {name: rest for name, *rest in views}
    if report.view not in times_by_view and len(times_by_view) >= MOST_VIEWS:
        return views
    start = max(age - report.total, 0.0)
    start, until, active = times_by_view.get(report.view, (start, start, 0.0))
    until = max(until, min(start + report.total, age))
    times_by_view[report.view] = [start, until, max(active, min(report.active, until - start))]
    return [[name, *(round(part, 2) for part in rest)] for name, rest in times_by_view.items()]


def sums(views):
    """Return the (active, idle) seconds of all views; time in which two were open counts once."""
    open_for, end = 0.0, -math.inf
    for start, until in sorted((start, until) for _, start, until, _ in views):
        open_for += max(until - max(start, end), 0.0)
        end = max(end, until)
    active = min(sum(active for *_, active in views), open_for)
    return round(active, 2), round(open_for - active, 2)
