"""Receive what a rater's page reports by itself, unseen; no page waits for it."""

from django.db.models import F, Q
from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotate.design import access
from annotate.models import Content, Item, MediaKind, MissingMedia, Session
from annotate.raters.views import PK, rater_page
from annotate.sessions import listening, timing

MOST_REPORTS = 1_000_000  # reports that are counted of one


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
    is_recorded = PK.fullmatch(content) and report_missing(
        session, int(content), request.POST.get("kind", "")
    )
    if not is_recorded:
        raise Http404("no such picture or recording in this session")
    return HttpResponse(status=204)


def report_missing(session, content_id, kind, now=None):
    """Count a picture or recording that did not load; False if the session shows no such file.

    Only what stands on the session's own screens: so there is one row at most for each of those.
    """
    if kind not in MediaKind.values:
        return False
    gold = session.screens.among_items().exclude(item=None).values("item")
    own = Q(places__session=session) | Q(parent__places__session=session)
    own |= Q(pk__in=gold) | Q(parent__in=gold)
    if session.state == Session.State.PRACTICE:
        of_study = Q(study=session.study_id)
        own |= of_study & (Q(is_practice=True) | Q(parent__is_practice=True))
    if not Item.objects.filter(own, content=content_id).exists():
        return False
    address = getattr(Content.objects.get(pk=content_id), f"{kind}_url")
    if address and not session.study.preview_of_id:
        _count(session.study_id, content_id, kind, address, now or timezone.now())
    return bool(address)


def _count(study_id, content_id, kind, address, now):
    row, is_new = MissingMedia.objects.get_or_create(
        content_id=content_id,
        kind=kind,
        defaults={"study_id": study_id, "address": address, "first_at": now, "last_at": now},
    )
    if is_new:
        return
    same = MissingMedia.objects.filter(pk=row.pk)
    if row.address != address:  # the content names another one now
        same.update(address=address, count=1, first_at=now, last_at=now)
    else:
        same.filter(count__lt=MOST_REPORTS).update(count=F("count") + 1, last_at=now)
