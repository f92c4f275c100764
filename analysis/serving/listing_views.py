"""Show the list of disagreements as a page: a report whose rows are items to be read."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import render

from analysis.answers.moment import one_moment
from analysis.reports.registry import GROUPS, REPORTS
from analysis.serving import listing, wait
from analysis.serving.source import ReportForm, Source
from analysis.serving.views import report_context
from annotate.design import access

PER_PAGE = 20


@login_required
@one_moment()
def disagreements(request, slug):
    """Show the items with everybody's answers, the largest distance first."""
    study = access.study_or_404(request.user, slug)
    source = Source(study, request.GET)
    kind = REPORTS["disagreements"]
    context = {"study": study, "section": "analysis", "kind": kind, "report_groups": GROUPS.items()}
    if waiting := wait.awaited(source, kind, request.GET):
        return render(request, "analysis/computing.html", context | {"waiting": waiting})
    form = context["form"] = ReportForm(request.GET, source, kind)
    if form.is_valid():
        context |= report_context(source, form, kind)
    if "report" in context:
        page = Paginator(context["report"].rows, PER_PAGE).get_page(request.GET.get("page"))
        context |= {"page": page, "found": listing.with_answers(source.reader, page.object_list)}
    status = 200 if form.is_valid() else 400
    return render(request, "analysis/disagreements.html", context, status=status)
