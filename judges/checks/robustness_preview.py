"""Show what a robustness test would send for an item, beside what the past run sent."""

from dataclasses import dataclass, replace
from decimal import Decimal

from django.db.models import Avg

from annotate.design.splits import as_seen
from judges.checks import drift
from judges.checks.robustness import calls_of, count_calls, frozen_for, order_of
from judges.perturbations.relations import NO_CHANGE, named
from judges.runs import drive, lease
from judges.values.diff import marked

MOST_SHOWN = 20_000  # characters of each prompt


@dataclass
class Preview:
    """The prompts that a test sends for an item, and what the test takes.

    prompts: [(Relation, original in parts, changed in parts)] of the item. usd: by what a call of
    the past run cost on average; None where it has no price.
    """

    item: object
    prompts: list
    calls: int
    items: int
    usd: Decimal | None
    most: int = MOST_SHOWN
    is_cut: bool = False


def preview(run, chosen):
    """Return the Preview of the first item that a test would ask about; PlanError as the test."""
    frozen = frozen_for(run, chosen)
    items = drift.sample(run, chosen.items, chosen.seed)
    first, *_ = calls_of(run, items[:1])
    (unit,) = lease.read_units(run, [first.unit])
    as_seen(run.judge.study, [unit.item])
    plain = _sent(frozen, replace(unit, relation=NO_CHANGE))
    prompts = []
    for key in frozen["robustness"]["relations"]:
        if key != NO_CHANGE:
            order = order_of(named(key), unit.order)
            changed = _sent(frozen, replace(unit, relation=key, sample=0, order=order))
            parts = marked(plain[:MOST_SHOWN], changed[:MOST_SHOWN])
            prompts.append((named(key), *parts))
    calls = count_calls(run, frozen, items)
    cost = run.calls.aggregate(mean=Avg("cost_usd"))["mean"]
    usd = None if cost is None else cost * calls
    return Preview(unit.item, prompts, calls, len(items), usd, is_cut=len(plain) > MOST_SHOWN)


def _sent(frozen, unit):
    return "\n\n".join(message["content"] for message in drive.sent_for(frozen, unit)[0])
