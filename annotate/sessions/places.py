"""Claim places for sessions, and release them: which rater rates which item.

A place is one of the K ratings that an item is to get. A claim is one statement, so the database
alone decides who gets a place, whatever the number of processes; the unique constraints of Place
make a place too many, or an item twice for a rater, impossible.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import BigIntegerField, Count, Exists, F, Max, OuterRef, Q

from annotate.db.sql import marks
from annotate.design import grouping
from annotate.design.checks import gold_keys
from annotate.models import Item, Place, Question, Rater, Session, Study
from annotate.sessions import kept_places, mix, screens
from annotate.sessions.order import drawn_side, in_order
from annotate.taste.study import has_or_had

# The state stands in the text, not among the parameters: else the partial index is not used.
# The item's part is a subquery for each candidate, not a join: right after a load, without
# statistics, PostgreSQL takes a join for tiny and compares every place with every item.
# A "WITH", not "id IN (SELECT ..)": PostgreSQL may run the latter again for each row, and each
# time other rows are not locked.
CLAIM = """
WITH chosen AS (
    SELECT place.id AS place_id FROM annotate_place place
    WHERE {open} AND NOT EXISTS (
        SELECT 1 FROM annotate_place mine
        WHERE mine.item_id = place.item_id AND mine.rater_id = %s
    )
    AND {only}
    ORDER BY place.number, place.shuffle LIMIT %s {lock}
)
UPDATE annotate_place SET state = 'held', rater_id = %s, session_id = %s, kept_for_id = NULL
FROM chosen WHERE id = chosen.place_id
RETURNING item_id
"""
ANY_OPEN = """
SELECT 1 FROM annotate_place place WHERE {open} AND {only} LIMIT 1
"""
# What a claim may take: places that are open and kept for nobody (kept_places.py), which are
# those of an index; a recipient's, and any open one of the same item, are found by the items.
OPEN = "place.study_id = %s AND place.state = 'open' AND place.kept_for_id IS NULL"
OPEN_TO = """place.study_id + 0 = %s AND place.state || '' = 'open'
    AND (place.kept_for_id IS NULL OR place.kept_for_id = {rater})"""
# Several places in one statement are on different items: of each item only its first one.
# The || keeps PostgreSQL from reading all of the index of open places for each candidate.
FIRST_OF_ITEM = """NOT EXISTS (
    SELECT 1 FROM annotate_place lower WHERE lower.item_id = place.item_id
    AND lower.number < place.number AND lower.state || '' = 'open'
    AND (lower.kept_for_id IS NULL OR lower.kept_for_id = {rater})
)"""
STANDS_ALONE = """(
    SELECT item.parent_id IS NULL AND item.kind IN ({kinds})
    FROM annotate_item item WHERE item.id = place.item_id
)"""
# What was made for a rater in their session nobody else takes, though its place may be open.
NOT_MADE = """ AND NOT EXISTS (
    SELECT 1 FROM annotate_making made
    JOIN annotate_item own ON own.recipient_id = made.recipient_id WHERE own.id = place.item_id
)"""
OF_RECIPIENT = " AND place.item_id IN (SELECT id FROM annotate_item WHERE recipient_id = %s)"
MOST = 1000  # places of an item, whoever wants more
# The states that places.release_expired ends. A consent unread holds nothing: its link may wait.
# Sessions at their exit questions have rated everything: steps.settle_quiet decides.
QUIETABLE = (*Session.BEFORE, Session.State.RATING)


def kinds_asked(questions: Iterable[Question]) -> list[str]:
    """Return the kinds of items that have a question about them, or about their parts."""
    questions = list(questions)
    kinds = [kind for kind in Item.Kind.values if any(q.applies_to_kind(kind) for q in questions)]
    if Item.Kind.RECOMMENDATION in kinds and Item.Kind.LIST_PAIR not in kinds:
        kinds.append(str(Item.Kind.LIST_PAIR))
    return kinds


def any_open(study: Study, kinds: Sequence[str], rater: Rater | None = None) -> bool:
    """Return whether a place is open to a new rater, or to the given one."""
    only, values = _takes(study, rater, kinds)
    with connection.cursor() as cursor:
        cursor.execute(ANY_OPEN.format(open=_open_to(rater), only=only), [study.pk, *values])
        return cursor.fetchone() is not None


def _takes(study: Study, rater: Rater | None, kinds: Sequence[str]) -> tuple[str, list[Any]]:
    """Return which places a rater may take: a condition in SQL, and its values."""
    only = STANDS_ALONE.format(kinds=marks(kinds))
    if rater and rater.recipient_id is not None:
        return only + OF_RECIPIENT, [*kinds, rater.recipient_id]
    return only + (NOT_MADE if has_or_had(study) else ""), list(kinds)


def _open_to(rater: Rater | None) -> str:
    """Return the SQL condition that a place is open to a rater, with a mark for the study."""
    if rater and rater.recipient_id is not None:
        return OPEN_TO.format(rater=int(rater.pk))
    return OPEN


def claim(
    session: Session, kinds: Sequence[str], count: int, like: Sequence[int] = ()
) -> list[int]:
    """Claim up to count places on different items for a session, least filled first.

    Returns the item ids. Kinds of items come in proportion to what is open of each.
    like: items that it has already, where a study has some items rated together.
    """
    items: list[int] = []
    for kind, share in _shares(session, kinds, count).items():
        items += _claim_of_kinds(session, [kind], share, like)
    # Where others took what a share was counted of, something else fills the session.
    if len(items) < count:
        items += _claim_of_kinds(session, kinds, count - len(items), like)
    return items


def _shares(session: Session, kinds: Sequence[str], count: int) -> dict[str, int]:
    """Share count out to the kinds of items; empty where a study has one kind, or sets of items."""
    if len(kinds) < 2 or count < 2 or session.study.extra.get(grouping.KEY):
        return {}
    present = mix.find_kinds(session.study_id, kinds)
    if len(present) < 2:
        return {}
    only, values = _takes(session.study, session.rater, present)
    available = mix.count_open_by_kind(
        session.study_id, session.rater.recipient_id, _open_to(session.rater), only, values
    )
    return mix.share_out(count, available) if len(available) > 1 else {}


def _claim_of_kinds(
    session: Session, kinds: Sequence[str], count: int, like: Sequence[int]
) -> list[int]:
    if not count:
        return []
    is_open = _open_to(session.rater)
    only, values = _takes(session.study, session.rater, kinds)
    only, values = grouping.limited(session, is_open, only, values, count, like)
    return _claim_while_open(session, only, values, count)


def claim_again(session: Session, item_ids: Sequence[int]) -> list[int]:
    """Claim the places that are still open on items that a returning rater had before."""
    if not item_ids:
        return []
    grouping.wait_for_turn(session.study)
    only = f"place.item_id IN ({marks(item_ids)})"
    return _claim_while_open(session, only, list(item_ids), len(item_ids))


def claim_sent(
    session: Session, kinds: Sequence[str], item_id: int, like: Sequence[int]
) -> list[int]:
    """Claim the item that a late page is about, or the pair that it is a part of, if it is open.

    That the rater had it is not known, so it has to be one that they may take. like: as in claim.
    """
    if item_id > BigIntegerField.MAX_BIGINT:
        return []
    grouping.wait_for_turn(session.study)
    only, values = _takes(session.study, session.rater, kinds)
    only += " AND place.item_id = (SELECT COALESCE(parent_id, id) FROM annotate_item WHERE id = %s)"
    values = [*values, item_id]
    only, values = grouping.limited(session, _open_to(session.rater), only, values, 1, like)
    return _claim_while_open(session, only, values, 1)


def _claim_while_open(session: Session, only: str, values: list[Any], count: int) -> list[int]:
    first = FIRST_OF_ITEM.format(rater=int(session.rater_id))
    items = _claimed(session, f"{only} AND {first}", values, count)
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
    """Claim up to count places in one statement; without FIRST_OF_ITEM one place a call."""
    lock = "FOR UPDATE SKIP LOCKED" if connection.vendor == "postgresql" else ""
    rater = session.rater_id
    with connection.cursor() as cursor:
        cursor.execute(
            CLAIM.format(open=_open_to(session.rater), only=only, lock=lock),
            [session.study_id, rater, *values, count, rater, session.pk],
        )
        return [item_id for (item_id,) in cursor.fetchall()]


def add(
    study: Study, item_ids: Iterable[int], count: int, cap: int = MOST, only_whole: bool = False
) -> list[Place]:
    """Add up to count places to each of these items, which then have at most cap places.

    only_whole: items with a place that is not filled get none. Parts of items, items for practice,
    gold items and those made for a rater in their session get no places. Call it in a transaction:
    the study stays locked to its end, so that no other addition and no load counts the same places.
    Claims need not wait.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    items = Item.objects.filter(study=study, pk__in=item_ids, parent=None, is_practice=False)
    items = items.without_made()
    counted_items = items.exclude(key__in=gold_keys(study)).annotate(
        many=Count("places"),
        filled=Count("places", filter=Q(places__state=Place.State.FILLED)),
        last=Max("places__number"),
        drawn=Max("places__shuffle"),
    )
    return Place.objects.bulk_create(
        Place(study=study, item_id=item.pk, number=(item.last or 0) + n, shuffle=item.drawn or 0)
        for item in counted_items.order_by("pk")
        if item.many == item.filled or not only_whole
        for n in range(1, min(count, cap - item.many) + 1)
    )


def put_in_order(session: Session, first: Sequence[int]) -> None:
    """Number the session's screens from 1: the first items, then the others by the study's policy.

    Extra screens stand between them. Pairs of lists get the side that stands first.
    """
    held = dict(session.places.order_by("item_id").values_list("item_id", "item__kind"))
    front = [item_id for item_id in first if item_id in held]
    order = front + in_order(session, held, [i for i in held if i not in set(front)])
    if not order:
        return
    positions = screens.arrange(session, order, len(front))
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
    """Return the WHEN branches of an SQL CASE for this many cases."""
    return " ".join(["WHEN %s THEN %s"] * len(cases))


def release(session_ids: Sequence[int]) -> int:
    """Open all places of these sessions, whose answers stay; return how many opened.

    A place whose item has become a practice or gold item is deleted. A place that a completed
    session filled before its item became gold stays: its rating may count again.
    """
    gone, awaited = _special(session_ids)
    if gone:
        Place.objects.filter(pk__in=gone).delete()
    opened = Place.objects.filter(session__in=session_ids).update(
        state=Place.State.OPEN, rater=None, session=None, position=None
    )
    for study, items in awaited.items():
        kept_places.keep(study, items)
    return opened


def _special(session_ids: Sequence[int]) -> tuple[list[int], dict[Study, list[int]]]:
    """Return the sessions' places to delete, and {study: items} whose recipient may yet come."""
    suspect = Q(item__is_practice=True) | Q(study__extra__has_key="gold")
    held = Place.objects.filter(session__in=session_ids)
    held = held.annotate(is_awaited=Exists(kept_places.visits_to(OuterRef("item__recipient"))))
    rows = held.filter(suspect | Q(is_awaited=True)).select_related("study", "item", "session")
    gone: list[int] = []
    awaited: dict[Study, list[int]] = {}
    for place in rows:
        if place.item.is_practice or (
            place.session.state != Session.State.COMPLETED
            and place.item.key in gold_keys(place.study)
        ):
            gone.append(place.pk)
        elif place.is_awaited:
            awaited.setdefault(place.study, []).append(place.item_id)
    return gone, awaited


def release_expired(now: datetime) -> int:
    """Abandon sessions that were quiet for longer than their study holds places; open their places.

    Returns how many sessions. What counts is the session's last_seen_at, so that one slow answer
    extends all of its places.
    """
    is_quiet = quiet(now, QUIETABLE)
    if not is_quiet:
        return 0
    with transaction.atomic():
        # Locked first: an answer on its way either comes before, and the session stays, or after.
        sessions = Session.objects.filter(is_quiet, state__in=QUIETABLE)
        locked = sessions.select_for_update(skip_locked=True, of=("self",))
        expired = list(locked.order_by("pk").values_list("pk", flat=True))
        # Each new value is made of the old row: the state that it stopped in is the one before.
        Session.objects.filter(pk__in=expired).update(
            state=Session.State.ABANDONED, stopped_in=F("state")
        )
        release(expired)
    return len(expired)


def quiet(now: datetime, states: Sequence[Any]) -> Q:
    """Build the condition that a session in these states was not seen for its study's hold_minutes.

    The condition is empty when no study has a session in these states.
    """
    running = Study.objects.filter(sessions__state__in=states)
    minutes = running.order_by("hold_minutes").values_list("hold_minutes", flat=True).distinct()
    condition = Q()
    for held in minutes:
        condition |= Q(study__hold_minutes=held, last_seen_at__lt=now - timedelta(minutes=held))
    return condition
