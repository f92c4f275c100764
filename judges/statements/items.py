"""Make items of the kind statement: each explanation's statement with the document to check it by.

People rate them and judges score them as any other item. A statement of the generated text stands
with the composed ground truth (direction precision), a statement of the reference with the
generated text (recall). No item's text is ever changed: what a correction makes outdated is taken
away where it has no answer, else marked, and the statement as it is now gets an item of its own.

A statement item has no parent, for that would make it a part of the explanation's page. It names
its explanation among its extra columns.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from django.db import transaction
from django.template.defaultfilters import pluralize

from annotate.db import bulk
from annotate.design.checks import gold_keys
from annotate.design.splits import withheld
from annotate.files.loading.common import batches
from annotate.files.loading.placing import drop_open, give_places
from annotate.models import Answer, Item, Place, Rating, Study
from annotate.models.item import OUTDATED
from annotate.sessions import kept_places
from judges.models import Extraction, Judgment, Side, Statement
from judges.models.statement import side_text
from judges.statements.ground_truth import composed, wrapped

PRECISION, RECALL = "precision", "recall"
EXPLANATION, DIRECTION, NUMBER = "explanation", "direction", "statement"
KINDS = (str(Item.Kind.EXPLANATION), str(Item.Kind.TEXT))  # what statements are extracted from
DIRECTIONS = {Side.GENERATED: PRECISION, Side.REFERENCE: RECALL}
LEFT = ("explaining_contents", OUTDATED)  # extra columns that do not go over
LONGEST_NAME = 170  # of the explanation's id within that of a statement
OWN = re.compile(r" · [pr]-[0-9a-f]{16}\Z")
COLUMNS = (
    "study_id",
    "key",
    "kind",
    "recipient_id",
    "content_id",
    "system_id",
    "text",
    "reference",
    "data",
)
NOTHING = "No text of this study has statements yet: extract some, or load statements."
ALL_WITHHELD = "All texts with statements belong to the locked test part: unlock it first."
ANY_KIND = (
    "These questions are asked of items of every kind, of statements too: {}. Say of which kinds "
    "each is asked, on the page Questions, before statement items are made."
)


@dataclass
class Made:
    """Numbers of what was seen and done.

    unread: items of which only one side has been read; withheld: items of the locked test part,
    which stay as they are.
    """

    explanations: int = 0
    withheld: int = 0
    unread: int = 0
    both_empty: int = 0
    one_empty: int = 0
    new: int = 0
    unchanged: int = 0
    outdated: int = 0
    references: int = 0
    references_kept: int = 0

    def __str__(self):
        parts = {
            f"new statement item{pluralize(self.new)}": self.new,
            "as they were": self.unchanged,
            "outdated": self.outdated,
        }
        counts = ", ".join(f"{count:,} {what}" for what, count in parts.items() if count)
        of = f"{self.explanations:,} item{pluralize(self.explanations)} with statements"
        sentences = [f"{counts or 'No statement items'}, of {of}"]
        left = {
            "with no statement on either side: their values are undefined": self.both_empty,
            "with none on one side: their precision, recall and F1 are 0": self.one_empty,
            "of which only one side has been read": self.unread,
            "of the locked test part, left as they are": self.withheld,
        }
        sentences += [f"{count:,} {what}" for what, count in left.items() if count]
        if self.references or self.references_kept:
            sentences.append(
                f"{self.references:,} reference{pluralize(self.references)} filled with the "
                f"ground truth, {self.references_kept:,} left as they are"
            )
        return ". ".join(sentences) + "."


@dataclass(frozen=True)
class Wanted:
    """A statement item as it should be."""

    key: str
    explanation: Item
    text: str
    document: str
    data: dict

    @property
    def row(self):
        """Return the item's values by COLUMNS."""
        explanation = self.explanation
        links = explanation.recipient_id, explanation.content_id, explanation.system_id
        kind = str(Item.Kind.STATEMENT)
        return (explanation.study_id, self.key, kind, *links, self.text, self.document, self.data)


def current(study):
    """Return the study's statement items that say what its statements say now."""
    items = Item.objects.filter(study=study, kind=Item.Kind.STATEMENT, data__has_key=DIRECTION)
    return items.without_outdated()


@transaction.atomic
def make(study, fill_references=False):
    """Make missing statement items and put away outdated ones; return Made.

    fill_references: blank references of items with a review get the composed ground truth, which
    metrics of similarity compare with. ValueError without statements, and where a question would be
    asked of the new items without anybody having said so.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    _check_questions(study)
    hidden = withheld(study)
    made, wanted, references = _wanted(study, hidden)
    if not made.explanations:
        raise ValueError(ALL_WITHHELD if made.withheld else NOTHING)
    changed = _write(study, wanted, made, hidden)
    if fill_references:
        changed |= _fill(references, made)
    if changed:
        Study.objects.filter(pk=study.pk).update(loads=study.loads + 1)
    return made


def _check_questions(study):
    """Refuse questions of every kind: the study's other numbers would change with them."""
    asked = study.questions.filter(applies_to=[], retired=False)
    if keys := list(asked.values_list("key", flat=True)):
        raise ValueError(ANY_KIND.format(", ".join(keys)))


def _stated(study):
    """Return the study's items that a run or a person read."""
    items = study.items.filter(pk__in=Statement.objects.values("item"))
    return items | study.items.filter(pk__in=Extraction.objects.values("item"))


def _wanted(study, hidden):
    """Return (Made, {key: Wanted}, [(item, composed ground truth)]), without hidden items."""
    made, wanted, references = Made(), {}, []
    read = _read(study)
    items = _stated(study).filter(is_practice=False, kind__in=KINDS).order_by("pk")
    for every in batches(items.iterator(chunk_size=2000)):
        some = [item for item in every if item.pk not in hidden]
        made.withheld += len(every) - len(some)
        statements = _statements(study, some)
        for item in some:
            sides = statements[item.pk]
            if not all(_is_read(item, side, read, sides) for side in Side):
                made.unread += bool(any(_is_read(item, side, read, sides) for side in Side))
                continue
            made.explanations += 1
            truth = _truth(sides[Side.REFERENCE], study.language)
            references.append((item, truth))
            empty = [side for side in Side if not sides[side]]
            made.both_empty += len(empty) == 2
            made.one_empty += len(empty) == 1
            if not empty:
                wanted |= _of_item(item, sides, truth, study.language)
    return made, wanted, references


def _read(study):
    """Return {(item, side)} that the speaking runs read, also sides without statements."""
    first = Extraction.objects.speaking(study).filter(part=0)
    return set(first.values_list("item", "side"))


def _is_read(item, side, read, sides):
    """Whether a side is read; a side without any text says nothing and counts as read."""
    return (item.pk, side) in read or bool(sides[side]) or not side_text(item, side).strip()


def _statements(study, items):
    """Return {item: {side: [Statement]}} of statements that count, in order; one query."""
    by_side = defaultdict(lambda: defaultdict(list))
    rows = Statement.objects.speaking(study).filter(item__in=[item.pk for item in items])
    for statement in rows.order_by("item", "side", "number", "pk"):
        if wrapped(statement.said, statement.feels):
            by_side[statement.item_id][statement.side].append(statement)
    return by_side


def _truth(statements, language):
    return composed([(statement.said, statement.feels) for statement in statements], language)


def _of_item(item, sides, truth, language):
    """Return {key: Wanted} of both sides of an item, with its extra columns to group by."""
    by_key, documents = {}, {Side.GENERATED: truth, Side.REFERENCE: item.text.strip()}
    own = {name: value for name, value in item.data.items() if name not in LEFT}
    for side, direction in DIRECTIONS.items():
        times: Counter = Counter()
        for statement in sides[side]:
            text = wrapped(statement.said, statement.feels, language)
            times[text] += 1
            key = _key(item, direction, text, documents[side], times[text])
            data = own | {
                EXPLANATION: item.key,
                DIRECTION: direction,
                NUMBER: str(statement.number),
                "topic": statement.about,
                "sentiment": str(statement.feels),
            }
            by_key[key] = Wanted(key, item, text, documents[side], data)
    return by_key


def _key(item, direction, text, document, time):
    """Return an id made of what is shown: the same statement item has the same id again."""
    told = json.dumps([item.key, direction, text, document, time])
    digest = hashlib.sha256(told.encode()).hexdigest()[:16]
    return f"{item.key[:LONGEST_NAME]} · {direction[0]}-{digest}"


def _write(study, wanted, made, hidden):
    """Add, mark and take away items; return whether anything changed."""
    there = _there(study, hidden)
    new = [statement_item for key, statement_item in wanted.items() if key not in there]
    bulk.insert(Item, COLUMNS, (statement_item.row for statement_item in new))
    gone = [pk for key, (pk, _) in there.items() if key not in wanted]
    fresh = {key for key, (_, data) in there.items() if OUTDATED not in data} - wanted.keys()
    again = {pk: _now(data, wanted[key]) for key, (pk, data) in there.items() if key in wanted}
    again = {pk: data for pk, data in again.items() if data is not None}
    made.new, made.outdated = len(new), len(fresh)
    made.unchanged = len(wanted) - len(new)
    _put_away(study, gone, {pk: data for pk, data in there.values()})
    _save(again)
    give_places(study, study.items.with_places().filter(kind=Item.Kind.STATEMENT))
    kept_places.settle(study)
    return bool(new or fresh or again)


def _now(data, wanted):
    """Return the extra columns as they should be, others kept; None where they are right."""
    bare = {name: value for name, value in data.items() if name != OUTDATED}
    now = bare | wanted.data
    return None if now == data else now


def _there(study, hidden):
    """Return {key: (primary key, extra columns)} of the items that were made here before.

    Items of hidden explanations are left out, and of explanations without statements here: these
    items were loaded, or the run of their statements was deleted.
    """
    items = study.items.filter(kind=Item.Kind.STATEMENT, data__has_key=DIRECTION)
    rows = items.values_list("key", "pk", "data").iterator()
    explanations = set(_stated(study).values_list("key", flat=True)) - set(hidden.values())
    return {
        key: (pk, data)
        for key, pk, data in rows
        if OWN.search(key) and pk not in hidden and data.get(EXPLANATION) in explanations
    }


def _put_away(study, pks, data):
    """Delete outdated items; mark those that have answers or places in use."""
    gold = set(study.items.filter(key__in=gold_keys(study)).values_list("pk", flat=True))
    for some in batches(pks):
        drop_open(Place.objects.filter(item__in=some))
        kept = gold.intersection(some)
        for rows in (Rating, Answer, Judgment, Place):
            kept |= set(rows.objects.filter(item__in=some).values_list("item", flat=True))
        Item.objects.filter(pk__in=set(some) - kept).delete()
        _save({pk: data[pk] | {OUTDATED: "yes"} for pk in kept if OUTDATED not in data[pk]})


def _save(changed):
    """Write the extra columns {primary key: data}."""
    bulk.update(Item, ["data"], [(json.dumps(data), pk) for pk, data in changed.items()])


def _fill(references, made):
    """Fill blank references of items with a review by the paragraph; return whether any was."""
    blank = [
        (truth, item.pk)
        for item, truth in references
        if truth and item.review.strip() and not item.reference.strip()
    ]
    bulk.update(Item, ["reference"], blank)
    made.references = len(blank)
    made.references_kept = len(references) - len(blank)
    return bool(blank)
