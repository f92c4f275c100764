"""Who rates what: claims of places, and their return.

A place is one of the K ratings that an item is to get. A claim is one statement, so the database
alone decides who gets a place, whatever the number of processes; the unique constraints of Place
make a place too many, or an item twice for a rater, impossible.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.db import connection, transaction
from django.db.models import Q

from annotate.models import Item, Place, Question, Session, Study

# The state stands in the text, not among the parameters: else the partial index is not used.
# The item's part is a subquery for each candidate, not a join: right after a load, without
# statistics, PostgreSQL takes a join for tiny and compares every place with every item.
CLAIM = """
UPDATE annotate_place SET state = 'held', rater_id = %s, session_id = %s
WHERE id = (
    SELECT place.id FROM annotate_place place
    WHERE place.study_id = %s AND place.state = 'open'
    AND NOT EXISTS (
        SELECT 1 FROM annotate_place mine
        WHERE mine.item_id = place.item_id AND mine.rater_id = %s
    )
    AND {only}
    ORDER BY place.number, place.shuffle LIMIT 1 {lock}
)
RETURNING id, item_id
"""
STANDS_ALONE = """(
    SELECT item.parent_id IS NULL AND item.kind IN ({kinds}) AND {whose}
    FROM annotate_item item WHERE item.id = place.item_id
)"""
# The states that places.release_expired ends. A consent unread holds nothing: its link may wait.
QUIETABLE = (Session.State.INSTRUCTIONS, Session.State.RATING)


def kinds_asked(questions: Iterable[Question]) -> list[str]:
    """The kinds of items about which at least one question is asked."""
    questions = list(questions)
    return [kind for kind in Item.Kind.values if any(q.applies_to_kind(kind) for q in questions)]


def any_open(study: Study, kinds: Sequence[str]) -> bool:
    """Is there still something to rate for a new rater?"""
    places = study.places.filter(state=Place.State.OPEN, item__parent=None, item__kind__in=kinds)
    return places.exists()


def claim(session: Session, kinds: Sequence[str], count: int) -> list[int]:
    """Up to count places on different items for a session, least filled first: the item ids."""
    values: list[Any] = list(kinds)
    whose = "TRUE"
    if session.rater.recipient_id is not None:
        whose = "item.recipient_id = %s"
        values.append(session.rater.recipient_id)
    only = STANDS_ALONE.format(kinds=_marks(kinds), whose=whose)
    return _claim_while_open(session, only, values, count)


def _marks(values: Sequence[Any]) -> str:
    return ", ".join(["%s"] * len(values))


def claim_again(session: Session, item_ids: Sequence[int]) -> list[int]:
    """Places on items that a returning rater had before, as far as they are still open."""
    if not item_ids:
        return []
    only = f"place.item_id IN ({_marks(item_ids)})"
    return _claim_while_open(session, only, list(item_ids), len(item_ids))


def _claim_while_open(session: Session, only: str, values: list[Any], count: int) -> list[int]:
    lock = "FOR UPDATE SKIP LOCKED" if connection.vendor == "postgresql" else ""
    sql = CLAIM.format(only=only, lock=lock)
    parameters = [session.rater_id, session.pk, session.study_id, session.rater_id, *values]
    items: list[int] = []
    with connection.cursor() as cursor:
        for _ in range(count):
            # Near the end every open place may be locked by claims that then take another one:
            # "none" is true only when it is said twice.
            row = _one(cursor, sql, parameters) or _one(cursor, sql, parameters)
            if row is None:
                break
            items.append(row[1])
    return items


def _one(cursor: Any, sql: str, parameters: list[Any]) -> Any:
    cursor.execute(sql, parameters)
    return cursor.fetchone()


def put_in_order(session: Session, first: Sequence[int]) -> None:
    """Positions 1..n: the given items first, the others in an order drawn for this session."""
    held = dict(session.places.order_by("item_id").values_list("item_id", "pk"))
    others = [item_id for item_id in held if item_id not in set(first)]
    # The seed is the session's own number: the same order whenever it is drawn again.
    Random(f"{session.study_id}:{session.pk}").shuffle(others)
    order = [held[item_id] for item_id in [*first, *others] if item_id in held]
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE annotate_place SET position = %s WHERE id = %s", enumerate(order, start=1)
        )


def keep(place: Place, filled: bool) -> bool:
    """The place stays the session's, filled or as it is; False if it no longer is.

    Call it with the session's row locked: until then the place cannot go to somebody else.
    """
    own = Place.objects.filter(pk=place.pk, session=place.session_id)
    return bool(own.update(state=Place.State.FILLED)) if filled else own.exists()


def release(session_ids: Sequence[int]) -> int:
    """Open all places of these sessions; their answers stay. Returns how many opened."""
    return Place.objects.filter(session__in=session_ids).update(
        state=Place.State.OPEN, rater=None, session=None, position=None
    )


def release_expired(now: datetime) -> int:
    """Sessions quiet for longer than their study holds places are abandoned, their places open.

    Returns how many sessions. What counts is the session's last_seen_at, so that one slow answer
    extends all of its places.
    """
    quiet = _quiet(now)
    if not quiet:
        return 0
    with transaction.atomic():
        # Locked first: an answer on its way either comes before, and the session stays, or after.
        sessions = Session.objects.filter(quiet, state__in=QUIETABLE)
        locked = sessions.select_for_update(skip_locked=True, of=("self",))
        expired = list(locked.order_by("pk").values_list("pk", flat=True))
        Session.objects.filter(pk__in=expired).update(state=Session.State.ABANDONED)
        release(expired)
    return len(expired)


def _quiet(now: datetime) -> Q:
    """Not seen for hold_minutes; empty when no study has a running session."""
    running = Study.objects.filter(sessions__state__in=QUIETABLE)
    minutes = running.order_by("hold_minutes").values_list("hold_minutes", flat=True).distinct()
    quiet = Q()
    for held in minutes:
        quiet |= Q(study__hold_minutes=held, last_seen_at__lt=now - timedelta(minutes=held))
    return quiet
