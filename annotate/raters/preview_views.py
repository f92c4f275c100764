"""Preview a study as raters see it, for its researchers."""

from csp.constants import SELF
from csp.decorators import csp_update
from django.contrib.auth.decorators import login_required
from django.shortcuts import render

from annotate.design import access, minutes
from annotate.raters import preview as previews
from annotate.raters.forms_preview import PreviewForm


@login_required
@csp_update({"frame-src": [SELF]})  # type: ignore[arg-type]  # its hint forgets the slug
def preview(request, slug):
    """Page: what to look at, and how wide; a POST begins a preview and shows it in a frame."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    form = PreviewForm(study, request.POST or request.GET)
    begins = form.is_valid() and request.method == "POST"
    address = previews.begin(study, request.user, **form.choice) if begins else ""
    context = {"study": study, "section": "questionnaire", "form": form, "address": address}
    context["effort"] = minutes.effort_of(study)
    return render(request, "annotate/preview.html", context, status=400 if form.errors else 200)
