"""The questionnaire's pages. They stand here because judges' answers freeze it too."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate import access
from annotate.forms_question import QuestionForm
from annotate.models import Session
from annotate.questionnaire import move, remove
from judges.questionnaire import Frozen, changing, why_frozen

AT_WORK = (Session.State.INSTRUCTIONS, Session.State.RATING)


@login_required
def questionnaire(request, slug):
    """The questions in their order, each with its buttons while there are no answers."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    context = {
        "study": study,
        "section": "questionnaire",
        "questions": study.questions.all(),
        "frozen": why_frozen(study),
        "at_work": study.sessions.filter(state__in=AT_WORK).count(),
    }
    return render(request, "judges/questionnaire.html", context)


def _to(study, question=None):
    anchor = f"#question-{question.pk}" if question else ""
    return redirect(reverse("questionnaire", args=[study.slug]) + anchor)


def _refused(request, study):
    messages.error(request, f"Nothing was changed: {why_frozen(study)}, so the questions stay.")
    return _to(study)


@login_required
def question_new(request, slug):
    """A form for one more question, at the end."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    return _question_page(request, study, None)


@login_required
def question_edit(request, slug, pk):
    """A form for a question."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    return _question_page(request, study, get_object_or_404(study.questions, pk=pk))


def _question_page(request, study, question):
    form = QuestionForm(study, request.POST or None, instance=question)
    if why_frozen(study):
        return _refused(request, study)
    try:
        saved = _saved(study, form) if form.is_valid() else None
    except Frozen:
        return _refused(request, study)
    if saved is not None:
        messages.success(request, f"The question {saved} was saved.")
        return _to(study, saved)
    context = {"study": study, "section": "questionnaire", "form": form, "question": question}
    return render(request, "judges/question.html", context, status=422 if form.errors else 200)


def _saved(study, form):
    with changing(study):
        return form.saved()


@login_required
@require_POST
def question_move(request, slug, pk):
    """One place up or down."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    question = get_object_or_404(study.questions, pk=pk)
    try:
        with changing(study):
            move(question, -1 if request.POST.get("to") == "up" else 1)
    except Frozen:
        return _refused(request, study)
    return _to(study, question)


@login_required
def question_delete(request, slug, pk):
    """Asks once, naming what goes."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    question = get_object_or_404(study.questions, pk=pk)
    if request.method != "POST":
        context = {"study": study, "section": "questionnaire", "question": question}
        return render(request, "judges/question_delete.html", context)
    try:
        with changing(study):
            remove(question)
    except Frozen:
        return _refused(request, study)
    messages.success(request, f"The question {question} was deleted.")
    return _to(study)
