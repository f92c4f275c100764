"""Ask before places are opened for more ratings per item; open them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render

from annotate.design import access
from annotate.recruitment.costs import describe_cost
from annotate.recruitment.more_forms import RaiseForm
from annotate.recruitment.more_raters import NotNow
from annotate.recruitment.more_views import describe_step
from annotate.recruitment.raise_ratings import count_lacking, count_open, raise_ratings


@login_required
def more_ratings(request, slug):
    """Page: how many places it would be and about what they cost; a POST opens them."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    form = RaiseForm(study, request.POST if request.method == "POST" else request.GET)
    if request.method == "POST" and form.is_valid():
        _open(request, study, form)
        return redirect("more_raters", slug)
    context = {"study": study, "section": "items", "form": form}
    if form.is_valid():
        context |= _context(study, form)
    status = 200 if form.is_valid() else 422
    return render(request, "annotate/more_ratings.html", context, status=status)


def _context(study, form):
    lacking = count_lacking(study, **form.cleaned_data)
    return {
        "lacking": lacking,
        "open": count_open(study, **form.cleaned_data),
        "cost": describe_cost(study, lacking.places),
    }


def _open(request, study, form):
    try:
        step = raise_ratings(study, request.user, **form.cleaned_data)
    except NotNow as why:
        messages.error(request, str(why))
    else:
        messages.success(request, describe_step(step))
