"""A study of factuality whose statements are there already, as a run would leave them."""

from judges.models import Extraction, Run, Side, Statement
from tests import factories

GENERATED, REFERENCE = Side.GENERATED, Side.REFERENCE
SUPPORTED = {"supported": "Is the whole statement entailed by the document?"}


def make_factuality(owner=None, slug="shoes", **fields):
    """A study whose one question is binary and about statements."""
    fields = {"kind": "factuality", "raters_per_item": 2, "title": "Shoes"} | fields
    study = factories.make_study(slug, owner, questions={}, **fields)
    factories.make_question(
        study,
        "supported",
        {"binary": ["Not entailed", "Entailed"]},
        applies_to=["statement"],
        text=SUPPORTED["supported"],
    )
    return study


def make_explained(study, key, generated, reference, /, judge=None, **fields):
    """An explanation with a review, both read; the sides are [(statement, topic, sentiment)]."""
    fields = {"text": f"Text of {key}.", "review": f"Review of {key}."} | fields
    item = factories.make_item(study, key, **fields)
    run = read(study, judge)
    for side, rows in ((GENERATED, generated), (REFERENCE, reference)):
        state(run, item, side, rows)
    return item


def read(study, judge=None):
    """A finished run that extracted."""
    judge = judge or factories.make_judge(study, f"extract-{Run.objects.count()}")
    return Run.objects.create(judge=judge, state=Run.State.FINISHED)


def state(run, item, side, rows):
    """What the run read in one side of the item."""
    unit = run.extractions.count()
    Extraction.objects.create(run=run, item=item, side=side, unit=unit, kept=len(rows))
    Statement.objects.bulk_create(
        Statement(
            run=run,
            item=item,
            side=side,
            number=number,
            statement=said,
            topic=topic,
            sentiment=sentiment,
        )
        for number, (said, topic, sentiment) in enumerate(rows, start=1)
    )
