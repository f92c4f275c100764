"""The rows of a new run: every judgment in its unit, and what its prompt shows beside the item."""

from dataclasses import dataclass
from itertools import groupby, islice

from django.utils import timezone

from judges.materials import shown
from judges.models import HeldOut, Judge, Judgment, Material

BATCH = 2000


@dataclass
class Written:
    """How many judgments, of these not asked, and the bytes of the longest item as it is shown."""

    judgments: int = 0
    not_asked: int = 0
    longest: int = 0


def write_rows(run, items, questions, materials, limit=None):
    """Writes all rows of a run over `items`, the first `limit` that are not held out: Written."""
    written, unit = Written(), 0
    rows = items.select_related("content", "recipient").iterator(chunk_size=BATCH)
    asked = (item for item in rows if item.pk not in materials.pool)
    asked = islice((item for item in asked if _asked(item, questions)), limit)
    while some := list(islice(asked, BATCH)):
        found = materials.of(some)
        judgments = []
        for item, material, missing in found:
            written.longest = max(written.longest, _bytes_of(item, material, materials.texts))
            for together in _units(run.judge, _asked(item, questions)):
                judgments += _rows(run, item, together, unit, missing)
                unit += 1
        written.judgments += len(Judgment.objects.bulk_create(judgments, BATCH))
        written.not_asked += sum(bool(judgment.reason) for judgment in judgments)
        if materials.shows:
            _keep(run, found)
    HeldOut.objects.bulk_create((HeldOut(run=run, item_id=pk) for pk in materials.pool), BATCH)
    return written


def _asked(item, questions):
    return [question for question in questions if question.applies_to_kind(item.kind)]


def _units(judge, questions):
    """[(sample, questions)]: one unit is one call, all questions of an item or each by itself."""
    single = judge.aspects == Judge.Aspects.SINGLE
    for sample in range(judge.samples):
        for _, together in groupby(questions, key=lambda q: q.pk if single else 0):
            yield sample, list(together)


def _rows(run, item, together, unit, missing):
    sample, questions = together
    state = {}
    if missing:
        not_asked = Judgment.State.NOT_ASKED
        state = {"state": not_asked, "reason": missing, "settled_at": timezone.now()}
    return [
        Judgment(
            run=run, item=item, question=question, sample=sample, unit=unit, lead=at == 0, **state
        )
        for at, question in enumerate(questions)
    ]


def _keep(run, found):
    kept = [material for _, material, missing in found if not missing]
    for material in kept:
        material.run = run
    Material.objects.bulk_create(kept, BATCH)


def _bytes_of(item, material, texts):
    beside = shown(material, texts)
    title = item.content.title if item.content else ""
    return sum(len(text.encode()) for text in (item.text, title, beside.example, beside.context))
