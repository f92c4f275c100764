"""A new study from a template."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render

from annotate.forms_study import NewStudyForm


@login_required
def study_from_template(request):
    """Makes the study; what comes next is on the page that follows."""
    if request.method != "POST":
        return redirect("study_new")
    form = NewStudyForm(request.POST)
    study = form.made(request.user) if form.is_valid() else None
    if study is None:
        return render(request, "annotate/new_study.html", {"template_form": form}, status=422)
    if study.questions.exists():
        messages.success(request, "The study was made. Next: load its items.")
        return redirect(study)
    messages.success(request, "The study was made. Next: write its questions.")
    return redirect("questionnaire", study.slug)
