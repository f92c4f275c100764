"""Show the paper builder: the choice of sections, a preview, and the files."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from analysis.answers.moment import one_moment
from analysis.paper.build import is_kept, paper_of
from analysis.paper.files import TYPES, WRITERS, body
from analysis.paper.forms import PaperForm
from analysis.paper.sections import SECTIONS, offered
from analysis.serving import wait
from analysis.serving.compute import PAPER
from analysis.serving.source import Source
from analysis.serving.summaries import missing, pages_of
from annotate.design import access


@login_required
@one_moment()
def paper(request, slug):
    """Show the choice of a paper's sections, and the paper once it is built."""
    study = access.study_or_404(request.user, slug)
    source = Source(study, request.GET)
    context = _frame(source)
    if lack := missing(source):
        return render(request, "analysis/paper/page.html", context | {"missing": lack})
    form = context["form"] = PaperForm(request.GET, source.choices, context["offered"])
    if not form.is_valid():
        return render(request, "analysis/paper/page.html", context, status=400)
    if form.is_asked and (waiting := wait.awaited(source, None, form.query, PAPER)):
        return render(request, "analysis/paper/page.html", context | {"waiting": waiting})
    if form.is_asked or is_kept(source, form.query):
        context |= _preview(source, form)
    return render(request, "analysis/paper/page.html", context)


def _frame(source):
    """Return the context of the page without its paper."""
    sections = offered(source)
    return {
        "study": source.study,
        "section": "analysis",
        "is_paper": True,
        "report_pages": pages_of(source.reader)[0],
        "offered": sections,
        "lacking": [section for section in SECTIONS if section not in sections],
    }


def _preview(source, form):
    """Return the context of the built paper."""
    built = paper_of(source, form.query)
    return {
        "body": body(built, form.looks),
        "query": form.query_string,
        "no_worker": source.had_no_worker,
    }


@login_required
@one_moment()
def paper_file(request, slug, form):
    """Send the paper as one HTML file or as an archive; lead to its page while it is computed."""
    study = access.study_or_404(request.user, slug)
    if form not in WRITERS:
        raise Http404("no such format")
    source = Source(study, request.GET)
    asked = PaperForm(request.GET, source.choices, offered(source))
    if missing(source):
        return redirect("paper", slug)
    if not asked.is_valid():
        return HttpResponse("\n".join(asked.errors_in_words()), "text/plain", status=400)
    if wait.awaited(source, None, asked.query, PAPER):
        return redirect(f"{reverse('paper', args=[slug])}?{asked.query_string}")
    response = HttpResponse(WRITERS[form](paper_of(source, asked.query), asked.looks), TYPES[form])
    response["Content-Disposition"] = f'attachment; filename="{slug}-paper.{form}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


@login_required
def old_address(request, slug):
    """Lead from the address of the former file of all reports to the paper."""
    study = access.study_or_404(request.user, slug)
    return redirect("paper", study.slug, permanent=True)
