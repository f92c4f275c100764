"""A study of factual consistency: explanations and the statement items that belong to them."""

from annotate.models import Item
from tests import factories

SUPPORTED = "supported"
# item: (recipient, system, domain, text, generated statements, reference statements); a statement
# is (topic, sentiment). Item f is one that says nothing and whose review says nothing.
ITEMS = {
    "a": ("r1", "good", "toys", "Sturdy and cheap.", ["build", "price"], ["build"]),
    "b": ("r2", "good", "toys", "Sturdy and loud.", ["build"], ["build", "sound"]),
    "c": ("r1", "bad", "toys", "Sturdy and loud.", ["sound", "price"], ["build", "price"]),
    "d": ("r2", "bad", "sports", "It floats.", ["price"], []),
    "e": ("r3", "bad", "sports", "It is blue.", [], ["sound"]),
}


def make_study(owner, items=None, slug="facts", **fields):
    """The explanations, and a statement item for each statement of either side."""
    study = factories.make_study(slug, owner, questions={}, **fields)
    factories.make_question(study, "overall", applies_to=["explanation"])
    factories.make_question(study, SUPPORTED, "binary", applies_to=["statement"])
    for key, (recipient, system, domain, text, generated, reference) in (items or ITEMS).items():
        item = factories.make_item(
            study,
            key,
            recipient,
            f"content of {recipient}",
            system,
            text=text,
            reference=f"The user would appreciate {key}.",
            kind="explanation",
            data={"domain": domain},
        )
        make_statements(item, "precision", generated)
        make_statements(item, "recall", reference)
    return study


def make_statements(item, direction, topics):
    for number, topic in enumerate(topics, start=1):
        Item.objects.create(
            study=item.study,
            key=f"{item.key}-{direction[0]}{number}",
            kind="statement",
            recipient=item.recipient,
            content=item.content,
            system=item.system,
            text=f"{direction} {number} of {item.key}: {topic}",
            reference=item.reference if direction == "precision" else item.text,
            data=item.data
            | {
                "explanation": item.key,
                "direction": direction,
                "statement": str(number),
                "topic": topic,
                "sentiment": "positive",
            },
        )


def statements_of(item):
    return Item.objects.filter(study=item.study, data__explanation=item.key).order_by("pk")
