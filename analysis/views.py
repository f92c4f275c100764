"""Analysis pages: the reports of a study and what leaves it."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import render

from analysis import codebook, exports, tables, writing
from analysis.asking import ReportForm, Source, report_of
from analysis.charts import Looks
from analysis.pages.kinds import KINDS, REPORTS
from analysis.summaries import cards, likert_figure, missing, no_judges
from annotate import access


@login_required
def index(request, slug):
    """The reports with a headline each, or what is missing."""
    study = access.study_or_404(request.user, slug)
    source = Source(study)
    context = {
        "study": study,
        "section": "analysis",
        "missing": missing(source),
        "no_judges": no_judges(source),
        "cards": cards(source),
        "likert": likert_figure(source),
    }
    return render(request, "analysis/index.html", context)


@login_required
def headlines(request, slug):
    """Fragment of the overview: each report's headline; it computes, so it comes after the page."""
    study = access.study_or_404(request.user, slug)
    source = Source(study)
    context = {"study": study, "missing": missing(source), "cards": cards(source)}
    return render(request, "analysis/_headlines.html", context)


@login_required
def report(request, slug, report):
    """One report: options, figures, tables, notes."""
    study = access.study_or_404(request.user, slug)
    source, kind = Source(study), _kind_or_404(report)
    form = ReportForm(request.GET, source, kind)
    context = {"study": study, "section": "analysis", "kind": kind, "kinds": KINDS, "form": form}
    if form.is_valid():
        context |= _shown(source, form, kind)
    status = 200 if form.is_valid() else 400
    return render(request, "analysis/report.html", context, status=status)


def _shown(source, form, kind):
    gap = missing(source, form.options())
    if gap or not form.chosen:
        return {"missing": gap}
    found = report_of(source, form, kind)
    page = kind.layout(found, form.chosen, Looks(source.choices.judges))
    return {
        "report": found,
        "layout": page,
        "no_judges": no_judges(source),
        "query": form.query_string(),
    }


@login_required
def report_rows(request, slug, report, form):
    """The rows of a report page as CSV or JSON."""
    study = access.study_or_404(request.user, slug)
    source, kind = Source(study), _kind_or_404(report)
    if form not in ("csv", "json"):
        raise Http404("no such format")
    asked = ReportForm(request.GET, source, kind)
    if not asked.is_valid():
        return HttpResponse("\n".join(asked.errors_in_words()), "text/plain", status=400)
    found = report_of(source, asked, kind)
    if form == "json":
        response = JsonResponse(found.as_dict(), json_dumps_params={"ensure_ascii": False})
    else:
        response = HttpResponse(tables.as_csv(found), writing.TYPES["csv"])
    return _attached(response, f"{slug}-{report}.{form}")


@login_required
def export(request, slug):
    """The tables that can be taken away, with their sizes and columns."""
    study = access.study_or_404(request.user, slug)
    counts = exports.counts(study)
    shown = [
        (name, codebook.NOTES[name], counts.get(name), exports.HEADERS[name](study))
        for name in codebook.TABLES
    ]
    context = {"study": study, "section": "export", "tables": shown, "forms": writing.FORMS}
    return render(request, "analysis/export.html", context)


@login_required
def export_table(request, slug, table, form):
    """One table as a download, streamed; ?ids=platform names an owner the platform's people."""
    with_ids = table == "raters" and request.GET.get("ids") == "platform"
    study = access.study_or_404(request.user, slug, access.OWNER if with_ids else access.VIEWER)
    if table not in exports.ROWS or form not in writing.FORMS:
        raise Http404("no such table")
    options = {"platform_ids": True} if with_ids else {}
    pieces = writing.pieces(study, table, form, **options)
    response = StreamingHttpResponse(pieces, content_type=writing.TYPES[form])
    return _attached(response, f"{slug}-{table}.{form}")


def _attached(response, name):
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _kind_or_404(name):
    if name not in REPORTS:
        raise Http404("no such report")
    return REPORTS[name]
