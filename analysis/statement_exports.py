"""Statements as a table: what counts, beside what was extracted, and what people removed."""

from annotate.splits import withheld
from judges.models import Extraction, Statement

CHUNK = 5000
FIELDS = [
    "item_id", "side", "item__key", "number", "now_statement", "now_topic", "now_sentiment",
    "statement", "topic", "sentiment", "is_removed", "start", "end", "run__judge__key", "run_id",
    "corrected_at",
]  # fmt: skip
IS_REMOVED = FIELDS.index("is_removed") - 2


def statements(study, clean, cells):
    """One row a statement, and one without any for each side of an item that states nothing.

    Of a locked test part none.
    """
    hidden, seen = withheld(study), set()
    rows = Statement.objects.extracted(study).with_said().order_by("item", "side", "number")
    for item, side, *row in rows.values_list(*FIELDS).iterator(CHUNK):
        if not row[IS_REMOVED]:
            seen.add((item, side))
        if item not in hidden:
            yield (cells(*_row(side, row, clean)),)
    names = "item_id", "side", "item__key", "run__judge__key", "run_id"
    read = Extraction.objects.speaking(study).filter(part=0).order_by("item", "side")
    for item, side, key, judge, run in read.values_list(*names).iterator(CHUNK):
        if (item, side) not in seen and item not in hidden:
            nothing = [None, "", "", "", "", "", "", "", None, None]
            yield (cells(clean.key(key), side, *nothing, clean.key(judge), run, None),)


def _row(side, row, clean):
    key, number, *texts, is_removed, start, end, judge, run, at = row
    now, was = texts[:3], texts[3:]
    change = "removed" if is_removed else "added" if run is None else "corrected" * (now != was)
    said = *(clean(text) for text in now), change, *(clean(text) for text in was)
    return clean.key(key), side, number, *said, start, end, clean.key(judge), run, at
