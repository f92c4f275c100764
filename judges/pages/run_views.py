"""Show researchers their runs: progress, cancel, resume, ask again, parse again."""

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate.design import access
from judges import methods
from judges.checks.drift import compare
from judges.models import Heartbeat, Run
from judges.pages.forms import RunForm
from judges.runs import disclosure, pilots, plan, progress
from judges.runs.cut_off import cut_off_in
from judges.runs.nudge import nudge
from judges.runs.reread import reread
from judges.runs.resume import cancel, confirm, reset_failed, resume, short_of
from judges.scorers import SCORERS, facts
from judges.values.settings import NOT_SENT

TEMPERATURE = "Temperature"
REFUSED_TEMPERATURE = "none is sent: the model takes none"


@login_required
def runs(request, slug):
    """Show all runs of the study, the newest first."""
    study = access.study_or_404(request.user, slug)
    rows = Run.objects.kept().filter(judge__study=study, judge__archived_at=None)
    rows = rows.select_related("judge", "created_by")
    page = Paginator(rows, 50).get_page(request.GET.get("page"))
    page.object_list = progress.with_progress(list(page.object_list))
    context = {
        "study": study,
        "section": "runs",
        "page": page,
        "worker_alive": Heartbeat.objects.any_alive(),
    }
    return render(request, "judges/runs.html", context)


@login_required
@never_cache
def run(request, slug, pk):
    """Show a run: settings, progress, what can be done about it."""
    study = access.study_or_404(request.user, slug)
    return render(request, "judges/run.html", _context(study, run_or_404(study, pk)))


@login_required
@never_cache
def run_progress(request, slug, pk):
    """Show, as a fragment, the live part of the run page; it reloads while the run is active."""
    study = access.study_or_404(request.user, slug)
    return render(request, "judges/_progress.html", _context(study, run_or_404(study, pk)))


@login_required
@never_cache
def run_moving(request, slug, pk):
    """Show, as a fragment, counts, rate and time left; tell the page when the run has ended."""
    study = access.study_or_404(request.user, slug)
    run, counts = progress.moving_or_none(study, pk) or (None, None)
    if run is None:
        raise Http404("no such run")
    context = {"study": study, "run": run, "progress": counts}
    response = render(request, "judges/_moving.html", context)
    if run.state != Run.State.ACTIVE:
        response["HX-Trigger"] = "run-moved"
    return response


@login_required
@require_POST
def run_cancel(request, slug, pk):
    """Stop a run; calls under way still end."""
    run = _run_to_change(request, slug, pk)
    if cancel(run):
        calls = " Calls under way still end." if run.judge.endpoint else ""
        messages.success(request, f"Cancelled.{calls}")
    return redirect(run)


@login_required
@require_POST
def run_resume(request, slug, pk):
    """Resume a stopped run, with a new budget if one was entered."""
    run = _run_to_change(request, slug, pk)
    _with_budget(request, run, resume, "Resumed.")
    return redirect(run)


@login_required
@require_POST
def run_confirm(request, slug, pk):
    """Ask the rest after the pilot, with a new budget if one was entered."""
    run = _run_to_change(request, slug, pk)
    _with_budget(request, run, confirm, "Confirmed. The rest is asked now.")
    return redirect(run)


@login_required
@require_POST
def run_ask_again(request, slug, pk):
    """Return everything that failed, was refused or was not understood to the queue."""
    run = _run_to_change(request, slug, pk)
    _go_on(request, run, partial(reset_failed, run), "{} judgments are asked again.")
    return redirect(run)


@login_required
@require_POST
def run_reread(request, slug, pk):
    """Parse the stored replies again, without a call, and say what changed."""
    run = _run_to_change(request, slug, pk)
    try:
        messages.success(request, str(reread(run)))
    except plan.PlanError as error:
        messages.error(request, str(error))
    return redirect(run)


def _with_budget(request, run, act, words):
    """Make a run active again with the budget that was entered."""
    form = RunForm({"budget": request.POST.get("budget", "")})
    if not form.is_valid():
        messages.error(request, " ".join(form.errors.get("budget", [])))
    else:
        _go_on(request, run, partial(act, run, form.cleaned_data["budget"]), words)


def _go_on(request, run, act, words):
    """Make a run active again; say so, or why it cannot be."""
    try:
        count = act()
    except plan.PlanError as error:
        messages.error(request, str(error))
        return
    if count:
        nudge(run)
        messages.success(request, words.format(count))


def run_or_404(study, pk):
    """Fetch a run of the study with what its page shows; another study's run is a 404."""
    rows = Run.objects.kept().select_related("judge__study", "judge__endpoint", "created_by")
    return get_object_or_404(rows, judge__study=study, pk=pk)


def _run_to_change(request, slug, pk):
    return run_or_404(access.study_or_404(request.user, slug, access.EDITOR), pk)


def _checked(run):
    """Return what a check for drift found once it has ended, or how far a robustness test is."""
    if run.is_robustness_test:
        return {"relations": progress.by_relation(run)}
    ended = run.checked_id and run.state != Run.State.ACTIVE
    return {"drift": compare(run) if ended else None}


def _settings(run):
    """Return [(label, value in words)] of the judge's settings as the run froze them."""
    declared = run.judge.settings_class
    facts = declared.trusted(run.frozen).facts
    if "temperature" not in declared.names():
        return [*facts, (TEMPERATURE, NOT_SENT)]
    refused = {*(run.frozen.get("refused") or ()), *run.frozen.get("not_taken", ())}
    instead = {TEMPERATURE: REFUSED_TEMPERATURE} if "temperature" in refused else {}
    return [(label, instead.get(label, value)) for label, value in facts]


def _context(study, run):
    spent, method = progress.spending(run), methods.of_judge(run.judge)
    counts = progress.progress(run)
    return {
        "study": study,
        "section": "runs",
        "run": run,
        "progress": counts,
        "cut_off": cut_off_in(run.judge, run.judgments) if counts.unparsable else None,
        "spending": spent,
        "an_item": progress.an_item(run, spent),
        "forecast": pilots.forecast(run) if run.state == Run.State.WAITING else None,
        "people_shown": disclosure.in_words(run.judge) if run.state == Run.State.WAITING else [],
        "short_of": short_of(run),
        "failures": progress.failures(run),
        "weighted": progress.weighed(run),
        "latest": progress.latest(run),
        "method": method,
        **method.run_page(run),
        "scorer": SCORERS.get(run.judge.kind),
        "facts": facts(run.frozen),
        "settings": _settings(run) if run.judge.endpoint else [],
        **_checked(run),
        "worker_alive": Heartbeat.objects.any_alive(),
    }
