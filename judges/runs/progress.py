"""Measure how far runs are: counts, rate, cost, failures with an example; a few queries each."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Max, Q, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.design.payment import pay_of
from annotate.design.splits import WITHHELD, as_seen, is_locked, withheld
from judges import methods
from judges.models import Call, Judgment, Run
from judges.perturbations.relations import RELATIONS
from judges.scorers import ON_SCALE, SCORERS

RECENT = timedelta(seconds=60)
COUNTS = {
    "total": Count("pk"),
    **{state: Count("pk", filter=Q(state=state)) for state in Judgment.State.values},
}


@dataclass
class Progress:
    """Counts of a run's judgments by state, and what follows from them."""

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
        """Count the judgments that have ended."""
        return self.total - self.pending - self.leased

    @property
    def bad(self):
        """Count the settled judgments without a value."""
        return self.unparsable + self.refused + self.failed

    @property
    def per_minute(self):
        """Return the rate in judgments a minute; None if unknown."""
        return None if self.per_second is None else 60 * self.per_second

    @property
    def seconds_left(self):
        """Return the seconds until the run ends at this rate; None if unknown."""
        return (self.total - self.settled) / self.per_second if self.per_second else None


def progress(run):
    """Return the run's Progress in one query; its rate is recent, or overall once it ended."""
    now = timezone.now()
    return _with_rate(run, run.judgments.aggregate(**COUNTS, recent=_recent(now)), now)


def moving_or_none(study, pk):
    """Return (a run of the study, its Progress) in one query; None if there is no run."""
    now = timezone.now()
    runs = Run.objects.kept().filter(judge__study=study, pk=pk)
    about = {
        name: Count("judgments", filter=count.filter and Q(judgments__state=name))
        for name, count in COUNTS.items()
    }
    recent = Count("judgments", filter=Q(judgments__settled_at__gte=now - RECENT))
    run = runs.defer("frozen").annotate(**about, recent=recent).first()
    if run is None:
        return None
    return run, _with_rate(run, {name: getattr(run, name) for name in [*COUNTS, "recent"]}, now)


def _recent(now):
    return Count("pk", filter=Q(settled_at__gte=now - RECENT))


def _with_rate(run, counts, now):
    recently = counts.pop("recent")
    counted = Progress(**counts)
    if run.started_at is None:
        return counted
    whole = (run.ended_at or now) - run.started_at
    counted.seconds = max(0.0, whole.total_seconds() - run.idle_seconds)
    span, settled = min(counted.seconds, RECENT.total_seconds()), recently
    if run.state != Run.State.ACTIVE:
        span, settled = counted.seconds, counted.settled
    counted.per_second = settled / span if span and settled else None
    return counted


def progress_of(run_ids):
    """Return {run id: Progress} in one query, without rates."""
    rows = Judgment.objects.filter(run__in=run_ids).values("run").annotate(**COUNTS).order_by()
    return {row.pop("run"): Progress(**row) for row in rows}


def by_relation(run):
    """Return how far a robustness test is with each of its relations, in one query."""
    rows = run.judgments.values("relation").order_by().annotate(**COUNTS)
    by_key = {row.pop("relation"): Progress(**row) for row in rows}
    order = [*RELATIONS, *sorted(by_key.keys() - RELATIONS.keys())]
    return [
        {
            "label": RELATIONS[key].label if key in RELATIONS else key,
            "done": by_key[key].done,
            "total": by_key[key].total,
            "bad": by_key[key].bad,
        }
        for key in order
        if key in by_key
    ]


def spending(run):
    """Return calls, tokens and cost of a run until now, in one query."""
    return run.calls.aggregate(
        calls=Count("pk", filter=Q(reused_from=None)),
        reused=Count("reused_from"),
        tokens_in=Coalesce(Sum("tokens_in"), 0),
        tokens_out=Coalesce(Sum("tokens_out"), 0),
        cost=Sum("cost_usd"),
        unpriced=Count("pk", filter=Q(failure="", cost_usd=None)),
    )


def an_item(run, spent):
    """Return what an item cost by this run, and by a rater if the study says it; None if unknown.

    A robustness test asks about an item many times: its cost says nothing of an item's.
    """
    tells = not run.judge.judges_nothing and not run.is_robustness_test
    if spent["cost"] is None or spent["unpriced"] or not tells:
        return None
    asked = run.judgments.settled().exclude(state=Judgment.State.NOT_ASKED)
    items = asked.values("item").distinct().count()
    study, pay = run.judge.study, pay_of(run.judge.study)
    return items and {
        "usd": float(spent["cost"]) / items,
        "pay": pay and pay.amount / study.items_per_session,
        "currency": pay and pay.currency,
    }


def weighed(run):
    """Count scores with a weighted value, and the others by reason; None if not asked."""
    if not run.frozen.get("weighted"):
        return None
    done = run.judgments.filter(state=Judgment.State.DONE)
    none = done.exclude(weighted_reason="").order_by().values("weighted_reason")
    counts = done.aggregate(done=Count("pk"), weighed=Count("weighted_value"))
    return counts | {"reasons": list(none.annotate(count=Count("pk")).order_by("-count"))}


def failures(run):
    """Count judgments without a value by reason, each with a call as an example."""
    rows = list(
        run.judgments.filter(state__in={*Judgment.NO_VALUE, Judgment.State.NOT_ASKED})
        .values("state", "reason")
        .annotate(count=Count("pk"), example=Max("call"))
        .order_by("-count", "reason")
    )
    calls = Call.objects.in_bulk([row["example"] for row in rows if row["example"]])
    _without_withheld(run, calls)
    for row in rows:
        row["label"], row["call"] = Judgment.State(row["state"]).label, calls.get(row["example"])
    return rows


def _without_withheld(run, calls):
    """Take out the calls about items of a locked test part."""
    if is_locked(run.judge.study) and calls:
        units = {call.unit: pk for pk, call in calls.items()}
        for unit in methods.of_judge(run.judge).hidden_units(run, list(units)):
            calls.pop(units[unit])
        items = dict(run.judgments.filter(call__in=calls).values_list("call", "item"))
        hidden = withheld(run.judge.study, pk__in=set(items.values()))
        for call, item in items.items():
            if item in hidden:
                calls.pop(call, None)


def latest(run, most=8):
    """Return [(call, judgments)] of the latest replies; without calls, of the last items."""
    shown = Judgment.objects.select_related("item", "question").order_by(
        "question__position", "question_id"
    )
    calls = list(run.calls.order_by("-pk")[:most])
    if not calls:
        return _latest_units(run, shown, most)
    judgments: dict[int, list] = {}
    shown = _shown(run, shown.filter(call__in=calls))
    for judgment in methods.of_judge(run.judge).attach(shown):
        judgments.setdefault(judgment.call_id, []).append(judgment)
    return [(call, judgments[call.pk]) for call in calls if call.pk in judgments]


def _shown(run, judgments):
    """Hide the judge's answer in judgments of items of a locked test part."""
    judgments = list(judgments)
    hidden = withheld(run.judge.study, pk__in={judgment.item_id for judgment in judgments})
    for judgment in judgments:
        if judgment.item:
            judgment.item.study = run.judge.study
        if judgment.item_id in hidden:
            judgment.value, judgment.rationale, judgment.reason = None, "", WITHHELD
    as_seen(
        run.judge.study, [judgment.item for judgment in judgments if judgment.item_id in hidden]
    )
    return judgments


def _latest_units(run, shown, most):
    """Return the settled units with the highest numbers, for a run that calls nobody."""
    last = run.judgments.settled().order_by("-unit").values_list("unit", flat=True).distinct()
    judgments: dict[int, list] = {}
    for judgment in _shown(run, shown.filter(run=run, unit__in=list(last[:most]))):
        judgments.setdefault(judgment.unit, []).append(judgment)
    return [(None, judgments[unit]) for unit in sorted(judgments, reverse=True)]


def newest_runs(study):
    """Return {judge id: its newest run, with .progress}, in two queries."""
    newest = (
        Run.objects.judging().filter(judge__study=study).values("judge").annotate(last=Max("pk"))
    )
    runs = list(Run.objects.filter(pk__in=newest.values("last")))
    return {run.judge_id: run for run in with_progress(runs)}


def with_progress(runs):
    """Attach its counts to each run as .progress."""
    by_run = progress_of([run.pk for run in runs])
    for run in runs:
        run.progress = by_run.get(run.pk, Progress())
    return runs


@dataclass
class EnsembleState:
    """Members of an ensemble, and how many answers all or any of them gave."""

    members: list
    complete: int
    begun: int

    @property
    def scales(self):
        """List the different scales of the members; a file counts as on the question's scale."""
        return list(dict.fromkeys(map(_scale_of, self.members)))


def _scale_of(judge):
    """Return the scale of a judge's values, in words."""
    scorer = SCORERS.get(judge.kind)
    return scorer.scale if scorer else methods.of_judge(judge).scale or ON_SCALE


def ensemble(judge):
    """Return the state of an ensemble, in two queries."""
    members = list(judge.members.all())
    answers = (
        Judgment.objects.judging()
        .filter(run__judge__in=members, state=Judgment.State.DONE)
        .order_by()
        .values("item", "question")
        .annotate(judges=Count("run__judge", distinct=True))
    )
    counts = answers.aggregate(
        complete=Count("item", filter=Q(judges=len(members))), begun=Count("item")
    )
    return EnsembleState(members, **counts)
