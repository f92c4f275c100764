"""Let researchers test recommenders: the form of a test, and what came back."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from annotate.design import access
from judges.methods.recommend import lists, results
from judges.methods.recommend.plans import written
from judges.models import Heartbeat, Judge, RecommendedList
from judges.pages import trial_preview
from judges.pages.forms_recommender import TrialForm
from judges.pages.run_views import run_or_404
from judges.runs import disclosure
from judges.runs.access import judge_or_404
from judges.runs.nudge import nudge

USERS_A_PAGE = 10


@login_required
def recommender_test(request, slug, pk):
    """Show what is asked, a prompt with its perturbed form and the forecast; start the test."""
    role = access.EDITOR if "start" in request.POST else access.VIEWER
    study = access.study_or_404(request.user, slug, role)
    judge = judge_or_404(study, pk, method=Judge.Method.RECOMMENDER)
    form = TrialForm.for_study(study, request.POST or None)
    good = form.is_valid() and form.checked_for(judge)
    run, message = (
        form.start(judge, request.user) if good and "start" in request.POST else (None, "")
    )
    if run is not None:
        nudge(run)
        messages.success(request, message)
        return redirect(run)
    context = {"study": study, "judge": judge, "form": form, **_shown(form, judge)}
    context["people_shown"] = disclosure.in_words(judge)
    status = 422 if form.errors else 200
    return render(request, "judges/recommender_test.html", context, status=status)


def _shown(form, judge):
    """Return a prompt, the forecast and the workers; only the workers if nothing can be asked."""
    context = {"section": "judges", "worker_alive": Heartbeat.objects.any_alive()}
    data = form.cleaned_data if form.is_bound else {}
    trial = form.trial if form.is_bound else form.usual.checked()
    if form.errors:
        return context
    if problem := lists.problem_of(judge, trial):
        return context | {"problem": problem}
    names = {key: written(key, options) for key, options in trial.relations}
    chosen = data.get("user", "").strip(), names.get(data.get("relation"), "")
    shown = trial_preview.compare(judge, trial, *chosen)
    return context | {"shown": shown, "forecast": trial_preview.forecast(judge, trial)}


@login_required
@require_GET
def run_lists(request, slug, pk):
    """Show all lists of a run, recipient by recipient."""
    study = access.study_or_404(request.user, slug)
    run = _run_of_lists(study, pk)
    users = results.users(run, request.GET.get("user", "").replace("\x00", "").strip())
    page = Paginator(users, USERS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "section": "runs",
        "run": run,
        "page": page,
        "users": results.of_users(run, page.object_list),
        "totals": results.totals(run),
    }
    return render(request, "judges/run_lists.html", context)


def _run_of_lists(study, pk):
    run = run_or_404(study, pk)
    if not RecommendedList.objects.filter(run=run).exists():
        raise Http404("a run without lists")
    return run
