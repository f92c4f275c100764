"""Divide a session's items among kinds, in proportion to the open places of each kind.

Otherwise a study whose statements come with labels of a file, and whose explanations come without,
would give its first sessions explanations alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.cache import cache
from django.db import connection

# Each kind is looked up by the index item_kind, so items of other kinds are not read.
HAS_KIND = """SELECT CAST(%s AS text) WHERE EXISTS (
    SELECT 1 FROM annotate_item WHERE study_id = %s AND kind = %s AND parent_id IS NULL
)"""
# An item has one kind, so its open places are counted with it.
OPEN_BY_KIND = """
SELECT item.kind, COUNT(*) FROM annotate_place place JOIN annotate_item item
    ON item.id = place.item_id
WHERE {open} AND {only} GROUP BY item.kind
"""
# Counting a million places takes seconds: of many, shares may be as they were a minute ago.
MANY, KEPT_SECONDS = 5_000, 60


def find_kinds(study_id: int, kinds: Sequence[str]) -> list[str]:
    """Return those of the kinds that the study has items of."""
    sql = " UNION ALL ".join([HAS_KIND] * len(kinds))
    with connection.cursor() as cursor:
        cursor.execute(sql, [value for kind in kinds for value in (kind, study_id, kind)])
        return [kind for (kind,) in cursor.fetchall()]


def count_open_by_kind(
    study_id: int, recipient_id: int | None, is_open: str, only: str, values: Sequence[Any]
) -> dict[str, int]:
    """Return how many places of each kind of items are open to a rater: {kind: places}.

    Places on items that the rater has already are counted too.
    """
    key = f"open-by-kind-{study_id}-{recipient_id}"
    counts = cache.get(key)
    if counts is None:
        with connection.cursor() as cursor:
            cursor.execute(OPEN_BY_KIND.format(open=is_open, only=only), [study_id, *values])
            counts = dict(cursor.fetchall())
        if sum(counts.values()) > MANY:
            cache.set(key, counts, KEPT_SECONDS)
    return counts


def share_out(count: int, available: Mapping[str, int]) -> dict[str, int]:
    """Divide a session's items among kinds by what is available of each, largest remainder first.

    Returns {kind: items}, at most count together. A kind that gets nothing now has a larger share
    the next time, when less of the others is left.
    """
    total = sum(available.values())
    if not total:
        return {}
    exact = {kind: count * places / total for kind, places in available.items()}
    shares = {kind: int(share) for kind, share in exact.items()}
    by_remainder = sorted(exact, key=lambda kind: (shares[kind] - exact[kind], kind))
    for kind in by_remainder[: count - sum(shares.values())]:
        shares[kind] += 1
    return shares
