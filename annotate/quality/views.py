"""Preview exclusion rules, apply them, undo them, show the log."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from annotate.design import access
from annotate.quality.forms import RuleForm
from annotate.quality.rules import LIST, RULES, TITLES, offered, preview
from annotate.sessions import exclude

MOST_SHOWN = 200  # raters of a preview


@login_required
def quality(request, slug):
    """Page: the rules, a preview of the rule in the address, and the log."""
    study = access.study_or_404(request.user, slug)
    rule = RULES.get(request.GET.get("rule", ""))
    form = RuleForm(rule, request.GET) if rule else None
    rule_preview = preview(study, rule, form.cleaned_data) if form and form.is_valid() else None
    return _page(request, study, form, rule_preview, status=422 if form and form.errors else 200)


def _page(request, study, form=None, rule_preview=None, status=200, changed=False):
    rules = offered(study, rule_preview and rule_preview.evidence)
    reasons = _reasons(study)
    forms = [form if form and form.rule == rule else RuleForm(rule) for rule in rules]
    context = {
        "study": study,
        "section": "quality",
        "forms": forms,
        "missing": [rule for rule in LIST if rule not in rules],
        "wrong": form.rule if form and form.errors else None,
        "preview": rule_preview,
        "changed": changed,
        "out": rule_preview.out[:MOST_SHOWN] if rule_preview else [],
        "page": _log(study, request.GET.get("page")),
        "query": urlencode({k: v for k, v in request.GET.items() if k != "page"}),
        "excluded": [(reason, count) for reason, count in reasons if reason],
        "rater_count": sum(count for _, count in reasons),
        "tombstones": study.tombstones.all()[:50],
    }
    return render(request, "annotate/quality.html", context, status=status)


def _log(study, number):
    standing = Count("excluded", filter=Q(excluded__ended_by=None))
    steps = study.quality_steps.annotate(standing=standing).order_by("-pk")
    page = Paginator(steps, 50).get_page(number)
    for step in page.object_list:
        step.title = TITLES.get(step.rule, step.rule)
    return page


def _reasons(study):
    """List (reason, number of raters); the reason is empty for raters who are not excluded."""
    counted = study.raters.order_by().values_list("excluded_because").annotate(n=Count("pk"))
    return sorted(counted, key=lambda row: (-row[1], row[0]))


@login_required
@require_POST
def apply_rule(request, slug, rule):
    """Step: exclude exactly the raters that the preview showed.

    If they differ now, show it again.
    """
    study = access.study_or_404(request.user, slug, access.EDITOR)
    if rule not in RULES:
        raise Http404("no such rule")
    form = RuleForm(RULES[rule], request.POST)
    if not form.is_valid():
        return _page(request, study, form, status=422)
    rule_preview = preview(study, form.rule, form.cleaned_data)
    if not rule_preview.out or rule_preview.seen != request.POST.get("seen"):
        return _page(request, study, form, rule_preview, status=409, changed=True)
    return _applied(request, study, rule_preview)


def _applied(request, study, rule_preview):
    measured = {rater.pk: value for rater, value in rule_preview.out}
    reopens = request.POST.get("reopen") == "on"
    try:
        step = exclude.exclude(
            study,
            request.user,
            rule_preview.rule.key,
            rule_preview.reason,
            measured,
            rule_preview.parameters,
            reopens,
        )
    except exclude.NobodyLeft:
        messages.warning(request, "All of them were excluded meanwhile; nothing was changed.")
    else:
        messages.success(request, f"{_raters(step.rater_count)} excluded. {_opened(step)}")
    return redirect("quality", study.slug)


@login_required
@require_POST
def undo(request, slug, pk):
    """Step: include the raters of a line of the log again."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    step = get_object_or_404(study.quality_steps.select_related("study"), pk=pk)
    try:
        undoing = exclude.undo(step, request.user)
    except exclude.NobodyLeft:
        messages.warning(request, "They are included again already; nothing was changed.")
    else:
        messages.success(request, included(undoing))
    return redirect("quality", slug)


def included(undoing):
    """Describe what undoing did."""
    words = f"{_raters(undoing.rater_count)} included again. "
    if undoing.place_count or undoing.lost_count:
        words += f"{undoing.place_count} of their places came back. "
    if undoing.lost_count:
        words += (
            f"{undoing.lost_count} had been taken by other raters meanwhile and stay theirs; "
            "what was answered there by the included ones does not count."
        )
    return words.strip()


def _opened(step):
    if not step.reopens:
        return "Their places stay filled."
    return f"{step.place_count} place{'' if step.place_count == 1 else 's'} opened."


def _raters(count):
    return f"{count} rater was" if count == 1 else f"{count} raters were"
