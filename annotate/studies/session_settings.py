"""Set what a session holds besides its items, and in which order."""

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotate.design import access, checks
from annotate.design.platform import Outcome, code_for
from annotate.studies import edit
from annotate.studies.forms_checks import READY, AttentionForm, GoldForm, InsideForm, ready_check

SUGGESTED = 100  # items offered while one types


@login_required
def inside(request, slug):
    """Page: order, numbers, attention checks, gold items. A POST saves order and numbers."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    form = InsideForm(checks.settings_of(study), request.POST or None)
    if request.method == "POST" and form.is_valid():
        edit.change(study, form.put)
        return _saved(request, slug)
    return _page(request, study, form=form)


def _saved(request, slug):
    messages.success(request, "Saved. Sessions that have begun stay as they are.")
    return redirect("inside", slug)


def _page(request, study, form=None, attention=None, gold_form=None):
    settings = checks.settings_of(study)
    check_by_key = {check.key: check for check in settings.attention}
    chosen = check_by_key.get(request.GET.get("check", ""))
    attention = attention or AttentionForm(study, chosen)
    forms = [form or InsideForm(settings), attention, gold_form or GoldForm(study)]
    context = {
        "study": study,
        "section": "settings",
        "form": forms[0],
        "attention_form": attention,
        "gold_form": forms[2],
        "settings": settings,
        "chosen": chosen,
        "is_ready": READY["key"] in check_by_key,
        "ready": ready_check(study.language),
        "has_code": bool(code_for(study, Outcome.FAILED_ATTENTION)),
    }
    status = 422 if any(bound_form.errors for bound_form in forms) else 200
    return render(request, "annotate/inside.html", context | _items(study, settings), status=status)


def _items(study, settings):
    """Return ids of gold items that the study does not have, and of items that may be gold."""
    items = study.items.filter(parent=None)
    keys = [item_gold.item for item_gold in settings.gold]
    there = set(items.filter(key__in=keys).values_list("key", flat=True))
    return {
        "unknown": [key for key in keys if key not in there],
        "suggestions": items.values_list("key", flat=True)[:SUGGESTED],
    }


@login_required
@require_POST
def put_check(request, slug):
    """Step: save a new attention check, or a changed one."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    form = AttentionForm(study, None, request.POST)
    if not form.is_valid():
        return _page(request, study, attention=form)
    put = partial(edit.put_entry, key="attention", name="key", entry=form.entry)
    edit.change(study, partial(put, old=form.cleaned_data["old"]))
    return _saved(request, slug)


@login_required
@require_POST
def add_ready(request, slug):
    """Step: add the ready-made check, “Please choose both A and D.”"""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    put = partial(edit.put_entry, key="attention", name="key", entry=ready_check(study.language))
    edit.change(study, partial(put, old=READY["key"]))
    return _saved(request, slug)


@login_required
@require_POST
def remove_check(request, slug, key):
    """Step: remove this attention check."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    edit.change(study, partial(edit.drop_entry, key="attention", name="key", which=key))
    return _saved(request, slug)


@login_required
@require_POST
def put_gold(request, slug):
    """Step: make an item gold, or change its right answers."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    form = GoldForm(study, request.POST)
    if not form.is_valid():
        return _page(request, study, gold_form=form)
    put = partial(edit.put_entry, key="gold", name="item", entry=form.entry)
    edit.change(study, partial(put, old=form.entry["item"]))
    return _saved(request, slug)


@login_required
@require_POST
def remove_gold(request, slug):
    """Step: make a gold item an ordinary item, which gets its places again."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    item = request.POST.get("item", "")
    edit.change(study, partial(edit.drop_entry, key="gold", name="item", which=item))
    return _saved(request, slug)
