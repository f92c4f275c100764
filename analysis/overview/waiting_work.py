"""Find the work of a study that waits for a worker, in one query, and explain the delay."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import BigIntegerField, Count, F, Min, Q, Value

from annotate.models import Deletion
from judges.health import readiness
from judges.models import Computation, Run, Upload

LONGEST_WAIT = timedelta(seconds=readiness.LONGEST_WAIT)
RUN, LOAD, REPORT = "A run", "A load of files", "A report"
DELETION = "The deletion of a study"
NOTHING = Value(None, output_field=BigIntegerField())


@dataclass(frozen=True)
class Work:
    """Runs of one state, or all other work of one name.

    checked: the run that a check of drift or robustness asks again; since: from when on the oldest
    waits that no worker has begun, None where all were.
    """

    name: str
    state: str
    checked: int | None
    since: datetime | None

    @property
    def is_under_way(self):
        """Return whether it needs a worker: a run only if active, other work always."""
        return self.name != RUN or self.state == Run.State.ACTIVE


def find_work(study):
    """Return the Work of a study, and its members' deletions and studies being made."""
    members = study.memberships.order_by().values("user")
    not_begun = Q(started_at=None, state=Run.State.ACTIVE)
    runs = _rows(
        RUN,
        Run.objects.kept().filter(judge__study=study).annotate(run=F("checked")),
        Min("created_at", filter=not_begun),
    )
    loads = Upload.objects.filter(Q(slug=study.slug) | Q(is_new=True, user__in=members))
    loads = loads.filter(state=Upload.State.LOADING).annotate(run=NOTHING)
    reports = Computation.objects.awaited().filter(study=study).annotate(run=NOTHING)
    not_computed = Q(state=Computation.State.WAITING)
    deletions = Deletion.objects.filter(study__memberships__user__in=members)
    deletions = deletions.annotate(state=F("waits_for"), run=NOTHING)
    rows = runs.union(
        _rows(LOAD, loads, Min("waiting_since")),
        _rows(REPORT, reports, Min("asked_at", filter=not_computed)),
        _rows(DELETION, deletions, Min("asked_at", filter=Q(started_at=None))),
        all=True,
    )
    return [Work(*row) for *row, _ in rows]


def _rows(name, rows, since):
    named = rows.order_by().annotate(name=Value(name)).values_list("name", "state", "run")
    return named.annotate(since=since, n=Count("pk"))


def explain_waiting(work, now):
    """Return {sentence: name of the work} of everything that keeps work from going on.

    What ails the clock or Redis is said once, whatever waits for them.
    """
    under_way = [row for row in work if row.is_under_way]
    names = list(dict.fromkeys(row.name for row in under_way))
    reasons: dict[str, str] = {}
    for words, name in readiness.why_work_waits(names) if names else ():
        reasons.setdefault(words, name)
    for name in names:
        since = [row.since for row in under_way if row.name == name and row.since]
        if since and (waited := now - min(since)) > LONGEST_WAIT:
            minutes = waited // timedelta(minutes=1)
            reasons[f"{name} has waited for {minutes:,} minutes: no worker has begun it"] = name
    return reasons
