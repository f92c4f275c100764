"""Let researchers write and try a study's own prompts."""

import difflib
from collections import defaultdict

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import redirect, render

from annotate.design import access
from judges import methods
from judges.models import Judge
from judges.models.prompt import OWN
from judges.pages.forms_prompts import PromptForm, TryForm
from judges.pages.judge_views import method_or_404
from judges.prompting import fill, own


@login_required
def prompts(request, slug):
    """Show the study's own prompts, and those of the project to begin from."""
    study = access.study_or_404(request.user, slug)
    newest = {prompt.name: prompt for prompt in own.of_study(study.pk)}
    context = {
        "study": study,
        "section": "prompts",
        "own": [(prompt, Judge.Method(prompt.method).label) for prompt in newest.values()],
        "shipped": [fill.load(name) for name in fill.names()],
    }
    return render(request, "judges/prompts.html", context)


@login_required
def prompt_new(request, slug):
    """Show or save a form for a new prompt, which begins as a copy of another."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    method = method_or_404(Judge.Kind.LLM, request.GET.get("method", Judge.Method.QUESTIONS))
    start = {"method": method, "text": fill.load(fill.names(method)[-1]).text}
    form = PromptForm(study, request.POST or None, initial=start)
    made = form.saved(request.user) if form.is_valid() else None
    if made is not None:
        messages.success(request, f"{made} was made. Try it here, then let a judge use it.")
        return redirect("prompt", slug, made.name)
    context = {
        "study": study,
        "section": "prompts",
        "form": form,
        "method": method,
        "methods": Judge.Method.choices,
        "placeholders": _placeholders(method),
    }
    return render(request, "judges/prompt_new.html", context, status=422 if form.errors else 200)


@login_required
def prompt(request, slug, name):
    """Show a prompt's newest text, tried on an item, and its versions; a save makes the next."""
    study = access.study_or_404(request.user, slug)
    newest = own.newest(study.pk, name)
    if newest is None or request.method == "POST" and not study.may_edit:
        raise Http404(f"no prompt {name!r}")
    form = PromptForm(study, request.POST or None, instance=newest)
    is_try = request.method == "GET" or "try" in request.POST
    saved = None if is_try or not form.is_valid() else form.saved(request.user)
    if saved is not None:
        messages.success(request, f"Saved as {saved}.")
        return redirect("prompt", slug, name)
    return _prompt_page(request, study, name, form, is_try)


def _prompt_page(request, study, name, form, is_try):
    """Show the page with the text as it was sent, or as it is kept."""
    newest = own.newest(study.pk, name)
    sent = form.cleaned_data.get("text") if form.is_valid() else ""
    text = sent if form.is_bound else newest.text
    usual = TryForm.usual(study, newest.method)
    trying = TryForm(study, newest.method, usual | _given(request))
    is_tried = is_try and text and trying.is_valid()
    context = _about(study, newest) | {
        "form": form if study.may_edit else None,
        "try_form": trying,
        "preview": trying.tried(study, newest.key, text) if is_tried else None,
        "preview_key": trying["item"].value(),
        "is_draft": form.is_bound and text != newest.text,
        "warnings": own.in_words(own.warnings_of(text, methods.named(newest.method))),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "judges/prompt.html", context, status=status)


def _about(study, prompt):
    """Return what the page shows of a prompt besides its text."""
    return {
        "study": study,
        "section": "prompts",
        "prompt": prompt,
        "versions": _versions(study, prompt.name),
        "placeholders": _placeholders(prompt.method),
        "method": methods.named(prompt.method),
    }


def _given(request):
    return {name: value for name, value in (request.POST or request.GET).items() if value}


def _placeholders(method):
    """Return [(placeholder, what stands there, whether it is needed)]."""
    method = methods.named(method)
    needed = method.needed_places
    return [(name, own.MEANINGS[name], name in needed) for name in own.allowed(method)]


def _versions(study, name):
    """Return [(version, judges that name it, difference to the version before)], newest first."""
    every = list(own.of_study(study.pk).filter(name=name).order_by("version"))
    judges = Judge.objects.filter(study=study, prompt__startswith=f"{OWN}{name}.v")
    by_prompt = defaultdict(list)
    for judge in judges:
        by_prompt[judge.prompt].append(judge)
    before = [None, *every[:-1]]
    pairs = zip(every, before, strict=True)
    return [(version, by_prompt[version.key], _diff(version, old)) for version, old in pairs][::-1]


def _diff(version, before):
    """Return the lines that differ, with three around them; blank for the first version."""
    if before is None:
        return ""
    texts = before.text.splitlines(), version.text.splitlines()
    return "\n".join(difflib.unified_diff(*texts, before.key, version.key, lineterm=""))
