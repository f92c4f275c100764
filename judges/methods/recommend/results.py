"""What came back of a recommender under test: by recipient for a page, by entry for a file."""

import csv
from dataclasses import dataclass, field
from io import StringIO

from annotate.design.splits import withheld_recipients
from annotate.models import Content, Recipient
from annotate.values.formulas import guarded
from judges.models import Judgment, RecommendedList
from judges.values.titles import EXACT, FUZZY, NORMALISED

COLUMNS = (
    "run",
    "recipient",
    "plan",
    "relation",
    "iteration",
    "k",
    "l",
    "state",
    "reason",
    "position",
    "said",
    "content",
    "how",
    "left_out",
)
PIECE = 500
COUNTED = ("unmatched", "repeated", "extra", "known")


@dataclass
class Totals:
    """Counts over a run's lists. hows: {how an entry was matched: how many}."""

    lists: int = 0
    read: int = 0
    entries: int = 0
    short: int = 0
    unmatched: int = 0
    repeated: int = 0
    extra: int = 0
    known: int = 0
    withheld: int = 0  # of a locked test part; not counted elsewhere
    hows: dict = field(default_factory=lambda: dict.fromkeys((EXACT, NORMALISED, FUZZY), 0))

    @property
    def matched(self):
        return [(how, count) for how, count in self.hows.items() if count]


@dataclass
class OfUser:
    """The lists of one recipient; given: {l: [(title, rating)]}, what their prompts show."""

    user: str
    lists: list
    given: dict


def open_lists(run):
    """The run's lists, without those of a locked test part."""
    rows = RecommendedList.objects.filter(run=run)
    hidden = withheld_recipients(run.judge.study)
    return rows.exclude(recipient__in=hidden) if hidden else rows


def totals(run):
    """The Totals of a run, in one query; in three where a test part is locked."""
    hidden, found = withheld_recipients(run.judge.study), Totals()
    rows = RecommendedList.objects.filter(run=run)
    if hidden:
        found.withheld = rows.filter(recipient__in=hidden).count()
    rows = rows.exclude(recipient__in=hidden).values_list("entries", "k", *COUNTED)
    for entries, k, *counts in rows.iterator(chunk_size=PIECE):
        found.lists += 1
        found.read += bool(entries)
        found.entries += len(entries)
        found.short += bool(entries) and len(entries) < k
        for name, count in zip(COUNTED, counts, strict=True):
            setattr(found, name, getattr(found, name) + count)
        for entry in entries:
            if entry["how"]:
                found.hows[entry["how"]] += 1
    return found


def users(run, begins=""):
    """Ids of the recipients of a run by name, those whose name begins so."""
    asked = open_lists(run).values("recipient")
    rows = Recipient.objects.filter(pk__in=asked, key__startswith=begins)
    return rows.order_by("key").values_list("pk", "key")


def of_users(run, rows):
    """[OfUser] of recipients [(id, name)], in three queries."""
    names = dict(rows)
    lists = list(open_lists(run).filter(recipient__in=names).order_by("unit"))
    _with_states(run, lists)
    titles = _titles(run, lists)
    found = {pk: OfUser(name, [], {}) for pk, name in names.items()}
    for one in lists:
        user = found[one.recipient_id]
        user.lists.append(one)
        user.given.setdefault(one.l, [(titles.get(key, key), rating) for key, rating in one.given])
        one.shown = [{**entry, "title": titles.get(entry["content"])} for entry in one.entries]
        one.more = [{**entry, "title": titles.get(entry["content"])} for entry in one.left_out]
    return list(found.values())


def _with_states(run, lists):
    """Each list with the .judgment of its unit."""
    rows = Judgment.objects.filter(run=run, unit__in=[one.unit for one in lists])
    judgments = {judgment.unit: judgment for judgment in rows}
    for one in lists:
        one.judgment = judgments[one.unit]


def _titles(run, lists):
    keys = {key for one in lists for key, _ in one.given}
    keys |= {entry["content"] for one in lists for entry in [*one.entries, *one.left_out]}
    rows = Content.objects.filter(study=run.judge.study_id, key__in=keys - {None})
    return dict(rows.values_list("key", "title"))


def csv_lines(run):
    """All lists as CSV, a batch at a time: a line an entry, and one for a list without any."""
    yield _lines([COLUMNS])
    lists = open_lists(run).select_related("recipient").order_by("unit")
    batch = []
    for one in lists.iterator(chunk_size=PIECE):
        batch.append(one)
        if len(batch) == PIECE:
            yield _of(run, batch)
            batch = []
    yield _of(run, batch)


def _of(run, lists):
    _with_states(run, lists)
    return _lines(row for one in lists for row in _rows(one))


def _rows(one):
    judgment = one.judgment
    about = [
        one.run_id,
        one.recipient.key,
        one.plan,
        one.cell,
        one.iteration,
        one.k,
        one.l,
        judgment.state,
        judgment.reason,
    ]
    for position, entry in enumerate(one.entries, start=1):
        yield [*about, position, entry["said"], entry["content"] or "", entry["how"], ""]
    for entry in one.left_out:
        yield [*about, "", entry["said"], entry["content"] or "", entry["how"], entry["why"]]
    if not one.entries and not one.left_out:
        yield [*about, "", "", "", "", ""]


def _lines(rows):
    file = StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerows([guarded(one) if isinstance(one, str) else one for one in row] for row in rows)
    return file.getvalue()
