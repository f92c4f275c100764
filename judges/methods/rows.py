"""Write the rows of a new run: each judgment in its unit, and what its prompt shows."""

import json
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from django.db.models import QuerySet

from judges import methods
from judges.models import Flag, HeldOut, Judgment, Material
from judges.prompting.flags import rules_of, texts_sent
from judges.prompting.materials import Materials, show_material

BATCH = 2000


@dataclass
class Wanted:
    """What a run is to ask: items, questions, Materials, and the trial of a recommender.

    limit: the first so many of what is asked about; None for all.
    """

    items: QuerySet
    questions: list
    materials: Materials
    limit: int | None = None
    trial: object = None


@dataclass
class Written:
    """Counts of what was written for a run.

    Its judgments, how many of them are not asked, how many items or sources are flagged, and the
    bytes of the longest item as it is shown.
    """

    judgments: int = 0
    not_asked: int = 0
    flagged: int = 0
    longest: int = 0


def write_rows(run, wanted):
    """Write all rows of a run over the wanted items that are not held out.

    Returns what was Written.
    """
    questions, materials = wanted.questions, wanted.materials
    written, unit, method = Written(), 0, methods.of_judge(run.judge)
    with in_turn(wanted.items.select_related("content", "recipient")) as rows:
        asked = (item for item in rows if item.pk not in materials.pool)
        asked = islice((item for item in asked if _asked(method, item, questions)), wanted.limit)
        while some := list(islice(asked, BATCH)):
            gathered = materials.gather(some)
            judgments = []
            for item, material, missing in gathered:
                sent = _bytes_of(method, item, material, materials.texts)
                written.longest = max(written.longest, sent)
                for call in method.calls(run.judge, item, _asked(method, item, questions)):
                    judgments += _rows(run, item, call, unit, missing)
                    unit += 1
            written.judgments += len(Judgment.objects.bulk_create(judgments, BATCH))
            written.not_asked += sum(bool(judgment.reason) for judgment in judgments)
            if materials.shows:
                _keep(run, gathered)
            if run.judge.endpoint_id:
                written.flagged += _flag(run, gathered)
    HeldOut.objects.bulk_create((HeldOut(run=run, item_id=pk) for pk in materials.pool), BATCH)
    return written


def in_turn(queryset, size=BATCH):
    """Read rows a batch at a time, of which not all may be wanted: a context manager.

    What is left unread is closed at its end. The collector of garbage could do it in the midst of
    another query of the same connection, and psycopg would wait for itself: a query for a key of a
    JSON field keeps an exception, and so the frames of all its callers, in a cycle.
    """
    return closing(queryset.iterator(chunk_size=size))


def _asked(method, item, questions):
    return [question for question in questions if method.asks(question, item)]


def _rows(run, item, call, unit, missing):
    sample, order, questions = call
    state = Judgment.beginning(missing)
    return [
        Judgment(
            run=run,
            item=item,
            question=question,
            sample=sample,
            order=order,
            unit=unit,
            lead=place == 0,
            **state,
        )
        for place, question in enumerate(questions)
    ]


def _keep(run, gathered):
    kept = [material for _, material, missing in gathered if not missing]
    for material in kept:
        material.run = run
    Material.objects.bulk_create(kept, BATCH)


def _flag(run, gathered):
    """Store which rules the texts of each item meet; return how many items meet any."""
    method = methods.of_judge(run.judge)
    sent = [
        (item, texts_sent(item, material, method.beside(item)))
        for item, material, missing in gathered
        if not missing
    ]
    met = [(item, rules_of(*texts)) for item, texts in sent]
    flags = [Flag(run=run, item=item, rules=rules) for item, rules in met if rules]
    return len(Flag.objects.bulk_create(flags, BATCH))


def _bytes_of(method, item, material, texts):
    beside = show_material(material, texts)
    title = item.content.title if item.content else ""
    texts = item.text, title, beside.example, beside.context, json.dumps(beside.subject)
    texts += tuple(method.beside(item))
    return sum(len(text.encode()) for text in texts)
