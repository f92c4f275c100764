"""Propose topics: draw which reviews each sample has, and count what all samples name.

The rows of such a run are its judgments, one a sample, so that queue, leases, budget, resuming and
retrying are those of any run. Samples are drawn when the run is planned, by the judge's seed and
the items' ids, whatever the order of rows, and keep their reviews as they were. Nothing is made of
what is proposed: it is counted whenever it is looked at, and only a person makes a list of it.
"""

import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from annotate.design.splits import WITHHELD, is_locked, withheld
from judges.methods.extract.extract import SIDES
from judges.methods.extract.topics import OWN
from judges.methods.rows import Written, in_turn
from judges.methods.topics import shortlist
from judges.methods.topics.reviews import BATCH, FIELDS, as_line, hidden_reviews, numbered
from judges.models import Flag, Judgment, Side, TopicSample
from judges.models.statement import side_text
from judges.prompting.flags import rules_of

PREVIEWED = 5000
NOBODY = (
    "The study has no explanation or text with a review or reference yet that topics could be "
    "proposed from, outside a locked test part. Load items, or choose other texts."
)


def write_rows(run, wanted):
    """Write a judgment and its sample for each call of a run; return what was Written."""
    written = Written()
    drawn = samples(run.judge, wanted.items, wanted.limit)
    texts = _texts(wanted.items, {pk for sample in drawn for pk, _ in sample})
    rows, shown = [], defaultdict(set)
    for unit, sample in enumerate(drawn):
        reviews = [[pk, as_line(texts[pk, side])] for pk, side in sample]
        rows.append(TopicSample(run=run, unit=unit, reviews=reviews))
        for pk, side in sample:
            shown[pk].add(texts[pk, side])
        written.longest = max(written.longest, len(numbered(reviews).encode()))
    judgments = [Judgment(run=run, unit=row.unit, lead=True) for row in rows]
    written.judgments = len(Judgment.objects.bulk_create(judgments))
    TopicSample.objects.bulk_create(rows)
    rules = {pk: rules_of(*sorted(texts_shown)) for pk, texts_shown in shown.items()}
    flags = [Flag(run=run, item_id=pk, rules=met) for pk, met in rules.items() if met]
    written.flagged = len(Flag.objects.bulk_create(flags, BATCH))
    return written


def samples(judge, items, limit=None):
    """Draw samples, [[(item, side)]], of different texts of the first `limit` items.

    All texts are dealt out, and once too few are left for a sample, all anew in another order. Of
    too few for one sample there is one of all.
    """
    eligible = _eligible(judge, items, limit)
    size = min(judge.settings.reviews, len(eligible))
    if not size:
        return []
    drawn, count = [], judge.settings.review_samples if len(eligible) > size else 1
    while len(drawn) < count:
        turn = len(drawn)
        dealt = sorted(eligible, key=lambda entry: _chance(judge.settings.seed, turn, *entry[:2]))
        for start in range(0, len(dealt) - size + 1, size):
            drawn.append([(pk, side) for _, side, pk in dealt[start : start + size]])
    return drawn[:count]


def _eligible(judge, items, limit):
    """Return [(item's id, side, item)] of different texts that no locked test part has too."""
    hidden, never, first = withheld(judge.study), set(), {}
    with in_turn(items.only(*FIELDS), BATCH) as rows:
        for place, item in enumerate(rows):
            if item.pk in hidden:
                never |= {_digest(side_text(item, side)) for side in Side}
            elif limit is not None and place >= limit:
                if not hidden:
                    break
            else:
                for side in SIDES[judge.settings.sides]:
                    text, entry = side_text(item, side), (item.key, str(side), item.pk)
                    if text.strip():
                        digest = _digest(text)
                        first[digest] = min(first.get(digest, entry), entry)
    return [entry for digest, entry in first.items() if digest not in never]


def _digest(text):
    return hashlib.sha256(" ".join(text.split()).encode()).digest()


def _chance(*parts):
    # JSON, so that no two tuples give the same text.
    return hashlib.sha256(json.dumps(parts).encode()).digest()


def _texts(items, pks):
    """Return {(item, side): text} of these items."""
    rows = items.only(*FIELDS).in_bulk(pks).values()
    return {(item.pk, str(side)): side_text(item, side) for item in rows for side in Side}


def previewed(judge, items):
    """Return [(what is shown of each sample, [its texts])], as a run would be planned now.

    Of many items only the first count, for a page that looks at all of them would be slow.
    """
    drawn = samples(judge, items, PREVIEWED)
    texts = _texts(items, {pk for sample in drawn for pk, _ in sample})
    samples_shown = [[(pk, texts[pk, side]) for pk, side in sample] for sample in drawn]
    return [
        (numbered([[pk, as_line(text)] for pk, text in sample]), [text for _, text in sample])
        for sample in samples_shown
    ]


def hidden_units(run, units):
    """Return the units with a review of a locked test part, at no query without a locked part."""
    study = run.judge.study
    if not is_locked(study):
        return set()
    rows = list(run.topic_samples.filter(unit__in=units))
    hidden = hidden_reviews(study, rows)
    return {row.unit for row in rows if any(tuple(review) in hidden for review in row.reviews)}


def attach(judgments):
    """Give each judgment of a run that proposes a .topic_sample and its .topics."""
    units = {judgment.unit: judgment for judgment in judgments if judgment.item_id is None}
    if units:
        (run,) = {judgment.run_id for judgment in units.values()}
        rows = TopicSample.objects.filter(run=run, unit__in=list(units))
        rows = list(rows.select_related("run__judge__study"))
        for row in rows:
            units[row.unit].topic_sample = row
            units[row.unit].topics = _parsed(units[row.unit].rationale)["kept"]
        for unit in hidden_units(rows[0].run, list(units)) if rows else ():
            hidden = units[unit]
            hidden.value, hidden.rationale, hidden.reason, hidden.topics = None, "", WITHHELD, []
    return judgments


def _parsed(rationale):
    return json.loads(rationale) if rationale else {"kept": [], "dropped": {}, "examples": []}


@dataclass
class Shortlist:
    """The topics that a run's samples name.

    topics: [(topic, in how many samples)], the most first. read: how many samples were read.
    dropped: [(why, how many, examples)]. withheld: samples with a review of a locked test part,
    which are left out. most: how many topics a list takes.
    """

    read: int = 0
    most: int = 0
    withheld: int = 0
    topics: list = field(default_factory=list)
    dropped: list = field(default_factory=list)

    @property
    def names(self):
        """Return the first `most` topics, which a list of topics begins with."""
        return [name for name, _ in self.topics[: self.most]]

    @property
    def as_initial(self):
        """Return what fills in the form of a judge that extracts statements."""
        return {"topic_list": OWN, "topics": [[name, ""] for name in self.names]}


def shortlist_of(run):
    """Count a run's topics so far. Ties stand in the order in which topics were first named."""
    done = run.judgments.filter(state=Judgment.State.DONE).order_by("unit")
    rows = list(done.values_list("unit", "rationale"))
    hidden = hidden_units(run, [unit for unit, _ in rows])
    replies = [_parsed(rationale) for unit, rationale in rows if unit not in hidden]
    spelt, counts = {}, Counter()
    for name in (name for reply in replies for name in reply["kept"]):
        spelt.setdefault(shortlist.alike(name), name)
        counts[shortlist.alike(name)] += 1
    return Shortlist(
        read=len(replies),
        most=run.frozen["most_topics"],
        withheld=len(hidden),
        topics=[(spelt[key], count) for key, count in counts.most_common()],
        dropped=_dropped(replies),
    )


def _dropped(replies):
    """Return [(why, how many, examples)] of all replies."""
    counts, examples = Counter(), defaultdict(list)
    for reply in replies:
        counts.update(reply["dropped"])
        for entry, why in reply["examples"]:
            examples[why].append(entry)
    return [(why, count, examples[why][:3]) for why, count in counts.most_common()]
