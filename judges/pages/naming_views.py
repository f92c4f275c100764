"""Name a judge beforehand by a button on its page."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotate.design import access
from judges.runs.access import judge_or_404
from judges.runs.naming import Refused, name_beforehand


@login_required
@require_POST
def judge_name(request, slug, pk):
    """Name the judge for the verdict, or say why it may not be named."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    judge = judge_or_404(study, pk)
    try:
        name_beforehand(judge)
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"{judge} is named beforehand: the verdict tests it alone.")
    return redirect("judge", slug, pk)
