"""Store replies as evidence (Call), then settle the judgments still leased by this worker."""

import math
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from functools import partial
from itertools import takewhile

from django.db import connection, transaction
from django.utils import timezone

from judges import methods
from judges.endpoints import refusals
from judges.endpoints.client import (
    OF_ALL,
    PAUSES,
    REFUSALS,
    TRANSIENT,
    UNBILLED,
    Answer,
    Failure,
)
from judges.models import Call, Judgment, Run
from judges.perturbations import perturb
from judges.replies.logprobs import weighted
from judges.replies.parse import Verdict
from judges.replies.quotes import Rated
from judges.runs import lease
from judges.runs.reuse import earlier, request_hash

MOST_ATTEMPTS = 4
MOST_PAUSES = 8  # of a unit, before an endpoint that answers nobody is given up
PATIENCE = timedelta(minutes=15)  # with an endpoint, since it answered a call
IN_A_ROW = 5  # calls that fail alike, before the run is stopped
MOST_IN_ROW = 1000  # more cannot be under way when it is
STOPPING = {*OF_ALL, Failure.BILLING}
LONGEST_WAIT = 900  # seconds; whoever asks for more is asked again after these
MOST_DOUBLINGS = 5  # of a wait of a second

# Raw, both: they are run for every handful of replies.
HELD = """
SELECT m.id, m.unit, COALESCE(q.key, 'profile')
FROM judges_judgment m LEFT JOIN annotate_question q ON q.id = m.question_id
WHERE m.run_id = %s AND m.unit IN ({units}) AND m.state = 'leased' AND m.leased_by = %s
ORDER BY m.id {lock}
"""
SETTLE = """
UPDATE judges_judgment
SET state = %s, value = %s, reason = %s, rationale = %s, call_id = %s, cost_usd = %s,
    settled_at = %s, leased_until = NULL, leased_by = ''
WHERE id = %s
"""
WEIGH = """
UPDATE judges_judgment SET weighted_value = %s, weighted_mass = %s, weighted_reason = %s
WHERE id = %s AND state = 'done'
"""


@dataclass
class Outcome:
    """An attempt at a unit and how it ended; no answer if the worker stopped before."""

    unit: lease.Unit
    messages: list
    parameters: dict = field(default_factory=dict)
    answer: Answer | None = None
    source: Call | None = None  # whose reply it is, where nothing was sent
    odd: bool = False  # put off for its own sake: others were answered meanwhile

    def wait(self):
        """Return the seconds until the unit is asked again; None when this attempt was the last.

        The endpoint may make the wait longer, never shorter.
        """
        answer = self.answer or Answer()
        before = self.unit.pauses if self.is_pause else self.unit.attempt - 1
        if answer.failure not in TRANSIENT or not self.is_pause and before + 1 >= MOST_ATTEMPTS:
            return None
        return max(self.told, 2.0 ** min(before, MOST_DOUBLINGS))

    @property
    def told(self):
        """Return the seconds of the wait that the endpoint asked for."""
        return min((self.answer or Answer()).retry_after or 0.0, LONGEST_WAIT)

    @property
    def is_pause(self):
        """Whether the endpoint wants to be left alone: this attempt does not count."""
        return self.answer is not None and self.answer.failure in PAUSES

    @property
    def is_billing(self):
        """Whether the account cannot pay: then no other call would be answered either."""
        return self.answer is not None and self.answer.failure is Failure.BILLING

    def tokens(self, planned):
        """Return the tokens that the endpoint counted; in doubt no fewer than were planned."""
        counts = self.answer.tokens_in, self.answer.tokens_out
        if self.answer.least is not None or None in counts:
            return max(planned, sum(self.answer.least or (0,)))
        return sum(counts)


def store_calls(run, endpoint, outcomes, worker=""):
    """Store calls and their prices; return [Call] in the order of the outcomes.

    The transaction is its own, so that money is counted whatever happens after.
    """
    calls = [_call(run, endpoint, outcome, worker) for outcome in outcomes]
    for call, outcome in zip(calls, outcomes, strict=True):
        if outcome.source:
            _copy(call, outcome.source)
    charges = [charge(run, call) for call in calls]
    with transaction.atomic():
        stored = Call.objects.bulk_create(calls)
        lease.free(run, 0, sum(charges, Decimal(0)))
        if run.budget_usd is not None and max(charges) > lease.unit_usd(run):
            lease.expect(run, max(charges))
    return stored


def _call(run, endpoint, outcome, worker):
    answer = outcome.answer
    return Call(
        run=run,
        unit=outcome.unit.number,
        worker=worker,
        attempt=outcome.unit.attempt,
        endpoint_key=endpoint.key,
        model=endpoint.model,
        model_returned=answer.model,
        fingerprint=answer.fingerprint,
        prompt_name=run.frozen["prompt"],
        prompt_hash=run.frozen["prompt_sha256"],
        messages=outcome.messages,
        parameters=outcome.parameters,
        reply=answer.content,
        failure=answer.failure or "",
        failure_detail=answer.detail,
        finish_reason=answer.finish_reason,
        logprobs=answer.logprobs,
        tokens_in=answer.tokens_in,
        tokens_cached=answer.tokens_cached,
        tokens_out=answer.tokens_out,
        cost_usd=price(run, endpoint, answer),
        latency_seconds=answer.seconds,
        request_hash=request_hash(
            run, endpoint, outcome.unit, outcome.messages, outcome.parameters
        ),
    )


def price(run, endpoint, answer):
    """Return the price of what was counted, or what the provider says it charged if that is more.

    None where both are unknown, or in doubt and less than what is charged for an unknown one.
    """
    counts = answer.tokens_in, answer.tokens_cached, answer.tokens_out
    if answer.least is not None:
        counts = answer.least[0], 0, answer.least[1]
    amounts = endpoint.cost(*counts), answer.usd
    most = max((amount for amount in amounts if amount is not None), default=None)
    if answer.least is None or most is None:
        return most
    charged_else = 0 if answer.failure in UNBILLED else lease.unit_usd(run)
    return most if most > charged_else else None


def _copy(call, source):
    """Mark a call as not made: its reply is that of another call and costs nothing."""
    call.reused_from, call.cost_usd, call.latency_seconds = source, Decimal(0), None


def taken_over(run, endpoint, asked):
    """Return outcomes by past calls that answer [(unit, messages, parameters)] fully."""
    calls = earlier(run, endpoint, asked)
    outcomes = [
        Outcome(unit, *sent, _answer(calls[unit.number]), calls[unit.number])
        for unit, *sent in asked
        if unit.number in calls
    ]
    return [
        outcome
        for outcome in outcomes
        if not any(parse_outcome(outcome, run.frozen).reasons.values())
    ]


def take_over(run, endpoint, worker, outcomes, upcoming):
    """Store and settle outcomes by past calls.

    Of the units `upcoming` no lease is held: those that nobody else holds are taken. All in one
    transaction, so that no kill leaves a unit that costs.
    """
    until = timezone.now() + lease.lease_length(endpoint)
    with transaction.atomic():
        free = [outcome.unit.number for outcome in outcomes if outcome.unit.number in upcoming]
        lost = set(free) - set(lease.lease_these(run, worker, free, until))
        mine = [outcome for outcome in outcomes if outcome.unit.number not in lost]
        if mine:
            calls = store_calls(run, endpoint, mine, worker)
            settle(run, worker, list(zip(mine, calls, strict=True)))


def is_silent(endpoint, now):
    """Whether the endpoint has answered no call of any run of late."""
    return not has_answered(endpoint, now - PATIENCE)


def has_answered(endpoint, since):
    """Whether the endpoint has answered a call of any run since that moment."""
    answered = Call.objects.filter(run__judge__endpoint=endpoint.pk, reused_from=None)
    return answered.filter(failure__in=lease.ANSWERED, created_at__gt=since).exists()


def asked_in_vain(run, numbers, before=None):
    """Return the units among these that were refused, before the endpoint answered for others.

    They waited for a resume: what is refused again then is refused for its own content. before: a
    call; only what was asked before it is looked at.
    """
    calls = run.calls.filter(reused_from=None)
    calls = calls.filter(pk__lt=before.pk) if before else calls
    answered = calls.filter(failure__in=lease.ANSWERED).order_by("-pk").values("pk")[:1]
    again = run.judgments.filter(unit__in=numbers, lead=True, attempts__gt=1).values("unit")
    failed = calls.filter(failure__in=STOPPING, unit__in=again, pk__lt=answered)
    return set(failed.values_list("unit", flat=True))


def stop_if_alike(run):
    """Stop a run whose last calls failed alike in a row, so that all others would; or return False.

    It is told by what stands settled: what may pass, as a limit by the minute, is in no row and
    interrupts none. The units of the row wait again, behind those that nobody asked yet.
    """
    settled = run.calls.filter(reused_from=None, judgments__lead=True).order_by("-pk")
    settled = settled.only("unit", "failure", "failure_detail")
    last = list(settled[:IN_A_ROW])
    if len(last) < IN_A_ROW or last[0].failure not in OF_ALL:
        return False
    are_alike = partial(_are_alike, last[0])
    if not all(map(are_alike, last)) or asked_in_vain(run, [call.unit for call in last]):
        return False
    first, row = last[0], [call.pk for call in takewhile(are_alike, settled[:MOST_IN_ROW])]
    with transaction.atomic():
        lease.hold(run)
        reason = refusals.why(first.failure, first.failure_detail)
        lease.stop(run, f"{IN_A_ROW} calls in a row failed alike: {reason}")
        rows = run.judgments.filter(state=Judgment.State.FAILED, call__in=row)
        rows = rows.order_by("pk").select_for_update().values("pk")
        lease.ask_again(Judgment.objects.filter(pk__in=rows), attempts=1)
    return True


def _are_alike(call, other):
    """Whether two calls failed for one reason, which then is not about their items.

    A refused key, model or address is that, whatever the words; of refused requests these tell.
    """
    if call.failure != other.failure:
        return False
    if call.failure not in (Failure.BAD_REQUEST, Failure.NO_CHAT):
        return True
    (_, error), (_, another) = (refusals.stored(c.failure_detail) for c in (call, other))
    return error.form == another.form


def affordable(run, worker, again):
    """Return the part of [(unit, wait)] that the budget lets ask again; give the others back.

    The last attempt is charged already and the reservation pays for the next: together with
    those of all others under way it must stay within the budget.
    """
    estimate = lease.unit_usd(run)
    if not again or not estimate:
        return again
    # Without a lock: whoever charges later sees what was charged before, so one of two gives way.
    current = Run.objects.get(pk=run.pk)
    if current.budget_usd is None:
        return again
    over = current.spent_usd + current.reserved_usd - current.budget_usd
    kept = max(0, len(again) - max(0, math.ceil(over / estimate)))
    if again[kept:]:
        lease.give_back(run, worker, [unit.number for unit, _ in again[kept:]])
    return again[:kept]


def settle(run, worker, pairs):
    """Write the final [(outcome, call)] into the rows that this worker still holds."""
    if not pairs:
        return
    # Read first: while the rows are locked nothing should depend on what an endpoint sent.
    by_unit = {o.unit.number: (o, call, parse_outcome(o, run.frozen)) for o, call in pairs}
    weights = _weights(by_unit.values()) if run.frozen.get("weighted") else {}
    method = methods.of_frozen(run.frozen)
    with transaction.atomic(), connection.cursor() as cursor:
        if lease.unit_usd(run) or method.judges_nothing:
            lease.hold(run)  # it is written below, or waited for behind the study
        rows = _held(cursor, run, worker, list(by_unit))
        changes = [change for unit in rows for change in _changes(rows[unit], *by_unit[unit])]
        if changes:
            cursor.executemany(SETTLE, changes)
            method.keep(run, rows)
        if changes and weights:
            cursor.executemany(WEIGH, _weighings(rows, weights))
        lease.free(run, len(rows), Decimal(0))


def settle_lost(now=None):
    """Settle replies that killed workers stored and did not settle: no call is repeated.

    Only replies that were the last word; what was to be asked again waits for its next lease.
    """
    lost = defaultdict(list)
    rows = Judgment.objects.filter(
        state=Judgment.State.LEASED, leased_until__lt=now or timezone.now(), lead=True
    )
    for run_id, worker, unit in rows.values_list("run_id", "leased_by", "unit"):
        lost[run_id, worker].append(unit)
    for (run_id, worker), numbers in lost.items():
        _settle_stored(run_id, worker, numbers)


def _settle_stored(run_id, worker, numbers):
    run = Run.objects.filter(pk=run_id).first()
    if run is None:  # deleted in this moment
        return
    last = {call.unit: call for call in run.calls.filter(worker=worker, unit__in=numbers)}
    calls = {n: c for n, c in last.items() if c.failure not in {*TRANSIENT, Failure.BILLING}}
    if calls:
        units = lease.read_units(run, list(calls))
        outcomes = [
            Outcome(unit, calls[unit.number].messages, answer=_answer(calls[unit.number]))
            for unit in units
        ]
        settle(run, worker, [(outcome, calls[outcome.unit.number]) for outcome in outcomes])


def _answer(call):
    """Return the answer a stored call was made of, as far as a verdict needs it."""
    failure = Failure(call.failure) if call.failure else None
    return Answer(
        content=call.reply,
        failure=failure,
        finish_reason=call.finish_reason,
        logprobs=call.logprobs,
        model=call.model_returned,
        fingerprint=call.fingerprint,
    )


def _held(cursor, run, worker, units):
    """Lock this worker's remaining rows: {unit: [(judgment id, question key)]}."""
    lock = "FOR UPDATE OF m" if connection.vendor == "postgresql" else ""
    sql = HELD.format(units=", ".join(["%s"] * len(units)), lock=lock)
    cursor.execute(sql, [run.pk, *units, worker])
    rows = defaultdict(list)
    for pk, unit, key in cursor.fetchall():
        rows[unit].append((pk, key))
    return rows


def charge(run, call):
    """Return what a call counts against the budget: its cost; if unknown, the estimate or none."""
    if call.cost_usd is not None:
        return call.cost_usd
    return Decimal(0) if call.failure in UNBILLED else lease.unit_usd(run)


def _changes(pairs, outcome, call, verdict):
    cost = None if call.cost_usd is None else (call.cost_usd / len(pairs)).quantize(Decimal("1e-8"))
    fixed = [
        call.pk,
        connection.ops.adapt_decimalfield_value(cost, 20, 8),
        connection.ops.adapt_datetimefield_value(timezone.now()),
    ]
    for pk, key in pairs:
        value, reason = verdict.values.get(key), str(verdict.reasons.get(key, ""))
        state = _state(outcome.answer, value)
        yield [state, value, reason, verdict.rationale, *fixed, pk]


def _weights(read_ones):
    """Return {unit: {question: Weighted}} of [(outcome, call, verdict)]."""
    return {
        outcome.unit.number: weighted(
            outcome.answer.content,
            outcome.answer.logprobs,
            scales_of(outcome),
            Rated(outcome.messages),
        )
        for outcome, *_ in read_ones
    }


def _weighings(rows, weights):
    """Return the arguments of WEIGH for all rows of these units."""
    for unit, pairs in rows.items():
        for pk, key in pairs:
            mean = weights[unit][key]
            yield mean.value, mean.mass, str(mean.reason), pk


def scales_of(outcome):
    """Return {key: scale} of the questions asked."""
    return {question.key: question.scale for question in outcome.unit.questions}


def _state(answer, value):
    if answer.failure in REFUSALS:
        return str(Judgment.State.REFUSED)
    if answer.failure:
        return str(Judgment.State.FAILED)
    return str(Judgment.State.UNPARSABLE if value is None else Judgment.State.DONE)


def parse_outcome(outcome, frozen):
    """Parse an outcome into a verdict; a failed call's failure is every question's reason."""
    unit, answer = outcome.unit, outcome.answer
    if answer.failure:
        return Verdict(reasons={question.key: answer.failure for question in unit.questions})
    method = methods.of_frozen(frozen)
    return perturb.parse_reply(
        frozen, unit, method, answer.content, answer.finish_reason, outcome.messages
    )
