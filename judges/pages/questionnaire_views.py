"""Edit the questionnaire; the pages stand here because judges' answers freeze it too."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate.design import access, versions
from annotate.models import Session
from annotate.studies.forms_question import QuestionForm
from annotate.studies.questionnaire import move, remove, retire
from judges.runs.versions import (
    Frozen,
    begin_version,
    changing,
    give_up_version,
    judgments_by_version,
    settled_keys,
    why_frozen,
)

AT_WORK = (*Session.BEFORE, Session.State.RATING)


@login_required
def questionnaire(request, slug):
    """Show the questions in their order, each with its buttons while there are no answers."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    questions = list(study.questions.all())
    context = {
        "study": study,
        "section": "questionnaire",
        "questions": [question for question in questions if not question.retired],
        "retired": [question for question in questions if question.retired],
        "settled": settled_keys(study),
        "frozen": why_frozen(study),
        "at_work": study.sessions.filter(state__in=AT_WORK).count(),
        "next_version": study.questionnaire_version + 1,
        "versions": _versions(study),
    }
    return render(request, "judges/questionnaire.html", context)


def _versions(study):
    """Return the versions with their judgments, or nothing while there is only the first."""
    if study.questionnaire_version == 1:
        return []
    judgments = judgments_by_version(study)
    return [(version, judgments.get(version.number, 0)) for version in versions.history(study)]


def _to(study, question=None):
    anchor = f"#question-{question.pk}" if question else ""
    return redirect(reverse("questionnaire", args=[study.slug]) + anchor)


def _refused(request, study):
    messages.error(request, f"Nothing was changed: {why_frozen(study)}, so the questions stay.")
    return _to(study)


@login_required
def question_new(request, slug):
    """Show or save a form for another question, at the end."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    return _question_page(request, study, None)


@login_required
def question_edit(request, slug, pk):
    """Show or save a form for a question."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    return _question_page(request, study, get_object_or_404(study.questions, pk=pk))


def _question_page(request, study, question):
    is_settled = question is not None and question.key in settled_keys(study)
    form = QuestionForm(study, request.POST or None, instance=question, is_settled=is_settled)
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
    """Move a question up or down by a place."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    question = get_object_or_404(study.questions, pk=pk, retired=False)
    try:
        with changing(study):
            move(question, -1 if request.POST.get("to") == "up" else 1)
    except Frozen:
        return _refused(request, study)
    return _to(study, question)


@login_required
def question_delete(request, slug, pk):
    """Ask once, naming what goes, then delete the question."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    question = get_object_or_404(study.questions, pk=pk)
    if request.method != "POST":
        is_settled = question.key in settled_keys(study)
        context = {"study": study, "section": "questionnaire", "question": question}
        context["is_settled"] = is_settled
        return render(request, "judges/question_delete.html", context)
    try:
        with changing(study):
            return _removed(request, study, question)
    except Frozen:
        return _refused(request, study)


def _removed(request, study, question):
    """Remove a question; retire it if it has answers or a place in an earlier version."""
    if question.key in settled_keys(study):
        retire(question)
        messages.success(request, f"The question {question} is retired: it stays for its answers.")
    else:
        remove(question)
        messages.success(request, f"The question {question} was deleted.")
    return _to(study)


@login_required
@require_POST
def question_retire(request, slug, pk):
    """Retire a question, or ask it again; its answers stay."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    question = get_object_or_404(study.questions, pk=pk)
    is_over = request.POST.get("to") != "back"
    try:
        with changing(study):
            retire(question, is_over)
    except Frozen:
        return _refused(request, study)
    return _to(study, question)


@login_required
@require_POST
def version_begin(request, slug):
    """Begin the next version of frozen questions, which may change until it is answered."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    number = study.questionnaire_version + 1
    if begin_version(study, request.user):
        messages.success(request, f"Version {number} has begun. Change the questions now.")
    return _to(study)


@login_required
@require_POST
def version_give_up(request, slug):
    """Return to the version before, while nobody has answered the present version."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    number = study.questionnaire_version
    try:
        if give_up_version(study):
            messages.success(request, f"Version {number} is gone; the questions are as before it.")
    except Frozen:
        return _refused(request, study)
    return _to(study)
