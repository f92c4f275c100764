"""Receive what a rater's page reports by itself, unseen; no page waits for it."""

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotate.design import access
from annotate.raters import missing
from annotate.raters.views import PK, rater_page
from annotate.sessions import listening, timing


@rater_page
@require_POST
def time_spent(request, token, item):
    """Step: how long the page of an item has been looked at so far, and what was heard."""
    place = access.place_of_session(token, item__id=item)
    if place is None:
        access.session_or_404(token)  # a place that was lost counts no more
        return HttpResponse(status=204)
    now = timezone.now()
    timing.keep(place, timing.parse_report(request.POST), now)
    listening.keep(place, listening.parse_reports(request.POST), now)
    return HttpResponse(status=204)


@rater_page
@require_POST
def missing_media(request, token):
    """Step: a picture or a recording on the page could not be loaded."""
    session = access.session_or_404(token)
    content = request.POST.get("content", "")
    is_recorded = PK.fullmatch(content) and missing.report(
        session, int(content), request.POST.get("kind", "")
    )
    if not is_recorded:
        raise Http404("no such picture or recording in this session")
    return HttpResponse(status=204)
