"""Create a study from a template, or like another study."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render

from annotate.design import access
from annotate.studies.forms_study import NameForm, NewStudyForm
from annotate.studies.templates import template_of


@login_required
def study_from_template(request):
    """Step: create the study, and lead to the page for what comes next."""
    if request.method != "POST":
        return redirect("study_new")
    form = NewStudyForm(request.POST)
    valid = form.is_valid()
    study = form.made(form.cleaned_data["template"], request.user) if valid else None
    if study is None:
        return render(request, "annotate/new_study.html", {"template_form": form}, status=422)
    return _next(request, study)


@login_required
def study_copy(request, slug):
    """Page: make a study with the settings and questions of this one, without items, answers."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    form = NameForm(request.POST or None, initial={"title": study.title})
    made = form.made(template_of(study), request.user) if form.is_valid() else None
    if made is None:
        context = {"study": study, "section": "questionnaire", "form": form}
        status = 422 if form.errors else 200
        return render(request, "annotate/copy_study.html", context, status=status)
    return _next(request, made)


def _next(request, study):
    """Lead to the study, or to its questions where it has none.

    The message names what comes next.
    """
    if study.questions.exists():
        messages.success(request, "The study was made. Next: load its items.")
        return redirect(study)
    messages.success(request, "The study was made. Next: write its questions.")
    return redirect("questionnaire", study.slug)
