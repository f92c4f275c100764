"""Ask a few units of a run first, and predict from them what all of it will take."""

import random
from collections import Counter
from dataclasses import dataclass, field
from math import nan

import numpy as np

from analysis.stats.correlation.rest_of_total import rest_of_total
from analysis.stats.estimate import Estimate
from judges.endpoints import usage
from judges.endpoints.client import Answer
from judges.endpoints.parameters import longest_reply
from judges.models import Judgment
from judges.runs import drive, lease, reuse, settle

UNITS = 20
SEED = 1
LOOKED_AT = 500  # units of the rest at most: whether past runs asked the same


def draw(run):
    """Draw the units that a new run asks first: {seed, units}; {} if it has no more than these."""
    waiting = run.judgments.filter(state=Judgment.State.PENDING, lead=True).order_by("unit")
    units = list(waiting.values_list("unit", flat=True))
    if len(units) <= UNITS:
        return {}
    return {"seed": SEED, "units": sorted(random.Random(SEED).sample(units, UNITS))}


@dataclass(frozen=True)
class Line:
    """A measure: what the pilot took, and what the rest will take, with a prediction interval."""

    key: str
    name: str
    unit: str
    pilot: float
    rest: Estimate

    @property
    def whole(self):
        """Return (value, low, high) of the whole run."""
        return tuple(self.pilot + part for part in (self.rest.value, self.rest.low, self.rest.high))

    @property
    def cells(self):
        """Return (value, low, high) of the whole, pilot and rest; None without an interval."""
        rest = self.rest
        return self.whole, (self.pilot, None, None), (rest.value, rest.low, rest.high)


@dataclass
class Forecast:
    """What a run will take, predicted from its pilot: a Line per measure, and how the pilot ended.

    ended: [(state in words, units)] of the units without a value for every question.
    reused: units of the pilot whose replies are those of past runs. reusable: units of the rest
    for which there are such replies; from a sample where fewer were looked at than there are.
    """

    units: int
    rest: int
    lines: list
    ended: list = field(default_factory=list)
    reused: int = 0
    reusable: int = 0
    looked_at: int = 0
    places: int = 1
    is_limited: bool = False

    @property
    def to_ask(self):
        """Count the units of the rest that need a call."""
        return self.rest - self.reusable

    @property
    def no_price(self):
        """Whether the cost of the rest is unknown."""
        return any(line.unit == "usd" and np.isnan(line.rest.value) for line in self.lines)

    @property
    def bad(self):
        """Count the pilot's units without a value for every question."""
        return sum(count for _, count in self.ended)


def forecast(run):
    """Return the Forecast of a run whose pilot has come back.

    It takes four queries; where past runs may have asked the same, a few more.
    """
    units = run.pilot["units"]
    asked = run.judgments.exclude(state=Judgment.State.NOT_ASKED).filter(lead=True)
    rest = list(asked.exclude(unit__in=units).order_by("unit").values_list("unit", flat=True))
    spent, takes = _spent(run, units)
    reusable, looked_at = _reusable(run, rest)
    endpoint = run.judge.endpoint
    places = min(endpoint.known_limit or endpoint.concurrency, endpoint.concurrency)
    to_come = [rest_of_total(measure, len(rest) - reusable) for measure in takes.T]
    lines = [
        Line(key, *words, float(spent[:, column].sum()), to_come[column])
        for column, (key, words) in enumerate(MEASURES.items())
    ]
    lines.append(_time(endpoint, lines, spent[:, -1], to_come[-1], places))
    return Forecast(
        units=len(units),
        rest=len(rest),
        lines=lines,
        ended=_ended(run, units),
        reused=run.calls.filter(unit__in=units, reused_from__isnull=False).count(),
        reusable=reusable,
        looked_at=looked_at,
        places=places,
        is_limited=bool(endpoint.rpm or endpoint.tpm),
    )


MEASURES = {
    "calls": ("Calls", "calls"),
    "tokens_in": ("Tokens in", "tokens"),
    "tokens_out": ("Tokens out", "tokens"),
    "cost_usd": ("Cost", "usd"),
}
COUNTED = ["tokens_in", "tokens_cached", "tokens_out", "latency_seconds", "parameters", "cost_usd"]
READ = ["unit", "failure", *COUNTED, *(f"reused_from__{name}" for name in COUNTED)]


def _spent(run, units):
    """Return two arrays (units, measures and seconds), repeated calls too; NaN where unknown.

    The first has what each unit took, the second what it takes where it is asked: a reply that was
    taken over took nothing, but what its call took is what the call takes.
    """
    place = {unit: row for row, unit in enumerate(units)}
    spent, takes = np.zeros((2, len(units), len(MEASURES) + 1))
    calls = run.calls.filter(unit__in=units).select_related("reused_from").only(*READ)
    for call in calls:
        source = call.reused_from
        if source:
            source.cost_usd = _price_now(run, source)
        takes[place[call.unit]] += _took(run, source or call)
        if not source:
            spent[place[call.unit]] += _took(run, call)
    return spent, takes


def _price_now(run, call):
    """Return what a call of another run costs if it is made again; None if unknown.

    What it cost then, which its provider may have told, or by today's prices if that is more.
    """
    counts = call.tokens_in, call.tokens_out
    is_doubted = None not in counts and usage.is_far_above(
        call.tokens_out, longest_reply(call.parameters)
    )
    answer = Answer(
        tokens_in=call.tokens_in,
        tokens_cached=call.tokens_cached,
        tokens_out=call.tokens_out,
        least=counts if is_doubted else None,
        usd=call.cost_usd,
    )
    price = settle.price(run, run.judge.endpoint, answer)
    return (lease.unit_usd(run) or None) if price is None and is_doubted else price


def _took(run, call):
    """Return a call's measures and seconds; a failed call costs what the budget counts."""
    cost = settle.charge(run, call) if call.failure else call.cost_usd
    unknown = 0.0 if call.failure else nan
    facts = (call.tokens_in, call.tokens_out, cost)
    amounts = [unknown if fact is None else float(fact) for fact in facts]
    return [1, *amounts, call.latency_seconds or 0.0]


def _reusable(run, rest):
    """Return (about how many units past replies answer, how many units were looked at)."""
    if not rest or not reuse.is_possible(run):
        return 0, 0
    some = sorted(random.Random(SEED).sample(rest, min(LOOKED_AT, len(rest))))
    asked = [(unit, *drive.sent_for(run.frozen, unit)) for unit in lease.read_units(run, some)]
    taken_over = settle.taken_over(run, drive.endpoint_of(run), asked)
    return round(len(taken_over) * len(rest) / len(some)), len(some)


def _time(endpoint, lines, seconds, took, places):
    """Predict the seconds of parallel calls, within the endpoint's limits by the minute."""
    calls, tokens_in, tokens_out, _ = (line.rest for line in lines)

    def at_least(bound):
        durations = [getattr(took, bound) / places]
        if endpoint.rpm:
            durations.append(60 * getattr(calls, bound) / endpoint.rpm)
        if endpoint.tpm:
            tokens = getattr(tokens_in, bound) + getattr(tokens_out, bound)
            durations.append(60 * tokens / endpoint.tpm)
        finite = [duration for duration in durations if not np.isnan(duration)]
        return max(finite) if finite else nan

    longest = Estimate(*map(at_least, ("value", "low", "high")), n=took.n)
    return Line("seconds", "Time", "seconds", float(seconds.sum()) / places, longest)


def _ended(run, units):
    """Count the units without a value for every question by their worst state, in words."""
    rows = run.judgments.filter(unit__in=units, state__in=Judgment.NO_VALUE)
    worst = {}
    for unit, state in rows.order_by("state").values_list("unit", "state"):
        worst.setdefault(unit, state)
    counts = Counter(worst.values())
    return [(Judgment.State(state).label, count) for state, count in counts.most_common()]


def as_data(outlook):
    """Return a Forecast as data for programs; None where a value is unknown."""
    bounds = ("value", "low", "high")
    return {
        "pilot_calls": outlook.units,
        "without_value": outlook.bad,
        "reused": outlook.reused,
        "reusable": outlook.reusable,
        **{
            line.key: {name: _known(of) for name, of in zip(bounds, line.whole, strict=True)}
            for line in outlook.lines
        },
    }


def _known(value):
    return None if np.isnan(value) else value
