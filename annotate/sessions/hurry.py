"""Tell a rater gently, once a session, that they left an item sooner than the study's minimum time.

Nothing is locked. What counts is the time to the last answer, which each rating keeps.
"""

from django.db.models import Max
from django.utils import timezone

from annotate.models import Rating, Screen, Session
from annotate.sessions.session import seconds_since

MARK = "pace"  # in the address of the page that says it


def mark(place, shown_at):
    """Return what to add to the next page's address to show the hint; empty nearly always."""
    minimum = place.session.study.extra.get("minimum_seconds")
    seconds = seconds_since(shown_at, timezone.now())
    if not minimum or seconds is None or seconds >= minimum or isinstance(place, Screen):
        return ""
    # Who comes back to an item and goes on at once had taken their time before.
    spent = Rating.objects.filter(session=place.session, item=place.item_id)
    longest = spent.aggregate(longest=Max("seconds"))["longest"]
    if longest is None or longest >= minimum:
        return ""
    rating = {"state": Session.State.RATING}
    first = Session.objects.filter(pk=place.session_id, hurried_at=None, **rating)
    return f"?{MARK}=slow" if first.update(hurried_at=timezone.now()) else ""
