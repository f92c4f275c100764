"""Test robustness: ask items of a past run again in prompts changed by relations.

A test is a run of its own that is never analysed as judgments (`Run.objects.judging()` leaves it
out); the report *robustness* reads it. The unchanged prompt is asked too, once more than each
changed one: how far its answers differ is the noise floor. It is asked in
the same run, since the endpoint may have changed since the past one. No stored reply is ever taken
for one.
"""

from dataclasses import dataclass
from itertools import groupby, product

from django.db import transaction

from annotate.design.versions import questions_of
from judges import methods
from judges.checks import drift
from judges.models import Judge, Judgment, Material, Run
from judges.perturbations.relations import NO_CHANGE, RELATIONS, named
from judges.runs.plan import PlanError, check, one_active
from judges.runs.resume import estimate

USUAL_ITEMS, MOST_ITEMS = 20, 200
USUAL_REPEATS, MOST_REPEATS = 2, 20
SEED, MOST_SEED = 1, 2**31 - 1
BATCH = 500
# Of the past run alone. Weighted scores are not compared, so no log-probabilities are asked for.
NOT_KEPT = ("left_out", "weighted", "unit_usd", "drift")


@dataclass(frozen=True)
class Chosen:
    """What a test asks.

    relations: {key: options}; None: all that apply, as they are by default. repeats: how often each
    changed prompt is asked, drawn anew each time.
    """

    relations: dict | None = None
    items: int = USUAL_ITEMS
    repeats: int = USUAL_REPEATS
    seed: int = SEED


def plan_test(run, chosen=None, budget=None, user=None):
    """Make an active run that tests the judge of a past run; PlanError says why it cannot."""
    chosen = chosen or Chosen()
    _refuse(run, chosen)
    check(run.judge, budget)
    frozen = frozen_for(run, chosen)
    items = drift.sample(run, chosen.items, chosen.seed)
    with transaction.atomic(), one_active(run.judge):
        test = Run.objects.create(
            judge=run.judge,
            checked=run,
            settings_hash=run.settings_hash,
            version=run.version,
            budget_usd=budget,
            created_by=user,
            frozen=frozen,
        )
        if not Judgment.objects.bulk_create(_rows(run, test, items), BATCH):
            raise PlanError(f"Run {run.pk} has no answer yet, so there is nothing to ask again.")
        Material.objects.bulk_create(drift.materials(run, test, items), BATCH)
        test.frozen["robustness"]["items"] = len(items)
        test.unit_usd = 0 if budget is None else estimate(test)
        test.save(update_fields=["frozen", "unit_usd"])
    return test


def under_way(run, chosen, budget=None):
    """Return the judge's active test if it tests the run just so; see drift.under_way."""
    items = drift.sample(run, chosen.items, chosen.seed)
    asked = frozen_for(run, chosen)["robustness"] | {"items": len(items)}
    return drift.under_way(run, "robustness", asked, budget)


def _refuse(run, chosen):
    judge = run.judge
    if run.checked_id:
        raise PlanError(f"Run {run.pk} is a check itself; test run {run.checked_id}.")
    if judge.kind != Judge.Kind.LLM or judge.judges_nothing:
        raise PlanError(f"The judge {judge} asks no model for scores, so no prompt can be changed.")
    if run.is_from_file:
        raise PlanError(f"Run {run.pk} was loaded from a file, so it cannot be asked again.")
    if run.state == Run.State.ACTIVE:
        raise PlanError(f"Run {run.pk} is active. Let it finish or cancel it first.")
    for number, least, most, what in [
        (chosen.items, 1, MOST_ITEMS, "items"),
        (chosen.repeats, 1, MOST_REPEATS, "repeats"),
        (chosen.seed, 0, MOST_SEED, "as the seed"),
    ]:
        if not least <= number <= most:
            raise PlanError(f"Found {number} {what}; allowed are {least} to {most}.")


def frozen_for(run, chosen):
    """Return what the test of a run keeps as its settings; PlanError if a relation is refused."""
    kept = {key: value for key, value in run.frozen.items() if key not in NOT_KEPT}
    questions = asked_of(run)
    scales, applying = _scales(run, questions), applicable(run, questions)
    relations = chosen.relations
    if relations is None:
        relations = {relation.key: {} for relation in applying if not refusal(relation, {}, scales)}
    if not set(relations) - {NO_CHANGE}:
        raise PlanError("Choose at least one relation.")
    asked = {NO_CHANGE: {}}
    for key, options in relations.items():
        relation = _named(key)
        if relation not in applying and key != NO_CHANGE:
            raise PlanError(f"{relation.label} changes nothing in the prompts of {run.judge}.")
        if why := refusal(relation, options, scales):
            raise PlanError(why)
        asked[key] = relation.options | options
    return kept | {
        "robustness": {
            "relations": asked,
            "scales": scales,
            "repeats": chosen.repeats,
            "seed": chosen.seed,
        }
    }


def _named(key):
    try:
        return named(key)
    except ValueError as error:
        raise PlanError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None


def refusal(relation, options, scales):
    """Say why a relation cannot be used with these options on a scale; "" if it can."""
    try:
        for low, high in scales.values() if relation.acts_on == "numbers" else [(1, 5)]:
            relation.given(options, low, high)
    except ValueError as error:
        return str(error)
    return ""


def applicable(run, questions=None):
    """Return the relations that change the prompts of a run, in their order, without *no change*.

    questions: those that the run asked, where they are known already.
    """
    questions = asked_of(run) if questions is None else questions
    acting = {"text", *methods.of_frozen(run.frozen).changeable}
    if not _scales(run, questions):
        acting -= {"numbers"}
    if run.frozen.get("aspects") == Judge.Aspects.SINGLE or len(questions) < 2:
        acting -= {"aspects"}
    if run.frozen.get("context") == Judge.Context.HISTORY:
        acting |= {"history"}
    return [relation for relation in RELATIONS.values() if relation.acts_on in acting]


def asked_of(run):
    """Return the questions that the run asked, as it asked them."""
    ids = set(run.judgments.order_by().values_list("question_id", flat=True).distinct())
    return [
        question for question in questions_of(run.judge.study_id, run.version) if question.pk in ids
    ]


def _scales(run, questions):
    """Return {question key: [low, high]} of the scales that relations of numbers change."""
    if "numbers" not in methods.of_frozen(run.frozen).changeable:
        return {}
    scales = [(q.key, q.scale) for q in questions if q.scale.has_graded_points]
    return {key: [scale.low, scale.high] for key, scale in scales}


@dataclass(frozen=True)
class Call:
    """A call of the past run: its unit, item, order of lists, and questions by id."""

    unit: int
    item: int
    order: str
    questions: list


def count_calls(run, frozen, items):
    """Count the calls that a test with these settings makes."""
    return sum(1 for _ in _units(run, frozen, items))


def _rows(run, test, items):
    """Yield the test's judgments, unit by unit."""
    for unit, (call, key, repetition) in enumerate(_units(run, test.frozen, items)):
        which = {"item_id": call.item, "order": order_of(named(key), call.order), "relation": key}
        for place, pk in enumerate(call.questions):
            yield Judgment(
                run=test, unit=unit, lead=place == 0, question_id=pk, sample=repetition, **which
            )


def _units(run, frozen, items):
    """Yield (Call, relation key, repetition): all relations of all items, then the next round."""
    calls, settings = calls_of(run, items), frozen["robustness"]
    scaled = {question.pk for question in asked_of(run) if question.key in settings["scales"]}
    for repetition in range(settings["repeats"] + 1):
        keys = settings["relations"] if repetition < settings["repeats"] else [NO_CHANGE]
        for call, key in product(calls, keys):
            if named(key).acts_on != "numbers" or scaled & {*call.questions}:
                yield call, key, repetition


def order_of(relation, order):
    """Return the order of two lists: read with the reply, so it stands with the judgment."""
    if relation.acts_on != "lists":
        return order
    return "".join(relation.entries(list(order or "AB"), relation.options, None))


def calls_of(run, items):
    """Return the past run's Calls of one sample, in one order of each item."""
    rows = run.judgments.filter(item__in=items, question__isnull=False, sample=0)
    rows = rows.exclude(state=Judgment.State.NOT_ASKED).order_by("unit", "pk")
    rows = list(rows.values_list("unit", "item_id", "order", "question_id"))
    first: dict = {}
    for _, item, order, _ in rows:
        first[item] = min(order, first.get(item, order))
    calls = []
    for _, unit in groupby(rows, key=lambda row: row[0]):
        (number, item, order, _), *_ = same = list(unit)
        if order == first[item]:
            calls.append(Call(number, item, order, [question for *_, question in same]))
    return calls
