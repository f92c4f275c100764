"""Plan a run: freeze the judge's settings and write a row for every judgment, before any call."""

import hashlib
import json
from contextlib import contextmanager
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.db.models import Count, Q

from annotate.design import versions
from annotate.models import Item
from judges import methods
from judges.endpoints import hosts
from judges.endpoints.limits import most_tokens_in
from judges.methods.rows import Wanted
from judges.models import Judge, Run
from judges.models.prompt import OWN
from judges.prompting import library, materials, own
from judges.runs import disclosure, drive, pilots
from judges.runs.check import problems_of
from judges.scorers import SCORERS, NotInstalled

REPLY_FORMATS = {"json_schema": "a JSON schema", "json_mode": "JSON mode"}


class PlanError(ValueError):
    """The run cannot start; the message says why and what to do."""


def settings_of(judge, prompt=None):
    """Return the settings that define the judge; addresses and prices may change without it."""
    if judge.kind in SCORERS:
        return _scorer_settings(judge)
    prompt, method = prompt or _prompt(judge), methods.of_judge(judge)
    return {
        "kind": judge.kind,
        "endpoint": judge.endpoint.key,
        "model": judge.endpoint.model,
        **_reply_format(judge, prompt),
        **({"refused": judge.refused} if judge.refused else {}),
        "prompt": prompt.name,
        "prompt_sha256": prompt.sha256,
        **judge.settings.in_effect,
        **method.frozen(judge),
        **materials.hashes_of(judge, method),
    }


def _reply_format(judge, prompt):
    """Return how JSON is asked for: as in the judge's past runs, else the best its endpoint can do.

    So a test of the endpoint does not change a judge that has been run.
    """
    if (own_format := methods.of_judge(judge).reply_format(judge)) is not None:
        return own_format
    if before := judge.kept_settings:
        return {name: before[name] for name in REPLY_FORMATS if name in before}
    endpoint = judge.endpoint
    if endpoint.json_schema or not (endpoint.can("json_mode") and prompt.asks_for_json):
        return {"json_schema": endpoint.json_schema}
    return {"json_schema": False, "json_mode": True}


def _check_reply_format(judge):
    """Raise PlanError where a test showed that the endpoint would refuse every call."""
    if sent := [n for n in judge.endpoint.refused if n not in {*judge.refused, *judge.not_taken}]:
        raise PlanError(
            f"The judge {judge.key} has been run with {' and '.join(sent)}, "
            f"which its endpoint {judge.endpoint.key} refuses. Make a new judge, so that no run "
            "mixes two."
        )
    asked, endpoint = _reply_format(judge, _prompt(judge)), judge.endpoint
    for name, words in REPLY_FORMATS.items():
        overruled = name == "json_schema" and endpoint.json_schema
        if asked.get(name) and endpoint.refuses(name) and not overruled:
            raise PlanError(
                f"The judge {judge.key} has been run with {words}, which its endpoint "
                f"{endpoint.key} refuses now. Make a new judge, so that no run mixes two."
            )


def _scorer_settings(judge):
    try:
        return SCORERS[judge.kind].frozen(judge)
    except NotInstalled as error:
        raise PlanError(f"The judge {judge.key} cannot run: {error}.") from None


def hash_of(settings):
    """Return the hash of a judge's settings, whatever their order."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def _prompt(judge):
    try:
        return library.prompt_of(judge)
    except ValueError as error:
        raise PlanError(f"The judge {judge.key} cannot run: {error}.") from None


def scored_questions(judge):
    """Return the questions a judge is asked; raise PlanError with the reason if there are none."""
    try:
        return methods.of_judge(judge).questions(judge, versions.asked(judge.study))
    except ValueError as error:
        raise PlanError(f"The judge {judge.key} cannot run: {error}") from None


def scored_items(judge, items):
    """Return the items a judge is asked about, in its order, without practice items."""
    return methods.of_judge(judge).items(items.filter(is_practice=False))


def plan(
    judge, limit=None, budget=None, items=None, user=None, *, reuse=False, pilot=False, trial=None
):
    """Make an active run with all its rows; raise PlanError with the reason if it cannot be.

    reuse: replies to identical calls of past runs are taken over. pilot: a few calls first.
    trial: what a recommender is asked, where it is not the usual.
    """
    check(judge, budget)
    settings, method, not_taken = settings_of(judge), methods.of_judge(judge), judge.not_taken
    trial = _trial(judge, trial, limit)
    more_prompts = method.more_prompts(judge, trial)
    items = Item.objects.filter(study_id=judge.study_id) if items is None else items
    questions = scored_questions(judge)
    with transaction.atomic():
        _freeze_prompts(judge, settings, more_prompts)
        _freeze(judge, settings)
        with one_active(judge):
            run = Run.objects.create(
                judge=judge,
                settings_hash=judge.settings_hash,
                budget_usd=budget,
                created_by=user,
                frozen=settings | _of_run(judge),
                version=questions[0].present if questions else 1,
            )
        shown = materials.Materials(judge, method, questions)
        wanted = Wanted(scored_items(judge, items), questions, shown, limit, trial)
        written = _write(run, wanted)
        run.frozen |= {"left_out": _left_out(judge, items, questions, shown)}
        if shown.shows:
            run.frozen |= {"part_texts": shown.texts}
        if judge.endpoint:
            run.frozen |= method.kept_by_run(trial, more_prompts)
            run.frozen |= {"not_taken": not_taken} if not_taken else {}
            run.frozen |= _call_facts(judge, wanted, written.longest)
            run.unit_usd = Decimal(run.frozen["unit_usd"] or 0)
            run.reuse = reuse and judge.settings.repeats == 1 and method.takes_over
            run.pilot = pilots.draw(run) if pilot else {}
            run.in_pilot = bool(run.pilot)
        run.flagged = written.flagged
        run.save(update_fields=["frozen", "unit_usd", "reuse", "pilot", "in_pilot", "flagged"])
    return run


def _of_run(judge):
    """Return what of the study's data only the run keeps; a change makes no other judge."""
    scorer = SCORERS.get(judge.kind)
    return scorer.kept_by_run(judge.study_id) if scorer else {}


def _trial(judge, trial, limit):
    try:
        return methods.of_judge(judge).check_trial(judge, trial, limit)
    except ValueError as error:
        raise PlanError(str(error)) from None


def _write(run, wanted):
    """Write all rows of the run and return Written; raise PlanError if there are none."""
    method = methods.of_judge(run.judge)
    written = method.write_rows(run, wanted)
    if not written.judgments:
        raise PlanError(method.nobody or _nothing_to_judge(run.judge, wanted))
    return written


def check(judge, budget):
    """Raise PlanError with the reason where this judge cannot be run now."""
    if judge.kind == Judge.Kind.ENSEMBLE:
        raise PlanError(
            f"The judge {judge.key} is an ensemble, which is computed from its members' judgments "
            "whenever it is read. Run its members instead."
        )
    if judge.archived_at:
        raise PlanError(f"The judge {judge.key} is archived. Bring it back first.")
    if not judge.runs_here:
        raise PlanError(f"The judge {judge.key} was imported from a file; it cannot be run.")
    check_prices(judge, budget)
    if judge.kind in SCORERS:
        return
    for problem in problems_of(judge).values():
        raise PlanError(f"The judge {judge.key} cannot run: {problem}")
    _check_reply_format(judge)
    if judge.endpoint.study_id not in (None, judge.study_id):
        raise PlanError(
            f"The endpoint {judge.endpoint.key} is another study's. Connect the model to this one."
        )
    try:
        hosts.check_listed(judge.endpoint.base_url)
    except hosts.HostRefused as error:
        raise PlanError(f"The endpoint {judge.endpoint.key} cannot be called: {error}.") from None
    if refused := disclosure.why_refused(judge):
        raise PlanError(refused)


def check_prices(judge, budget):
    """Raise PlanError where a budget, if one is given, could not be kept."""
    if budget is None:
        return
    if judge.kind in SCORERS:
        raise PlanError(f"The judge {judge.key} costs nothing: run it without a budget.")
    if not judge.endpoint.has_prices:
        raise PlanError(
            f"The endpoint {judge.endpoint.key} has no prices, so a budget cannot be kept. "
            "Run without one, or enter its prices first."
        )


@contextmanager
def one_active(judge):
    """Make a run active within this block; the database refuses a judge's second active run."""
    if hasattr(judge.study, "deletion"):
        raise PlanError("The study is being deleted, so none of its judges can be run.")
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise PlanError(f"The judge {judge.key} is running already.") from None


def _freeze(judge, settings):
    """Freeze the judge at its first run; the lock keeps two runs from freezing it differently."""
    settings_hash = hash_of(settings)
    judges = Judge.objects.select_for_update(of=("self",)).select_related("study__deletion")
    locked = judges.filter(pk=judge.pk).first()
    if locked is None:
        raise PlanError(f"The judge {judge.key} was deleted, so that it cannot be run.")
    judge.study = locked.study  # as it is now: it may be about to be deleted
    if locked.settings_hash and locked.settings_hash != settings_hash:
        raise PlanError(
            f"The judge {judge.key} has been run with other settings, or its endpoint's model or "
            "its library was changed since. Make a new judge, so that no run mixes two."
        )
    judge.settings_hash, judge.kept_settings = settings_hash, settings
    Judge.objects.filter(pk=judge.pk).update(settings_hash=settings_hash)


def _freeze_prompts(judge, settings, more_prompts):
    """Freeze the study's own prompts as this run uses them. more_prompts: {name: Prompt}."""
    used = {settings.get("prompt", ""): settings.get("prompt_sha256")}
    used |= {name: prompt.sha256 for name, prompt in more_prompts.items()}
    for name, digest in used.items():
        if name.startswith(OWN) and not own.freeze(judge.study_id, name, digest):
            raise PlanError(
                f"The prompt {name} was changed just now. Look at it, then run the judge."
            )


def _call_facts(judge, wanted, longest):
    """Return what every run with calls keeps besides its judge's settings."""
    questions = methods.of_judge(judge).longest_call(wanted.questions, wanted.trial)
    return {
        "prompt_text": _prompt(judge).text,
        "base_url": judge.endpoint.base_url,
        "unit_usd": str(_dearest_unit(judge, questions, longest) or ""),
    }


def _dearest_unit(judge, questions, longest):
    """Return USD that no unit can exceed, as a token is at least a byte; None without prices."""
    if not judge.endpoint.has_prices:
        return None
    empty = Item(text="-", kind=Item.Kind.EXPLANATION)
    settings = settings_of(judge) | {"prompt_text": _prompt(judge).text}
    sent = methods.of_judge(judge).messages(settings, empty, questions)
    beside = drive.parameters(settings, questions)
    # Neutralising can double a text of nothing but markers.
    tokens_in = most_tokens_in(sent, beside) + 2 * longest
    longest_reply = methods.of_judge(judge).max_tokens(settings, questions)
    return judge.endpoint.cost(tokens_in, 0, longest_reply)


def _left_out(judge, items, questions, shown):
    """Count what the run does not judge, for the run page."""
    if judge.judges_nothing:
        return {}
    asked = {question.pk for question in questions}
    unasked = [q.key for q in versions.asked(judge.study) if q.pk not in asked]
    is_empty = Q(text__regex=r"^\s*$", is_practice=False)
    counts = items.aggregate(
        all=Count("pk"),
        practice=Count("pk", filter=Q(is_practice=True)),
        empty=Count("pk", filter=is_empty),
    )
    numbers = {"practice_items": counts["practice"]} if counts["practice"] else {}
    if shown.lists:
        others = counts["all"] - counts["practice"] - scored_items(judge, items).count()
        return numbers | {"other_items": others, "other_questions": unasked}
    return numbers | {
        "items_without_text": counts["empty"],
        **({"items_held_out": len(shown.pool)} if shown.pool else {}),
        "questions_without_numbers": unasked,
    }


def _nothing_to_judge(judge, wanted):
    study = judge.study
    if not wanted.questions:
        return (
            "The study has no question with a number for an answer, so a judge has nothing to say."
        )
    if not study.items.exists():
        return "The study has no items yet. Load items first."
    if not study.items.filter(is_practice=False).exists():
        return "The study has only practice items, which no judge is asked about. Load others."
    if wanted.materials.pool:
        return (
            "All items that could be judged are held out, for examples are drawn from them. "
            "Collect ratings of more items, or make a judge that holds none out."
        )
    if kinds := methods.of_judge(judge).kinds:
        words = " or ".join(Item.Kind(kind).label.lower() for kind in kinds)
        return f"No item is a {words} that one of the questions applies to."
    return "No item has a text that one of the questions applies to, so there is nothing to judge."
