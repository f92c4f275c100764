"""How long raters look at items: measured by the page, checked and added up here.

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
    """What one opening of a page has counted so far, in seconds."""

    view: str
    active: float
    idle: float

    @property
    def total(self):
        return self.active + self.idle


def read(data):
    """The Report of a form; None without JavaScript, or where it is none."""
    view = data.get("view", "")
    try:
        active, idle = float(data.get("active", "")), float(data.get("idle", ""))
    except ValueError:
        return None
    is_sound = 0 <= active <= LONGEST and 0 <= idle <= LONGEST  # never true of NaN
    return Report(view, active, idle) if NAME.fullmatch(view) and is_sound else None


def keep(place, report, now):
    """Counts a report for the session and the item of a place; None, or too late, counts nothing.

    Nothing is longer than the session itself.
    """
    session = place.session
    at_work = session.state == Session.State.RATING
    just_ended = session.ended_at is not None and now - session.ended_at < LATE
    if report is None or not (at_work or just_ended):
        return
    age = max((now - session.started_at).total_seconds(), 0.0)
    with transaction.atomic():
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


def with_report(views, report, age):
    """The views with what a report says of one; age: seconds that the session is old now."""
    known = {name: rest for name, *rest in views}
    if report.view not in known and len(known) >= MOST_VIEWS:
        return views
    start = max(age - report.total, 0.0)
    start, until, active = known.get(report.view, (start, start, 0.0))
    until = max(until, min(start + report.total, age))
    known[report.view] = [start, until, max(active, min(report.active, until - start))]
    return [[name, *(round(part, 2) for part in rest)] for name, rest in known.items()]


def sums(views):
    """(active, idle) seconds of all views together: time in which two were open counts once."""
    open_for, end = 0.0, -math.inf
    for start, until in sorted((start, until) for _, start, until, _ in views):
        open_for += max(until - max(start, end), 0.0)
        end = max(end, until)
    active = min(sum(active for *_, active in views), open_for)
    return round(active, 2), round(open_for - active, 2)
