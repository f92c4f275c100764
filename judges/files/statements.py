"""Load statements.csv, what texts state, as a finished run of an imported judge.

A side of an item is loaded whole: its list does not change afterwards.
"""

from collections import defaultdict
from dataclasses import dataclass

from django.utils import timezone

from annotate.db.bulk import insert
from annotate.design.splits import withheld
from annotate.files.loading.common import Repeats, batches, silent_rows
from annotate.files.reading.columns import Column, Table, allowed, key, one_of
from annotate.models import Item
from annotate.values.wrong import quoted
from judges.files.judgments import read_judges
from judges.files.spellings import Spellings
from judges.methods.extract.method import Extraction as Method
from judges.methods.extract.triplets import LONGEST, Places, alike, folded
from judges.models import Extraction, Judge, Run, Sentiment, Side, Statement
from judges.models.run import FROM_FILE
from judges.models.statement import LONGEST_TOPIC, side_text
from judges.runs.plan import hash_of

JUDGE = "loaded statements"
REMOVED = "removed"


def statement(text):
    """Parse a line of at most LONGEST characters, with a word in it."""
    text = " ".join(text.split())
    if not alike(text) or len(text) > LONGEST:
        raise allowed(text, f"words of at most {LONGEST:,} characters; blank: nothing is stated")
    return text


def topic(text):
    """Parse the name of a topic."""
    text = " ".join(text.split())
    if len(text) > LONGEST_TOPIC or not text.isprintable():
        raise allowed(text, f"a name of at most {LONGEST_TOPIC} characters")
    return text


STATEMENTS = Table(
    "statements",
    (
        Column("item", "The id of a loaded explanation or text.", key, required=True),
        Column(
            "side",
            "generated: the item’s text; reference: its review, else its reference.",
            one_of(*Side.values),
            required=True,
        ),
        Column(
            "statement",
            "What is said there. Blank: this side of the item says nothing.",
            statement,
            blank="",
        ),
        Column("topic", "What it is about, in a word.", topic, blank=""),
        Column("sentiment", "positive, negative or neutral.", one_of(*Sentiment.values), blank=""),
        Column(
            "change",
            "removed: it does not count, and is not loaded. Others are as blank.",
            one_of("corrected", "added", REMOVED),
        ),
    ),
    computed=(
        "number",
        "original_statement",
        "original_topic",
        "original_sentiment",
        "start",
        "end",
        "judge",
        "run",
        "changed_at",
    ),
    keeps_others=False,
)


@dataclass
class Stated:
    """One side of an item in the file: its first line, its blank row's line, how many statements.

    digest: of all of them in their order.
    """

    line: int
    blank: int = 0
    count: int = 0
    digest: int = 0

    def add(self, statement, topic, sentiment):
        """Add a statement; a topic in another spelling is the same."""
        self.count += 1
        self.digest = hash((self.digest, statement, folded(topic), sentiment))


def check_statements(loading):
    """Count the rows; refuse unknown items, half rows, repeats and lists that changed."""
    file, repeats = loading.files["statements"], Repeats()
    counts = loading.count("statements")
    loading.spellings = Spellings(loading)
    for batch in batches(file.rows(loading.problems)):
        for line, row in batch:
            counts.rows += 1
            _check_row(loading, line, row, repeats)
    if counts.rows:
        _check_judge(loading)
    _check_blanks(loading)
    repeats.report(loading, "statements", _said, lambda row: f"the statement {_said(row)[2]!r}")
    _compare(loading)


def _check_judge(loading):
    """Make the judge of loaded statements where it is missing; refuse another judge of its name."""
    read_judges(loading)
    judge = loading.judges.setdefault(
        JUDGE, Judge(key=JUDGE, kind=Judge.Kind.IMPORTED, method=Judge.Method.EXTRACTION)
    )
    if (judge.kind, judge.method) != (Judge.Kind.IMPORTED, Judge.Method.EXTRACTION):
        words = f"the name {JUDGE!r} is needed for a judge of loaded statements; rename that judge"
        loading.add("statements", words, 1)


def _said(row):
    """Return what identifies a row's statement; None for rows without a readable statement."""
    if not row["statement"] or row["change"] == REMOVED:
        return None
    return row["item"], row["side"], alike(row["statement"])


def _check_row(loading, line, row, repeats):
    if row["item"] is None or row["side"] is None:
        return
    if row["item"] not in loading.kinds:
        loading.add("statements", f"there is no item {quoted(row['item'])}", line, "item")
        return
    if loading.kinds[row["item"]] not in Method.kinds:
        words = f"found {quoted(row['item'])}, which is no explanation and no text"
        loading.add("statements", words, line, "item")
        return
    stated = loading.stated.setdefault((row["item"], row["side"]), Stated(line))
    if row["change"] == REMOVED or row["statement"] is None:
        return
    if not row["statement"]:
        _check_blank(loading, line, row, stated)
        return
    for name in ("topic", "sentiment"):
        if row[name] == "":
            loading.add("statements", f"found nothing; a statement has a {name}", line, name)
    repeats.note(_said(row))
    stated.add(row["statement"], loading.spellings.spell(row["topic"] or ""), row["sentiment"])


def _check_blank(loading, line, row, stated):
    for name in ("topic", "sentiment"):
        if row[name]:
            words = f"found {quoted(row[name])}, but no statement"
            loading.add("statements", words, line, name)
    if stated.blank:
        loading.add("statements", f"line {stated.blank} says the same", line, "statement")
    stated.blank = line


def _check_blanks(loading):
    """Refuse statements of a side that another row leaves blank."""
    for (item, side), stated in loading.stated.items():
        if stated.blank and stated.count:
            words = f"found none, but other rows have statements of the {side} text of {item!r}"
            loading.add("statements", words, stated.blank, "statement")


def _compare(loading):
    """Count new statements; require the same list of a side that was loaded already."""
    counts = loading.counts["statements"]
    before = _before(loading)
    for which, stated in list(loading.stated.items()):
        rows = stated.count or 1
        if which not in before:
            counts.new += rows
            continue
        del loading.stated[which]
        if before[which] in (None, (stated.count, stated.digest)):
            counts.unchanged += rows
            continue
        counts.changed += rows
        item, side = which
        words = (
            f"found other statements of the {side} text of {item!r} than those that were loaded "
            "already; a list that was loaded does not change"
        )
        loading.add("statements", words, stated.line, "statement")


def _before(loading):
    """Return {(item, side): (how many statements, their digest)} of what files said before.

    The value is None for an item of a locked test part, of which nothing is told.
    """
    if loading.is_new:
        return {}
    runs = Run.objects.from_files().filter(judge__study=loading.study, judge__key=JUDGE)
    read = Extraction.objects.filter(run__in=runs).values_list("item__key", "side")
    by_side = {which: Stated(0) for which in read.iterator()}
    rows = Statement.objects.filter(run__in=runs).order_by("item", "side", "number")
    names = "item__key", "side", "statement", "topic", "sentiment"
    for item, side, *values in rows.values_list(*names).iterator():
        by_side[item, side].add(*values)
    hidden = set(withheld(loading.study).values())
    return {
        which: None if which[0] in hidden else (stated.count, stated.digest)
        for which, stated in by_side.items()
    }


# Writing


def write_statements(loading):
    """Add the new sides to the run of the loaded statements."""
    if not loading.stated:
        return
    run = _run(loading)
    names = ["run_id", "item_id", "side", "number", "statement", "topic", "sentiment"]
    names += ["start", "end"]
    insert(Statement, names, _statements(loading, run), loading.reporter("statements"))
    names = ["run_id", "item_id", "side", "unit", "text", "kept", "dropped"]
    insert(Extraction, names, _extractions(loading, run))


def _run(loading):
    judge = loading.judges[JUDGE]
    old = Run.objects.from_files().filter(judge=judge).first()
    frozen, now = {"kind": FROM_FILE, "judge": JUDGE}, timezone.now()
    return old or Run.objects.create(
        judge=judge,
        state=Run.State.FINISHED,
        frozen=frozen,
        settings_hash=hash_of(frozen),
        started_at=now,
        ended_at=now,
    )


def _statements(loading, run):
    numbers: dict = defaultdict(int)
    for batch in batches(silent_rows(loading.files["statements"])):
        rows = [row for _, row in batch if (row["item"], row["side"]) in loading.stated]
        rows = [row for row in rows if _said(row)]
        items = Item.objects.in_bulk({loading.items[row["item"]] for row in rows})
        places: dict = {}
        for row in rows:
            which, item = (row["item"], row["side"]), items[loading.items[row["item"]]]
            numbers[which] += 1
            if which not in places:
                places[which] = Places(side_text(item, row["side"]))
            start, end = places[which].locate(row["statement"]) or (None, None)
            values = row["statement"], loading.spellings.spell(row["topic"]), row["sentiment"]
            yield run.pk, item.pk, row["side"], numbers[which], *values, start, end


def _extractions(loading, run):
    unit = run.extractions.count()
    for some in batches(loading.stated.items()):
        items = Item.objects.in_bulk({loading.items[item] for (item, _), _ in some})
        for (key_of_item, side), stated in some:
            item = items[loading.items[key_of_item]]
            yield run.pk, item.pk, side, unit, side_text(item, side), stated.count, []
            unit += 1
