"""Show a study as a whole, its items, and everything known about one item."""

import hashlib

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string

from analysis.overview import live, overview
from annotate.design import access
from annotate.design.splits import as_seen
from annotate.models import Item


@login_required
def study(request, slug):
    """Show what the study has, what is missing, and what to do next."""
    study = access.study_or_404(request.user, slug)
    context = {"study": study, "section": "study", **overview.summary(study)}
    if request.htmx:
        return render(request, "analysis/_progress.html", context)
    context |= live.context(study)
    context["seen"] = _stamp(render_to_string("analysis/_live.html", context))
    return render(request, "analysis/study.html", context)


@login_required
def study_live(request, slug):
    """Return the fragment that changes while raters are at work; 204 while it is unchanged."""
    study = access.study_or_404(request.user, slug)
    context = {"study": study, **live.context(study)}
    seen = _stamp(render_to_string("analysis/_live.html", context))
    if request.GET.get("seen") == seen:
        return HttpResponse(status=204)
    context |= {"seen": seen, "is_update": True}
    return render(request, "analysis/_live.html", context)


def _stamp(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@login_required
def items(request, slug):
    """Show the items, filtered by what the address asks for."""
    study = access.study_or_404(request.user, slug)
    chosen = overview.ItemFilter(study, request.GET)
    page = Paginator(chosen.items(), 15).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "section": "items",
        "filter": chosen,
        "page": page,
        "rows": overview.item_rows(study, page.object_list),
        "query": chosen.query_string(),
    }
    return render(request, "analysis/items.html", context)


@login_required
def item(request, slug, pk):
    """Show ratings and judgments of one item side by side."""
    study = access.study_or_404(request.user, slug)
    rows = Item.objects.select_related("recipient", "content", "system", "parent")
    (item,) = as_seen(study, [get_object_or_404(rows, study=study, pk=pk)])
    item.study = study
    overview.add_lists([item])
    neighbours = {
        "previous": study.items.filter(pk__lt=pk).order_by("-pk").first(),
        "next": study.items.filter(pk__gt=pk).order_by("pk").first(),
    }
    context = {"study": study, "section": "items", "item": item, **neighbours}
    return render(request, "analysis/item.html", context | overview.answers_of(item))
