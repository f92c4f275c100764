"""Set what comes before and after the items."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404
from django.shortcuts import redirect, render

from annotate.design import access
from annotate.files.loading.practice import mark_items
from annotate.flow import around
from annotate.models import Session, Study
from annotate.studies.forms_steps import PARTS, RowsForm
from annotate.taste import study as taste

SUGGESTED = 100  # items offered while one types


@login_required
def step_settings(request, slug, part):
    """Page: the rows of a part; every button but “Save” only changes what is on the page."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    if part not in PARTS:
        raise Http404("no such settings")
    if request.method != "POST":
        return _page(request, study, part, RowsForm(study, PARTS[part]))
    if (do := request.POST.get("do", "save")) != "save":
        form = RowsForm(study, PARTS[part], request.POST)
        form.change(do)
        return _page(request, study, part, form, unsaved=True)
    form, is_saved = _save(study, PARTS[part], request.POST)
    if not is_saved:
        return _page(request, study, part, form, status=422)
    messages.success(request, "Saved.")
    return redirect("step_settings", slug, part)


def _page(request, study, part, form, status=200, unsaved=False):
    before = Session.BEFORE if part != "exit" else (Session.State.EXIT,)
    context = {
        "study": study,
        "section": "settings",
        "part": PARTS[part],
        "name": part,
        "parts": PARTS,
        "form": form,
        "unsaved": unsaved,
        "at_it": study.sessions.filter(state__in=before).count(),
        "items": study.items.filter(parent=None).values_list("key", flat=True)[:SUGGESTED]
        if part == "practice"
        else [],
    }
    return render(request, "annotate/step_settings.html", context, status=status)


@transaction.atomic
def _save(study, part, data):
    """Save this part only; what somebody else has set meanwhile stays. Return (form, is saved)."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    form, key = RowsForm(study, part, data), part.key
    value = form.value()
    if value is None:
        return form, False
    study.extra.pop(key, None)
    # An empty one says that there may be answers, or lists, from before.
    if value or key in (around.SCREENER, around.BEFORE, around.EXIT, taste.KEY):
        study.extra[key] = value
    study.save(update_fields=["extra"])
    if key == around.PRACTICE:
        mark_items(study)
    return form, True
