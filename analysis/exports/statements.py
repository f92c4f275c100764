"""Export statements, the triplets that were not kept, and what NLI models said of the pairs.

A statement's row has what counts beside what was extracted, and whether a person removed it.
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


def statements(study):
    """Yield one row per statement, and a row without any for each side that states nothing.

    Items of a locked test part are left out.
    """
    hidden, seen = withheld(study), set()
    rows = Statement.objects.extracted(study).with_said().order_by("item", "side", "number")
    for item, side, *row in rows.values_list(*FIELDS).iterator(CHUNK):
        if not row[IS_REMOVED]:
            seen.add((item, side))
        if item not in hidden:
            yield _row(side, row)
    names = "item_id", "side", "item__key", "run__judge__key", "run_id"
    extractions = Extraction.objects.speaking(study).filter(part=0).order_by("item", "side")
    for item, side, key, judge, run in extractions.values_list(*names).iterator(CHUNK):
        if (item, side) not in seen and item not in hidden:
            nothing = [None, "", "", "", "", "", "", "", None, None]
            yield key, side, *nothing, judge or "", run, None


def _row(side, row):
    key, number, *texts, is_removed, start, end, judge, run, changed_at = row
    now, was = texts[:3], texts[3:]
    change = "removed" if is_removed else "added" if run is None else "corrected" * (now != was)
    return key, side, number, *now, change, *was, start, end, judge or "", run, changed_at


def dropped(study):
    """Yield one row per triplet that was not kept, of the runs whose statements count.

    Items of a locked test part are left out.
    """
    hidden = withheld(study)
    rows = Extraction.objects.speaking(study).exclude(dropped=[]).order_by("item", "side", "part")
    names = "item_id", "item__key", "side", "part", "run__judge__key", "run_id", "dropped"
    for item, key, side, part, judge, run, triplets in rows.values_list(*names).iterator(CHUNK):
        for triplet in triplets if item not in hidden else ():
            texts = (triplet[name] for name in ("statement", "topic", "sentiment", "why"))
            yield key, side, part + 1, *texts, judge, run


def entailments(study):
    """Yield one row per pair and direction, of each judge's newest values.

    Items of a locked test part are left out. A side that is compared with nothing has a row for
    each of its own texts, without probabilities.
    """
    hidden, newest = withheld(study), {}
    rows = Entailment.objects.counting().filter(item__study=study).order_by("run_id", "pk")
    for pk, item, *which in rows.values_list("pk", "item", "grain", "run__judge").iterator(CHUNK):
        if item not in hidden:
            newest[item, *which] = pk
    pks = sorted(newest.values())
    for start in range(0, len(pks), MATRICES):
        batch = Entailment.objects.filter(pk__in=pks[start : start + MATRICES]).order_by("pk")
        for entailment in batch.select_related("item", "run__judge"):
            key, judge = entailment.item.key, entailment.run.judge.key if entailment.run else ""
            for direction, premise, hypothesis, values, *texts in _pairs(entailment):
                numbers = premise, hypothesis, *values
                yield key, direction, *numbers, entailment.grain, judge, *texts


def _pairs(entailment):
    """Yield (direction, premise, hypothesis, probabilities, their texts) of one item."""
    n, m = entailment.n_generated, entailment.n_reference
    generated, reference = entailment.generated or [""] * n, entailment.reference or [""] * m
    yield from _one_way("precision", reference, generated, entailment.forward)
    if entailment.grain == Grain.STATEMENT:
        yield from _one_way("recall", generated, reference, entailment.backward)


def _one_way(direction, premises, hypotheses, kept):
    if not premises or not hypotheses:
        nothing = None, None, None
        for number, text in enumerate(premises, start=1):
            yield direction, number, None, nothing, text, ""
        for number, text in enumerate(hypotheses, start=1):
            yield direction, None, number, nothing, "", text
        return
    numbers = product(enumerate(hypotheses, start=1), enumerate(premises, start=1))
    for ((hypothesis, hypothesis_text), (premise, premise_text)), values in zip(
        numbers, as_array(kept).tolist(), strict=True
    ):
        yield direction, premise, hypothesis, values, premise_text, hypothesis_text
