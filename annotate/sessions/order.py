"""Draw the order in which a session shows its items, once, by the study's policy.

A design has rows; the n-th session of a study takes row n, so sessions at the same time take
different ones. Whatever is drawn comes from the study's seed and the session's own number, so that
a session gets the same order whenever it is drawn again.
"""

from collections.abc import Mapping, Sequence
from random import Random

from django.db import connection
from django.db.models import Count, Min

from annotate.design import grouping
from annotate.design.checks import Order
from annotate.models import Item, Session, System

# One statement, so that two sessions never take the same row.
TAKE_ROW = """
INSERT INTO annotate_ordercounter (study_id, taken) VALUES (%s, 1)
ON CONFLICT (study_id) DO UPDATE SET taken = annotate_ordercounter.taken + 1 RETURNING taken
"""
MOST_ROWS = 1_000_000
COUNTERBALANCED = (Order.LATIN_SQUARE, Order.BLOCKS)


def seeded(session: Session, what: str = "") -> Random:
    """Return the generator of one draw for a session; the study's order_seed changes all draws."""
    seed = session.study.extra.get("order_seed")
    own = f"{session.study_id}:{session.pk}"
    return Random(":".join(filter(None, [str(seed or ""), what, own])))


def drawn_side(session: Session, item_id: int) -> str:
    """Draw which list of a pair, A or B, stands first; a session always gets the same side."""
    return Random(f"{session.study_id}:{session.pk}:{item_id}").choice("AB")


def in_order(session: Session, kinds: Mapping[int, str], items: Sequence[int]) -> list[int]:
    """Order the items by the study's policy, profiles first. kinds: {item id: its kind}."""
    policy = session.study.extra.get("order") or Order.RANDOM
    order = sorted(items)
    if policy != Order.FIXED:
        seeded(session).shuffle(order)
    if policy in COUNTERBALANCED:
        systems = dict(Item.objects.filter(pk__in=order).values_list("pk", "system_id"))
        rows = williams(_treatments(session.study, systems))
        arranged = in_rounds if policy == Order.LATIN_SQUARE else in_blocks
        order = arranged(order, systems, rows, row_of(session))
    return sorted(order, key=lambda item: kinds[item] != Item.Kind.PROFILE)


def row_of(session: Session) -> int:
    """Return the session's row of the design, counted from 0; the first call takes one."""
    if session.order_row is None:
        of_set = session.study.extra.get(grouping.KEY)
        session.order_row = _row_of_set(session) if of_set else _next_row(session)
        session.save(update_fields=["order_row"])
    return session.order_row


def _next_row(session: Session) -> int:
    """Take the study's next row of the design; count from 0."""
    with connection.cursor() as cursor:
        cursor.execute(TAKE_ROW, [session.study_id])
        return cursor.fetchone()[0] - 1


def _row_of_set(session: Session) -> int:
    """Return the row of a session that rates a set of items: the rows are counted for each set.

    Otherwise each of twelve surveys of twelve systems would be shown in one order only. The next
    survey of the file begins with the next row.
    """
    aggregates = session.places.aggregate(Min("number"), Min("item"), Count("pk"))
    return (
        aggregates["item__min"] // aggregates["pk__count"] + aggregates["number__min"] - 1
    ) % MOST_ROWS


def _treatments(study, systems: Mapping[int, int | None]) -> list[int | None]:
    """List all systems of the study, the same for every session; add None if an item has none."""
    systems_of_study = System.objects.filter(study=study.origin_id)
    system_ids = list(systems_of_study.order_by("pk").values_list("pk", flat=True))
    return [*system_ids, None] if None in systems.values() else system_ids


def williams(treatments: Sequence) -> list[list]:
    """Build the rows of a Williams design of the treatments.

    Each treatment stands equally often at each place, and equally often right after each other
    treatment. There are as many rows as treatments, and twice as many if their number is odd.

    Source: Williams (1949), Experimental designs balanced for the estimation of residual effects
    of treatments, Australian Journal of Scientific Research A 2, 149–168.
    """
    n = len(treatments)
    # 0, 1, n-1, 2, n-2, …: neighbours differ by every amount once.
    first = [(step + 1) // 2 if step % 2 else -(step // 2) % n for step in range(n)]
    rows = [[treatments[(start + row) % n] for start in first] for row in range(n)]
    return rows + [row[::-1] for row in rows] if n % 2 and n > 1 else rows


def in_rounds(
    order: Sequence[int], systems: Mapping[int, int | None], rows: Sequence[Sequence], row: int
) -> list[int]:
    """Arrange items in rounds of one item of each system, each round in the order of the next row.

    A system without items left is skipped. Within a system the items stand as they do in order.
    """
    left: dict = {}
    for item in order:
        left.setdefault(systems[item], []).append(item)
    arranged: list[int] = []
    while any(left.values()):
        arranged += [left[system].pop(0) for system in rows[row % len(rows)] if left.get(system)]
        row += 1
    return arranged


def in_blocks(
    order: Sequence[int], systems: Mapping[int, int | None], rows: Sequence[Sequence], row: int
) -> list[int]:
    """Arrange items in blocks of one system each, in the order of the row."""
    return [item for system in rows[row % len(rows)] for item in order if systems[item] == system]
