"""Show and serve a study's pictures and recordings: the researchers' page, the files themselves."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST, require_safe

from annotate.design import access
from annotate.http.ranges import file_response
from annotate.models import MediaFile
from annotate.models.media import MediaKind, naming_no_file
from annotate.raters import uploads

MOST_SHOWN = 50  # of the contents that name no file, and of those that did not load


@login_required
def media(request, slug):
    """Page: the study's files, what could not be loaded, and the form for more."""
    study = access.study_or_404(request.user, slug)
    page = Paginator(study.media_files.select_related("by"), 50).get_page(request.GET.get("page"))
    counts = uploads.uses(study, page.object_list)
    missing = study.missing_media.standing().select_related("content")
    context = {
        "study": study,
        "section": "items",
        "page": page,
        "rows": [(file, counts[file.name]) for file in page.object_list],
        "used": uploads.used(study),
        "quota": settings.MEDIA_QUOTA_BYTES,
        "most": settings.UPLOAD_MAX_BYTES,
        "allowed": uploads.ALLOWED,
        "missing": missing[:MOST_SHOWN],
        "unnamed": [(kind, naming_no_file(study, kind)[:MOST_SHOWN]) for kind in MediaKind],
    }
    return render(request, "annotate/media.html", context)


@login_required
@require_POST
def upload_media(request, slug):
    """Step: an editor uploads files; each is kept or refused by itself."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    kept = 0
    for sent in request.FILES.getlist("files"):
        try:
            uploads.receive(study, request.user, sent)
            kept += 1
        except uploads.Refused as refused:
            messages.error(request, f"“{sent.name[:200]}” {refused}.")
    if kept:
        messages.success(request, f"Kept {kept} file{'' if kept == 1 else 's'}.")
    elif not request.FILES:
        messages.error(request, "Choose at least one file.")
    return redirect("media", slug)


@login_required
def delete_media(request, slug, pk):
    """Page: ask once, naming what shows the file; a POST by an editor deletes it."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    file = get_object_or_404(study.media_files, pk=pk)
    if request.method == "POST":
        uploads.remove(file)
        messages.success(request, f"{file.name} was deleted.")
        return redirect("media", slug)
    uses = uploads.uses(study, [file])[file.name]
    context = {"study": study, "section": "items", "file": file, "uses": uses}
    return render(request, "annotate/delete_media.html", context)


@login_required
@require_POST
def forget_missing(request, slug):
    """Step: an editor forgets what could not be loaded; what still cannot comes back."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    study.missing_media.all().delete()
    messages.success(request, "Forgotten. What still cannot be loaded is reported again.")
    return redirect("media", slug)


@require_safe
def media_file(request, token):
    """Serve a file: its address is known to raters and members of its study only."""
    file = get_object_or_404(MediaFile, token=token)
    try:
        path = uploads.path_of(file)
        response = file_response(request, path, file.content_type, etag=f'"{file.token}"')
    except (FileNotFoundError, ValueError):
        raise Http404("the file is gone") from None
    response["Content-Disposition"] = content_disposition_header(False, file.name)
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["X-Content-Type-Options"] = "nosniff"
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    # Else the pages' compression takes the length away, and parts would be of another whole.
    response["Content-Encoding"] = "identity"
    return response
