"""Continue a run: resume, confirm or cancel it, or ask again what failed."""

from decimal import ROUND_UP, Decimal
from itertools import groupby

from django.db import transaction
from django.utils import timezone

from judges.endpoints import limits
from judges.endpoints.parameters import longest_reply
from judges.models import Judge, Judgment, Run
from judges.runs import disclosure, drive, lease
from judges.runs.check import why_not_local
from judges.runs.plan import PlanError, check, check_prices, one_active, plan

BATCH, READ = 2000, 500
STOPPED = (Run.State.CANCELLED, Run.State.OUT_OF_BUDGET, Run.State.STOPPED)


def start(judge, limit=None, budget=None, user=None, *, reuse=True, confirmed=False, trial=None):
    """Continue the judge's newest run if unfinished, else plan a new run: (run, sentence).

    Unless it is confirmed beforehand, a new run of many calls waits once its pilot has come back.
    """
    check(judge, budget)
    run = judge.runs.judging().first()
    if run is None or run.state == Run.State.FINISHED:
        asked = {"reuse": reuse, "pilot": not confirmed, "trial": trial}
        run = plan(judge, limit=limit, budget=budget, user=user, **asked)
        return run, _said_of(run)
    if trial and trial.checked().stored != run.frozen.get("trial"):
        raise PlanError(
            f"Run {run.pk} of {run.judge} is unfinished and asks something else. Repeat the test "
            "as it was, or cancel that run."
        )
    _check_unfinished(run, limit, budget, confirmed)
    if confirmed and confirm(run, budget):
        return run, f"Run {run.pk} is confirmed and goes on."
    resumed = resume(run, budget)
    if run.state == Run.State.WAITING:
        return run, f"Run {run.pk} waits until its forecast is confirmed."
    if resumed:
        return run, f"Run {run.pk} is resumed: it was unfinished."
    return run, f"Run {run.pk} is running already; it goes on."


def _said_of(run):
    sentence = f"Run {run.pk} of {run.judge} is planned: {run.judgments.count():,} judgments."
    if run.in_pilot:
        sentence += (
            f" {len(run.pilot['units'])} calls come first; then it waits for a confirmation of "
            "what the rest will cost."
        )
    return sentence


def _check_unfinished(run, limit, budget, confirmed):
    """Refuse a limit for an unfinished run, and a budget that does not suit its state."""
    if run.state == Run.State.WAITING and budget and not confirmed:
        raise PlanError(
            f"Run {run.pk} of {run.judge} waits for a confirmation; it takes another budget only "
            "with that."
        )
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


def least_usd(run):
    """Return the lowest budget for one more unit, in digits that a form takes."""
    return (run.spent_usd + lease.unit_usd(run)).quantize(Decimal("1e-6"), ROUND_UP)


def short_of(run):
    """Return the lowest budget that suffices if the run's is lower, else None."""
    least = least_usd(run)
    return least if run.budget_usd is not None and run.budget_usd < least else None


def estimate(run):
    """Return what a waiting call can cost at most, by today's prices."""
    waiting = run.judgments.filter(state=Judgment.State.PENDING, lead=True)
    numbers, most = list(waiting.order_by("unit").values_list("unit", flat=True)), 0
    longest = 0
    for start in range(0, len(numbers), READ):
        for unit in lease.read_units(run, numbers[start : start + READ]):
            sent = drive.sent_for(run.frozen, unit)
            most = max(most, limits.most_tokens_in(*sent))
            longest = max(longest, longest_reply(sent[1]))
    return run.judge.endpoint.cost(most, 0, longest)


def _check_idle(run):
    """Refuse a budget while calls are under way that would not be counted against it."""
    if run.judgments.filter(state=Judgment.State.LEASED).exists():
        raise PlanError(
            f"Run {run.pk} of {run.judge} has calls under way that began without a budget. "
            "Give it one once they have ended."
        )


def _check_budget(run, budget):
    """Refuse a run that could not make one more call within its budget."""
    cap = run.budget_usd if budget is None else Decimal(budget)
    check_prices(run.judge, cap)
    if cap is not None and run.budget_usd is None:
        _check_idle(run)
    if cap is not None and not run.unit_usd:  # it was planned without prices, so without a cap
        run.unit_usd = estimate(run)
    least = least_usd(run)
    is_short = run.state != Run.State.ACTIVE and cap is not None and cap < least
    if is_short and run.judgments.filter(state=Judgment.State.PENDING).exists():
        raise PlanError(
            f"Run {run.pk} of {run.judge} has spent {run.spent_usd.normalize():f} USD, and the "
            f"next call can cost more than what is left of {cap.normalize():f} USD. Give a higher "
            f"budget, of at least {least.normalize():f} USD."
        )


def reset_failed(run):
    """Ask again what a finished run has no value for; return how many judgments. Calls stay."""
    if run.is_from_file:
        raise PlanError(f"Run {run.pk} was loaded from a file; start a run of the judge instead.")
    with transaction.atomic():
        current = _hold_kept(run)
        if current.state != Run.State.FINISHED:
            raise PlanError(
                f"Run {run.pk} is not finished, so nothing of it is asked again yet. "
                "Let it finish first."
            )
        failed = Judgment.objects.filter(run=run, state__in=Judgment.NO_VALUE)
        units = list(failed.values_list("unit", flat=True).distinct())
        if count := lease.ask_again(failed):
            _choose_leads(run, units)
            with one_active(run.judge):
                changes = {"state": Run.State.ACTIVE, **_awake(current)}
                Run.objects.filter(pk=run.pk).update(**changes)
    return count


def _choose_leads(run, units):
    """Make a pending row the lead of each unit: workers find units by it."""
    rows = Judgment.objects.filter(run=run, state=Judgment.State.PENDING).order_by("unit", "id")
    pairs = groupby(rows.values_list("unit", "id"), key=lambda pair: pair[0])
    leads = dict(next(same) for _, same in pairs)
    for start in range(0, len(units), BATCH):
        some = units[start : start + BATCH]
        Judgment.objects.filter(run=run, unit__in=some).update(lead=False)
        Judgment.objects.filter(pk__in=[leads[unit] for unit in some]).update(lead=True)


def cancel(run):
    """Stop leasing; calls under way end by themselves. True if the run was active or waited."""
    before = [Run.State.ACTIVE, Run.State.WAITING]
    return _move(run, before, Run.State.CANCELLED)


def resume(run, budget=None):
    """Continue a stopped run, with a new budget if one is given. True if it was stopped.

    A run that was stopped in its pilot, or after it, waits for a confirmation all the same.
    PlanError where another run of the judge is active, or the budget allows no further call.
    """
    if run.state in STOPPED:
        _check_budget(run, budget)
    with one_active(run.judge):
        moved = _move(run, STOPPED, Run.State.ACTIVE, **_afresh(budget))
    lease.pause_after_pilot(Run.objects.filter(pk=run.pk, in_pilot=True))
    run.refresh_from_db()
    return moved


def confirm(run, budget=None):
    """Ask the rest too, whether the pilot has come back or not. True if that was needed.

    PlanError where another run of the judge is active, or the budget allows no further call.
    """
    before = [Run.State.WAITING, *STOPPED, Run.State.ACTIVE]
    if run.in_pilot:
        _check_budget(run, budget)
    fields = {"in_pilot": False, **_afresh(budget)}
    with one_active(run.judge):
        return run.in_pilot and _move(run, before, Run.State.ACTIVE, **fields)


def _afresh(budget):
    """Return the fields that a continued run gets."""
    fields = {"budget_usd": Decimal(budget)} if budget is not None else {}
    return fields | {"stopped_because": ""}


def _hold_kept(run):
    """Lock the run as `lease.hold` does; PlanError where its judge was set aside meanwhile."""
    current = lease.hold(run)
    judge = Judge.with_deleted.get(pk=current.judge_id)
    if judge.deleted_at:
        raise PlanError(f"The judge of run {run.pk} was deleted, so that the run cannot go on.")
    if judge.archived_at:
        raise PlanError(f"The judge {judge.key} is archived. Bring it back first.")
    if refused := why_not_local(judge) or disclosure.why_refused(judge, run):
        raise PlanError(refused)
    return current


def _move(run, before, after, **fields):
    with transaction.atomic():
        current = _hold_kept(run) if after == Run.State.ACTIVE else lease.hold(run)
        if moved := current.state in before:
            # A run that waited had its end when it began to wait.
            ended = {"ended_at": current.ended_at or timezone.now()}
            fields |= _awake(current) if after == Run.State.ACTIVE else ended
            Run.objects.filter(pk=run.pk).update(state=after, **fields)
            if lease.unit_usd(run) > current.unit_usd:
                lease.expect(run, run.unit_usd)
    run.refresh_from_db()
    return moved


def _awake(run):
    """Return the fields that end a run's pause: no end, and how long it was idle."""
    idle = run.idle_seconds
    if run.ended_at and run.started_at:
        idle += (timezone.now() - run.ended_at).total_seconds()
    return {"ended_at": None, "idle_seconds": idle}
