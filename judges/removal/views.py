"""Archive judges, delete those on which nothing rests, and take either back."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from annotate.design import access
from judges.models import Judge
from judges.removal import archive, delete, holders
from judges.removal.forms import DeleteForm
from judges.runs.access import judge_or_404
from judges.runs.promised import Refused


@login_required
@require_POST
def judge_archive(request, slug, pk):
    """Take a judge out of lists and results; the family still counts it."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    judge = judge_or_404(study, pk)
    try:
        archive.archive(judge, request.user)
        messages.success(request, f"{judge} is archived. Bring it back at the end of this page.")
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("judges", slug)


@login_required
@require_POST
def judge_bring_back(request, slug, pk):
    """Show an archived judge in lists and results again."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    judge = judge_or_404(study, pk)
    try:
        archive.bring_back(judge, request.user)
        messages.success(request, f"{judge} is back.")
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("judge", slug, pk)


@login_required
def judge_delete(request, slug, pk):
    """Show what would go and what rests on the judge; delete it once a reason is given."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    judge = judge_or_404(study, pk)
    form = DeleteForm(request.POST or None)
    if form.is_valid() and form.delete(judge, request.user):
        messages.success(request, delete.words_of_undo(judge))
        return redirect("judges", slug)
    context = {
        "study": study,
        "section": "judges",
        "judge": judge,
        "form": form,
        "goes": holders.what_goes(judge),
        "holds": holders.what_holds(judge),
        "days": delete.UNDO_DAYS,
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "judges/delete_judge.html", context, status=status)


@login_required
@require_POST
def judge_undelete(request, slug, pk):
    """Bring a deleted judge back with all that it had."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    judge = get_object_or_404(Judge.with_deleted, study=study, pk=pk)
    try:
        back = delete.undo(judge, request.user)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("judges", slug)
    messages.success(request, delete.words_of_return(back))
    return redirect("judge", slug, pk)
