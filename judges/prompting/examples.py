"""Draw one-shot examples: the human rating that stands in an item's prompt.

For an item g(u, i) the example is a rating of g(u0, i0), another pair of the same system; the
personalised one of g(u, i0), another content of the same recipient. The draw of an item depends on
the seed, the ids of the study and who rated what, and on no order of rows. While a test split is
locked no example is drawn from its test part, but a personalised one of a recipient who lies there:
so whatever is shown of a judge meanwhile depends on no rating that it may not have been chosen on.
"""

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter, itemgetter
from random import Random

from annotate.design.splits import withheld
from annotate.models import Rater, Rating
from annotate.values.texts import BLANK
from judges.models import HeldOut, Judge

NAMES = [
    "item_id",
    "item__key",
    "item__kind",
    "item__system_id",
    "item__recipient_id",
    "item__recipient__key",
    "item__content__key",
    "session__rater_id",
    "session__rater__key",
    "question__key",
    "value",
]


@dataclass(frozen=True)
class Drawn:
    """The example of one item: another item's ratings by one rater; or why it has none."""

    item: int | None = None
    rater: int | None = None
    ratings: dict = field(default_factory=dict)
    missing: str = ""


@dataclass(frozen=True)
class Rated:
    """An item with the ratings that carry every question: [(rater, {question key: value})]."""

    pk: int
    key: str
    kind: str
    system: int
    recipient: int | None
    pair: tuple
    by: list


def pair_of(recipient, content):
    """Return the pair (u, i) by its ids; a missing id is blank."""
    return recipient or "", content or ""


class Examples:
    """The rated items that one judge's examples are drawn from.

    pool: ids of the items held out.
    """

    def __init__(self, judge, questions, systems=None):
        self.judge = judge
        self.personalised = judge.settings.shots == Judge.Shots.PERSONALISED
        rated = _rated(judge, questions, None if judge.settings.strict else systems)
        # A recipient lies on one side whole, so a personalised example comes from the same side.
        self.locked = {} if self.personalised else withheld(judge.study)
        rated = [entry for entry in rated if entry.pk not in self.locked]
        self.pool = _pool(judge, rated) if judge.settings.strict else frozenset()
        self.groups = defaultdict(list)
        for entry in sorted(rated, key=attrgetter("pair", "key")):
            if not judge.settings.strict or entry.pk in self.pool:
                group = self._group(entry.kind, entry.system, entry.recipient)
                self.groups[group].append(entry)

    def _group(self, kind, system, recipient):
        return (kind, system, recipient) if self.personalised else (kind, system)

    def draw(self, item):
        """Draw the example of an item, never from its own pair, and so never its own rating."""
        if item.system_id is None or (self.personalised and item.recipient_id is None):
            what = "system" if item.system_id is None else "recipient"
            return Drawn(missing=f"no example: the item has no {what}")
        group = self.groups.get(self._group(item.kind, item.system_id, item.recipient_id), [])
        own = pair_of(
            item.recipient_id and item.recipient.key, item.content_id and item.content.key
        )
        first = bisect_left(group, own, key=attrgetter("pair"))
        beyond = bisect_right(group, own, key=attrgetter("pair"))
        others = len(group) - (beyond - first)
        if not others:
            return Drawn(missing=self._none())
        chance = _chance(self.judge.settings.seed, "example", item.key)
        place = int(chance.random() * others)
        chosen = group[place if place < first else place + beyond - first]
        rater, ratings = chosen.by[int(chance.random() * len(chosen.by))]
        return Drawn(chosen.pk, rater, ratings)

    def _none(self):
        what = (
            "other content of the same recipient and system"
            if self.personalised
            else "other pair of the same system"
        )
        who = Rater.Role(self.judge.settings.example_role).replace("_", " ")
        where = " among the items held out" if self.judge.settings.strict else ""
        where += " outside the locked test part" if self.locked else ""
        return f"no example: no {what} was rated in full by a rater of role {who}{where}"


def _chance(*parts):
    # JSON, so that no two tuples give the same text. Only random() is promised to stay.
    return Random(json.dumps(parts))


def _rated(judge, questions, systems):
    """Load all items with a rating by the role that carries every question asked of their kind."""
    rows = (
        Rating.objects.for_analysis()
        .filter(
            item__study=judge.study_id,
            item__system__isnull=False,
            session__rater__role=judge.settings.example_role,
            question__in=questions,
            value__isnull=False,
        )
        .exclude(item__text__regex=BLANK)
    )
    if systems is not None:
        rows = rows.filter(item__system__in=systems)
    rows = rows.order_by("item_id", "session__rater__key", "session_id").values_list(*NAMES)
    by_item = groupby(rows.iterator(chunk_size=20_000), key=itemgetter(slice(0, 7)))
    entries = (_rated_item(first, list(group), questions) for first, group in by_item)
    return [entry for entry in entries if entry.by]


def _rated_item(first, rows, questions):
    pk, key, kind, system, recipient, recipient_key, content_key = first
    asked = {q.key: q.scale for q in questions if q.applies_to_kind(kind)}
    by = []
    for (rater, _), answers in groupby(rows, key=itemgetter(7, 8)):
        values = {row[9]: row[10] for row in answers}
        if asked and values.keys() >= asked.keys():
            ratings = {key: _as_asked(scale, values[key]) for key, scale in asked.items()}
            by.append((rater, ratings))
    return Rated(pk, key, kind, system, recipient, pair_of(recipient_key, content_key), by)


def _as_asked(scale, value):
    """Return a rating as the judge is asked for its own: where labels are numbers, the label."""
    return scale.written(value) if scale.has_number_labels else value


def _pool(judge, rated):
    """Return ids of the items held out: those of the judge's earlier run, else a seeded share."""
    earlier = HeldOut.objects.filter(run__judge=judge.pk)
    newest = earlier.order_by("-run").values("run")[:1]
    if judge.pk and (kept := set(earlier.filter(run=newest).values_list("item", flat=True))):
        return frozenset(kept)
    shuffled = sorted(
        rated, key=lambda entry: _chance(judge.settings.seed, "pool", entry.key).random()
    )
    count = max(1, min(len(rated) - 1, round(judge.settings.pool_share * len(rated))))
    return frozenset(entry.pk for entry in shuffled[:count])
