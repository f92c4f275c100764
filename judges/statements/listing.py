"""List and count the statements of a study, and the texts without any.

Items of a locked test part are left out everywhere.
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
    """The sides and statements of a study that count; sides of hidden items are left out.

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
        """Return the statements that count and those that people removed, in their present words.

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
    """Select the statements an address asks for; by default those that count."""

    def __init__(self, study, query):
        self.study, self.hidden = study, list(withheld(study))
        self.runs = Speaking(study, self.hidden)
        self.chosen = {name: query.get(name, "").replace("\x00", "") for name in NAMES}
        self.words = self.chosen["q"]

    def statements(self):
        """Return the selected statements in the order of items, sides and numbers."""
        rows = self.runs.statements().filter(STATES.get(self.chosen["state"], Q(pk=None)))
        for name, field_name in NAMES.items():
            if self.chosen[name] and field_name:
                rows = rows.filter(**{field_name: self.chosen[name]})
        if self.chosen["system"] == NO_SYSTEM:
            rows = rows.filter(item__system=None)
        elif self.chosen["system"]:
            rows = rows.filter(item__system__key=self.chosen["system"])
        return rows.select_related("item", "run").order_by("item_id", "side", "number")

    def count(self, totals):
        """Count the selected statements.

        Without a search or a state the numbers are those of the Overview `totals`.
        """
        if self.chosen["q"] or self.chosen["state"]:
            return self.statements().order_by().count()
        asked = [self.chosen[name] for name in ("side", "system", "topic", "sentiment")]
        return sum(
            n
            for group, n in totals.groups.items()
            if all(
                not wanted or wanted == other for wanted, other in zip(asked, group, strict=True)
            )
        )

    def query_string(self):
        """Return the filter as the query of an address."""
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
    """How many texts of one side and system there are and were read, and what they say."""

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
        """Count the statements."""
        return self.feels.total()

    @property
    def mean(self):
        """Return statements a text that was read; None without any text."""
        return self.statements / self.read if self.read else None

    @property
    def by_sentiment(self):
        """Return the numbers of statements in the order of sentiments."""
        return [self.feels[sentiment] for sentiment in Sentiment.values]


@dataclass
class Overview:
    """The numbers of a study's statements.

    rows: a Counted for each side and system. topics: {topic: {side: {sentiment: how many}}}.
    dropped: {why: {side: how many}}. groups: {(side, system, topic, sentiment): how many}.
    """

    rows: list
    topics: dict
    dropped: dict
    groups: Counter

    @property
    def sides(self):
        """Return [(side, texts without statements read)]."""
        unread = Counter()
        for row in self.rows:
            unread[row.side] += row.texts - row.read
        return [(Side(side), unread[side]) for side in Side.values]

    @property
    def any_read(self):
        """Whether any text was read."""
        return any(row.read or row.statements for row in self.rows)

    @property
    def topic_rows(self):
        """Return [(topic, numbers by side and sentiment, all)], the most frequent first."""
        rows = []
        for topic, sides in self.topics.items():
            numbers = [sides[side][feel] for side in Side.values for feel in Sentiment.values]
            rows.append((topic, numbers, sum(numbers)))
        return sorted(rows, key=lambda row: (-row[2], row[0]))

    @property
    def dropped_rows(self):
        """Return [(why, numbers by side)], the most frequent first."""
        rows = [(why, [sides[side] for side in Side.values]) for why, sides in self.dropped.items()]
        return sorted(rows, key=lambda row: (-sum(row[1]), row[0]))

    @property
    def systems(self):
        """Return the systems that the rows name."""
        return list(dict.fromkeys(row.system for row in self.rows))


def overview(study, runs):
    """Return the Overview of a study, in three queries; runs: its Speaking."""
    rows: dict = {}
    for side in Side.values:
        for system, count in _texts(study, runs.hidden):
            rows[side, system] = Counted(side, system, texts=count)
    for (side, system), count in runs.read.items():
        if count:
            _row(rows, side, system).read = count
    topics: dict = defaultdict(lambda: defaultdict(Counter))
    groups = Counter({(side, key or NO_SYSTEM, *group): n for side, key, *group, n in _said(runs)})
    for (side, system, topic, feel), count in groups.items():
        _row(rows, side, system).feels[feel] += count
        topics[topic][side][feel] += count
    return Overview(list(rows.values()), topics, _dropped(study, runs.hidden), groups)


def _row(rows, side, system):
    return rows.setdefault((side, system), Counted(side, system))


def texts_of(study, hidden=()):
    """Return the items that statements are extracted from."""
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
    by_reason: dict = defaultdict(Counter)
    rows = Extraction.objects.speaking(study).exclude(item__in=among(hidden)).exclude(dropped=[])
    for side, dropped in rows.order_by().values_list("side", "dropped").iterator(2000):
        for triplet in dropped:
            by_reason[triplet["why"]][side] += 1
    return by_reason


def without(study, side, hidden=()):
    """Return the items of which nobody read that side, in their order."""
    read = Extraction.objects.speaking(study).filter(item=OuterRef("pk"), side=side)
    added = Statement.objects.filter(item=OuterRef("pk"), side=side, run=None, is_removed=False)
    return texts_of(study, hidden).exclude(Exists(read)).exclude(Exists(added)).order_by("pk")


def with_reasons(items, side):
    """Return [(item, why the newest run that tried did not read the side)], in two queries."""
    items = list(items)
    tried = Extraction.objects.filter(item__in=items, side=side, kept=None)
    tried = {row.item_id: row for row in tried.order_by("run_id", "-part")}
    judged = Judgment.objects.filter(
        run__in={row.run_id for row in tried.values()},
        unit__in={row.unit for row in tried.values()},
        lead=True,
    )
    reasons = {(row.run_id, row.unit): row.reason or row.get_state_display() for row in judged}
    return [(item, _why(tried.get(item.pk), reasons)) for item in items]


def _why(extraction, reasons):
    return (
        "no run has it"
        if extraction is None
        else reasons.get((extraction.run_id, extraction.unit), "not read")
    )
