"""Stored replies are read again by today's parser, without a call; what differs is written."""

from dataclasses import dataclass
from itertools import groupby

from django.db import transaction
from django.utils import timezone

from judges.models import Judgment, Run
from judges.parsing import parse
from judges.planning import PlanError

BATCH = 500
READ = ["state", "value", "reason", "rationale"]
NEEDED = [
    "unit", *READ, "call__reply", "call__failure", "call__finish_reason", "question__key",
    "question__scale_spec",
]  # fmt: skip


@dataclass
class Reread:
    """How many judgments were read again, and what became of those that changed."""

    read: int = 0
    gained: int = 0
    lost: int = 0
    other: int = 0
    reworded: int = 0

    @property
    def changed(self):
        return self.gained + self.lost + self.other + self.reworded

    def __str__(self):
        said = f"{self.read:,} judgments were read again from their stored replies: "
        if not self.changed:
            return said + "nothing changed."
        parts = {
            "have a value now": self.gained,
            "have none any more": self.lost,
            "have another value": self.other,
            "have another reason or rationale": self.reworded,
        }
        counts = ", ".join(f"{count:,} {what}" for what, count in parts.items() if count)
        return f"{said}{self.changed:,} changed ({counts})."


def reread(run):
    """Reads every stored reply of a run that is not active: Reread. Calls stay as they are.

    What changes gets the time of this reading, so that no report shows the old value.
    """
    with transaction.atomic():
        if Run.objects.select_for_update().get(pk=run.pk).state == Run.State.ACTIVE:
            raise PlanError(
                f"Run {run.pk} is active, so its replies are not read again yet. "
                "Let it finish or cancel it first."
            )
        found, changed = Reread(), []
        rows = run.judgments.select_related("call", "question").only(*NEEDED)
        rows = rows.order_by("unit", "id").iterator(chunk_size=BATCH)
        for _, unit in groupby(rows, key=lambda judgment: judgment.unit):
            changed += _differing(list(unit), found)
        Judgment.objects.bulk_update(changed, [*READ, "settled_at"], batch_size=BATCH)
    return found


def _differing(unit, found):
    """The judgments of one unit that are read differently, as they are read now; counts them."""
    # A call asked all questions of its unit, also those that another call answered since.
    scales = {judgment.question.key: judgment.question.scale for judgment in unit}
    for judgment in unit:
        if judgment.call is None or judgment.call.failure:
            continue
        before = [getattr(judgment, name) for name in READ]
        _read(judgment, scales)
        found.read += 1
        if before != [getattr(judgment, name) for name in READ]:
            judgment.settled_at = timezone.now()
            _count(found, before[READ.index("value")], judgment.value)
            yield judgment


def _read(judgment, scales):
    call, key = judgment.call, judgment.question.key
    verdict = parse(call.reply, scales, call.finish_reason)
    judgment.value = verdict.values.get(key)
    judgment.reason = str(verdict.reasons.get(key, ""))
    judgment.rationale = verdict.rationale
    done = judgment.value is not None
    judgment.state = Judgment.State.DONE if done else Judgment.State.UNPARSABLE


def _count(found, before, after):
    if before == after:
        found.reworded += 1
    elif before is None:
        found.gained += 1
    elif after is None:
        found.lost += 1
    else:
        found.other += 1
