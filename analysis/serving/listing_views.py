"""Show the list of disagreements as a page: a report whose rows are items to be read."""

from django.core.paginator import Paginator

from analysis.reports.disagreements import listing
from analysis.reports.shared.scores import Scores
from analysis.serving.views import report

PER_PAGE = 8


def disagreements(request, slug):
    """Show the items with everybody's answers, the largest distance first."""
    return report(request, slug, "disagreements", "analysis/disagreements.html", _items)


def _items(source, form, result, number):
    page = Paginator(result.rows, PER_PAGE).get_page(number)
    options = form.options()
    scores = Scores(source.answers, options) if options.only or options.exclude else None
    rows = listing.with_answers(source.reader, page.object_list, options.reference, scores)
    return {"page": page, "found": rows}
