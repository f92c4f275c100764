"""Bring a table of another program: choose the file, then what its columns are."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotate.design import access
from annotate.studies.study_file import as_yaml
from judges.models import Upload
from judges.uploads import bring
from judges.uploads.bring_forms import BringForm, MappingForm, NewQuestionsForm, ReadingForm
from judges.uploads.views import upload_or_404

FIRST_QUESTION = {"key": "rating", "name": "", "count": 0, "kind": "points", "low": 1, "high": 5}
FIRST_QUESTION |= {"words": [], "guess": ""}


@login_required
def bring_new(request):
    """Make a study of a table."""
    return _file_page(request, None)


@login_required
def bring_into(request, slug):
    """Load a table into a study."""
    return _file_page(request, access.study_or_404(request.user, slug, access.EDITOR))


def _file_page(request, study):
    given = (request.POST, request.FILES) if request.method == "POST" else ()
    form = BringForm(*given)
    if form.is_valid():
        file = form.cleaned_data["file"]
        upload = bring.receive(request.user, file, study.slug if study else "")
        return redirect("columns", upload.token)
    context = {"form": form, **_around(study)}
    return render(request, "judges/bring.html", context, status=422 if form.is_bound else 200)


def _around(study):
    return {
        "study": study,
        "section": "bring_into",
        "base": "study_base.html" if study else "base.html",
    }


def _brought_or_404(request, token):
    """Return the user's upload of a table that can still be mapped."""
    upload = upload_or_404(request.user, token)
    states = (Upload.State.MAPPING, Upload.State.CHECKED, Upload.State.FAILED)
    if not upload.bringing or upload.state not in states:
        raise Http404("no table whose columns can be chosen")
    return upload


@login_required
def columns(request, token):
    """Choose what each column of the table is used for."""
    upload = _brought_or_404(request, token)
    told = upload.bringing
    keys = None if upload.is_new else list(bring.stored_scales(upload.slug))
    form = MappingForm(told, keys, request.POST or None) if "columns" in told else None
    if form and form.is_valid():
        return _mapped(upload, form.mapping)
    context = {"upload": upload, "form": form, "reading": ReadingForm(told), "keys": keys or ()}
    status = 422 if form and form.is_bound else 200
    return render(request, "judges/columns.html", context | _around(upload.study), status=status)


def _mapped(upload, mapping):
    """Keep the mapping; go on to the questions of a new study, or to the preview."""
    upload.bringing["mapping"] = mapping
    upload.bringing.pop("problem", None)
    if upload.is_new:
        bring.look_through(upload)
    else:
        bring.check(upload)
    if upload.is_new and "problem" not in upload.bringing:
        return redirect("new_questions", upload.token)
    return redirect("columns", upload.token) if "problem" in upload.bringing else redirect(upload)


@login_required
@require_POST
def reading(request, token):
    """Read the file again, in another encoding, with another separator or from another sheet."""
    upload = _brought_or_404(request, token)
    form = ReadingForm(upload.bringing, request.POST)
    if form.is_valid():
        chosen = {name: value for name, value in form.cleaned_data.items() if value}
        upload.state = Upload.State.MAPPING
        bring.read_again(upload, chosen)
    return redirect("columns", upload.token)


@login_required
def new_questions(request, token):
    """Name the new study and say what its questions' scales are."""
    upload = _brought_or_404(request, token)
    if not upload.is_new or "seen" not in upload.bringing:
        raise Http404("the columns come first")
    seen = upload.bringing["seen"] or [FIRST_QUESTION]
    form = NewQuestionsForm(seen, request.POST or None, initial=bring.first_name(upload))
    if form.is_valid():
        bring.check(upload, form.study)
        return redirect("columns", token) if "problem" in upload.bringing else redirect(upload)
    context = {"upload": upload, "form": form, **_around(None)}
    status = 422 if form.is_bound else 200
    return render(request, "judges/new_questions.html", context, status=status)


@login_required
def mapping_file(request, token):
    """Give the mapping as YAML, to be kept with a paper."""
    upload = _brought_or_404(request, token)
    if not upload.bringing.get("mapping"):
        raise Http404("no columns were chosen")
    response = HttpResponse(as_yaml(bring.kept_data(upload)), content_type="application/yaml")
    response["Content-Disposition"] = 'attachment; filename="mapping.yaml"'
    return response
