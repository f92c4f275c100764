"""The statements of a study: which are listed, how many there are, and what has none.

Nothing here is of items of a locked test part.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.db.models import Case, Count, Exists, OuterRef, Q, When

from annotate.db.bulk import among
from annotate.design.splits import withheld
from annotate.models import Item
from judges.methods.extract.method import Extraction as Method
from judges.models import Extraction, Judgment, Sentiment, Side, Statement

STATES = {
    "": Q(is_removed=False),
    "as extracted": Q(
        run__isnull=False,
        is_removed=False,
        corrected_statement="",
        corrected_topic="",
        corrected_sentiment="",
    ),
    "corrected": Q(is_removed=False)
    & ~Q(corrected_statement="", corrected_topic="", corrected_sentiment=""),
    "added": Q(run=None, is_removed=False),
    "removed": Q(is_removed=True),
}
NO_SYSTEM = "none"


class Speaking:
    """What counts of a study's sides and statements; sides of hidden items are left out.

    read: {(side, system): how many texts were read}.
    """

    def __init__(self, study, hidden=()):
        self.study, self.hidden = study, list(hidden)
        rows = Extraction.objects.speaking(study).filter(part=0).order_by()
        names = "run", "side", "item__system__key"
        self.read, speaking = Counter(), Counter()
        hides = Case(When(item__in=among(self.hidden), then=1), default=0)
        for run, side, key, is_hidden, n in rows.values_list(*names, hides).annotate(n=Count("pk")):
            speaking[run] += n
            self.read[side, key or NO_SYSTEM] += 0 if is_hidden else n
        every = Extraction.objects.filter(run__in=list(speaking), part=0).order_by()
        every = dict(every.values_list("run").annotate(n=Count("pk")))
        self.runs, self.are_whole = list(speaking), every == dict(speaking)

    def statements(self):
        """Those that count, and those that people removed, as they are said now.

        Where each of these runs speaks for all of its sides, which is nearly always, no statement
        has to be compared with the runs that came later.
        """
        if self.are_whole:
            added = Statement.objects.filter(run=None, item__study=self.study).values("pk")
            rows = Statement.objects.filter(Q(run__in=self.runs) | Q(pk__in=added))
        else:
            rows = Statement.objects.extracted(self.study)
        return rows.exclude(item__in=among(self.hidden)).with_said()


class StatementFilter:
    """Which statements the address asks for: those that count, unless it says otherwise."""

    def __init__(self, study, query):
        self.study, self.hidden = study, list(withheld(study))
        self.runs = Speaking(study, self.hidden)
        self.chosen = {name: query.get(name, "").replace("\x00", "") for name in NAMES}
        self.words = self.chosen["q"]

    def statements(self):
        """In the order of items, sides and numbers."""
        rows = self.runs.statements().filter(STATES.get(self.chosen["state"], Q(pk=None)))
        for name, field_name in NAMES.items():
            if self.chosen[name] and field_name:
                rows = rows.filter(**{field_name: self.chosen[name]})
        if self.chosen["system"] == NO_SYSTEM:
            rows = rows.filter(item__system=None)
        elif self.chosen["system"]:
            rows = rows.filter(item__system__key=self.chosen["system"])
        return rows.select_related("item", "run").order_by("item_id", "side", "number")

    def count(self, found):
        """How many these are; of those that count, by words and state unasked, as the Overview
        `found` has them.
        """
        if self.chosen["q"] or self.chosen["state"]:
            return self.statements().order_by().count()
        asked = [self.chosen[name] for name in ("side", "system", "topic", "sentiment")]
        return sum(
            n
            for said, n in found.groups.items()
            if all(not one or one == other for one, other in zip(asked, said, strict=True))
        )

    def query_string(self):
        return urlencode({name: value for name, value in self.chosen.items() if value})


# {name in the address: the condition; blank where it is not that simple}
NAMES = {
    "q": "now_statement__icontains",
    "side": "side",
    "system": "",
    "topic": "now_topic",
    "sentiment": "now_sentiment",
    "state": "",
}


@dataclass
class Counted:
    """How many texts of one side and system there are, were read, and what they say."""

    side: str
    system: str
    texts: int = 0
    read: int = 0
    feels: Counter = field(default_factory=Counter)

    @property
    def label(self):
        return Side(self.side).label

    @property
    def statements(self):
        return self.feels.total()

    @property
    def mean(self):
        """Statements a text that was read; None without one."""
        return self.statements / self.read if self.read else None

    @property
    def by_sentiment(self):
        return [self.feels[sentiment] for sentiment in Sentiment.values]


@dataclass
class Overview:
    """rows: a Counted for each side and system. topics: {topic: {side: {sentiment: how many}}}.
    dropped: {why: {side: how many}}. groups: {(side, system, topic, sentiment): how many}.
    """

    rows: list
    topics: dict
    dropped: dict
    groups: Counter

    @property
    def sides(self):
        """[(side, texts without statements read)]."""
        found = Counter()
        for row in self.rows:
            found[row.side] += row.texts - row.read
        return [(Side(side), found[side]) for side in Side.values]

    @property
    def any_read(self):
        return any(row.read or row.statements for row in self.rows)

    @property
    def topic_rows(self):
        """[(topic, numbers by side and sentiment, all)], the most frequent first."""
        rows = []
        for topic, sides in self.topics.items():
            numbers = [sides[side][feel] for side in Side.values for feel in Sentiment.values]
            rows.append((topic, numbers, sum(numbers)))
        return sorted(rows, key=lambda row: (-row[2], row[0]))

    @property
    def dropped_rows(self):
        """[(why, numbers by side)], the most frequent first."""
        rows = [(why, [sides[side] for side in Side.values]) for why, sides in self.dropped.items()]
        return sorted(rows, key=lambda row: (-sum(row[1]), row[0]))

    @property
    def systems(self):
        return list(dict.fromkeys(row.system for row in self.rows))


def overview(study, runs):
    """The Overview of a study, in three queries; runs: its Speaking."""
    rows: dict = {}
    for side in Side.values:
        for system, count in _texts(study, runs.hidden):
            rows[side, system] = Counted(side, system, texts=count)
    for (side, system), count in runs.read.items():
        if count:
            _row(rows, side, system).read = count
    topics: dict = defaultdict(lambda: defaultdict(Counter))
    groups = Counter({(side, key or NO_SYSTEM, *said): n for side, key, *said, n in _said(runs)})
    for (side, system, topic, feel), count in groups.items():
        _row(rows, side, system).feels[feel] += count
        topics[topic][side][feel] += count
    return Overview(list(rows.values()), topics, _dropped(study, runs.hidden), groups)


def _row(rows, side, system):
    return rows.setdefault((side, system), Counted(side, system))


def texts_of(study, hidden=()):
    """The items that statements are extracted from."""
    items = Item.objects.filter(study=study, is_practice=False, kind__in=Method.kinds)
    return items.exclude(pk__in=among(hidden))


def _texts(study, hidden):
    rows = texts_of(study, hidden).order_by("system__key").values_list("system__key")
    return [(key or NO_SYSTEM, count) for key, count in rows.annotate(n=Count("pk"))]


def _said(runs):
    rows = runs.statements().filter(is_removed=False).order_by()
    names = "side", "item__system__key", "now_topic", "now_sentiment"
    return rows.values_list(*names).annotate(n=Count("pk"))


def _dropped(study, hidden):
    found: dict = defaultdict(Counter)
    rows = Extraction.objects.speaking(study).exclude(item__in=among(hidden)).exclude(dropped=[])
    for side, dropped in rows.order_by().values_list("side", "dropped").iterator(2000):
        for each in dropped:
            found[each["why"]][side] += 1
    return found


def without(study, side, hidden=()):
    """Items of which nobody read that side, in their order."""
    read = Extraction.objects.speaking(study).filter(item=OuterRef("pk"), side=side)
    added = Statement.objects.filter(item=OuterRef("pk"), side=side, run=None, is_removed=False)
    return texts_of(study, hidden).exclude(Exists(read)).exclude(Exists(added)).order_by("pk")


def with_reasons(items, side):
    """[(item, why its side was not read by the newest run that tried)], in two queries."""
    items = list(items)
    tried = Extraction.objects.filter(item__in=items, side=side, kept=None)
    tried = {one.item_id: one for one in tried.order_by("run_id", "-part")}
    judged = Judgment.objects.filter(
        run__in={one.run_id for one in tried.values()},
        unit__in={one.unit for one in tried.values()},
        lead=True,
    )
    said = {(one.run_id, one.unit): one.reason or one.get_state_display() for one in judged}
    return [(item, _why(tried.get(item.pk), said)) for item in items]


def _why(one, said):
    return "no run has it" if one is None else said.get((one.run_id, one.unit), "not read")
