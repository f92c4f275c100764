"""Collect what a tested recommender answered, by recipient."""

from dataclasses import dataclass, field

from annotate.design.splits import withheld_recipients
from annotate.models import Content, Recipient
from judges.models import Judgment, RecommendedList
from judges.values.titles import EXACT, FUZZY, NORMALISED

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
    """The lists of one recipient; given: {l: [(title, rating)]}, as their prompts show them."""

    user: str
    lists: list
    given: dict


def open_lists(run):
    """Select the run's lists, without those of a locked test part."""
    rows = RecommendedList.objects.filter(run=run)
    hidden = withheld_recipients(run.judge.study)
    return rows.exclude(recipient__in=hidden) if hidden else rows


def totals(run):
    """Count a run's Totals, in one query; in three where a test part is locked."""
    hidden, counted = withheld_recipients(run.judge.study), Totals()
    rows = RecommendedList.objects.filter(run=run)
    if hidden:
        counted.withheld = rows.filter(recipient__in=hidden).count()
    rows = rows.exclude(recipient__in=hidden).values_list("entries", "k", *COUNTED)
    for entries, k, *counts in rows.iterator(chunk_size=PIECE):
        counted.lists += 1
        counted.read += bool(entries)
        counted.entries += len(entries)
        counted.short += bool(entries) and len(entries) < k
        for name, count in zip(COUNTED, counts, strict=True):
            setattr(counted, name, getattr(counted, name) + count)
        for entry in entries:
            if entry["how"]:
                counted.hows[entry["how"]] += 1
    return counted


def users(run, begins=""):
    """Return (id, name) of a run's recipients by name, of those whose name begins so."""
    asked = open_lists(run).values("recipient")
    rows = Recipient.objects.filter(pk__in=asked, key__startswith=begins)
    return rows.order_by("key").values_list("pk", "key")


def of_users(run, rows):
    """Load [OfUser] of recipients [(id, name)], in three queries."""
    names = dict(rows)
    lists = list(open_lists(run).filter(recipient__in=names).order_by("unit"))
    _with_states(run, lists)
    titles = _titles(run, lists)
    by_recipient = {pk: OfUser(name, [], {}) for pk, name in names.items()}
    for answer in lists:
        user = by_recipient[answer.recipient_id]
        user.lists.append(answer)
        user.given.setdefault(
            answer.l, [(titles.get(key, key), rating) for key, rating in answer.given]
        )
        answer.shown = [
            {**entry, "title": titles.get(entry["content"])} for entry in answer.entries
        ]
        answer.more = [
            {**entry, "title": titles.get(entry["content"])} for entry in answer.left_out
        ]
    return list(by_recipient.values())


def _with_states(run, lists):
    """Give each list the .judgment of its unit."""
    rows = Judgment.objects.filter(run=run, unit__in=[answer.unit for answer in lists])
    judgments = {judgment.unit: judgment for judgment in rows}
    for answer in lists:
        answer.judgment = judgments[answer.unit]


def _titles(run, lists):
    keys = {key for answer in lists for key, _ in answer.given}
    keys |= {entry["content"] for answer in lists for entry in [*answer.entries, *answer.left_out]}
    rows = Content.objects.filter(study=run.judge.study_id, key__in=keys - {None})
    return dict(rows.values_list("key", "title"))
