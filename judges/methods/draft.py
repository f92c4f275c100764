"""Draft the calls about one recipient, item or sample, for a page that sends nothing."""

from dataclasses import dataclass, field

from django.db.models import Subquery

MOST_OTHERS = 20


@dataclass
class Draft:
    """The calls about one thing, [(what it is about, Asked, Shown)], or why there are none.

    others: ids of those that follow; texts: what rules for texts look at; count: how many things a
    run would ask about; facts: settings that only a run has.
    """

    subject: object
    others: list
    missing: str = ""
    calls: list = field(default_factory=list)
    texts: list = field(default_factory=list)
    count: int = 0
    facts: dict = field(default_factory=dict)


def rows_from(rows, key):
    """Return the row with that id, or the first row, and some that follow it, in one query."""
    if key:
        rows = rows.filter(pk__gte=Subquery(rows.filter(key=key).order_by().values("pk")[:1]))
    return list(rows[: 1 + MOST_OTHERS])


def begin_draft(rows, key):
    """Return the Draft about the row with that id, or about the first; None without a row."""
    row, *others = rows_from(rows, key) or [None]
    return row and Draft(row, [other.key for other in others])
