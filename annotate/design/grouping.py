"""Choose items that a session takes together, by a column that the study names (`sessions_by`).

All items of a session have the same value in the column, such as the items of a survey.

Sessions that begin at the same time choose one after the other. Else two of them could take a part
each of the same items, and both would be left with half a survey.
"""

import json
from collections.abc import Sequence
from typing import Any

from django.db import connection

from annotate.models import Session, Study
from annotate.values.wrong import quoted

KEY = "sessions_by"
LONGEST = 60
# Columns of items that are no extra ones.
OWN = {name: f"item.{name}_id" for name in ("recipient", "content", "system")}
# The row that orders are counted in, not the study's: whoever begins holds their session, and those
# who lock the study wait for sessions.
WAIT = """
INSERT INTO annotate_ordercounter (study_id, taken) VALUES (%s, 0)
ON CONFLICT (study_id) DO UPDATE SET taken = annotate_ordercounter.taken
"""
# What fills a session comes before what is left of a survey. Then the least filled: with the most
# open places an item that this rater may take; of equals the one with the most such items.
CHOOSE = """
SELECT {value} FROM annotate_place place JOIN annotate_item item ON item.id = place.item_id
WHERE {open} AND {only} AND NOT EXISTS (
    SELECT 1 FROM annotate_place mine WHERE mine.item_id = place.item_id AND mine.rater_id = %s
)
GROUP BY 1
ORDER BY CASE WHEN COUNT(DISTINCT place.item_id) >= %s THEN 0 ELSE 1 END,
    COUNT(*) * 1.0 / COUNT(DISTINCT place.item_id) DESC, COUNT(DISTINCT place.item_id) DESC,
    MIN(place.shuffle), 1
LIMIT 1
"""
OF = "SELECT {value} FROM annotate_item item WHERE item.id = %s"
ALIKE = """ AND place.item_id IN (
    SELECT item.id FROM annotate_item item WHERE item.study_id = %s AND {value} = %s
)"""


def check_column(column: Any) -> Any:
    """Return the name of a column; ValueError says what is wrong with it."""
    if column == "" or (
        isinstance(column, str)
        and column == column.strip()
        and len(column) <= LONGEST
        and column.isprintable()
        and not set(column) & set('"\\')
    ):
        return column
    raise ValueError(
        f"found {quoted(column)}; allowed is the name of a column of items.csv, up to {LONGEST} "
        "characters without quotation marks and backslashes"
    )


def _value(study: Study) -> tuple[str, list[str]]:
    """Return an SQL expression of an item's text in the column, and its parameters.

    The text is empty where the item has none.
    """
    column = study.extra[KEY]
    if column in OWN:
        return f"COALESCE(CAST({OWN[column]} AS TEXT), '')", []
    if connection.vendor == "postgresql":
        return "COALESCE(item.data ->> %s, '')", [column]
    # Written as Django writes the keys: SQLite compares them letter by letter.
    return "COALESCE(CAST(json_extract(item.data, %s) AS TEXT), '')", ["$." + json.dumps(column)]


def wait_for_turn(study: Study) -> None:
    """Let no other session of a grouped study take places until this transaction ends."""
    if study.extra.get(KEY):
        with connection.cursor() as cursor:
            cursor.execute(WAIT, [study.pk])


def limited(
    session: Session, is_open: str, only: str, values: list[Any], count: int, like: Sequence[int]
) -> tuple[str, list[Any]]:
    """Add to a claim's condition and values that all items share a value of the study's column.

    count: how many items it may take. like: items that it has already; what it takes belongs to the
    first of them.
    """
    study = session.study
    if not study.extra.get(KEY):
        return only, values
    wait_for_turn(study)
    value, names = _value(study)
    with connection.cursor() as cursor:
        if like:
            cursor.execute(OF.format(value=value), [*names, like[0]])
        else:
            choose = CHOOSE.format(value=value, open=is_open, only=only)
            cursor.execute(choose, [*names, study.pk, *values, session.rater_id, count])
        chosen = cursor.fetchone()
    if chosen is None:
        return only, values  # nothing is open at all
    return only + ALIKE.format(value=value), [*values, study.pk, *names, chosen[0]]
