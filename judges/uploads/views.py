"""Upload, preview and load files: nothing is written before the researcher has seen the effect."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRefresh

from annotate.design import access
from annotate.studies.forms_study import NewStudyForm
from judges.files import TABLES
from judges.models import Heartbeat, Upload
from judges.runs import nudge
from judges.uploads import uploads
from judges.uploads.forms import FilesForm, OffScaleForm

TOO_LATE = "It is too late to discard the files: they are being loaded, or are loaded already."


@login_required
def study_new(request):
    """Make a study from a template, or from files."""
    return _files_page(request, None)


@login_required
def load(request, slug):
    """Load more files into a study, or the same ones again."""
    return _files_page(request, access.study_or_404(request.user, slug, access.EDITOR))


def _files_page(request, study):
    given = (request.POST, request.FILES) if request.method == "POST" else ()
    form = FilesForm(*given, new=study is None)
    if form.is_valid():
        upload = uploads.receive(request.user, form.files_given, study.slug if study else "")
        return redirect(upload)
    context = {
        "study": study,
        "form": form,
        "template_form": None if study else NewStudyForm(),
        "tables": TABLES.values(),
        "max_bytes": settings.UPLOAD_MAX_BYTES,
        "section": "load",
        "base": "study_base.html" if study else "base.html",
    }
    status = 422 if form.is_bound else 200
    return render(request, "judges/load.html", context, status=status)


def upload_or_404(user, token):
    """Return the user's own upload, with its study if it goes into one that the user may edit."""
    upload = get_object_or_404(Upload, token=token, user=user)
    goes_into_one = not upload.is_new or upload.state == Upload.State.LOADED
    upload.study = None
    if goes_into_one:
        upload.study = access.study_or_404(user, upload.slug, access.EDITOR)
    return upload


@login_required
def upload(request, token):
    """Show what is in the files and what loading them would do; then how far the load is."""
    shown_upload = upload_or_404(request.user, token)
    if shown_upload.state == Upload.State.MAPPING:
        return redirect("columns", token)
    if request.htmx and shown_upload.state != Upload.State.LOADING:
        return HttpResponseClientRefresh()
    return _upload_page(request, shown_upload)


def _upload_page(request, shown_upload, form=None, status=200):
    context = {
        "upload": shown_upload,
        "off_scale_form": form or OffScaleForm(),
        "section": "bring_into" if shown_upload.bringing else "load",
        "study": shown_upload.study,
        "base": "study_base.html" if shown_upload.study else "base.html",
        "progress": uploads.progress_of(shown_upload),
        "worker_alive": Heartbeat.objects.any_alive(),
    }
    template = "judges/_loading.html" if request.htmx else "judges/upload.html"
    return render(request, template, context, status=status)


@login_required
@require_POST
def upload_load(request, token):
    """Give the checked files to a worker."""
    shown_upload = upload_or_404(request.user, token)
    if shown_upload.problems.get("total"):
        raise Http404("an upload with problems cannot be loaded")
    form = OffScaleForm(request.POST) if shown_upload.off_scale.get("asks") else None
    if form and not form.is_valid():
        return _upload_page(request, shown_upload, form, 422)
    if form:
        Upload.objects.choose(
            shown_upload.pk, shown_upload.off_scale | {"chosen": form.cleaned_data["out_of_range"]}
        )
    if Upload.objects.begin(shown_upload.pk):
        nudge.send("judges.tasks.load_upload", shown_upload.pk)
    return redirect(shown_upload)


@login_required
@require_POST
def upload_discard(request, token):
    """Forget the files, and stop the worker that makes questions of them."""
    shown_upload = upload_or_404(request.user, token)
    if not uploads.discard(shown_upload):
        messages.error(request, TOO_LATE)
        return redirect(shown_upload)
    messages.success(request, "The files were discarded; nothing was loaded.")
    new, into = ("bring_new", "bring_into") if shown_upload.bringing else ("study_new", "load")
    return redirect(into, shown_upload.slug) if shown_upload.study else redirect(new)
