"""Show the page of the test split, and make, lock and unlock the split."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from analysis.options import parts
from annotate.design import access, splits
from annotate.models import Membership
from annotate.studies.forms_split import LockForm, UnlockForm


@login_required
def split(request, slug):
    """Show how the recipients are split, how much is on each side, and what was done to it."""
    study = access.study_or_404(request.user, slug)
    return _page(request, study, LockForm(splits.split_of(study)), UnlockForm())


def _page(request, study, lock_form, unlock_form):
    current = splits.split_of(study)
    context = {
        "study": study,
        "section": "analysis",
        "split": current,
        "sizes": parts.sizes(study) if current else [],
        "history": list(parts.history(current)) if current else [],
        "lock_form": lock_form,
        "unlock_form": unlock_form,
        "is_owner": study.role == Membership.Role.OWNER,
    }
    invalid = lock_form.errors or unlock_form.errors
    return render(request, "analysis/split.html", context, status=422 if invalid else 200)


@login_required
@require_POST
def lock(request, slug):
    """Make the split for an owner, or lock it again."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    form = LockForm(splits.split_of(study), request.POST)
    if not form.is_valid():
        return _page(request, study, form, UnlockForm())
    seed, share = form.cleaned_data["seed"], form.cleaned_data["share"]
    try:
        splits.lock(
            study, seed, share, request.user.username, **parts.answers_of_test(study, seed, share)
        )
        messages.success(request, "The test part is locked.")
    except splits.Refused as refused:
        messages.error(request, str(refused))
    return redirect("split", slug)


@login_required
@require_POST
def unlock(request, slug):
    """Open the test part for an owner, with a reason."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    form = UnlockForm(request.POST)
    if not form.is_valid():
        return _page(request, study, LockForm(splits.split_of(study)), form)
    try:
        splits.unlock(study, request.user.username, form.cleaned_data["reason"])
        messages.success(request, "The test part is unlocked. Its numbers say so from now on.")
    except splits.Refused as refused:
        messages.error(request, str(refused))
    return redirect("split", slug)
