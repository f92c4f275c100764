"""Make a judge that is as another one, but for what is changed in its form."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render

from annotate.design import access
from judges.pages.judge_views import MADE_HERE
from judges.pages.likeness import duplicate_form
from judges.runs.access import judge_or_404


@login_required
def judge_duplicate(request, slug, pk):
    """Show or save the form of a new judge that begins as this one is; this one stays."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    original = judge_or_404(study, pk, kind__in=MADE_HERE)
    form = duplicate_form(original, request.POST or None, wanted=request.GET.dict())
    judge = form.saved() if request.method == "POST" and form.is_valid() else None
    if judge is not None:
        messages.success(request, f"The judge {judge} was made.")
        return redirect("judge", slug, judge.pk)
    context = {"study": study, "section": "judges", "form": form, "original": original}
    return render(request, "judges/duplicate.html", context, status=422 if form.errors else 200)
