"""Let researchers test a judge with changed prompts: choose, preview and start."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotate.design import access
from judges.checks import robustness_preview
from judges.checks.drift import checkable
from judges.checks.forms import RobustnessForm
from judges.models import Heartbeat, Run
from judges.runs import disclosure
from judges.runs.access import judge_or_404
from judges.runs.nudge import nudge
from judges.runs.progress import with_progress

MOST_TESTS = 20


@login_required
def judge_robustness(request, slug, pk):
    """Show what a test would change, the prompts it would send if asked for, and past tests."""
    study = access.study_or_404(request.user, slug)
    judge = judge_or_404(study, pk)
    form = RobustnessForm(_run_or_404(judge), request.POST or None, auto_id="test_%s")
    shown = form.tried(robustness_preview.preview) if form.is_valid() else None
    return _page(request, study, judge, form, shown)


@login_required
@require_POST
def judge_robustness_start(request, slug, pk):
    """Plan a test of the judge's newest run and nudge a worker."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    judge = judge_or_404(study, pk)
    form = RobustnessForm(_run_or_404(judge), request.POST, auto_id="test_%s")
    test = form.start(request.user) if form.is_valid() else None
    if test is None:
        return _page(request, study, judge, form)
    nudge(test)
    messages.success(request, f"Run {test.pk} tests the judge with changed prompts.")
    return redirect(test)


def _run_or_404(judge):
    run = checkable(judge)
    if run is None:
        raise Http404("nothing to ask again")
    return run


def _page(request, study, judge, form, preview=None):
    tests = Run.objects.robustness_tests().filter(judge=judge)[:MOST_TESTS]
    context = {
        "study": study,
        "section": "judges",
        "judge": judge,
        "run": form.run,
        "form": form,
        "preview": preview,
        "people_shown": disclosure.in_words(judge) if preview else [],
        "tests": with_progress(list(tests)),
        "worker_alive": Heartbeat.objects.any_alive(),
    }
    status = 422 if form.errors else 200
    return render(request, "judges/robustness.html", context, status=status)
