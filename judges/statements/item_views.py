"""Let researchers make items of a study's statements by a button."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotate.design import access
from judges.statements import items


@login_required
@require_POST
def make_statement_items(request, slug):
    """Make missing items, put away outdated ones, and say how many of each."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    try:
        made = items.make(study, fill_references=bool(request.POST.get("references")))
        messages.success(request, str(made))
    except ValueError as error:
        messages.error(request, str(error))
    return redirect("statements", slug)
