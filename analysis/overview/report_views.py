"""Show the overview of a study's analysis: the words first, then figure after figure.

Each piece asks for the next one when it is there, and nothing is computed twice at once. The
overview has no statistic of its own: it takes the reports it needs from the cache.
"""

from dataclasses import replace
from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import render
from django.views.decorators.vary import vary_on_headers

from analysis.answers.moment import one_moment
from analysis.figures.looks import Looks
from analysis.reports.overview.page import DRAWN_BY, GAPS, KIND, figure_of
from analysis.reports.overview.report import FIGURES, SOURCES, Facts
from analysis.reports.overview.report import overview as overview_of
from analysis.reports.overview.report import words as verdicts
from analysis.reports.shared.scores import Scores
from analysis.serving import views, wait
from analysis.serving.grouping import computed
from analysis.serving.source import ReportForm, Source, name_of
from analysis.serving.summaries import missing, no_judges
from annotate.design import access

WORDS, REST = "words", "rest"
PIECES = (WORDS, *FIGURES, REST)
NUMBERED = [f"figure {number} of {len(FIGURES)}" for number in range(1, len(FIGURES) + 1)]
SAID = dict(zip(PIECES, ("verdicts", *NUMBERED, "tables and notes"), strict=True))


@login_required
@vary_on_headers("HX-Request")
@one_moment()
def overview(request, slug):
    """Show the page: whole where it is kept or asked for, else a frame that loads the pieces."""
    study = access.study_or_404(request.user, slug)
    source = Source(study, request.GET)
    if wait.awaited(source, KIND, request.GET):
        return views.report(request, slug, KIND.name)
    form = ReportForm(request.GET, source, KIND)
    if _is_whole(request, source, form):
        return views.report(request, slug, KIND.name)
    if "piece" in request.GET:
        return _piece(request, source, form)
    if source.has(name_of(source, form, KIND)):
        return views.report(request, slug, KIND.name)
    context = views.frame_of(source, KIND)
    context |= {"form": form, "figures": True} | _next(PIECES[0], form)
    return render(request, "analysis/report.html", context)


def _is_whole(request, source, form):
    """Return whether the page is to be whole: it was asked for, or has no pieces."""
    if request.GET.get("whole") or not form.is_valid() or not form.chosen:
        return True
    options = form.options()
    return bool(options.by or missing(source, options) or no_judges(source))


def _next(piece, form):
    """Return the context that says what the page asks for next."""
    place = PIECES.index(piece)
    return {
        "piece": piece,
        "said": SAID[piece],
        "place": place,
        "of": len(PIECES),
        "query": form.query_string(),
    }


def _piece(request, source, form):
    """Return a fragment with one piece, and the frame of the next piece."""
    piece = request.GET["piece"]
    if piece not in PIECES:
        raise Http404("no such piece")
    context = {"study": source.study, "kind": KIND}
    if piece == REST:
        _keep_whole(source, form)
        context |= views.report_context(source, form, KIND)
        for *_, laid_out in context["groups"]:
            # They stand on the page already, and why there is none.
            laid_out.figures = []
            laid_out.tables = [table for table in laid_out.tables if table.caption != GAPS]
        return render(request, "analysis/_report_body.html", context)
    if piece == WORDS:
        context["verdict"] = _verdicts(source, form)
    else:
        context["figure"], context["gap"] = _figure(source, form, piece)
    context |= _next(PIECES[PIECES.index(piece) + 1], form)
    return render(request, "analysis/_overview_piece.html", context)


def _verdicts(source, form):
    tests = _kept(source, form)("substitution", None)
    return verdicts(tests, Facts.collect(Scores(source.answers, form.options())))


def _figure(source, form, piece):
    """Return a figure from the reports that it needs, or why there is none."""
    names = {"substitution", DRAWN_BY[piece][1]}
    report = overview_of(
        source.answers, form.options(), [form.chosen], _kept(source, form), tuple(names)
    )
    return figure_of(report, piece, form.chosen, Looks(source.choices.judges))


def _keep_whole(source, form):
    """Keep the whole report, built from its kept parts, under the name that every page uses."""
    build = partial(overview_of, source=_kept(source, form))
    kind = replace(KIND, build=build)
    arguments = kind, source.answers, form.options(), [form.chosen]
    source.kept(name_of(source, form, KIND), lambda: computed(*arguments))


def _kept(source, form):
    """Return a source(name, questions) for an overview that keeps each of its reports."""
    options = form.options()

    def kept(name, questions):
        beside = source.stamp(KIND) if name == "robustness" else ""
        words = f"overview {name} {beside} {questions} {options.query_string()}"
        answers = replace(source.answers, beside=beside or None)
        return source.kept(words, lambda: SOURCES[name](answers, options, questions))

    return kept
