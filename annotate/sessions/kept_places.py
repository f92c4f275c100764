"""Keep places for the recipients of their items, while these may still come by a personal link.

A kept place is an open one that names its rater. The index of open places leaves it out, so the
claims of others never meet it, however many there are. Places are marked when a link is made, when
places open, when items are loaded, and by the sweep, which also takes away what holds no longer:
what is missed here is put right within a minute.
"""

import logging
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection, models
from django.db.models import Q
from django.utils import timezone

from annotate.db.sql import marks
from annotate.design.platform import platform_of
from annotate.models import Place, Session, Study

log = logging.getLogger(__name__)
# The states in which the visit of a recipient may still claim items.
AWAITED = (Session.State.CONSENT, *Session.BEFORE, Session.State.ABANDONED)
NEVER = datetime(9999, 1, 1, tzinfo=UTC)

AWAITED_RATERS = """
SELECT own.id AS rater_id, own.recipient_id, own.study_id FROM annotate_rater own
WHERE own.study_id = %s AND own.excluded_because = '' AND EXISTS (
    SELECT 1 FROM annotate_session visit WHERE visit.rater_id = own.id
    AND visit.source = 'link' AND visit.state IN ({states}) AND visit.last_seen_at >= %s
)
"""
# The last open place, as all claims take the first. What is locked is being claimed, or marked by
# somebody else: nobody waits here, so nobody can wait in a circle. So it is with a rater whose link
# is being withdrawn: a place that named one who is gone would be an error.
KEEP = """
WITH awaited AS ({awaited}), chosen AS (
    SELECT awaited.rater_id, (
        SELECT place.id FROM annotate_place place WHERE place.item_id = item.id
        AND place.state || '' = 'open' AND place.kept_for_id IS NULL
        ORDER BY place.number DESC LIMIT 1
    ) AS place_id
    FROM awaited JOIN annotate_item item ON item.recipient_id = awaited.recipient_id
        AND item.study_id = awaited.study_id
    WHERE {which} AND NOT EXISTS (
        SELECT 1 FROM annotate_place own WHERE own.item_id = item.id
        AND (own.rater_id = awaited.rater_id OR own.kept_for_id = awaited.rater_id)
    )
), free AS (
    SELECT place.id AS place_id, chosen.rater_id FROM annotate_place place
    JOIN chosen ON chosen.place_id = place.id
    JOIN annotate_rater rater ON rater.id = chosen.rater_id
    WHERE place.state || '' = 'open' AND place.kept_for_id IS NULL {lock} {stays}
)
UPDATE annotate_place SET kept_for_id = free.rater_id FROM free WHERE id = free.place_id
RETURNING annotate_place.id
"""
LET_GO = """
WITH awaited AS ({awaited}), over AS (
    SELECT place.id AS place_id FROM annotate_place place
    LEFT JOIN awaited ON awaited.rater_id = place.kept_for_id
    LEFT JOIN annotate_item item
        ON item.id = place.item_id AND item.recipient_id = awaited.recipient_id
    WHERE place.study_id = %s AND place.kept_for_id IS NOT NULL AND (item.id IS NULL OR EXISTS (
        SELECT 1 FROM annotate_place mine
        WHERE mine.item_id = place.item_id AND mine.rater_id = place.kept_for_id
    )) {lock}
)
UPDATE annotate_place SET kept_for_id = NULL FROM over WHERE id = over.place_id
RETURNING annotate_place.id
"""


def since(study: Study) -> datetime:
    """Return the moment since when a link must be made, or its visit heard of, to keep places."""
    platform = platform_of(study)
    days = timedelta(days=platform.keep_days)
    return timezone.now() - days if platform.keep_for_recipients else NEVER


def keep(study: Study, items: Sequence[int] | None = None) -> None:
    """Mark a place on each item, or on the given items, for its recipient.

    A recipient who may still come and has no place on the item gets one.
    """
    which = f"item.id IN ({marks(items)})" if items is not None else "TRUE"
    _run(KEEP, study, list(items or ()), which=which)


def settle(study: Study) -> None:
    """Update what is kept after links, settings or the time changed: release, then mark."""
    freed = _run(LET_GO, study, [study.pk])
    if freed:
        log.info("study %s: %s places are no longer kept for recipients", study.pk, freed)
    keep(study)


def _run(statement: str, study: Study, values: list[int], **parts: str) -> int:
    awaited = AWAITED_RATERS.format(states=marks(AWAITED))
    lock = stays = ""
    if connection.vendor == "postgresql":
        lock = "FOR UPDATE OF place SKIP LOCKED"
        stays = "FOR KEY SHARE OF rater SKIP LOCKED"
    after = connection.ops.adapt_datetimefield_value(since(study))
    with connection.cursor() as cursor:
        cursor.execute(
            statement.format(awaited=awaited, lock=lock, stays=stays, **parts),
            [study.pk, *map(str, AWAITED), after, *values],
        )
        return len(cursor.fetchall())


def settle_all() -> None:
    """Settle every study that has links of recipients, or keeps places."""
    linked = Q(sessions__source=Session.Source.LINK, sessions__rater__recipient__isnull=False)
    for study in Study.objects.filter(linked).distinct().order_by("pk"):
        settle(study)


def let_go(raters: Iterable[int]) -> None:
    """Stop keeping places for these raters."""
    Place.objects.filter(kept_for__in=raters).update(kept_for=None)


def visits_to(recipient: Any) -> models.QuerySet:
    """Return the visits by which a recipient, given as id or reference, may still come."""
    links = Session.objects.filter(source=Session.Source.LINK, state__in=AWAITED)
    return links.filter(rater__recipient=recipient)


def kept_places(study: Study) -> int:
    """Count the open places that only the recipients of their items may take now."""
    return study.places.filter(kept_for__isnull=False).count()


def too_old(study: Study) -> int:
    """Count the recipients' links that have waited for too long to keep places for them."""
    if since(study) == NEVER:
        return 0
    links = study.sessions.filter(source=Session.Source.LINK, state__in=AWAITED)
    return links.filter(rater__recipient__isnull=False, last_seen_at__lt=since(study)).count()
