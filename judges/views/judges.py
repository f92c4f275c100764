"""Researchers' pages about judges: what they are, what they ask, and the button that runs them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from annotate import access
from judges import progress
from judges.forms import RunForm, judge_form
from judges.models import Endpoint, Heartbeat, Judge
from judges.previewing import preview
from judges.scorers import SCORERS
from judges.tasks import nudge

# Kinds in the order of the page "New judge".
MADE_HERE = [Judge.Kind.LLM, *SCORERS, Judge.Kind.ENSEMBLE]


@login_required
def judges(request, slug):
    """The study's judges, each with its newest run."""
    study = access.study_or_404(request.user, slug)
    newest = progress.newest_runs(study)
    rows = Judge.objects.filter(study=study).select_related("endpoint").prefetch_related("members")
    context = {
        "study": study,
        "section": "judges",
        "judges": [(judge, newest.get(judge.pk)) for judge in rows],
        "worker_alive": Heartbeat.objects.any_alive(),
    }
    return render(request, "judges/judges.html", context)


@login_required
def judge_new(request, slug):
    """A form for a new judge of the kind that the address names."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    kind = _kind_or_404(request.GET.get("kind", Judge.Kind.LLM))
    form = judge_form(study, kind, request.POST or None)
    judge = form.saved() if request.method == "POST" and form.is_valid() else None
    if judge is not None:
        messages.success(request, f"The judge {judge} was made.")
        return redirect("judge", slug, judge.pk)
    context = {
        "study": study,
        "section": "judges",
        "form": form,
        "kind": kind,
        "kinds": MADE_HERE,
        "scorer": SCORERS.get(kind),
        "endpoints": Endpoint.objects.all(),
    }
    return render(request, "judges/judge_new.html", context, status=422 if form.errors else 200)


@login_required
def judge(request, slug, pk):
    """One judge: its settings, the exact prompt, its runs."""
    study = access.study_or_404(request.user, slug)
    return _judge_page(request, study, _judge_or_404(study, pk))


@login_required
@require_POST
def judge_edit(request, slug, pk):
    """Changes a judge that has not been run."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    judge = _judge_or_404(study, pk, kind__in=MADE_HERE)
    form = judge_form(study, judge.kind, request.POST, instance=judge)
    if not form.is_valid() or form.saved() is None:
        judge.refresh_from_db()
        return _judge_page(request, study, judge, form=form)
    messages.success(request, "Saved.")
    return redirect("judge", slug, pk)


@login_required
@require_POST
def judge_run(request, slug, pk):
    """Plans a run, or goes on with the unfinished one, and nudges a worker."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    judge = _judge_or_404(study, pk, kind__in=[Judge.Kind.LLM, *SCORERS])
    form = _run_form(judge, request.POST)
    run, said = form.start(judge, request.user) if form.is_valid() else (None, "")
    if run is None:
        return _judge_page(request, study, judge, run_form=form)
    nudge(run)
    messages.success(request, said)
    return redirect(run)


def _kind_or_404(name):
    if name not in MADE_HERE:
        raise Http404(f"no kind {name!r}")
    return Judge.Kind(name)


def _run_form(judge, data=None):
    form = RunForm(data)
    return form if judge.endpoint else form.without_budget()


def _judge_or_404(study, pk, **conditions):
    judges = Judge.objects.select_related("endpoint", "study")
    return get_object_or_404(judges, study=study, pk=pk, **conditions)


def _judge_page(request, study, judge, form=None, run_form=None):
    editable = judge.kind in MADE_HERE and study.may_edit and not judge.is_frozen
    unbound = judge_form(study, judge.kind, instance=judge) if editable else None
    context = {
        "study": study,
        "section": "judges",
        "judge": judge,
        "form": form or unbound,
        "run_form": run_form or _run_form(judge),
        "runs": progress.with_progress(list(judge.runs.all()[:50])),
        **_preview(request, judge),
        "scorer": SCORERS.get(judge.kind),
        "ensemble": progress.ensemble(judge) if judge.kind == Judge.Kind.ENSEMBLE else None,
        "worker_alive": Heartbeat.objects.any_alive(),
    }
    invalid = any(one is not None and one.errors for one in (form, run_form))
    return render(request, "judges/judge.html", context, status=422 if invalid else 200)


def _preview(request, judge):
    """What is sent for the item that the address names, or for the first one."""
    if judge.kind != Judge.Kind.LLM:
        return {}
    key = request.GET.get("item", "").replace("\x00", "")[:200].strip()
    return {"preview": preview(judge, key), "preview_key": key}
