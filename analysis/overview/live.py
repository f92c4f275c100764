"""Show a study as it runs, in few queries: the part of the overview that updates itself.

Nothing here reads all ratings or judgments: the page asks every five seconds.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import (
    Count,
    DateTimeField,
    DurationField,
    ExpressionWrapper,
    F,
    Max,
    OuterRef,
    Q,
    Subquery,
)
from django.db.models.functions import TruncHour
from django.utils import timezone

from analysis.overview.attention import Attention
from annotate.flow import arms, quotas
from annotate.models import Place, Rating, Session
from annotate.taste import lists as taste

State = Session.State
DAY = timedelta(days=1)
HOURS = 24
RECENT = 3  # whole hours from which the rate is taken, if enough was filled in them
FEWEST = 5  # places below which there is no rate
LONGEST = timedelta(days=90)  # beyond it a date would only look exact


def context(study, now=None):
    """Return the context of the templates of the live part."""
    now = now or timezone.now()
    places = Counter(dict(_counted(study.places, "state")))
    visits = Visits(study)
    hours = filled_by_hour(study, now)
    makings, why_failed = taste.list_counts(study)
    forecast = done_at(study, places, hours, now)
    return {
        "filled": places[Place.State.FILLED],
        "held": places[Place.State.HELD],
        "open_places": places[Place.State.OPEN],
        "place_count": places.total(),
        "forecast": forecast,
        "bars": bars(hours, now),
        "filled_lately": sum(hours.values()),
        "sessions": visits.by_state(),
        "dropouts": visits.dropouts(),
        "arms": arms.list_counts(study),
        "quotas": quotas.list_counts(study),
        "makings": makings,
        "why_failed": why_failed,
        "stopped": visits.stopped,
        "timed": visits.timed,
        "median_time": median_time(study, visits.timed),
        "devices": visits.classes("device"),
        "browsers": visits.classes("browser"),
        "attention": Attention(study, places, visits, now).list_problems(),
    }


def _counted(rows, *fields):
    return rows.order_by().values_list(*fields).annotate(n=Count("pk"))


# Sessions


class Visits:
    """The sessions of a study, counted once for all parts of the page that need them."""

    def __init__(self, study):
        fields = ("state", "source", "stopped_in", "current", "device", "browser")
        rows = study.sessions.begun().order_by().values(*fields)
        self.groups = list(rows.annotate(n=Count("pk"), last=Max("last_seen_at")))
        self.here = [row for row in self.groups if row["source"] != Session.Source.FILE]

    def count(self, state):
        return sum(row["n"] for row in self.groups if row["state"] == state)

    def by_state(self):
        """Return (label, count) of the states that any session is in."""
        counts = ((label, self.count(state)) for state, label in State.choices)
        return [(label, count) for label, count in counts if count]

    @property
    def last_seen(self):
        """Return when a session was last heard of; None without any session here."""
        return max((row["last"] for row in self.here), default=None)

    @property
    def stopped(self):
        """Count the visits that stopped before their end."""
        return sum(row["n"] for row in self.here if _has_stopped(row))

    @property
    def timed(self):
        """Count the visits that have a length: completed, and not by personal links or from a file.

        A personal link begins when it is made, not when it is opened.
        """
        web = (row for row in self.groups if row["source"] == Session.Source.WEB)
        return sum(row["n"] for row in web if row["state"] == State.COMPLETED)

    def dropouts(self):
        """Return (screen, stopped there, there now) of the uncompleted visits, in order."""
        gone, here = Counter(), Counter()
        for row in self.here:
            if _has_stopped(row):
                gone[_screen(row["stopped_in"], row)] += row["n"]
            elif row["state"] != State.COMPLETED:
                here[_screen(row["state"], row)] += row["n"]
        return [
            (_name(screen), gone[screen], here[screen])
            for screen in sorted({*gone, *here}, key=_order)
        ]

    def classes(self, field):
        """Return (class, count) of the devices or browsers in use, the commonest first."""
        counts = Counter()
        for row in self.here:
            counts[row[field]] += row["n"]
        return [(name, count) for name, count in counts.most_common() if name]


def _has_stopped(row):
    over = row["state"] in Session.OVER or row["state"] == State.ABANDONED
    return over and row["state"] != State.COMPLETED


def _screen(state, row):
    """Return (state, number of the item); the number is 0 unless the rater is rating."""
    if not state and row["state"] == State.DECLINED:  # from before it was kept
        state = State.CONSENT
    elif row["state"] == State.WITHDRAWN:  # where it stopped is not kept
        state = State.WITHDRAWN
    return (state, row["current"] if state == State.RATING else 0)


def _order(screen):
    states = list(State.values)
    return states.index(screen[0]) if screen[0] in states else len(states), screen[1]


def _name(screen):
    state, number = screen
    if number:
        return f"Item {number}"
    return State(state).label if state in State.values else "Not known"


def median_time(study, n):
    """Return the median seconds of the n completed visits by the open link; None without any."""
    if not n:
        return None
    visits = study.sessions.filter(source=Session.Source.WEB, state=State.COMPLETED).order_by()
    took = ExpressionWrapper(F("ended_at") - F("started_at"), output_field=DurationField())
    ordered = visits.annotate(took=took).order_by("took").values_list("took", flat=True)
    middle = [duration for duration in ordered[(n - 1) // 2 : n // 2 + 1] if duration is not None]
    return sum(duration.total_seconds() for duration in middle) / len(middle) if middle else None


# Places over time


def filled_by_hour(study, now):
    """Return {hour: places filled in it} of the last day, by each filled place's last answer."""
    since = _hour(now) - timedelta(hours=HOURS - 1)
    own = Q(item=OuterRef("item")) | Q(item__parent=OuterRef("item"))
    answers = Rating.objects.filter(own, session=OuterRef("session")).order_by()
    last = answers.values("session").annotate(at=Max("answered_at")).values("at")
    # Only sessions of the last day are looked at, so that it stays cheap in a large study.
    recent = study.sessions.filter(last_seen_at__gte=since).exclude(source=Session.Source.FILE)
    filled = study.places.filter(state=Place.State.FILLED, session__in=recent)
    filled = filled.annotate(at=Subquery(last, output_field=DateTimeField()))
    hours = filled.filter(at__gte=since).annotate(hour=TruncHour("at"))
    return dict(_counted(hours, "hour"))


def _hour(time):
    return time.replace(minute=0, second=0, microsecond=0)


@dataclass(frozen=True)
class Bar:
    """One hour of the chart; x and height in its units, 24 wide and 10 high."""

    hour: object
    count: int
    x: float
    y: float
    height: float


def bars(hours, now):
    """Return the last day as bars; no bars if no place was filled."""
    most = max(hours.values(), default=0)
    first = _hour(now) - timedelta(hours=HOURS - 1)
    counts = {first + timedelta(hours=n): 0 for n in range(HOURS)} | hours if most else {}
    return [
        Bar(hour, count, x, 10 - 10 * count / most, 10 * count / most)
        for x, (hour, count) in enumerate(counts.items())
    ]


@dataclass(frozen=True)
class Forecast:
    """When all places are filled at the present rate; or why that is unknown."""

    finished_at: object = None
    per_hour: float | None = None
    reason: str = ""


def done_at(study, places, hours, now):
    """Forecast from the places filled in the last hours when all places will be filled."""
    left = places.total() - places[Place.State.FILLED]
    if not places.total():
        return Forecast(reason="there are no places yet")
    if not left:
        return Forecast(reason="all places are filled")
    if not study.is_open:
        return Forecast(reason="the study is closed for raters")
    for length in (RECENT, HOURS - 1):
        since = _hour(now) - timedelta(hours=length)
        count = sum(n for hour, n in hours.items() if hour >= since)
        if count >= FEWEST:
            return _at_rate(left, count / ((now - since) / timedelta(hours=1)), now)
    few = f"fewer than {FEWEST} places were filled in the last {HOURS} hours"
    return Forecast(reason=few)


def _at_rate(left, per_hour, now):
    takes = timedelta(hours=left / per_hour)
    if takes > LONGEST:
        words = f"at {per_hour:.2g} places an hour it would take more than {LONGEST.days} days"
        return Forecast(per_hour=per_hour, reason=words)
    # Up to the hour, or to ten minutes on the same day: more would look exact.
    step = timedelta(hours=1) if takes > DAY else timedelta(minutes=10)
    finished_at = now + takes
    return Forecast(
        _hour(finished_at) + -((_hour(finished_at) - finished_at) // step) * step, per_hour
    )
