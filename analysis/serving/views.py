"""Show the pages of reports, and the files to download."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from analysis.answers.moment import one_moment
from analysis.exports import codebook, write
from analysis.exports import tables as exports
from analysis.figures.folding import fold
from analysis.figures.looks import Looks
from analysis.reports.kind import finding_of
from analysis.reports.registry import PAGES, REPORTS, page_of
from analysis.serving import latex, tables, wait
from analysis.serving.grouping import groups_on_page, layout_of
from analysis.serving.source import ReportForm, Source, name_of, report_of
from analysis.serving.summaries import missing, no_judges, pages_of, several_versions
from annotate.design import access
from annotate.http.streaming import PiecesResponse


@login_required
def computation(request, slug, key):
    """Return a fragment with a computation's progress; reload the page when it is done."""
    study = access.study_or_404(request.user, slug)
    waiting = wait.still_awaited(study, key)
    if waiting is None:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "analysis/_computing.html", {"study": study, "waiting": waiting})


@login_required
@require_POST
def compute_again(request, slug, key):
    """Ask once more for a computation that failed; its page waits again."""
    study = access.study_or_404(request.user, slug)
    return redirect(wait.ask_again(study, key))


@login_required
@one_moment()
def report(request, slug, report, template="analysis/report.html", more=None):
    """Show one report: options, figures, tables, notes.

    more(source, form, report, number of the page): what its own template shows besides.
    """
    study = access.study_or_404(request.user, slug)
    source, kind = Source(study, request.GET), _kind_or_404(report)
    if name := kind.instead(source.reader):
        return redirect(_address(slug, name, request.GET.get("question")))
    context = frame_of(source, kind)
    if waiting := wait.awaited(source, kind, request.GET):
        return render(request, "analysis/computing.html", context | {"waiting": waiting})
    form = context["form"] = ReportForm(request.GET, source, kind)
    if form.is_valid():
        context |= report_context(source, form, kind)
    if more and "report" in context:
        context |= more(source, form, context["report"], request.GET.get("page"))
    status = 200 if form.is_valid() else 400
    return render(request, template, context, status=status)


def _address(slug, name, question):
    query = f"?{urlencode({'question': question})}" if question else ""
    return reverse("report", args=[slug, name]) + query


def frame_of(source, kind):
    """Return the context of what stands around a report: the pages that apply, and its own."""
    own, (shown, _) = page_of(kind), pages_of(source.reader)
    return {
        "study": source.study,
        "section": "analysis",
        "kind": kind,
        "page_here": own,
        "kinds_here": [kind for kind in own.kinds if not kind.instead(source.reader)],
        "report_pages": [page for page in PAGES if page in shown or page == own],
    }


def report_context(source, form, kind):
    """Return the context of the report that a valid form asks for, or what is missing."""
    gap = missing(source, form.options(), kind)
    if gap or not form.chosen:
        return {"missing": gap, "no_judges": no_judges(source)}
    result = report_of(source, form, kind)
    looks = Looks(source.choices.judges)
    page = groups_on_page(result, source.asked.get("group_page"))
    groups = [
        (label, group_report, layout_of(kind, group_report, form.chosen, looks, place))
        for place, (label, group_report) in enumerate(page)
    ]
    fold([layout for *_, layout in groups])
    title, sentences = finding_of(result, form.chosen, kind)
    return {
        "report": result,
        "finding": title,
        "sentences": sentences,
        "groups": groups,
        "group_page": page,
        "figures": any(layout.figures for *_, layout in groups),
        "no_judges": kind.needs_ratings and no_judges(source),
        "several_versions": several_versions(source),
        "query": form.query_string(),
        "computed": source.when(name_of(source, form, kind)),
        "no_worker": source.had_no_worker,
        "ways_on": _ways_on(source, kind, result, form.chosen),
    }


def _ways_on(source, kind, result, chosen):
    """Return what the page of a question leads on to; None of other parts of a report."""
    question = next((q for q in source.reader.questions if q.key == chosen), None)
    return question and kind.list_ways_on(source.study, result, question)


@login_required
@one_moment()
def report_rows(request, slug, report, form):
    """Send the rows of a report page as CSV, JSON or a LaTeX table."""
    study = access.study_or_404(request.user, slug)
    source, kind = Source(study, request.GET), _kind_or_404(report)
    if form not in ("csv", "json", "tex"):
        raise Http404("no such format")
    asked = ReportForm(request.GET, source, kind)
    if not asked.is_valid():
        return HttpResponse("\n".join(asked.errors_in_words()), "text/plain", status=400)
    result = report_of(source, asked, kind)
    if form == "json":
        response = JsonResponse(result.as_dict(), json_dumps_params={"ensure_ascii": False})
    elif form == "tex":
        response = HttpResponse(latex.as_latex(result), "application/x-tex; charset=utf-8")
    else:
        response = HttpResponse(tables.as_csv(result), write.TYPES["csv"])
    return _attached(response, f"{slug}-{report}.{form}")


@login_required
def export(request, slug):
    """Show the tables that can be downloaded, with their sizes and columns."""
    study = access.study_or_404(request.user, slug)
    counts = exports.counts(study)
    shown = [
        (name, codebook.NOTES[name], counts.get(name), exports.header(study, name))
        for name in codebook.TABLES
    ]
    context = {"study": study, "section": "export", "tables": shown, "forms": write.FORMS}
    return render(request, "analysis/export.html", context)


@login_required
def export_table(request, slug, table, form):
    """Stream one table as a download; ?ids=platform gives an owner the platform's own ids."""
    with_ids = table == "raters" and request.GET.get("ids") == "platform"
    study = access.study_or_404(request.user, slug, access.OWNER if with_ids else access.VIEWER)
    if table not in exports.ROWS or form not in write.FORMS:
        raise Http404("no such table")
    options = {"platform_ids": True} if with_ids else {}
    pieces = write.pieces(study, table, form, **options)
    response = PiecesResponse(pieces, content_type=write.TYPES[form])
    return _attached(response, f"{slug}-{table}.{form}")


def _attached(response, name):
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _kind_or_404(name):
    if name not in REPORTS:
        raise Http404("no such report")
    return REPORTS[name]
