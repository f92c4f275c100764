"""Show one side of an item with its statements, and keep what people change of them."""

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
    """One side of an item as a run read it: its text, its statements, what was dropped.

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
        """Yield (words, statements found there, their sentiment) pieces that make up the text."""
        there = {
            statement.pk: statement for statement in self.statements if not statement.is_removed
        }
        places = [
            (statement.start, statement.end, statement.pk)
            for statement in there.values()
            if statement.start is not None
        ]
        for start, end, pks in spans(len(self.text), places):
            stated = [there[pk] for pk in pks]
            feels = {statement.feels for statement in stated}
            how = "mixed" if len(feels) > 1 else next(iter(feels), "")
            yield self.text[start:end], stated, how

    @property
    def counts(self):
        """Return {sentiment: how many statements that count}, with every sentiment."""
        counts = Counter(
            statement.feels for statement in self.statements if not statement.is_removed
        )
        return {Sentiment(name).label: counts[name] for name in Sentiment.values}

    def counting_texts(self, without=None):
        """Return the words of the statements that count, except the statement `without`."""
        return [
            statement.said
            for statement in self.statements
            if not statement.is_removed and statement != without
        ]

    @property
    def kept(self):
        """Count the statements that count."""
        return sum(not statement.is_removed for statement in self.statements)


def reading(item, side, wanted=""):
    """Return the Reading of a side: by the wanted run, the run that counts or the newest."""
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
        dropped=[(part, triplet) for part in parts for triplet in part.dropped],
        reasons=_reasons(run, parts),
        speaks=run is None or run.pk == speaking,
    )


def _reasons(run, parts):
    """Return {why: how many parts} of the parts that were not read."""
    units = [part.unit for part in parts if part.kept is None]
    rows = Judgment.objects.filter(run=run, unit__in=units, lead=True) if units else []
    reasons = {judgment.unit: judgment.reason or judgment.get_state_display() for judgment in rows}
    return dict(Counter(reasons.get(unit, "not read") for unit in units))


def topics_of(study, run):
    """Return the topics a statement can have; an empty list where everything is allowed."""
    if run is not None and run.frozen.get("topics"):
        return [name for name, _ in run.frozen["topics"]]
    if run is not None:
        rows = Statement.objects.filter(run=run).order_by("topic")
        return list(rows.values_list("topic", flat=True).distinct())
    judges = Judge.objects.filter(study=study, kind=Judge.Kind.LLM, method=Judge.Method.EXTRACTION)
    topics = dict.fromkeys(name for judge in judges for name, _ in judge.settings.topics)
    return list(topics)


def with_own(names, statement):
    """Add a statement's own topics to the names: a file may have brought others."""
    return list(dict.fromkeys([*names, statement.topic, statement.about])) if names else []


def _held(pk):
    """Lock the statement and its item until the transaction ends, and return the statement."""
    item = Statement.objects.values_list("item", flat=True).get(pk=pk)
    Item.objects.select_for_update(no_key=True).get(pk=item)
    return Statement.objects.select_for_update().get(pk=pk)


def _refuse_repeat(statement, words):
    """Raise Repeated where another statement of the text that counts says the same.

    A run's statements are compared with those of the run and those that people added, an added
    statement with all that count.
    """
    others = Statement.objects.filter(item=statement.item_id, side=statement.side, is_removed=False)
    if statement.run_id is None:
        study = Item.objects.values_list("study", flat=True).get(pk=statement.item_id)
        others = Statement.objects.speaking(study).filter(
            item=statement.item_id, side=statement.side
        )
    else:
        others = others.filter(Q(run=None) | Q(run=statement.run_id))
    if alike(words) in {alike(other.said) for other in others.exclude(pk=statement.pk)}:
        raise Repeated(REPEATED)


@transaction.atomic
def correct(pk, values, user):
    """Record a person's correction of a statement; an unchanged statement records nothing.

    Repeated where the text has that statement already.
    """
    statement = _held(pk)
    if alike(values["statement"]) != alike(statement.said):
        _refuse_repeat(statement, values["statement"])
    for name in CHANGES:
        value = values[name]
        setattr(statement, f"corrected_{name}", "" if value == getattr(statement, name) else value)
    statement.corrected_by, statement.corrected_at = user, timezone.now()
    if not (statement.is_added or statement.is_corrected or statement.is_removed):
        statement.corrected_by = statement.corrected_at = None
    statement.save()


@transaction.atomic
def remove(pk, user):
    """Mark a statement as removed: it counts no longer and stays where it was."""
    statement = Statement.objects.select_for_update().get(pk=pk)
    statement.is_removed, statement.corrected_by, statement.corrected_at = (
        True,
        user,
        timezone.now(),
    )
    statement.save()


@transaction.atomic
def undo(pk, user):
    """Restore a statement as it was extracted or added.

    Repeated where another statement says the same by now.
    """
    statement = _held(pk)
    _refuse_repeat(statement, statement.statement)
    statement.is_removed = False
    statement.corrected_statement = statement.corrected_topic = statement.corrected_sentiment = ""
    by = (user, timezone.now()) if statement.is_added else (None, None)
    statement.corrected_by, statement.corrected_at = by
    statement.save()


@transaction.atomic
def add(item, side, text, values, user):
    """Add a statement that a person read in a text, with its place if its words stand there.

    Repeated where the text has it already.
    """
    Item.objects.select_for_update(no_key=True).get(pk=item.pk)  # two numbers would be the same
    _refuse_repeat(Statement(item=item, side=side), values["statement"])
    added = Statement.objects.filter(item=item, side=side, run=None)
    last = added.aggregate(last=Max("number"))["last"]
    start, end = Places(text).locate(values["statement"]) or (None, None)
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
