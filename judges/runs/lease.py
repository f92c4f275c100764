"""Lease the units of runs to workers: the database is the queue, and unsettled units return."""

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import reduce
from operator import or_

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from annotate.design.versions import questions_of
from annotate.models import Item
from judges import methods
from judges.endpoints import refusals
from judges.endpoints.client import REFUSALS, UNBILLED
from judges.models import Endpoint, Judgment, Run
from judges.prompting.materials import Shown, shown_by_item

# A unit that was leased so often without an end takes its worker down each time.
MOST_LEASES = 25
WORKER_LOST = "worker lost during the call, again and again"
GIVEN_BACK = "taken up and given back, again and again"
# Units read together with the leased ones, so that the next leases need not read.
READ_AHEAD = 100
ANSWERED = ["", *REFUSALS]  # how calls end that the endpoint answered

# COALESCE keeps SQLite from walking all pending rows by the index of (run, state).
# Those that were asked least come first, so that a resume does not begin with what stopped.
TAKE = """
WITH picked AS {materialized} (
    SELECT unit FROM judges_judgment
    WHERE run_id = %s AND lead AND {waits}
    ORDER BY attempts, unit LIMIT %s {skip_locked}
)
UPDATE judges_judgment
SET state = 'leased', leased_until = %s, leased_by = %s, attempts = attempts + 1
WHERE run_id = %s AND COALESCE(state, '') = 'pending' AND unit IN (SELECT unit FROM picked)
RETURNING unit
"""
WAITS = "state = 'pending'"
AMONG = "COALESCE(state, '') = 'pending' AND unit IN ({})"

# Raw, as it is asked at every lease: the queryset took ten times as long to be put together.
PLACES = """
SELECT (SELECT COUNT(*) FROM judges_run r JOIN judges_judge j ON j.id = r.judge_id
        WHERE r.state = 'active' AND j.endpoint_id = %s),
       COUNT(*), COUNT(CASE WHEN m.run_id = %s THEN 1 END),
       COUNT(CASE WHEN m.run_id = %s AND m.leased_by = %s THEN 1 END)
FROM judges_judgment m
JOIN judges_run r ON r.id = m.run_id JOIN judges_judge j ON j.id = r.judge_id
WHERE m.state = 'leased' AND m.lead AND j.endpoint_id = %s
"""


@dataclass
class Unit:
    """A call to make: an item and the questions asked of it, in their order."""

    number: int
    item: Item | None
    questions: list = field(default_factory=list)
    attempt: int = 1
    pauses: int = 0  # for which its endpoint asked when it was to answer; they are no attempts
    shown: Shown | None = None
    order: str = ""
    sample: int = 0
    relation: str = ""
    permit: tuple | None = None  # (slot, tokens) that its call was counted with
    compared: bool = False  # with past calls: none of them answers it
    sent: bool = False  # by the worker that holds it
    put_off: datetime | None = None  # when it was put off last


def lease_length(endpoint):
    """Return how long a lease lasts: the call's time-out, and a margin for writing its reply."""
    return timedelta(seconds=endpoint.timeout_seconds + settings.LEASE_MARGIN_SECONDS)


def hold(run):
    """Lock the run's row until the transaction ends, and return it as it is now.

    Endpoint before run, run before its judgments, these before the study, everywhere: so
    transactions wait in a queue, never in a circle. No key, so that calls can be stored meanwhile.
    """
    return Run.objects.select_for_update(no_key=True).get(pk=run.pk)


def lease(run, endpoint, worker, most, ahead=None, last=()):
    """Lease up to `most` pending units of the run for this worker; fewer where a limit says so.

    ahead: {number: Unit} that this worker keeps; filled with units that are likely to be next.
    last: numbers of units that come only where no others wait.
    """
    with transaction.atomic():
        # All runs of an endpoint count its places one after the other. No key, so that whoever
        # makes a judge of this endpoint need not wait.
        endpoint = Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
        current = hold(run)
        if current.state != Run.State.ACTIVE:
            return []
        wanted = _affordable(current, min(most, _room(current, endpoint, worker)))
        among = current.pilot["units"] if current.in_pilot else []
        until = timezone.now() + lease_length(endpoint)
        numbers = _take(run, worker, wanted, until, among, last)
        if last and not numbers:
            numbers = _take(run, worker, wanted, until, among)
        _reserve(current, len(numbers))
    return _units(run, numbers, {} if ahead is None else ahead, among)


def lease_these(run, worker, numbers, until):
    """Lease the free units among these numbers for this worker, and return their numbers.

    Call it within a transaction that settles them at no cost: no limit is kept.
    """
    current = hold(run)
    taken = []
    if numbers and current.state == Run.State.ACTIVE:
        taken = _take(run, worker, len(numbers), until, numbers)
        _reserve(current, len(taken))
    return taken


def lease_free(run, worker, most, until):
    """Lease up to `most` pending units of a run that calls nobody and spends nothing."""
    with transaction.atomic():
        current = hold(run)
        if current.state != Run.State.ACTIVE:
            return []
        numbers = _take(run, worker, most, until)
        _reserve(current, len(numbers))
    return read_units(run, numbers)


def has_work(run):
    """Whether a worker may lease something of the run now, or has to stop it.

    Two queries and no lock: each sweep tells all workers, and one is often enough.
    """
    if not _waits(run):
        return False
    left = run.budget_usd is None or _calls_left(run) > 0
    # Of a run without money nothing is under way: whoever comes stops it.
    return left and _room(run, run.judge.endpoint, "") > 0 or not (left or run.reserved_usd)


def ahead(places):
    """Return how many units a worker holds beyond its places if it has the endpoint to itself.

    So no place runs empty while a reply is settled. They are not sent: a kill repeats none.
    """
    return max(1, places // 2)


def _room(run, endpoint, worker):
    """Return what is left of this run's fair share of the endpoint, and of the whole endpoint.

    Calls of runs that were cancelled meanwhile take their places until they end. A worker alone may
    hold some ahead: nobody else gets a place then until no more are held than there are.
    Not under a budget, where each unit held keeps money from being spent.
    """
    with connection.cursor() as cursor:
        cursor.execute(PLACES, [endpoint.pk, run.pk, run.pk, worker, endpoint.pk])
        active, leased, own, mine = cursor.fetchone()
    if active == 1 and leased == mine and run.budget_usd is None:
        return endpoint.concurrency + ahead(endpoint.concurrency) - leased
    share = max(1, endpoint.concurrency // max(1, active))
    return min(share - own, endpoint.concurrency - leased)


def unit_usd(run):
    """Return what a unit of the run can cost at most: the estimate, or what a call cost since."""
    return Decimal(run.unit_usd)


def _affordable(run, wanted):
    """Return how many of the wanted units the budget allows; end the run if it allows none."""
    if run.budget_usd is None:
        return wanted
    most = _calls_left(run)
    if most == 0 and _waits(run) and not run.judgments.filter(state=Judgment.State.LEASED).exists():
        _end_of_budget(run)
    return min(wanted, most)


def _end_of_budget(run):
    """End a run without money; if none of its calls was answered, with the reason of the last."""
    calls = run.calls.filter(reused_from=None)
    last = calls.exclude(failure__in=UNBILLED).order_by("-pk").first()
    if last and not calls.filter(failure__in=ANSWERED).exists():
        why = refusals.why(last.failure, last.failure_detail)
        stop(run, f"no call was answered before the budget was used up: {why}")
    else:
        Run.objects.filter(pk=run.pk).update(state=Run.State.OUT_OF_BUDGET, ended_at=timezone.now())


def _calls_left(run):
    """Return how many calls the budget of a run allows now."""
    dearest = unit_usd(run)
    if not dearest:
        return math.inf
    left = run.budget_usd - run.spent_usd - run.reserved_usd
    most = max(0, int(left // dearest))
    if most and not run.spent_usd:
        # The first call is made alone: what it cost shows whether the estimate is to be trusted.
        return 0 if run.reserved_usd else 1
    return most


def _waits(run):
    """Whether anything is left to ask: else the run is done, however little money is left."""
    leads = run.judgments.filter(lead=True)
    if run.in_pilot:  # few, which SQLite would look for among all that wait
        states = leads.filter(unit__in=run.pilot["units"]).values_list("state", flat=True)
        return Judgment.State.PENDING in states
    return leads.filter(state=Judgment.State.PENDING).exists()


def _take(run, worker, most, until, among=(), but=()):
    """Lease units by one statement, among these numbers if any are given; return their numbers.

    but: numbers that are left out.
    """
    if most <= 0:
        return []
    postgres = connection.vendor == "postgresql"
    waits = AMONG.format(_marks(among)) if among else WAITS
    sql = TAKE.format(
        waits=f"{waits} AND unit NOT IN ({_marks(but)})" if but else waits,
        materialized="MATERIALIZED" if postgres else "",
        skip_locked="FOR UPDATE SKIP LOCKED" if postgres else "",
    )
    until = connection.ops.adapt_datetimefield_value(until)
    with connection.cursor() as cursor:
        cursor.execute(sql, [run.pk, *among, *but, most, until, worker, run.pk])
        return sorted({number for (number,) in cursor.fetchall()})


def _marks(numbers):
    return ", ".join(["%s"] * len(numbers))


def _reserve(run, count):
    if count and not run.started_at:
        Run.objects.filter(pk=run.pk).update(started_at=timezone.now())
    free(run, -count, Decimal(0))


def _units(run, numbers, ahead, among):
    """Return the leased units; read them and the next ones where they were not read ahead."""
    if not ahead.keys() >= set(numbers):
        most = READ_AHEAD if methods.of_judge(run.judge).reads_ahead else 0
        waiting = Judgment.objects.filter(run=run, state=Judgment.State.PENDING, lead=True)
        waiting = waiting.filter(unit__in=among) if among else waiting
        upcoming = waiting.order_by("attempts", "unit").values_list("unit", flat=True)[:most]
        ahead.clear()
        ahead.update(_read(run, [*numbers, *upcoming]))
    return [ahead.pop(number) for number in numbers]


def read_units(run, numbers):
    """Return the units with these numbers, with everything a call needs."""
    return list(_read(run, numbers).values())


def _read(run, numbers):
    """Return {number: Unit}; units that are settled in part ask all their questions again."""
    own = methods.of_frozen(run.frozen).asked(run, numbers)
    if own is not None:
        return {unit: Unit(unit, None, [asked], shown=shown) for unit, asked, shown in own}
    rows = list(
        Judgment.objects.filter(run=run, unit__in=numbers)
        .order_by("unit")
        .values_list("unit", "item_id", "question_id", "order", "sample", "relation")
    )
    items = Item.objects.select_related("content").in_bulk({item for _, item, *_ in rows})
    # In the wording of the run's version, whatever was changed since.
    asked = questions_of(run.judge.study_id, run.version)
    place = {question.pk: position for position, question in enumerate(asked)}
    shown = shown_by_item(run, items)
    units: dict[int, Unit] = {}
    in_order = sorted(rows, key=lambda row: (row[0], place[row[2]]))
    for number, item, question, *which in in_order:
        order, sample, relation = which
        new = Unit(
            number, items[item], shown=shown[item], order=order, sample=sample, relation=relation
        )
        unit = units.setdefault(number, new)
        unit.questions.append(asked[place[question]])
    return units


def _held(run, worker, **which):
    """Return the rows that this worker holds, or those that `which` describes.

    They are locked in the order in which everybody locks them, so that the sweep and a worker that
    it took for lost do not wait in a circle.
    """
    mine = {"run": run, "state": Judgment.State.LEASED, "leased_by": worker}
    rows = Judgment.objects.filter(**mine, **which).order_by("pk").select_for_update()
    return Judgment.objects.filter(**mine, pk__in=rows.values("pk"))


def count_attempts(run, worker, units):
    """Count another attempt for units that are to be asked again."""
    for unit in units:
        unit.attempt += 1
    if units:
        with transaction.atomic():
            held = _held(run, worker, unit__in=[unit.number for unit in units])
            held.update(attempts=F("attempts") + 1)


@transaction.atomic
def renew(run, worker, length):
    """Extend all leases of this worker by that length from now."""
    _held(run, worker).update(leased_until=timezone.now() + length)


def give_way(run, worker, numbers, last, *, if_alone=False):
    """Give back those of these units for which others wait, not counting `last`; return which.

    if_alone: only if the run has no other unit under way.
    """
    with transaction.atomic():
        current = hold(run)
        leads = run.judgments.filter(lead=True)
        others = leads.filter(state=Judgment.State.LEASED).exclude(unit__in=numbers)
        if if_alone and others.exists():
            return []
        waiting = leads.filter(state=Judgment.State.PENDING).exclude(unit__in=last)
        if current.in_pilot:
            waiting = waiting.filter(unit__in=current.pilot["units"])
        gone = numbers[: len(waiting.values_list("unit")[: len(numbers)])]
        if gone:
            give_back(run, worker, gone)
    return gone


def give_back(run, worker, numbers=None, but=(), uncounted=()):
    """Return this worker's leased units, or these of them, to the queue at no cost.

    but: numbers of units that stay leased. uncounted: of those whose lease is no attempt.
    """
    which = {} if numbers is None else {"unit__in": numbers}
    with transaction.atomic():
        hold(run)
        held = _held(run, worker, **which).exclude(unit__in=but)
        units = held.filter(lead=True).count()
        none = {"leased_until": None, "leased_by": ""}
        if uncounted:
            held.filter(unit__in=uncounted).update(attempts=F("attempts") - 1)
        held.filter(attempts__gte=MOST_LEASES).update(
            state=Judgment.State.FAILED, reason=GIVEN_BACK, settled_at=timezone.now(), **none
        )
        held.update(state=Judgment.State.PENDING, **none)
        free(run, units, Decimal(0))


def free(run, units, spent):
    """End the reservations of a number of units; count what they cost against the budget."""
    if not spent and not units * unit_usd(run):
        return
    Run.objects.filter(pk=run.pk).update(
        reserved_usd=F("reserved_usd") - units * F("unit_usd"), spent_usd=F("spent_usd") + spent
    )


def expect(run, dearest):
    """Raise what each unit reserves, after a call that cost more than the estimate.

    All that is reserved is a number of leased units times the estimate, so it grows with it.
    """
    current = hold(run)
    if dearest > current.unit_usd:
        held = current.judgments.filter(state=Judgment.State.LEASED, lead=True).count()
        more = held * (dearest - current.unit_usd)
        Run.objects.filter(pk=run.pk).update(
            unit_usd=dearest, reserved_usd=F("reserved_usd") + more
        )


def stop(run, reason):
    """Stop a run whose calls cannot succeed now; its waiting units wait for a resume."""
    Run.objects.filter(pk=run.pk, state=Run.State.ACTIVE).update(
        state=Run.State.STOPPED, stopped_because=reason[:300], ended_at=timezone.now()
    )


def ask_again(judgments, attempts=0):
    """Let settled judgments wait for another call; return how many. Calls stay.

    attempts: 0, as if nobody had been asked; else they wait behind those that nobody was.
    """
    return judgments.update(
        state=Judgment.State.PENDING,
        reason="",
        attempts=attempts,
        settled_at=None,
        cost_usd=None,
        call=None,
    )


def return_expired(now=None):
    """Return expired leases to the queue, count their cost as spent; return how many rows."""
    now = now or timezone.now()
    expired = Judgment.objects.filter(state=Judgment.State.LEASED, leased_until__lt=now)
    with transaction.atomic():
        runs = Run.objects.filter(pk__in=expired.values("run")).order_by("pk")
        held = list(runs.select_for_update(no_key=True).values_list("pk", flat=True))
        rows = expired.filter(run__in=held).order_by("pk").select_for_update()
        rows = list(rows.values_list("pk", "run_id", "lead", "attempts")) if held else []
        lost = [pk for pk, _, _, attempts in rows if attempts >= MOST_LEASES]
        back = [pk for pk, _, _, attempts in rows if attempts < MOST_LEASES]
        none = {"leased_until": None, "leased_by": ""}
        Judgment.objects.filter(pk__in=back).update(state=Judgment.State.PENDING, **none)
        Judgment.objects.filter(pk__in=lost).update(
            state=Judgment.State.FAILED, reason=WORKER_LOST, settled_at=now, **none
        )
        _charge_lost([run_id for _, run_id, lead, _ in rows if lead])
    return len(rows)


def _charge_lost(run_ids):
    """Count calls whose end is unknown as spent, by their estimate: they may have been billed."""
    for run in Run.objects.filter(pk__in=set(run_ids)):
        units = run_ids.count(run.pk)
        free(run, units, units * unit_usd(run))


def finish_if_done(run_ids=None):
    """Finish active runs without a waiting or leased row; return how many.

    Runs of which only the pilot was asked wait for a confirmation.
    """
    runs = Run.objects.filter(state=Run.State.ACTIVE)
    if run_ids is not None:
        runs = runs.filter(pk__in=run_ids)
    seen = _without_rest(runs)
    finished = _finish(seen) if seen else 0
    pause_after_pilot(runs.filter(in_pilot=True))
    return finished


def _without_rest(runs):
    rest = Judgment.objects.filter(run=OuterRef("pk")).open()
    return list(runs.filter(~Exists(rest)).order_by("pk").values_list("pk", flat=True))


def _finish(seen):
    """Finish the runs that are still done; return how many.

    They are looked at anew once they are held: somebody else may have ended one, and its failed
    judgments been asked again.
    """
    runs = Run.objects.filter(pk__in=seen, state=Run.State.ACTIVE)
    with transaction.atomic():
        list(runs.order_by("pk").select_for_update(no_key=True).values_list("pk"))
        done = Run.objects.filter(pk__in=_without_rest(runs))
        return done.update(state=Run.State.FINISHED, ended_at=timezone.now())


def pause_after_pilot(runs):
    """Let runs whose pilot has come back wait until somebody confirms the forecast."""
    units = {run.pk: Q(run=run, unit__in=run.pilot["units"]) for run in runs}
    if not units:
        return
    rest = Judgment.objects.open().filter(reduce(or_, units.values())).values_list("run", flat=True)
    done = units.keys() - set(rest)
    Run.objects.filter(pk__in=done, state=Run.State.ACTIVE, in_pilot=True).update(
        state=Run.State.WAITING, ended_at=timezone.now()
    )
