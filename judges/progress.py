"""How far runs are: counts, rate, cost, failures with an example; each a query or two."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Max, Q, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from judges.models import Call, Judgment, Run
from judges.scorers import ON_SCALE, SCORERS

RECENT = timedelta(seconds=60)
COUNTS = {
    "total": Count("pk"),
    **{state: Count("pk", filter=Q(state=state)) for state in Judgment.State.values},
}


@dataclass
class Progress:
    """Counts of one run's judgments by state, and what follows from them."""

    total: int = 0
    pending: int = 0
    leased: int = 0
    done: int = 0
    unparsable: int = 0
    refused: int = 0
    failed: int = 0
    not_asked: int = 0
    per_second: float | None = None
    seconds: float | None = None

    @property
    def settled(self):
        return self.total - self.pending - self.leased

    @property
    def bad(self):
        return self.unparsable + self.refused + self.failed

    @property
    def per_minute(self):
        return None if self.per_second is None else 60 * self.per_second

    @property
    def seconds_left(self):
        return (self.total - self.settled) / self.per_second if self.per_second else None


def progress(run):
    """One query: the run's counts, its rate over the last minute, or over all once it ended."""
    now = timezone.now()
    recent = Count("pk", filter=Q(settled_at__gte=now - RECENT))
    counts = run.judgments.aggregate(**COUNTS, recent=recent)
    recently = counts.pop("recent")
    found = Progress(**counts)
    if run.started_at is None:
        return found
    found.seconds = ((run.ended_at or now) - run.started_at).total_seconds()
    span, settled = min(found.seconds, RECENT.total_seconds()), recently
    if run.state != Run.State.ACTIVE:
        span, settled = found.seconds, found.settled
    found.per_second = settled / span if span and settled else None
    return found


def progress_of(run_ids):
    """{run id: Progress} in one query, without rates."""
    rows = Judgment.objects.filter(run__in=run_ids).values("run").annotate(**COUNTS).order_by()
    return {row.pop("run"): Progress(**row) for row in rows}


def spending(run):
    """Calls, tokens and cost of a run so far, in one query."""
    return run.calls.aggregate(
        calls=Count("pk"),
        tokens_in=Coalesce(Sum("tokens_in"), 0),
        tokens_out=Coalesce(Sum("tokens_out"), 0),
        cost=Sum("cost_usd"),
        unpriced=Count("pk", filter=Q(failure="", cost_usd=None)),
    )


def failures(run):
    """Reasons why judgments have no value: how many each, with a call as an example."""
    rows = list(
        run.judgments.filter(state__in={*Judgment.NO_VALUE, Judgment.State.NOT_ASKED})
        .values("state", "reason")
        .annotate(count=Count("pk"), example=Max("call"))
        .order_by("-count", "reason")
    )
    calls = Call.objects.in_bulk([row["example"] for row in rows if row["example"]])
    for row in rows:
        row["label"], row["call"] = Judgment.State(row["state"]).label, calls.get(row["example"])
    return rows


def latest(run, most=8):
    """[(call, judgments)] of the calls that came back last; without calls, of the last items."""
    shown = Judgment.objects.select_related("item", "question").order_by(
        "question__position", "question_id"
    )
    calls = list(run.calls.order_by("-pk")[:most])
    if not calls:
        return _latest_units(run, shown, most)
    judgments: dict[int, list] = {}
    for judgment in shown.filter(call__in=calls):
        judgments.setdefault(judgment.call_id, []).append(judgment)
    return [(call, judgments[call.pk]) for call in calls if call.pk in judgments]


def _latest_units(run, shown, most):
    """The settled units with the highest numbers: those of a run that calls nobody."""
    last = run.judgments.settled().order_by("-unit").values_list("unit", flat=True).distinct()
    judgments: dict[int, list] = {}
    for judgment in shown.filter(run=run, unit__in=list(last[:most])):
        judgments.setdefault(judgment.unit, []).append(judgment)
    return [(None, judgments[unit]) for unit in sorted(judgments, reverse=True)]


def newest_runs(study):
    """{judge id: its newest run, with .progress}, in two queries."""
    newest = Run.objects.filter(judge__study=study).values("judge").annotate(last=Max("pk"))
    runs = list(Run.objects.filter(pk__in=newest.values("last")))
    return {run.judge_id: run for run in with_progress(runs)}


def with_progress(runs):
    """The runs, each with its counts as .progress."""
    found = progress_of([run.pk for run in runs])
    for run in runs:
        run.progress = found.get(run.pk, Progress())
    return runs


@dataclass
class EnsembleState:
    """What an ensemble is made of: answers that all members gave, of those that any gave."""

    members: list
    complete: int
    begun: int

    @property
    def scales(self):
        """The different scales of the members; those of a file count as that of the question."""
        scorers = [SCORERS.get(member.kind) for member in self.members]
        return list(dict.fromkeys(scorer.scale if scorer else ON_SCALE for scorer in scorers))


def ensemble(judge):
    """The state of an ensemble, in two queries."""
    members = list(judge.members.all())
    answers = (
        Judgment.objects.filter(run__judge__in=members, state=Judgment.State.DONE)
        .order_by()
        .values("item", "question")
        .annotate(judges=Count("run__judge", distinct=True))
    )
    counts = answers.aggregate(
        complete=Count("item", filter=Q(judges=len(members))), begun=Count("item")
    )
    return EnsembleState(members, **counts)
