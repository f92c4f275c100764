"""Statements as a table: what counts, beside what was extracted, and what people removed; what
of the replies was not kept; and what NLI models said of every pair of statements.
"""

from itertools import product

from annotate.design.splits import withheld
from judges.models import Entailment, Extraction, Grain, Statement
from judges.models.entailment import as_array

CHUNK = 5000
MATRICES = 20  # at once; one may be of 20,000 pairs
FIELDS = [
    "item_id",
    "side",
    "item__key",
    "number",
    "now_statement",
    "now_topic",
    "now_sentiment",
    "statement",
    "topic",
    "sentiment",
    "is_removed",
    "start",
    "end",
    "run__judge__key",
    "run_id",
    "corrected_at",
]
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


def dropped(study, clean, cells):
    """One row a triplet that was not kept, of the runs whose statements count.

    Of a locked test part none.
    """
    hidden = withheld(study)
    rows = Extraction.objects.speaking(study).exclude(dropped=[]).order_by("item", "side", "part")
    names = "item_id", "item__key", "side", "part", "run__judge__key", "run_id", "dropped"
    for item, key, side, part, judge, run, found in rows.values_list(*names).iterator(CHUNK):
        for each in found if item not in hidden else ():
            said = (clean(each[name]) for name in ("statement", "topic", "sentiment"))
            yield (
                cells(clean.key(key), side, part + 1, *said, each["why"], clean.key(judge), run),
            )


def entailments(study, clean, cells):
    """One row a pair and direction, of each judge's newest; of a locked test part none.

    A side that is compared with nothing has a row for each of its own, without probabilities.
    """
    hidden, newest = withheld(study), {}
    rows = Entailment.objects.counting().filter(item__study=study).order_by("run_id", "pk")
    for pk, item, *which in rows.values_list("pk", "item", "grain", "run__judge").iterator(CHUNK):
        if item not in hidden:
            newest[item, *which] = pk
    pks = sorted(newest.values())
    for start in range(0, len(pks), MATRICES):
        found = Entailment.objects.filter(pk__in=pks[start : start + MATRICES]).order_by("pk")
        for each in found.select_related("item", "run__judge"):
            for row in _pairs(each):
                yield (cells(*_said(each, row, clean)),)


def _pairs(each):
    """(direction, premise, hypothesis, probabilities, their texts) of one item."""
    n, m = each.n_generated, each.n_reference
    generated, reference = each.generated or [""] * n, each.reference or [""] * m
    yield from _one_way("precision", reference, generated, each.forward)
    if each.grain == Grain.STATEMENT:
        yield from _one_way("recall", generated, reference, each.backward)


def _one_way(direction, premises, hypotheses, kept):
    if not premises or not hypotheses:
        nothing = None, None, None
        for number, text in enumerate(premises, start=1):
            yield direction, number, None, nothing, text, ""
        for number, text in enumerate(hypotheses, start=1):
            yield direction, None, number, nothing, "", text
        return
    numbers = product(enumerate(hypotheses, start=1), enumerate(premises, start=1))
    for ((hypothesis, said), (premise, before)), values in zip(
        numbers, as_array(kept).tolist(), strict=True
    ):
        yield direction, premise, hypothesis, values, before, said


def _said(each, row, clean):
    direction, premise, hypothesis, values, *texts = row
    judge = clean.key(each.run.judge.key) if each.run else ""
    numbers = premise, hypothesis, *values
    return clean.key(each.item.key), direction, *numbers, each.grain, judge, *map(clean, texts)
