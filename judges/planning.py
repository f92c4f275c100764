"""A run is planned: the judge's settings frozen, a row for every judgment, before any call."""

import hashlib
import json
from contextlib import contextmanager
from decimal import Decimal
from itertools import groupby

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.models import Item
from judges import checking, hosts, materials, prompting
from judges.models import Judge, Judgment, Run
from judges.scorers import SCORERS, NotInstalled
from judges.units import write_rows

BATCH = 2000
MESSAGE_OVERHEAD = 200  # tokens of a chat template and of the schema's names, at most


class PlanError(ValueError):
    """The run cannot start; the message says why and what to do."""


def settings_of(judge):
    """What makes this judge the judge it is; addresses and prices may change without it."""
    if judge.kind in SCORERS:
        return _scorer_settings(judge)
    prompt = _prompt(judge)
    return {
        "kind": judge.kind,
        "endpoint": judge.endpoint.key,
        "model": judge.endpoint.model,
        "json_schema": judge.endpoint.json_schema,
        "prompt": prompt.name,
        "prompt_sha256": prompt.sha256,
        "aspects": judge.aspects,
        "temperature": judge.temperature,
        "rationale": judge.rationale,
        "max_tokens": judge.max_tokens,
        **({"samples": judge.samples} if judge.samples > 1 else {}),
        **materials.settings_of(judge),
    }


def _scorer_settings(judge):
    try:
        return SCORERS[judge.kind].frozen(judge)
    except NotInstalled as error:
        raise PlanError(f"The judge {judge.key} cannot run: {error}.") from None


def hash_of(settings):
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def _prompt(judge):
    try:
        return prompting.load(judge.prompt)
    except ValueError as error:
        raise PlanError(f"The judge {judge.key} cannot run: {error}.") from None


def scored_questions(study):
    """Questions with a number for an answer: what a judge can be asked."""
    return [question for question in study.questions.all() if question.scale.kind != "text"]


def scored_items(items):
    """Items with a text, in their order."""
    return items.exclude(text__regex=r"^\s*$").order_by("id")


def start(judge, limit=None, budget=None, user=None):
    """The judge's newest run goes on while it is unfinished, else a new one: (run, sentence)."""
    _check(judge, budget)
    run = judge.runs.first()
    if run is None or run.state == Run.State.FINISHED:
        run = plan(judge, limit=limit, budget=budget, user=user)
        return run, f"Run {run.pk} of {judge} is planned: {run.judgments.count():,} judgments."
    _check_unfinished(run, limit, budget)
    if resume(run, budget):
        return run, f"Run {run.pk} is resumed: it was unfinished."
    return run, f"Run {run.pk} is running already; it goes on."


def _check_unfinished(run, limit, budget):
    """A limit is for new runs; a budget is for runs that stopped, and needed where one is spent."""
    if run.state == Run.State.ACTIVE and (limit or budget):
        raise PlanError(
            f"Run {run.pk} of {run.judge} is running already; its limit and budget stay as they "
            "are. Leave both out, or cancel it first."
        )
    if limit:
        raise PlanError(f"Run {run.pk} of {run.judge} is unfinished: resume it without a limit.")
    if run.state == Run.State.OUT_OF_BUDGET and budget is None:
        raise PlanError(
            f"Run {run.pk} of {run.judge} stopped at its budget of {run.budget_usd.normalize():f} "
            "USD. Give a higher budget to resume it."
        )


def plan(judge, limit=None, budget=None, items=None, user=None):
    """A new active run with all its rows; PlanError says why there can be none."""
    _check(judge, budget)
    settings = settings_of(judge)
    items = Item.objects.filter(study_id=judge.study_id) if items is None else items
    questions = scored_questions(judge.study)
    with transaction.atomic():
        _freeze(judge, hash_of(settings))
        with _one_active(judge):
            run = Run.objects.create(
                judge=judge,
                settings_hash=judge.settings_hash,
                budget_usd=budget,
                created_by=user,
                frozen=settings,
            )
        shown = materials.Materials(judge, questions)
        written = write_rows(run, scored_items(items), questions, shown, limit)
        if not written.judgments:
            raise PlanError(_nothing_to_judge(judge.study, questions))
        run.frozen |= {"left_out": _left_out(judge.study, items, questions, shown)}
        if judge.endpoint:
            run.frozen |= _call_facts(judge, questions, written.longest, shown)
        run.save(update_fields=["frozen"])
    return run


def _check(judge, budget):
    if judge.kind == Judge.Kind.ENSEMBLE:
        raise PlanError(
            f"The judge {judge.key} is an ensemble, which is computed from its members' judgments "
            "whenever it is read. Run its members instead."
        )
    if not judge.runs_here:
        raise PlanError(f"The judge {judge.key} was imported from a file; it cannot be run.")
    if judge.kind in SCORERS:
        if budget is not None:
            raise PlanError(f"The judge {judge.key} costs nothing: run it without a budget.")
        return
    for problem in checking.problems_of(judge).values():
        raise PlanError(f"The judge {judge.key} cannot run: {problem}")
    if budget is not None and not judge.endpoint.has_prices:
        raise PlanError(
            f"The endpoint {judge.endpoint.key} has no prices, so a budget cannot be kept. "
            "Run without one, or ask an operator to enter the prices."
        )
    try:
        hosts.check_listed(judge.endpoint.base_url)
    except hosts.HostRefused as error:
        raise PlanError(f"The endpoint {judge.endpoint.key} cannot be called: {error}.") from None


@contextmanager
def _one_active(judge):
    """Around what makes a run active: the database refuses a judge's second one."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise PlanError(f"The judge {judge.key} is running already.") from None


def _freeze(judge, settings_hash):
    """Freezes the judge at its first run; the lock keeps two runs from freezing it differently."""
    locked = Judge.objects.select_for_update().get(pk=judge.pk)
    if locked.settings_hash and locked.settings_hash != settings_hash:
        raise PlanError(
            f"The judge {judge.key} has been run with other settings, or its endpoint's model or "
            "its library was changed since. Make a new judge, so that no run mixes two."
        )
    judge.settings_hash = settings_hash
    Judge.objects.filter(pk=judge.pk).update(settings_hash=settings_hash)


def _call_facts(judge, questions, longest, shown):
    """What a run with calls keeps besides its judge's settings."""
    return {
        "prompt_text": _prompt(judge).text,
        **({"part_texts": shown.texts} if shown.shows else {}),
        "base_url": judge.endpoint.base_url,
        "unit_usd": str(_dearest_unit(judge, questions, longest) or ""),
    }


def _dearest_unit(judge, questions, longest):
    """USD that no unit of the run can exceed: a token is at least a byte. None without prices."""
    if not judge.endpoint.has_prices:
        return None
    empty = Item(text="-", kind=Item.Kind.EXPLANATION)
    sent = prompting.messages(_prompt(judge).text, empty, questions, judge.rationale)
    # Neutralising can double a text of nothing but markers.
    tokens_in = len(json.dumps(sent, ensure_ascii=False).encode()) + 2 * longest + MESSAGE_OVERHEAD
    return judge.endpoint.cost(tokens_in, 0, judge.max_tokens)


def _left_out(study, items, questions, shown):
    """What the run does not judge, in numbers, for the run page."""
    asked = {question.pk for question in questions}
    return {
        "items_without_text": items.filter(text__regex=r"^\s*$").count(),
        **({"items_held_out": len(shown.pool)} if shown.pool else {}),
        "questions_without_numbers": [q.key for q in study.questions.all() if q.pk not in asked],
    }


def _nothing_to_judge(study, questions):
    if not questions:
        return (
            "The study has no question with a number for an answer, so a judge has nothing to say."
        )
    if not study.items.exists():
        return "The study has no items yet. Load items first."
    return "No item has a text that one of the questions applies to, so there is nothing to judge."


def reset_failed(run):
    """Asks what a finished run has no value for again: how many judgments. Calls stay."""
    with transaction.atomic():
        state = Run.objects.select_for_update().get(pk=run.pk).state
        if state != Run.State.FINISHED:
            raise PlanError(
                f"Run {run.pk} is not finished, so nothing of it is asked again yet. "
                "Let it finish first."
            )
        failed = Judgment.objects.filter(run=run, state__in=Judgment.NO_VALUE)
        units = list(failed.values_list("unit", flat=True).distinct())
        count = failed.update(
            state=Judgment.State.PENDING,
            reason="",
            attempts=0,
            settled_at=None,
            cost_usd=None,
            call=None,
        )
        if count:
            _choose_leads(run, units)
            with _one_active(run.judge):
                Run.objects.filter(pk=run.pk).update(state=Run.State.ACTIVE, ended_at=None)
    return count


def _choose_leads(run, units):
    """The lead of a unit must be one of its pending rows: workers find units by it."""
    rows = Judgment.objects.filter(run=run, state=Judgment.State.PENDING).order_by("unit", "id")
    first = [
        next(same) for _, same in groupby(rows.values_list("unit", "id"), key=lambda pair: pair[0])
    ]
    leads = dict(first)
    for start in range(0, len(units), BATCH):
        some = units[start : start + BATCH]
        Judgment.objects.filter(run=run, unit__in=some).update(lead=False)
        Judgment.objects.filter(pk__in=[leads[unit] for unit in some]).update(lead=True)


def cancel(run):
    """Stops leasing; calls under way end by themselves. True if the run was active."""
    return _move(run, [Run.State.ACTIVE], Run.State.CANCELLED, ended_at=timezone.now())


def resume(run, budget=None):
    """Goes on where a run stopped, with a new budget if one is given. True if it was stopped.

    PlanError where another run of the judge is active.
    """
    stopped = [Run.State.CANCELLED, Run.State.OUT_OF_BUDGET]
    fields = {"budget_usd": Decimal(budget)} if budget is not None else {}
    with _one_active(run.judge):
        return _move(run, stopped, Run.State.ACTIVE, ended_at=None, **fields)


def _move(run, before, after, **fields):
    moved = Run.objects.filter(pk=run.pk, state__in=before).update(state=after, **fields)
    run.refresh_from_db()
    return bool(moved)
