"""Check a judge for drift: ask a few items of a past run again, as they were, and compare.

A check is a run of its own that is never analysed: `Run.objects.judging()` leaves it out. Each of
its units is a new call; no stored reply is ever taken for one.
"""

import hashlib
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from django.db import transaction

from analysis.stats.estimate import Estimate
from analysis.stats.ranked_lists.mean_change import mean_change
from annotate.design.splits import withheld
from judges import methods
from judges.models import Call, Judge, Judgment, Material, Run
from judges.models.run import FROM_FILE
from judges.runs.plan import PlanError, check, one_active
from judges.runs.resume import estimate

USUAL_ITEMS, MOST_ITEMS = 20, 500
SEED = 1
BATCH = 500
KEPT = ("unit", "item_id", "question_id", "sample", "order")


def checkable(judge):
    """Return the judge's newest run that can be checked, or None."""
    if judge.kind != Judge.Kind.LLM or judge.judges_nothing:
        return None
    ended = judge.runs.judging().exclude(state=Run.State.ACTIVE)
    ended = ended.exclude(frozen__kind=FROM_FILE)
    done = Judgment.objects.filter(state=Judgment.State.DONE).values("run")
    return ended.filter(pk__in=done).first()


def plan_check(run, items=USUAL_ITEMS, budget=None, user=None):
    """Make an active run that asks `items` of a past run again; PlanError says why it cannot."""
    _refuse(run, items)
    check(run.judge, budget)
    chosen = sample(run, items)
    if not chosen:
        raise PlanError(f"Run {run.pk} has no answer yet, so there is nothing to compare with.")
    frozen = {key: value for key, value in run.frozen.items() if key != "left_out"}
    with transaction.atomic(), one_active(run.judge):
        again = Run.objects.create(
            judge=run.judge,
            checked=run,
            settings_hash=run.settings_hash,
            version=run.version,
            unit_usd=run.unit_usd,
            budget_usd=budget,
            created_by=user,
            frozen=frozen | {"drift": {"items": len(chosen), "seed": SEED}},
        )
        Judgment.objects.bulk_create(_rows(run, again, chosen), BATCH)
        Material.objects.bulk_create(materials(run, again, chosen), BATCH)
        if budget is not None and not again.unit_usd:
            again.unit_usd = estimate(again)
            again.save(update_fields=["unit_usd"])
    return again


def under_way(run, kind, asked, budget=None):
    """Return the judge's active check if it asks just this of the run; None without an active one.

    kind, asked: what it freezes besides the judge's settings. PlanError where it is another.
    """
    again = run.judge.runs.checks().filter(state=Run.State.ACTIVE).first()
    if again is None:
        return None
    is_same = again.checked_id == run.pk and again.frozen.get(kind) == asked
    if is_same and budget in (None, again.budget_usd):
        return again
    raise PlanError(
        f"Run {again.pk} of {run.judge} is unfinished and asks something else. Repeat the check "
        "as it was, or cancel that run."
    )


def _refuse(run, items):
    if run.checked_id:
        raise PlanError(f"Run {run.pk} is a check itself; check run {run.checked_id} again.")
    if run.is_from_file:
        raise PlanError(f"Run {run.pk} was loaded from a file, so it cannot be asked again.")
    if run.judge.kind != Judge.Kind.LLM:
        raise PlanError(f"The judge {run.judge} asks no model, so it cannot drift.")
    if why := methods.of_judge(run.judge).not_checked:
        raise PlanError(f"The judge {run.judge} {why}.")
    if run.state == Run.State.ACTIVE:
        raise PlanError(f"Run {run.pk} is active. Let it finish or cancel it first.")
    if not 1 <= items <= MOST_ITEMS:
        raise PlanError(f"Found {items} items; allowed are 1 to {MOST_ITEMS}.")


def sample(run, most, seed=SEED):
    """Draw the ids of items to ask again: the same for a run, however many others it has."""
    done = run.judgments.filter(state=Judgment.State.DONE).order_by()
    if "example" in run.frozen.get("part_texts", {}):  # not those whose rater withdrew
        done = done.exclude(item__in=Material.objects.filter(run=run, example=None).values("item"))
    items = done.values_list("item__key", "item_id").distinct()
    drawn = sorted((hashlib.sha256(f"{seed} {key}".encode()).digest(), pk) for key, pk in items)
    return sorted(pk for _, pk in drawn[:most])


def _rows(run, again, chosen):
    asked = run.judgments.filter(item__in=chosen).exclude(state=Judgment.State.NOT_ASKED)
    rows = asked.order_by("unit", "pk").values(*KEPT)
    for _, unit in groupby(rows, key=lambda row: row["unit"]):
        for place, row in enumerate(unit):
            yield Judgment(run=again, lead=place == 0, **row)


def materials(run, again, chosen):
    """Copy what the past run's prompts show with these items, for the run that asks them again."""
    for material in Material.objects.filter(run=run, item__in=chosen):
        material.pk, material.run = None, again
        yield material


@dataclass(frozen=True)
class Moved:
    """The answers to a question that are the same, how far their mean moved, and the gaps."""

    question: object
    same: int
    n: int
    change: Estimate | None
    lost: int

    @property
    def agreement(self):
        """Return the share of answers that are the same; None without any."""
        return self.same / self.n if self.n else None

    @property
    def words(self):
        """Say what the change means."""
        if not self.n:
            return "nothing to compare"
        if self.same == self.n:
            return "the same answers"
        if self.change is None or self.change.n < 2:
            return "some answers differ"
        if self.change.low > 0:
            return "higher than before"
        return "lower than before" if self.change.high < 0 else "no change of the mean to be seen"


@dataclass
class Drift:
    """What a check found: a Moved for each question, and which models answered before and now.

    withheld: how many of its items are of a locked test part, of which nothing is compared;
    temperature: None where none was sent.
    """

    moved: list = field(default_factory=list)
    before: dict = field(default_factory=dict)
    now: dict = field(default_factory=dict)
    temperature: float | None = 0.0
    waiting: int = 0
    withheld: int = 0

    @property
    def sentences(self):
        """Say the result in sentences, the endpoint's names first."""
        return [
            _named("model", self.before["models"], self.now["models"]),
            _named("fingerprint", self.before["fingerprints"], self.now["fingerprints"]),
            self._answers(),
            *self._left_out(),
            *([f"{self.waiting:,} answers were not asked for again yet."] if self.waiting else []),
        ]

    def _left_out(self):
        if not self.withheld:
            return []
        items = "1 item" if self.withheld == 1 else f"{self.withheld:,} items"
        return [f"Not compared: {items} of the locked test part."]

    def _answers(self):
        n, same = sum(moved.n for moved in self.moved), sum(moved.same for moved in self.moved)
        if not n:
            why = "none has come yet" if self.waiting else "the endpoint gave none again"
            if self.withheld and not self.moved:
                why = "all of them are withheld"
            return f"No answer can be compared: {why}."
        sentence = f"{same:,} of {n:,} answers are the same as before."
        if self.temperature != 0 and same < n:
            why = "No temperature is sent, so"
            if self.temperature is not None:
                why = f"At a temperature of {self.temperature:g}"
            sentence += (
                f" {why} answers differ by chance too: what counts is whether the means moved."
            )
        return sentence


def _named(what, before, now):
    if not before and not now:
        return f"The endpoint gives no {what}, before as now."
    if before == now:
        return f"The {what} is the same as before: {_list(now)}."
    return f"The {what} is another one: {_list(before)} before, {_list(now)} now."


def _list(names):
    return ", ".join(names) or "none"


def compare(again):
    """Return the Drift between a check and the run that it asked again, in six queries.

    Answers on a locked test part are left out; the models that gave them are not.
    """
    items = again.judgments.order_by().values("item").distinct()
    hidden = withheld(again.judge.study, pk__in=items)  # of at most MOST_ITEMS
    shown = items.exclude(item__in=list(hidden)) if hidden else items
    questions = list(again.judge.study.questions.all())
    choices = {question.pk for question in questions if question.scale.is_nominal}
    before = _values(again.checked_id, shown, choices)
    now = _values(again.pk, shown, choices)
    moved = [_moved(question, before, now) for question in questions]
    return Drift(
        [change for change in moved if change],
        _answered(again.checked_id, items),
        _answered(again.pk, items),
        None
        if "temperature" in (*again.frozen.get("refused", ()), *again.frozen.get("not_taken", ()))
        else again.frozen.get("temperature", 0.0),
        again.judgments.open().count(),
        len(hidden),
    )


def _values(run_id, items, choices):
    """Return {question id: {(item, order, sample): value, NaN without any}} as far as asked.

    The mean of the samples, as if they were one; of choices each sample: A and B make no tie.
    """
    rows = Judgment.objects.settled().filter(run=run_id, item__in=items).order_by()
    samples: dict = {}
    for question, item, order, sample, value in rows.values_list(
        "question_id", "item_id", "order", "sample", "value"
    ):
        key = item, order, sample if question in choices else 0
        place = samples.setdefault(question, {}).setdefault(key, [])
        place += [] if value is None else [value]
    return {
        question: {
            place: float(np.mean(values)) if values else np.nan
            for place, values in by_place.items()
        }
        for question, by_place in samples.items()
    }


def _moved(question, before, now):
    """Return the Moved of a question; None where it was not asked."""
    old, new = before.get(question.pk), now.get(question.pk)
    if not old or not new:
        return None
    places = sorted(new)
    pairs = np.array([(old.get(place, np.nan), new[place]) for place in places])
    both = ~np.isnan(pairs).any(axis=1)
    ordered = not question.scale.is_nominal
    return Moved(
        question,
        same=int((pairs[both, 0] == pairs[both, 1]).sum()),
        n=int(both.sum()),
        change=_change(places, pairs) if ordered else None,
        lost=int((~np.isnan(pairs[:, 0]) & np.isnan(pairs[:, 1])).sum()),
    )


def _change(places, pairs):
    """Estimate the change by item: two orders of an item are no two items."""
    items = np.array([item for item, *_ in places])
    moved = pairs[:, 1] - pairs[:, 0]
    by_item = np.array([_mean(moved[items == item]) for item in dict.fromkeys(items.tolist())])
    return mean_change(np.zeros(len(by_item)), by_item)


def _mean(values):
    present = values[~np.isnan(values)]
    return present.mean() if len(present) else np.nan


def _answered(run_id, items):
    """Return the models and fingerprints that the endpoint gave with these answers' replies."""
    calls = Call.objects.filter(judgments__run=run_id, judgments__item__in=items, failure="")
    rows = calls.order_by().values_list("model_returned", "fingerprint").distinct()
    models, prints = zip(*rows, strict=True) if rows else ((), ())
    return {
        "models": sorted({*models} - {""}),
        "fingerprints": sorted({*prints} - {""}),
    }
