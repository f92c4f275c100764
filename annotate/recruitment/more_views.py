"""Send items to more raters, show the log, undo its lines."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from annotate.design import access
from annotate.recruitment import more_raters as more
from annotate.recruitment.more_forms import MoreForm


@login_required
def more_raters(request, slug):
    """Page: the adaptive rule, and the log of added places."""
    study = access.study_or_404(request.user, slug)
    page = Paginator(more.log(study), 50).get_page(request.GET.get("page"))
    context = {"study": study, "section": "items", "page": page}
    return render(request, "annotate/more_raters.html", context)


@login_required
@require_POST
def send(request, slug):
    """Step: give the chosen items more places."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    form = MoreForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(sum(form.errors.values(), [])))
        return redirect(_back(request) or "more_raters", *_slug(request, slug))
    try:
        given = form.cleaned_data
        step = more.send(study, request.user, form.items, given["count"], given["words"])
        messages.success(request, describe_step(step))
    except more.NotNow as why:
        messages.error(request, str(why))
    return redirect(_back(request) or "more_raters", *_slug(request, slug))


def describe_step(step):
    """Say how many places a line of the log added, and that they can be taken back."""
    places, items = step.place_count, step.item_count
    what = f"{places:,} more place{'' if places == 1 else 's'}"
    of = f"{items:,} item{'' if items == 1 else 's'}"
    return f"{what} for {of}. While nobody has taken them this can be undone: see More raters."


def _back(request):
    address = request.POST.get("back", "")
    safe = url_has_allowed_host_and_scheme(address, None) and address.startswith("/")
    return address if safe else ""


def _slug(request, slug):
    return [] if _back(request) else [slug]


@login_required
@require_POST
def undo(request, slug, pk):
    """Step: take back those of a line's places that nobody has taken."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    step = get_object_or_404(study.extra_places, pk=pk)
    gone = more.undo(step, request.user)
    if gone:
        messages.success(request, f"{gone:,} of {step.place_count:,} places were taken away again.")
    else:
        messages.error(request, "None of these places is open any more: raters have them.")
    return redirect("more_raters", slug)
