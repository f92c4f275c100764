"""One side of an item with its statements, and what people change of them."""

from collections import Counter
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from annotate.models import Item
from judges.methods.extract.triplets import Places, alike, spans
from judges.models import Extraction, Judge, Judgment, Run, Sentiment, Statement
from judges.models.statement import ADDED_FROM, side_text

REPEATED = "This text has that statement already."
CHANGES = {"statement": "said", "topic": "about", "sentiment": "feels"}


class Repeated(ValueError):
    """Another statement of the same text says the same; the message is for people."""


@dataclass
class Reading:
    """One side of an item as one run read it: its text, its statements, what was dropped.

    run: None where no run read it. speaks: whether these are the statements that count. reasons:
    why parts were not read, with their number.
    """

    item: Item
    side: str
    run: Run | None
    runs: list
    text: str
    statements: list
    dropped: list
    reasons: dict
    speaks: bool

    @property
    def is_old(self):
        """Whether the item has another text now."""
        return self.run is not None and self.text.strip() != side_text(self.item, self.side).strip()

    @property
    def spans(self):
        """[(words, statements that come from there, how they feel)] that make up the text."""
        there = {one.pk: one for one in self.statements if not one.is_removed}
        places = [(one.start, one.end, one.pk) for one in there.values() if one.start is not None]
        for start, end, found in spans(len(self.text), places):
            said = [there[pk] for pk in found]
            feels = {one.feels for one in said}
            how = "mixed" if len(feels) > 1 else next(iter(feels), "")
            yield self.text[start:end], said, how

    @property
    def counts(self):
        """{how it feels: how many statements} of those that count, none left out."""
        found = Counter(one.feels for one in self.statements if not one.is_removed)
        return {Sentiment(name).label: found[name] for name in Sentiment.values}

    def said(self, without=None):
        """What the statements that count say, but one."""
        return [one.said for one in self.statements if not one.is_removed and one != without]

    @property
    def kept(self):
        return sum(not one.is_removed for one in self.statements)


def reading(item, side, wanted=""):
    """The Reading of a side: by the run with that id, else the one that counts, else the newest."""
    mine = Extraction.objects.filter(item=item, side=side)
    runs = list(Run.objects.filter(pk__in=mine.values("run")).select_related("judge"))
    newest = Extraction.objects.speaking(item.study).filter(item=item, side=side)
    speaking = newest.values_list("run", flat=True).first()
    chosen = int(wanted) if str(wanted).isdecimal() else speaking
    run = next((run for run in runs if run.pk == chosen), runs[0] if runs else None)
    parts = list(mine.filter(run=run).order_by("part")) if run else []
    rows = Statement.objects.filter(item=item, side=side, run__in=[run] if run else [])
    rows = rows | Statement.objects.filter(item=item, side=side, run=None)
    return Reading(
        item=item,
        side=side,
        run=run,
        runs=runs,
        text="".join(part.text for part in parts) if run else side_text(item, side),
        statements=list(rows.select_related("corrected_by").order_by("number")),
        dropped=[(part, each) for part in parts for each in part.dropped],
        reasons=_reasons(run, parts),
        speaks=run is None or run.pk == speaking,
    )


def _reasons(run, parts):
    """{why: how many parts} of the parts that were not read."""
    units = [part.unit for part in parts if part.kept is None]
    rows = Judgment.objects.filter(run=run, unit__in=units, lead=True) if units else []
    said = {one.unit: one.reason or one.get_state_display() for one in rows}
    return dict(Counter(said.get(unit, "not read") for unit in units))


def topics_of(study, run):
    """The names that a topic of a statement can have; none where everything is allowed."""
    if run is not None and run.frozen.get("topics"):
        return [name for name, _ in run.frozen["topics"]]
    if run is not None:
        rows = Statement.objects.filter(run=run).order_by("topic")
        return list(rows.values_list("topic", flat=True).distinct())
    judges = Judge.objects.filter(study=study, method=Judge.Method.EXTRACTION)
    found = dict.fromkeys(name for judge in judges for name, _ in judge.topics)
    return list(found)


def with_own(names, one):
    """The names, and those that a statement has besides: a file may have brought others."""
    return list(dict.fromkeys([*names, one.topic, one.about])) if names else []


def _held(pk):
    """The statement, until the transaction ends; and no other of its item changes meanwhile."""
    item = Statement.objects.values_list("item", flat=True).get(pk=pk)
    Item.objects.select_for_update(no_key=True).get(pk=item)
    return Statement.objects.select_for_update().get(pk=pk)


def _refuse_repeat(one, said):
    """Repeated where another statement that counts beside this one says the same.

    Beside one of a run stand those of the run, beside one that a person added those that count.
    """
    others = Statement.objects.filter(item=one.item_id, side=one.side, is_removed=False)
    if one.run_id is None:
        study = Item.objects.values_list("study", flat=True).get(pk=one.item_id)
        others = Statement.objects.speaking(study).filter(item=one.item_id, side=one.side)
    else:
        others = others.filter(Q(run=None) | Q(run=one.run_id))
    if alike(said) in {alike(other.said) for other in others.exclude(pk=one.pk)}:
        raise Repeated(REPEATED)


@transaction.atomic
def correct(pk, values, user):
    """Keeps other words, topic or sentiment beside what was extracted; the same again is none.

    Repeated where the text has that statement already.
    """
    one = _held(pk)
    if alike(values["statement"]) != alike(one.said):
        _refuse_repeat(one, values["statement"])
    for name in CHANGES:
        value = values[name]
        setattr(one, f"corrected_{name}", "" if value == getattr(one, name) else value)
    one.corrected_by, one.corrected_at = user, timezone.now()
    if not (one.is_added or one.is_corrected or one.is_removed):
        one.corrected_by = one.corrected_at = None
    one.save()


@transaction.atomic
def remove(pk, user):
    """The statement counts no longer; it stays where it was."""
    one = Statement.objects.select_for_update().get(pk=pk)
    one.is_removed, one.corrected_by, one.corrected_at = True, user, timezone.now()
    one.save()


@transaction.atomic
def undo(pk, user):
    """The statement counts as it was extracted, or as it was added.

    Repeated where another one says that by now.
    """
    one = _held(pk)
    _refuse_repeat(one, one.statement)
    one.is_removed = False
    one.corrected_statement = one.corrected_topic = one.corrected_sentiment = ""
    by = (user, timezone.now()) if one.is_added else (None, None)
    one.corrected_by, one.corrected_at = by
    one.save()


@transaction.atomic
def add(item, side, text, values, user):
    """A statement that a person reads in a text, found in it where it stands there.

    Repeated where the text has it already.
    """
    Item.objects.select_for_update(no_key=True).get(pk=item.pk)  # two numbers would be the same
    _refuse_repeat(Statement(item=item, side=side), values["statement"])
    added = Statement.objects.filter(item=item, side=side, run=None)
    last = added.aggregate(last=Max("number"))["last"]
    start, end = Places(text).of(values["statement"]) or (None, None)
    return Statement.objects.create(
        item=item,
        side=side,
        number=ADDED_FROM if last is None else last + 1,
        start=start,
        end=end,
        corrected_by=user,
        corrected_at=timezone.now(),
        **values,
    )
