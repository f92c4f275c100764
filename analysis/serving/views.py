"""Show the analysis pages: the reports of a study and the files to download."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from analysis.answers.moment import one_moment
from analysis.exports import codebook, write
from analysis.exports import tables as exports
from analysis.figures.layout import has_many
from analysis.figures.looks import Looks
from analysis.options.form import OptionsForm
from analysis.reports.registry import EVERY_OPTION, GROUPS, KINDS, REPORTS
from analysis.serving import latex, tables, wait
from analysis.serving.grouping import layout_of, page_of
from analysis.serving.report_file import NothingToReport
from analysis.serving.report_file import pieces as file_pieces
from analysis.serving.source import ReportForm, Source, name_of, report_of
from analysis.serving.summaries import (
    cards,
    has_cards,
    headlines_computed,
    likert_figure,
    missing,
    no_judges,
    several_versions,
)
from annotate.design import access
from annotate.http.streaming import PiecesResponse


@login_required
@one_moment()
def index(request, slug):
    """Show the reports with a headline each, or what is missing."""
    study = access.study_or_404(request.user, slug)
    source = Source(study)
    context = {"study": study, "section": "analysis"}
    if waiting := wait.awaited(source):
        return render(request, "analysis/computing.html", context | {"waiting": waiting})
    context |= {
        "missing": missing(source),
        "without_ratings": [kind for kind in KINDS if not kind.needs_ratings],
        "no_judges": no_judges(source),
        "several_versions": several_versions(source),
        # They take a reading of everything; so they come after the page where they are not kept.
        "cards": cards(source) if "headlines" in request.GET or has_cards(source) else None,
        "likert": likert_figure(source),
        "computed": headlines_computed(source),
    }
    return render(request, "analysis/index.html", context)


@login_required
@one_moment()
def headlines(request, slug):
    """Return a fragment with each report's headline, as facts or cards, loaded after the page."""
    study = access.study_or_404(request.user, slug)
    source = Source(study)
    if waiting := wait.awaited(source):
        return render(request, "analysis/_computing.html", {"study": study, "waiting": waiting})
    context = {"study": study, "missing": missing(source), "cards": cards(source)}
    context["computed"] = headlines_computed(source)
    part = "cards" if "cards" in request.GET else "headlines"
    return render(request, f"analysis/_{part}.html", context)


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
def report(request, slug, report):
    """Show one report: options, figures, tables, notes."""
    study = access.study_or_404(request.user, slug)
    source, kind = Source(study, request.GET), _kind_or_404(report)
    context = {"study": study, "section": "analysis", "kind": kind, "report_groups": GROUPS.items()}
    if waiting := wait.awaited(source, kind, request.GET):
        return render(request, "analysis/computing.html", context | {"waiting": waiting})
    form = context["form"] = ReportForm(request.GET, source, kind)
    if form.is_valid():
        context |= report_context(source, form, kind)
    status = 200 if form.is_valid() else 400
    return render(request, "analysis/report.html", context, status=status)


def report_context(source, form, kind):
    """Return the context of the report that a valid form asks for, or what is missing."""
    gap = missing(source, form.options(), kind)
    if gap or not form.chosen:
        return {"missing": gap, "no_judges": no_judges(source)}
    result = report_of(source, form, kind)
    looks = Looks(source.choices.judges)
    page = page_of(result, source.asked.get("groups"))
    groups = [
        (label, group_report, layout_of(kind, group_report, form.chosen, looks, place))
        for place, (label, group_report) in enumerate(page)
    ]
    return {
        "report": result,
        "groups": groups,
        "group_page": page,
        "figures": any(layout.figures for *_, layout in groups),
        "many_tables": has_many([layout for *_, layout in groups]),
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
def report_file(request, slug):
    """Send all reports in one HTML file that needs no network: only ever a download."""
    study = access.study_or_404(request.user, slug)
    try:
        with one_moment():  # the pieces have one of their own
            source = Source(study, request.GET)
            form = OptionsForm(request.GET, source.choices, EVERY_OPTION)
            if not form.is_valid():
                return HttpResponse("\n".join(form.errors_in_words()), "text/plain", status=400)
            pieces = file_pieces(source, form)
    except NothingToReport as gap:
        messages.error(request, f"There is nothing to report yet. {gap}")
        return redirect("analysis", slug)
    response = PiecesResponse(pieces, content_type="text/html; charset=utf-8")
    return _attached(response, f"{slug}-report.html")


@login_required
def export(request, slug):
    """Show the tables that can be downloaded, with their sizes and columns."""
    study = access.study_or_404(request.user, slug)
    counts = exports.counts(study)
    shown = [
        (name, codebook.NOTES[name], counts.get(name), exports.HEADERS[name](study))
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
