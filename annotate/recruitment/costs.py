"""Say about what more places of a study will cost, by what is known of its sessions."""

from statistics import median

from django.db.models import Count, F

from annotate.design.payment import pay_of
from annotate.design.planner_link import HOUR, USUAL_SECONDS
from annotate.models import Session

FEWEST_SESSIONS = 5  # before their time an item is believed
USUAL_PAY = 9  # an hour


def item_seconds(study):
    """Return the median seconds an item of completed visits; None where fewer than 5 ended."""
    ended = study.sessions.visits().filter(state=Session.State.COMPLETED, ended_at__isnull=False)
    counted = ended.annotate(n=Count("places")).filter(n__gt=0, ended_at__gt=F("started_at"))
    times = [
        (ended_at - started_at).total_seconds() / items
        for started_at, ended_at, items in counted.values_list("started_at", "ended_at", "n")
    ]
    return median(times) if len(times) >= FEWEST_SESSIONS else None


def describe_cost(study, places):
    """Say about what these places cost, and by what; without the fee of a platform."""
    pay = pay_of(study)
    if pay:
        cost = places * pay.amount / study.items_per_session
        return (
            f"about {cost:,.2f} {pay.currency}, as a session of {study.items_per_session} items "
            f"pays {pay.amount:,.2f}; a platform’s fee comes on top"
        )
    own = item_seconds(study)
    seconds = own or USUAL_SECONDS
    whence = "the median of this study’s sessions" if own else "assumed"
    cost = places * seconds * USUAL_PAY / HOUR
    return (
        f"about {cost:,.2f} in your currency, at {USUAL_PAY} an hour (assumed) and {seconds:.0f} "
        f"seconds per rating ({whence}); a platform’s fee comes on top. Say in Settings what a "
        "session pays"
    )
