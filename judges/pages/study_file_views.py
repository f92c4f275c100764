"""Serve the study as the file that makes it."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse

from annotate.design import access
from judges.files.study_file import study_yaml


@login_required
def study_file(request, slug):
    """Send study.yaml as a download; for editors, because it holds the completion code."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    response = HttpResponse(study_yaml(study), content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-study.yaml"'
    return response
