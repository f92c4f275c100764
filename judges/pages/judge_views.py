"""Show researchers their judges, what each asks, and the button that runs it."""

import re

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from annotate.design import access
from judges import methods
from judges.checks.forms import CheckForm
from judges.models import Endpoint, Heartbeat, Judge, Judgment, Run
from judges.pages.forms import RunForm, judge_form
from judges.pages.judge_preview import preview
from judges.pages.likeness import asked_for, likeness_of
from judges.pages.purposes import Offer, Way, purpose_of
from judges.removal.log import lines_of
from judges.runs import disclosure, progress
from judges.runs.access import judge_or_404
from judges.runs.cut_off import cut_off_in
from judges.runs.naming import why_seen
from judges.runs.nudge import nudge
from judges.scorers import SCORERS

MADE_HERE = [Judge.Kind.LLM, *SCORERS, Judge.Kind.ENSEMBLE]
LOST_NAME = (
    "{} is not named beforehand any more: its settings were changed. Name it again before a judge "
    "has judged anything."
)


@login_required
def judges(request, slug):
    """Show the study's judges, each with its newest run."""
    study = access.study_or_404(request.user, slug)
    newest = progress.newest_runs(study)
    rows = Judge.objects.filter(study=study).select_related("endpoint").prefetch_related("members")
    log = lines_of(study)
    context = {
        "study": study,
        "section": "judges",
        "judges": [(judge, newest.get(judge.pk)) for judge in rows if not judge.is_archived],
        "archived": [judge for judge in rows if judge.is_archived],
        "log": log,
        "undoable": any(line.until for line in log),
        "worker_alive": Heartbeat.objects.any_alive(),
        "can_ask": Endpoint.objects.usable_by(study).exists(),
    }
    return render(request, "judges/judges.html", context)


@login_required
def judge_new(request, slug):
    """Show or save a form for a new judge of the kind that the address names, else ask for it."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    if request.method != "POST" and not {"kind", "method"} & set(request.GET):
        return _ask_for_purpose(request, study)
    kind = _kind_or_404(request.GET.get("kind", Judge.Kind.LLM))
    method = method_or_404(kind, request.GET.get("method", Judge.Method.QUESTIONS))
    run = _begun_with(request, study, methods.named(method).begins_with)
    initial = methods.of_judge(run.judge).initial_of(run) if run else {}
    initial |= asked_for(study, kind, method, request.GET.dict())
    form = judge_form(study, kind, request.POST or None, method=method, initial=initial)
    judge = form.saved() if request.method == "POST" and form.is_valid() else None
    if judge is not None:
        messages.success(request, f"The judge {judge} was made.")
        return redirect("judge", slug, judge.pk)
    context = {"study": study, "section": "judges", "form": form, "topics_of": run}
    context |= _offered(study, Way(kind, method))
    return render(request, "judges/judge_new.html", context, status=422 if form.errors else 200)


def _ask_for_purpose(request, study):
    """Show what a judge can do here; a model that the address names goes on to the form."""
    context = {"study": study, "section": "judges", "offer": Offer(study)}
    context["endpoint"] = request.GET.get("endpoint", "")
    return render(request, "judges/judge_purpose.html", context)


def _begun_with(request, study, method):
    """Return the run of this method that the form begins with, where the address names it."""
    number = request.GET.get("topics_of")
    if number is None or not method:
        return None
    if not re.fullmatch("[0-9]{1,18}", number):
        raise Http404(f"no run {number!r}")
    runs = Run.objects.kept().select_related("judge__study")
    return get_object_or_404(runs, judge__study=study, judge__method=method, pk=number)


def _offered(study, way):
    """Return what else the page "New judge" shows: the purpose, and the ways to serve it."""
    purpose = purpose_of(way)
    ways = Offer(study).ways_of(purpose)
    return {
        "kind": way.kind,
        "way": way,
        "works": way in ways,
        "purpose": purpose,
        "ways": ways if way in ways else [way, *ways],
        "about": methods.named(way.method).about,
        "scorer": SCORERS.get(way.kind),
        "endpoints": Endpoint.objects.usable_by(study),
    }


@login_required
def judge(request, slug, pk):
    """Show a judge: its settings, the exact prompt, its runs."""
    study = access.study_or_404(request.user, slug)
    return judge_page(request, study, judge_or_404(study, pk))


@login_required
@require_POST
def judge_edit(request, slug, pk):
    """Change a judge that has not been run."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    judge = judge_or_404(study, pk, kind__in=MADE_HERE)
    form = judge_form(study, judge.kind, request.POST, instance=judge, method=judge.method)
    if not form.is_valid() or form.saved() is None:
        judge.refresh_from_db()
        return judge_page(request, study, judge, form=form)
    messages.success(request, "Saved.")
    for changed in form.lost_name:
        messages.warning(request, LOST_NAME.format(changed))
    return redirect("judge", slug, pk)


@login_required
@require_POST
def judge_run(request, slug, pk):
    """Plan a run, or continue the unfinished run, and nudge a worker."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    judge = judge_or_404(study, pk, kind__in=[Judge.Kind.LLM, *SCORERS])
    form = _run_form(judge, request.POST)
    run, message = form.start(judge, request.user) if form.is_valid() else (None, "")
    if run is None:
        return judge_page(request, study, judge, run_form=form)
    nudge(run)
    messages.success(request, message)
    return redirect(run)


def _kind_or_404(name):
    if name not in MADE_HERE:
        raise Http404(f"no kind {name!r}")
    return Judge.Kind(name)


def method_or_404(kind, name):
    """Return what an LLM is asked, by its name in an address; other kinds have no choice."""
    if name not in (Judge.Method.values if kind == Judge.Kind.LLM else [Judge.Method.QUESTIONS]):
        raise Http404(f"no method {name!r} of {kind}")
    return Judge.Method(name)


def _run_form(judge, data=None):
    form = RunForm(data)
    if methods.of_judge(judge).asked_about == "recipient":
        return form.about_recipients()
    if not judge.endpoint:
        return form.without_budget()
    return form if judge.settings.repeats == 1 else form.without_reuse()


def judge_page(request, study, judge, form=None, run_form=None, check_form=None):
    """Show the page of a judge, with the errors of one of its forms."""
    editable = judge.kind in MADE_HERE and study.may_edit and not judge.is_frozen
    made = {"instance": judge, "method": judge.method}
    unbound = judge_form(study, judge.kind, **made) if editable else None
    context = {
        "study": study,
        "section": "judges",
        "judge": judge,
        "form": form or unbound,
        "run_form": run_form or _run_form(judge),
        **_runs(judge, check_form),
        **_preview(request, judge),
        "people_shown": disclosure.in_words(judge),
        **_kind_and_name(judge),
        "ensemble": progress.ensemble(judge) if judge.kind == Judge.Kind.ENSEMBLE else None,
        "worker_alive": Heartbeat.objects.any_alive(),
    }
    invalid = any(sent is not None and sent.errors for sent in (form, run_form, check_form))
    return render(request, "judges/judge.html", context, status=422 if invalid else 200)


def _kind_and_name(judge):
    """Return what the judge's kind or method shows."""
    method = methods.of_judge(judge)
    return {
        "method": method,
        "made_here": judge.kind in MADE_HERE,
        "likeness": likeness_of(judge),
        **method.judge_page(judge),
        "scorer": SCORERS.get(judge.kind),
        "why_seen": why_seen(judge),
    }


def _runs(judge, check_form):
    """Return the judge's newest runs, its checks, and the run that can be checked: two queries."""
    newest = progress.with_progress(list(judge.runs.all()[:60]))
    runs = [run for run in newest if not run.checked_id]
    judged = Judgment.objects.filter(run__judge=judge, run__checked=None)
    any_unparsable = any(run.progress.unparsable for run in newest)
    ended = (run for run in runs if run.state != Run.State.ACTIVE and run.progress.done)
    return {
        "runs": runs,
        "cut_off": cut_off_in(judge, judged) if any_unparsable else None,
        "has_judged": any(run.progress.done for run in newest),
        "checks": [r for r in newest if r.checked_id and not r.is_robustness_test],
        "checkable": next(ended, None)
        if judge.kind == Judge.Kind.LLM and not judge.judges_nothing
        else None,
        "check_form": check_form or CheckForm(auto_id="check_%s"),
    }


def _preview(request, judge):
    """Return what is sent for the item that the address names, or for the first item."""
    if judge.kind != Judge.Kind.LLM:
        return {}
    key = request.GET.get("item", "").replace("\x00", "")[:200].strip()
    return {"preview": preview(judge, key), "preview_key": key}
