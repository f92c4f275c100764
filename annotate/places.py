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
from annotate.statements import marks

# The state stands in the text, not among the parameters: else the partial index is not used.
# The item's part is a subquery for each candidate, not a join: right after a load, without
# statistics, PostgreSQL takes a join for tiny and compares every place with every item.
# A "WITH", not "id IN (SELECT ..)": PostgreSQL may run the latter again for each row, and each
# time other rows are not locked.
CLAIM = """
WITH chosen AS (
    SELECT place.id AS place_id FROM annotate_place place
    WHERE place.study_id = %s AND place.state = 'open'
    AND NOT EXISTS (
        SELECT 1 FROM annotate_place mine
        WHERE mine.item_id = place.item_id AND mine.rater_id = %s
    )
    AND {only}
    ORDER BY place.number, place.shuffle LIMIT %s {lock}
)
UPDATE annotate_place SET state = 'held', rater_id = %s, session_id = %s
FROM chosen WHERE id = chosen.place_id
RETURNING item_id
"""
# Several places in one statement are on different items: of each item only its first open one.
# The || keeps PostgreSQL from reading all of the index of open places for each candidate.
FIRST_OF_ITEM = """NOT EXISTS (
    SELECT 1 FROM annotate_place lower WHERE lower.item_id = place.item_id
    AND lower.number < place.number AND lower.state || '' = 'open'
)"""
STANDS_ALONE = """(
    SELECT item.parent_id IS NULL AND item.kind IN ({kinds}) AND {whose}
    FROM annotate_item item WHERE item.id = place.item_id
)"""
# The states that places.release_expired ends. A consent unread holds nothing: its link may wait.
QUIETABLE = (Session.State.INSTRUCTIONS, Session.State.RATING)


def kinds_asked(questions: Iterable[Question]) -> list[str]:
    """The kinds of items about which, or about whose parts, at least one question is asked."""
    questions = list(questions)
    kinds = [kind for kind in Item.Kind.values if any(q.applies_to_kind(kind) for q in questions)]
    if Item.Kind.RECOMMENDATION in kinds and Item.Kind.LIST_PAIR not in kinds:
        kinds.append(str(Item.Kind.LIST_PAIR))
    return kinds


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
    only = STANDS_ALONE.format(kinds=marks(kinds), whose=whose)
    return _claim_while_open(session, only, values, count)


def claim_again(session: Session, item_ids: Sequence[int]) -> list[int]:
    """Places on items that a returning rater had before, as far as they are still open."""
    if not item_ids:
        return []
    only = f"place.item_id IN ({marks(item_ids)})"
    return _claim_while_open(session, only, list(item_ids), len(item_ids))


def _claim_while_open(session: Session, only: str, values: list[Any], count: int) -> list[int]:
    items = _claimed(session, f"{only} AND {FIRST_OF_ITEM}", values, count)
    while len(items) < count:
        # An item whose first open place is locked was left out, its second one may be free. And
        # near the end every open place may be locked by claims that then take another one:
        # "none" is true only when it is said twice.
        more = _claimed(session, only, values, 1) or _claimed(session, only, values, 1)
        if not more:
            break
        items += more
    return items


def _claimed(session: Session, only: str, values: list[Any], count: int) -> list[int]:
    """The items of up to count places, in one statement; without FIRST_OF_ITEM one at a time."""
    lock = "FOR UPDATE SKIP LOCKED" if connection.vendor == "postgresql" else ""
    rater = session.rater_id
    with connection.cursor() as cursor:
        cursor.execute(
            CLAIM.format(only=only, lock=lock),
            [session.study_id, rater, *values, count, rater, session.pk],
        )
        return [item_id for (item_id,) in cursor.fetchall()]


def put_in_order(session: Session, first: Sequence[int]) -> None:
    """Positions 1..n: the given items first, the others in an order drawn for this session.

    Profiles come before what was recommended by them; pairs of lists get the side that stands
    first.
    """
    held = dict(session.places.order_by("item_id").values_list("item_id", "item__kind"))
    others = [item_id for item_id in held if item_id not in set(first)]
    # The seed is the session's own number: the same order whenever it is drawn again.
    Random(f"{session.study_id}:{session.pk}").shuffle(others)
    others.sort(key=lambda item_id: held[item_id] != Item.Kind.PROFILE)
    order = [item_id for item_id in [*first, *others] if item_id in held]
    if not order:
        return
    positions = dict(zip(order, range(1, len(order) + 1), strict=True))
    pairs = [item_id for item_id in order if held[item_id] == Item.Kind.LIST_PAIR]
    sides = {item_id: drawn_side(session, item_id) for item_id in pairs}
    values = [part for cases in (positions, sides) for case in cases.items() for part in case]
    side = f", first_side = CASE item_id {_whens(sides)} ELSE '' END" if sides else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE annotate_place SET position = CASE item_id {_whens(positions)} END{side} "
            "WHERE session_id = %s",
            [*values, session.pk],
        )


def _whens(cases: dict[int, Any]) -> str:
    return " ".join(["WHEN %s THEN %s"] * len(cases))


def drawn_side(session: Session, item_id: int) -> str:
    """A or B: the list of a pair that stands first for this session, however often it is drawn."""
    return Random(f"{session.study_id}:{session.pk}:{item_id}").choice("AB")


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
