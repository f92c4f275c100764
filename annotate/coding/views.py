"""Code what raters wrote: read, give codes, edit codes, compare coders."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate.coding import codes as codes_of
from annotate.coding.forms import CodeForm
from annotate.design import access
from annotate.models import Code, CodesCompared, Rating

PER_PAGE = 20
TAKEN_BACK = "The rater took this answer back, or it no longer counts, so it cannot be coded."


@login_required
def coding(request, slug):
    """Page: what raters wrote, with the codes that the reader gave."""
    study = access.study_or_404(request.user, slug)
    return _page(request, study, CodeForm(study))


def _page(request, study, form, status=200):
    codes = codes_of.Codes.load(study)
    chosen = {name: request.GET.get(name, "")[:200] for name in ("question", "q", "left")}
    rows = _chosen(study, request.user, chosen)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    me = request.user.get_username()
    own = codes_of.given(study, codes, [row.pk for row in page.object_list], me)
    context = {
        "study": study,
        "section": "analysis",
        "page": page,
        "reasons": [(row, own.get((row.pk, me))) for row in page.object_list],
        "codes": codes,
        "form": form,
        "chosen": chosen,
        "questions": study.questions.all(),
        "query": urlencode({name: value for name, value in chosen.items() if value}),
    }
    return render(request, "annotate/coding.html", context, status=status)


def _chosen(study, user, chosen):
    rows = codes_of.texts(study).select_related("item", "question", "session__rater")
    if chosen["question"]:
        rows = rows.filter(question__key=chosen["question"].replace("\x00", ""))
    if words := chosen["q"].replace("\x00", ""):
        rows = rows.filter(Q(text__icontains=words) | Q(reason__icontains=words))
    if chosen["left"]:
        rows = rows.exclude(codings__coder_name=user.get_username())
    return rows


@login_required
@require_POST
def give(request, slug, pk):
    """Step: give an answer a code or take it back; return the fragment of that answer."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    rating = _text_or_404(study, pk)
    codes = codes_of.Codes.load(study)
    code = _code_or_404(codes, request.POST.get("code", ""))
    if rating is None or not codes_of.toggle(rating, request.user, code, codes):
        return _taken_back(request, slug, pk)
    if not request.htmx:
        query = f"?{urlencode({'page': request.POST.get('page', '1')[:9]})}"
        return redirect(f"{reverse('coding', args=[slug])}{query}#reason-{pk}")
    own = codes_of.given(study, codes, [pk], request.user.get_username())
    context = {"study": study, "codes": codes, "reason": rating}
    context["own"] = own.get((pk, request.user.get_username()))
    return render(request, "annotate/_reason.html", context)


def _text_or_404(study, pk):
    """Return the answer of the study; None where it was taken back or no longer counts."""
    if Rating.objects.exclude(session__study=study).filter(pk=pk).exists():
        raise Http404("no answer of this study")
    return codes_of.texts(study).select_related("item", "question").filter(pk=pk).first()


def _taken_back(request, slug, pk):
    if request.htmx:
        return render(request, "annotate/_reason_gone.html", {"pk": pk, "words": TAKEN_BACK})
    messages.error(request, TAKEN_BACK)
    return redirect("coding", slug)


def _code_or_404(codes, text):
    if text == "none":
        return None
    matches = [code for code in codes.live if str(code.pk) == text]
    if not matches:
        raise Http404("no such code")
    return matches[0]


@login_required
@require_POST
def put_code(request, slug, pk=None):
    """Step: make a code, or rename one."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    code = get_object_or_404(Code, study=study, pk=pk) if pk else None
    form = CodeForm(study, request.POST, code)
    if not form.is_valid():
        messages.error(request, " ".join(form.errors["name"]))
        return redirect("coding", slug)
    form.save()
    messages.success(request, "Renamed." if code else "The code was made.")
    return redirect("coding", slug)


@login_required
@require_POST
def change_code(request, slug, pk, how):
    """Step: merge, delete or bring back a code; each can be undone."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    code = get_object_or_404(Code, study=study, pk=pk)
    if how == "merge":
        codes = codes_of.Codes.load(study)
        into = _code_or_404(codes, request.POST.get("into", ""))
        if into is None or not codes_of.merge(code, into):
            raise Http404("no such merge")
        messages.success(request, f"“{code}” counts as “{into}” now; it can be undone below.")
    else:
        {"delete": codes_of.delete, "restore": codes_of.restore}[how](code)
        outcome = "was deleted; it can be brought back below" if how == "delete" else "is back"
        messages.success(request, f"“{code}” {outcome}.")
    return redirect("coding", slug)


@login_required
def compare(request, slug):
    """Page: everybody's codes side by side, once an editor has opened them for all."""
    study = access.study_or_404(request.user, slug)
    is_open = codes_of.may_compare(study)
    rows = codes_of.texts(study).filter(codings__isnull=False).distinct() if is_open else []
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    names = codes_of.coders(study)
    given = codes_of.given(study, codes_of.Codes.load(study), [row.pk for row in page.object_list])
    lines = [(row, [given.get((row.pk, name)) for name in names]) for row in page.object_list]
    context = {
        "study": study,
        "section": "analysis",
        "is_open": is_open,
        "opened": CodesCompared.objects.filter(study=study).first(),
        "coders": names,
        "page": page,
        "lines": lines,
    }
    return render(request, "annotate/compare_codes.html", context)


@login_required
@require_POST
def open_comparison(request, slug):
    """Step: open everybody's codes to all coders; this cannot be undone."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    name = {"by_name": request.user.get_username()}
    CodesCompared.objects.get_or_create(study=study, defaults=name)
    return redirect("compare_codes", slug)
