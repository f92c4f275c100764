"""Work on a run that computes its scores: lease, score and settle until nothing is left."""

import logging
import math
from datetime import timedelta
from decimal import Decimal
from functools import partial
from time import monotonic

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from judges.models import Entailment, Judgment
from judges.runs import lease
from judges.runs.renew import renewed
from judges.runs.settle import SETTLE
from judges.scorers import SCORERS
from judges.scorers.base import NotInstalled, Score, same_for_all

log = logging.getLogger(__name__)
FIRST, MOST = 32, 512  # units of a batch
QUICK_SECONDS = 1.0  # a batch that took longer is followed by a smaller one
LEASE_SECONDS = 60


def drive(run, worker, stopping):
    """Score the run's units in batches of about a second; give back what is left when stopped."""
    score = _scorer(run)
    size, most = (1, 1) if SCORERS[run.judge.kind].slow else (FIRST, MOST)
    try:
        while not stopping.is_set():
            units = lease.lease_free(run, worker, size, timezone.now() + _lease_length())
            if not units:
                break
            began = monotonic()
            with _renewed(run, worker):
                scores = score(units)
            settle(run, worker, units, scores)
            quick = monotonic() - began < QUICK_SECONDS
            size = min(most, 2 * size) if quick else max(1, size // 2)
    finally:
        lease.give_back(run, worker)


def _renewed(run, worker):
    """Renew this worker's leases, however long a score takes."""
    length = _lease_length()
    renew = partial(lease.renew, run, worker, length)
    return renewed(renew, length.total_seconds() / 4, f"run {run.pk}")


def _lease_length():
    return timedelta(seconds=LEASE_SECONDS + settings.LEASE_MARGIN_SECONDS)


def _scorer(run):
    """Return the function that scores units; if it cannot be loaded, every score is that reason."""
    try:
        return SCORERS[run.judge.kind].load(run.frozen)
    except (ImportError, OSError, NotInstalled) as error:
        log.exception("run %s: the scorer cannot be loaded", run.pk)
        missing = Score(reason=f"the scorer cannot be loaded: {error}"[:300])
        return lambda units: [same_for_all(unit, missing) for unit in units]


def settle(run, worker, units, scores):
    """Write the scores into the rows that this worker still holds."""
    by_question = {
        (unit.number, question.pk): score
        for unit, some in zip(units, scores, strict=True)
        for question, score in zip(unit.questions, some, strict=True)
    }
    numbers = [unit.number for unit in units]
    with transaction.atomic():
        held = (
            Judgment.objects.order_by("pk")
            .select_for_update()
            .filter(run=run, unit__in=numbers, state=Judgment.State.LEASED, leased_by=worker)
        )
        rows = list(held.values_list("pk", "unit", "question_id"))
        _keep(run, [by_question[unit, question] for _, unit, question in rows])
        changes = [_change(pk, by_question[unit, question]) for pk, unit, question in rows]
        if changes:
            with connection.cursor() as cursor:
                cursor.executemany(SETTLE, changes)


def _keep(run, scores):
    """Store what the scores were made from, once an item."""
    kept = {score.kept.item_id: score.kept for score in scores if score.kept}
    for entailment in kept.values():
        entailment.run = run
    Entailment.objects.bulk_create(kept.values(), ignore_conflicts=True)


def _change(pk, score):
    value, reason = score.value, score.reason
    if value is not None and not math.isfinite(value):
        value, reason = None, "the score is no finite number"
    state = Judgment.State.FAILED if value is None else Judgment.State.DONE
    cost = connection.ops.adapt_decimalfield_value(Decimal(0), 20, 8)
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    return [str(state), value, reason, score.rationale, None, cost, now, pk]
