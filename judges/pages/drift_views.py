"""Check a judge for drift by a button, and show on its page what was found."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotate.design import access
from judges.checks.drift import checkable
from judges.checks.forms import CheckForm
from judges.pages.judge_views import judge_page
from judges.runs.access import judge_or_404
from judges.runs.nudge import nudge


@login_required
@require_POST
def judge_check(request, slug, pk):
    """Plan a check of the judge's newest run and nudge a worker."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    judge = judge_or_404(study, pk)
    run, form = checkable(judge), CheckForm(request.POST, auto_id="check_%s")
    if run is None:
        raise Http404("nothing to check")
    check = form.start(run, request.user) if form.is_valid() else None
    if check is None:
        return judge_page(request, study, judge, check_form=form)
    nudge(check)
    messages.success(request, f"Run {check.pk} asks items of run {run.pk} again.")
    return redirect(check)
