"""Replies become evidence first (Call), then judgments: only rows still leased by this worker."""

import math
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal

from django.db import connection, transaction
from django.utils import timezone

from judges import leasing
from judges.client import REFUSALS, TRANSIENT, UNBILLED, Answer
from judges.models import Call, Judgment, Run
from judges.parsing import Verdict, parse

MOST_ATTEMPTS = 4
LONGEST_WAIT = 900  # seconds that a Retry-After may ask for

# Raw, both: they are run for every handful of replies.
HELD = """
SELECT m.id, m.unit, q.key FROM judges_judgment m JOIN annotate_question q ON q.id = m.question_id
WHERE m.run_id = %s AND m.unit IN ({units}) AND m.state = 'leased' AND m.leased_by = %s {lock}
"""
SETTLE = """
UPDATE judges_judgment
SET state = %s, value = %s, reason = %s, rationale = %s, call_id = %s, cost_usd = %s,
    settled_at = %s, leased_until = NULL, leased_by = ''
WHERE id = %s
"""


@dataclass
class Outcome:
    """One attempt at a unit and how it ended; no answer when the worker stopped before."""

    unit: leasing.Unit
    messages: list
    parameters: dict = field(default_factory=dict)
    answer: Answer | None = None

    def wait(self):
        """Seconds until the unit is asked again; None when this was the last word."""
        answer = self.answer or Answer()
        if answer.failure not in TRANSIENT or self.unit.attempt >= MOST_ATTEMPTS:
            return None
        if answer.retry_after is not None:
            return answer.retry_after if answer.retry_after <= LONGEST_WAIT else None
        return 2.0 ** (self.unit.attempt - 1)


def store_calls(run, endpoint, outcomes):
    """The evidence and its price, in a transaction of their own, so that money is counted
    whatever happens after: [Call] in the order of the outcomes.
    """
    calls = [_call(run, endpoint, outcome) for outcome in outcomes]
    spent = sum((_charge(run, call) for call in calls), Decimal(0))
    with transaction.atomic():
        stored = Call.objects.bulk_create(calls)
        leasing.free(run, 0, spent)
    return stored


def _call(run, endpoint, outcome):
    answer = outcome.answer
    return Call(
        run=run,
        unit=outcome.unit.number,
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
        tokens_in=answer.tokens_in,
        tokens_cached=answer.tokens_cached,
        tokens_out=answer.tokens_out,
        cost_usd=endpoint.cost(answer.tokens_in, answer.tokens_cached, answer.tokens_out),
        latency_seconds=answer.seconds,
    )


def affordable(run, worker, again):
    """Those of [(unit, wait)] that the budget lets ask again; the others wait for a higher one.

    The last attempt is charged already and the reservation pays for the next: together with
    those of all others under way it must stay within the budget.
    """
    estimate = leasing.unit_usd(run)
    if not again or not estimate:
        return again
    # Without a lock: whoever charges later sees what was charged before, so one of two gives way.
    current = Run.objects.get(pk=run.pk)
    if current.budget_usd is None:
        return again
    over = current.spent_usd + current.reserved_usd - current.budget_usd
    kept = max(0, len(again) - max(0, math.ceil(over / estimate)))
    if again[kept:]:
        leasing.give_back(run, worker, [unit.number for unit, _ in again[kept:]])
    return again[:kept]


def settle(run, worker, pairs):
    """Writes last words [(outcome, call)] into the rows that this worker still holds."""
    if not pairs:
        return
    by_unit = {outcome.unit.number: (outcome, call) for outcome, call in pairs}
    with transaction.atomic(), connection.cursor() as cursor:
        rows = _held(cursor, run, worker, list(by_unit))
        changes = [change for unit in rows for change in _changes(rows[unit], *by_unit[unit])]
        if changes:
            cursor.executemany(SETTLE, changes)
        leasing.free(run, len(rows), Decimal(0))


def _held(cursor, run, worker, units):
    """{unit: [(judgment id, question key)]} of the rows that are still this worker's, locked."""
    lock = "FOR UPDATE OF m" if connection.vendor == "postgresql" else ""
    sql = HELD.format(units=", ".join(["%s"] * len(units)), lock=lock)
    cursor.execute(sql, [run.pk, *units, worker])
    rows = defaultdict(list)
    for pk, unit, key in cursor.fetchall():
        rows[unit].append((pk, key))
    return rows


def _charge(run, call):
    """What a call counts against the budget: its cost, or the estimate where nobody knows."""
    if call.failure in UNBILLED:
        return Decimal(0)
    return leasing.unit_usd(run) if call.cost_usd is None else call.cost_usd


def _changes(pairs, outcome, call):
    verdict = read(outcome)
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


def _state(answer, value):
    if answer.failure in REFUSALS:
        return str(Judgment.State.REFUSED)
    if answer.failure:
        return str(Judgment.State.FAILED)
    return str(Judgment.State.UNPARSABLE if value is None else Judgment.State.DONE)


def read(outcome):
    """The verdict of an outcome; a failed call gives its failure as every question's reason."""
    scales = {question.key: question.scale for question in outcome.unit.questions}
    answer = outcome.answer
    if answer.failure:
        return Verdict(reasons=dict.fromkeys(scales, answer.failure))
    return parse(answer.content, scales, answer.finish_reason)
