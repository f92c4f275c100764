"""Record pictures and recordings that raters' browsers could not load."""

from django.db.models import F, Q
from django.utils import timezone

from annotate.models import Content, Item, MediaKind, MissingMedia, Session

MOST = 1_000_000  # reports that are counted of one


def report(session, content_id, kind, now=None):
    """Count a picture or recording that did not load; False if the session shows no such file.

    Only what stands on the session's own screens: so there is one row at most for each of those.
    """
    if kind not in MediaKind.values:
        return False
    gold = session.extras.exclude(item=None).values("item")
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
        same.filter(count__lt=MOST).update(count=F("count") + 1, last_at=now)
