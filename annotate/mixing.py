"""How many items of each kind a session takes: in proportion to what is still open of each.

Otherwise a study whose statements come with labels of a file, and whose explanations come without,
would give its first sessions explanations alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

# An item has one kind, so its open places are counted with it.
OPEN_BY_KIND = """
SELECT item.kind, COUNT(*) FROM annotate_place place JOIN annotate_item item
    ON item.id = place.item_id
WHERE {open} AND {only} AND NOT EXISTS (
    SELECT 1 FROM annotate_place mine WHERE mine.item_id = place.item_id AND mine.rater_id = %s
)
GROUP BY item.kind
"""


def count_open_by_kind(
    study_id: int, rater_id: int, is_open: str, only: str, values: Sequence[Any]
) -> dict[str, int]:
    """Return how many places of each kind of items a rater may take: {kind: places}."""
    with connection.cursor() as cursor:
        sql = OPEN_BY_KIND.format(open=is_open, only=only)
        cursor.execute(sql, [study_id, *values, rater_id])
        return dict(cursor.fetchall())


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
