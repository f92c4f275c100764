"""Show researchers the statements of one side of an item, and of a whole study."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate.design import access
from annotate.design.splits import withheld
from annotate.models import Item
from judges.models import Sentiment, Side, Statement
from judges.statements import edit, listing
from judges.statements.forms import StatementForm
from judges.statements.items import KINDS, current

PER_PAGE = 50


class Counted(Paginator):
    """Paginate rows whose number is known already."""

    def __init__(self, rows, per_page, count):
        super().__init__(rows, per_page)
        self.count = count


@login_required
def statements_of(request, slug, pk, side):
    """Show one side of an item: its text, the statements in it, what was dropped."""
    study = access.study_or_404(request.user, slug)
    item = _item_or_404(study, pk, side)
    if withheld(study, pk=pk):
        return _page(request, study, {"item": item, "side": Side(side), "withheld": True})
    run, edited = request.GET.get("run", ""), request.GET.get("edit", "")
    return _page(request, study, _shown(study, item, side, run, edited))


@login_required
@require_POST
def statement_add(request, slug, pk, side):
    """Add a person's statement to a side of an item."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    item = _open_item_or_404(study, pk, side)
    if item.kind not in KINDS:
        raise Http404(f"no statements are extracted from items of the kind {item.kind}")
    context = _shown(study, item, side, added=request.POST)
    form, text = context["add_form"], context["reading"].text
    if not _done(form, lambda values: edit.add(item, side, text, values, request.user)):
        return _page(request, study, context, status=422)
    return _changed(request, study, item, side)


@login_required
@require_POST
def statement_correct(request, slug, pk):
    """Correct words, topic or sentiment of a statement; the extracted ones are kept."""
    study, statement = _statement_or_404(request, slug, pk)
    context = _shown(
        study, statement.item, statement.side, statement.run_id, statement.pk, request.POST
    )
    if not _done(context["edit_form"], lambda values: edit.correct(pk, values, request.user)):
        return _page(request, study, context, status=422)
    return _changed(request, study, statement.item, statement.side, statement.run_id)


@login_required
@require_POST
def statement_remove(request, slug, pk):
    """Remove a statement, which counts no longer."""
    study, statement = _statement_or_404(request, slug, pk)
    edit.remove(pk, request.user)
    return _changed(request, study, statement.item, statement.side, statement.run_id)


@login_required
@require_POST
def statement_undo(request, slug, pk):
    """Restore a statement as it was extracted or added."""
    study, statement = _statement_or_404(request, slug, pk)
    try:
        edit.undo(pk, request.user)
    except edit.Repeated as repeated:
        context = _shown(study, statement.item, statement.side, statement.run_id or "")
        refused = {"refused": statement, "why": f"Not undone: {statement.statement}. {repeated}"}
        return _page(request, study, context | refused, status=422)
    return _changed(request, study, statement.item, statement.side, statement.run_id)


def _done(form, change):
    """Save the form's values and return whether that worked; else the form says why not."""
    if form.is_valid():
        try:
            change(form.cleaned_data)
        except edit.Repeated as repeated:  # since the form was made
            form.add_error("statement", str(repeated))
    return form.is_valid()


def _item_or_404(study, pk, side):
    if side not in Side.values:
        raise Http404(f"no side {side!r}")
    rows = Item.objects.select_related("study", "recipient", "content", "system")
    return get_object_or_404(rows, study=study, pk=pk)


def _open_item_or_404(study, pk, side):
    """Return the item, unless it belongs to a locked test part."""
    if withheld(study, pk=pk):
        raise Http404("an item of the locked test part")
    return _item_or_404(study, pk, side)


def _statement_or_404(request, slug, pk):
    """Return (study, statement) that the user may change."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    statement = get_object_or_404(Statement, item__study=study, pk=pk)
    statement.item = _open_item_or_404(study, statement.item_id, statement.side)
    return study, statement


def _shown(study, item, side, run="", edited="", data=None, added=None):
    """Return the context of a side's page; for editors with the forms that are open.

    run, edited: ids, as they stand in the address. data, added: what the forms sent.
    """
    reading = edit.reading(item, side, run)
    context = {"item": item, "side": Side(side), "reading": reading}
    if not study.may_edit:
        return context
    statement = next(
        (statement for statement in reading.statements if str(statement.pk) == str(edited)), None
    )
    names = edit.topics_of(study, reading.run)
    if statement:
        initial = {name: getattr(statement, now) for name, now in edit.CHANGES.items()}
        names_of_one = edit.with_own(names, statement)
        form = StatementForm(names_of_one, reading.counting_texts(statement), data, initial=initial)
        context |= {"edited": statement, "edit_form": form}
    if item.kind not in KINDS:
        return context
    return context | {
        "add_form": StatementForm(names, reading.counting_texts(), added, prefix="add")
    }


def _page(request, study, context, status=200):
    context |= {"study": study, "section": "items", "sides": Side.choices}
    name = "judges/_statements.html" if request.htmx else "judges/statements_of.html"
    return render(request, name, context, status=status)


def _changed(request, study, item, side, run=None):
    """Answer with the changed part of the page; without a script, redirect to the page."""
    context = _shown(study, item, side, run or "")
    if request.htmx:
        return _page(request, study, context)
    address = reverse("statements_of", args=[study.slug, item.pk, side])
    query = "" if context["reading"].speaks else f"?run={run}"
    return redirect(f"{address}{query}#statements")


@login_required
def statement_list(request, slug):
    """Show all statements of a study: numbers, and a list that can be filtered."""
    study = access.study_or_404(request.user, slug)
    chosen = listing.StatementFilter(study, request.GET)
    counts = listing.overview(study, chosen.runs)
    pages = Counted(chosen.statements(), PER_PAGE, chosen.count(counts))
    context = {
        "study": study,
        "section": "items",
        "filter": chosen,
        "found": counts,
        "page": pages.get_page(request.GET.get("page")),
        "query": chosen.query_string(),
        "sides": Side.choices,
        "sentiments": Sentiment.choices,
        "statement_items": current(study).count(),
        "states": [name for name in listing.STATES if name],
    }
    return render(request, "judges/statements.html", context)


@login_required
def without_statements(request, slug, side):
    """Show the items of which one side was not read, and why."""
    study = access.study_or_404(request.user, slug)
    if side not in Side.values:
        raise Http404(f"no side {side!r}")
    items = listing.without(study, side, withheld(study))
    page = Paginator(items, PER_PAGE).get_page(request.GET.get("page"))
    rows = listing.with_reasons(page.object_list, side)
    context = {"study": study, "section": "items", "side": Side(side), "page": page, "rows": rows}
    return render(request, "judges/without_statements.html", context)
