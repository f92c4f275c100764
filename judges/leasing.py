"""The database is the queue: units are leased by one statement and come back if nobody settles."""

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from annotate.models import Item, Question
from judges.materials import Shown, shown_by_item
from judges.models import Endpoint, Judgment, Run

# A unit that was leased so often without an end takes its worker down each time.
MOST_LEASES = 25
WORKER_LOST = "worker lost during the call, again and again"
GIVEN_BACK = "taken up and given back, again and again"
# Units read together with the leased ones, so that the next leases need not read.
READ_AHEAD = 100

# COALESCE keeps SQLite from walking all pending rows by the index of (run, state).
TAKE = """
WITH picked AS {materialized} (
    SELECT unit FROM judges_judgment
    WHERE run_id = %s AND state = 'pending' AND lead
    ORDER BY unit LIMIT %s {skip_locked}
)
UPDATE judges_judgment
SET state = 'leased', leased_until = %s, leased_by = %s, attempts = attempts + 1
WHERE run_id = %s AND COALESCE(state, '') = 'pending' AND unit IN (SELECT unit FROM picked)
RETURNING unit
"""

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
    """One call to make: an item and the questions asked of it, in their order."""

    number: int
    item: Item
    questions: list = field(default_factory=list)
    attempt: int = 1
    shown: Shown | None = None


def lease_length(endpoint):
    """A call may take its time-out; writing it may have to wait too."""
    return timedelta(seconds=endpoint.timeout_seconds + settings.LEASE_MARGIN_SECONDS)


def lease(run, endpoint, worker, most, ahead=None):
    """Up to `most` pending units of the run, now this worker's; fewer where a limit says so.

    ahead: {number: Unit} that this worker keeps; filled with units that are likely to be next.
    """
    with transaction.atomic():
        # All runs of an endpoint count its places one after the other. Endpoint before run,
        # everywhere; no key, so that whoever makes a judge of this endpoint need not wait.
        endpoint = Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
        current = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
        if current.state != Run.State.ACTIVE:
            return []
        wanted = _affordable(current, min(most, _room(current, endpoint, worker)))
        numbers = _take(run, worker, wanted, timezone.now() + lease_length(endpoint))
        _reserve(current, len(numbers))
    return _units(run, numbers, {} if ahead is None else ahead)


def lease_free(run, worker, most, until):
    """Up to `most` pending units of a run that calls nobody and spends nothing."""
    with transaction.atomic():
        current = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
        if current.state != Run.State.ACTIVE:
            return []
        numbers = _take(run, worker, most, until)
        _reserve(current, len(numbers))
    return list(_read(run, numbers).values())


def ahead(endpoint):
    """How many units a worker that has the endpoint to itself holds beyond the calls under way.

    So no place runs empty while replies are written.
    """
    return max(1, endpoint.concurrency // 2)


def _room(run, endpoint, worker):
    """What is left of this run's fair share of the endpoint, and of the endpoint as a whole.

    Calls of runs that were cancelled meanwhile take their places until they end. Whoever asks
    alone may hold some ahead: nobody else gets a place then until no more are held than there are.
    Not under a budget, where each unit held keeps money from being spent.
    """
    with connection.cursor() as cursor:
        cursor.execute(PLACES, [endpoint.pk, run.pk, run.pk, worker, endpoint.pk])
        active, leased, own, mine = cursor.fetchone()
    if active == 1 and leased == mine and run.budget_usd is None:
        return endpoint.concurrency + ahead(endpoint) - leased
    share = max(1, endpoint.concurrency // max(1, active))
    return min(share - own, endpoint.concurrency - leased)


def unit_usd(run):
    """What one unit of the run can cost at most, as estimated when it was planned."""
    return Decimal(run.frozen.get("unit_usd") or 0)


def _affordable(run, wanted):
    """How many of the wanted units the budget allows; ends the run when not one more."""
    dearest = unit_usd(run)
    if run.budget_usd is None or not dearest:
        return wanted
    left = run.budget_usd - run.spent_usd - run.reserved_usd
    most = max(0, int(left // dearest))
    if most == 0 and not run.judgments.filter(state=Judgment.State.LEASED).exists():
        Run.objects.filter(pk=run.pk).update(state=Run.State.OUT_OF_BUDGET, ended_at=timezone.now())
    return min(wanted, most)


def _take(run, worker, most, until):
    """The numbers of the units that one statement leased."""
    if most <= 0:
        return []
    postgres = connection.vendor == "postgresql"
    sql = TAKE.format(
        materialized="MATERIALIZED" if postgres else "",
        skip_locked="FOR UPDATE SKIP LOCKED" if postgres else "",
    )
    until = connection.ops.adapt_datetimefield_value(until)
    with connection.cursor() as cursor:
        cursor.execute(sql, [run.pk, most, until, worker, run.pk])
        return sorted({number for (number,) in cursor.fetchall()})


def _reserve(run, count):
    if count and not run.started_at:
        Run.objects.filter(pk=run.pk).update(started_at=timezone.now())
    free(run, -count, Decimal(0))


def _units(run, numbers, ahead):
    """The leased units, read now where they were not read ahead."""
    if not ahead.keys() >= set(numbers):
        waiting = Judgment.objects.filter(run=run, state=Judgment.State.PENDING, lead=True)
        upcoming = waiting.order_by("unit").values_list("unit", flat=True)[:READ_AHEAD]
        ahead.clear()
        ahead.update(_read(run, [*numbers, *upcoming]))
    return [ahead.pop(number) for number in numbers]


def _read(run, numbers):
    """{number: Unit} with everything a call needs; units settled in part ask the same again."""
    rows = list(
        Judgment.objects.filter(run=run, unit__in=numbers)
        .order_by("unit", "question__position", "question_id")
        .values_list("unit", "item_id", "question_id")
    )
    items = Item.objects.select_related("content").in_bulk({item for _, item, _ in rows})
    questions = Question.objects.in_bulk({question for _, _, question in rows})
    shown = shown_by_item(run, items)
    units: dict[int, Unit] = {}
    for number, item, question in rows:
        unit = units.setdefault(number, Unit(number, items[item], shown=shown[item]))
        unit.questions.append(questions[question])
    return units


def count_attempts(run, worker, units):
    """Counts one more attempt for units that are to be asked again."""
    for unit in units:
        unit.attempt += 1
    held = Judgment.objects.filter(run=run, state=Judgment.State.LEASED, leased_by=worker)
    if units:
        numbers = [unit.number for unit in units]
        held.filter(unit__in=numbers).update(attempts=F("attempts") + 1)


def renew(run, worker, length):
    """All that this worker still holds stays its own for that long."""
    held = Judgment.objects.filter(run=run, state=Judgment.State.LEASED, leased_by=worker)
    held.update(leased_until=timezone.now() + length)


def give_back(run, worker, numbers=None):
    """What this worker still holds, or these units of it, waits again. Calls are paid for."""
    with transaction.atomic():
        held = Judgment.objects.filter(run=run, state=Judgment.State.LEASED, leased_by=worker)
        if numbers is not None:
            held = held.filter(unit__in=numbers)
        units = held.filter(lead=True).count()
        none = {"leased_until": None, "leased_by": ""}
        held.filter(attempts__gte=MOST_LEASES).update(
            state=Judgment.State.FAILED, reason=GIVEN_BACK, settled_at=timezone.now(), **none
        )
        held.update(state=Judgment.State.PENDING, **none)
        free(run, units, Decimal(0))


def free(run, units, spent):
    """Ends the reservations of so many units; what they cost counts against the budget."""
    if not spent and not units * unit_usd(run):
        return
    Run.objects.filter(pk=run.pk).update(
        reserved_usd=F("reserved_usd") - units * unit_usd(run), spent_usd=F("spent_usd") + spent
    )


def return_expired(now=None):
    """Leases that ran out wait again; returns how many rows. What they may have cost is spent."""
    now = now or timezone.now()
    with transaction.atomic():
        expired = Judgment.objects.select_for_update().filter(
            state=Judgment.State.LEASED, leased_until__lt=now
        )
        rows = list(expired.values_list("pk", "run_id", "lead", "attempts"))
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
    """Calls whose end is unknown may have been billed: their estimate counts as spent."""
    for run in Run.objects.filter(pk__in=set(run_ids)):
        units = run_ids.count(run.pk)
        free(run, units, units * unit_usd(run))


def finish_if_done(run_ids=None):
    """Active runs without a waiting or leased row are finished; returns how many."""
    runs = Run.objects.filter(state=Run.State.ACTIVE)
    if run_ids is not None:
        runs = runs.filter(pk__in=run_ids)
    rest = Judgment.objects.filter(run=OuterRef("pk")).open()
    done = runs.filter(~Exists(rest)).values_list("pk", flat=True)
    return Run.objects.filter(pk__in=list(done), state=Run.State.ACTIVE).update(
        state=Run.State.FINISHED, ended_at=timezone.now()
    )
