"""Write profiles: plan which recipients are asked about, and make items of whole replies.

The rows of such a run are its judgments, as of any other run, so that queue, leases, budget,
resuming and retrying are the same. Beside each stands a Writing with its source; item and question
stay empty. A whole profile becomes a new item in the transaction that settles its judgment, so it
is there once or not at all. No item that is there already is ever changed.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from django.db.models import Q

from annotate.models import Item, Recipient
from annotate.raters import profiles
from judges.methods.rows import Written, in_turn
from judges.models import Judge, Judgment, Writing
from judges.prompting import listening
from judges.prompting.flags import rules_of

BATCH = 200  # recipients whose histories are in memory together
NOBODY = "The study has no recipients yet. Load interactions first."
NOTHING = "no profile: the recipient has no interactions with a known content"
NO_TIMES = "no profile: no interaction of the recipient has a time, so there are no last {} days"
TOO_FEW = "no profile: {} wanted, the recipient has {}{}"
LONGEST_NAME = 150  # characters of a recipient's id in that of an item


@dataclass
class Source:
    """The episodes that one profile is made of, newest first.

    missing: why the profile is not asked for.
    """

    recipient: Recipient
    wanted: int
    entries: list
    missing: str = ""

    @property
    def text(self):
        return listening.text(self.entries)

    @property
    def stored(self):
        """Return the entries as they are stored; later loads may change the interactions."""
        return [
            {
                "content": entry.content,
                "at": entry.heard_at and entry.heard_at.isoformat(),
                "share_listened": entry.share,
                "rating": entry.rating,
            }
            for entry in self.entries
        ]


def recipients_of(judge):
    """Select the recipients whose profiles a judge writes, in its order."""
    return Recipient.objects.filter(study_id=judge.study_id).order_by("pk")


def sources(judge, recipients):
    """Yield a Source for each recipient and number of episodes, in three queries."""
    pks = [recipient.pk for recipient in recipients]
    histories = listening.histories(judge.study_id, pks, judge.settings.transcript_length)
    judged = _judged(pks)
    for recipient in recipients:
        history = histories.get(recipient.pk, [])
        entries = [entry for content, entry in history if content not in judged[recipient.pk]]
        for wanted in sorted(judge.settings.episodes) or [0]:
            chosen, missing = choose(entries, judge, wanted)
            yield Source(recipient, wanted, chosen, missing)


def _judged(recipients):
    """Return {recipient: contents that items recommend to them}, alone or in a list.

    What the recipient did with one of these would tell the judges that read the profile the answer.
    """
    judged = defaultdict(set)
    ids = set(recipients)
    whose = Q(recipient__in=ids) | Q(parent__recipient__in=ids)
    rows = Item.objects.filter(whose, content__isnull=False).order_by()
    for own, of_whole, content in rows.values_list("recipient", "parent__recipient", "content"):
        for recipient in {own, of_whole} & ids:
            judged[recipient].add(content)
    return judged


def choose(entries, judge, wanted):
    """Choose a profile's episodes: (the episodes, newest first, why it has none).

    wanted: how many episodes of the judge's days; 0 is all of them. entries: a history, newest
    first. An episode counts once, by the time it was heard most of.
    """
    if not entries:
        return [], NOTHING
    within = ""
    if judge.settings.days:
        times = [entry.heard_at for entry in entries if entry.heard_at]
        if not times:
            return [], NO_TIMES.format(judge.settings.days)
        since = max(times) - timedelta(days=judge.settings.days)
        entries = [entry for entry in entries if entry.heard_at and entry.heard_at >= since]
        within = f" within {judge.settings.days} days"
    place = {id(entry): rank for rank, entry in enumerate(entries)}
    # Sorting is stable: among equal shares the newest stays first.
    once: dict = {}
    for entry in sorted(entries, key=_share, reverse=True):
        once.setdefault(entry.content, entry)
    episodes = list(once.values())
    if len(episodes) < wanted:
        return [], TOO_FEW.format(f"{wanted} episode{'s' * (wanted > 1)}", len(episodes), within)
    if judge.settings.pick == Judge.Pick.NEWEST:
        episodes.sort(key=lambda entry: place[id(entry)])
    return sorted(episodes[: wanted or None], key=lambda entry: place[id(entry)]), ""


def _share(entry):
    """Return the share listened to, with an unknown share below all others."""
    return -1.0 if entry.share is None else entry.share


def write_rows(run, wanted):
    """Write all rows of a run over the first recipients; return what was Written."""
    written = Written()
    with in_turn(recipients_of(run.judge), BATCH) as rows:
        recipients = islice(rows, wanted.limit)
        while some := list(islice(recipients, BATCH)):
            _write(run, some, written)
    return written


def _write(run, recipients, written):
    """Write the rows about some recipients; count them in `written`."""
    judgments, writings = [], []
    for source in sources(run.judge, recipients):
        unit, text = written.judgments + len(judgments), source.text
        state = Judgment.beginning(source.missing)
        judgments.append(Judgment(run=run, unit=unit, lead=True, **state))
        writings.append(
            Writing(
                run=run,
                recipient=source.recipient,
                unit=unit,
                wanted=source.wanted,
                episodes=len(source.entries),
                source=source.stored,
                text=text,
                rules="" if source.missing else rules_of(text),
            )
        )
        written.flagged += bool(writings[-1].rules)
        written.longest = max(written.longest, len(text.encode()))
        written.not_asked += bool(source.missing)
    written.judgments += len(Judgment.objects.bulk_create(judgments))
    Writing.objects.bulk_create(writings)


def keep(run, units):
    """Make items of the profiles that are written now, within the transaction that settled them.

    units: numbers of units; a profile that is an item already stays one.
    """
    rows = Judgment.objects.filter(run=run, unit__in=list(units), state=Judgment.State.DONE)
    texts = dict(rows.values_list("unit", "rationale"))
    waiting = Writing.objects.filter(run=run, unit__in=list(texts), item=None)
    waiting = list(waiting.select_related("recipient").order_by("unit"))
    if waiting:
        new = [_profile(run, writing, texts[writing.unit]) for writing in waiting]
        for writing, item in zip(waiting, profiles.add(run.judge.study_id, new), strict=True):
            writing.item = item
        Writing.objects.bulk_update(waiting, ["item"])


def _profile(run, writing, text):
    """Return (recipient id, item id wanted, text, extra columns) of a new item."""
    key = f"profile-{writing.recipient.key[:LONGEST_NAME]}-{writing.episodes}-run{run.pk}"
    data = {
        profiles.EPISODES: str(writing.episodes),
        profiles.WRITER: run.judge.key,
        profiles.RUN: str(run.pk),
    }
    return writing.recipient_id, key, text, data


def attach(judgments):
    """Give each judgment of a run that writes a .writing; one query."""
    units = {judgment.unit: judgment for judgment in judgments if judgment.item_id is None}
    if units:
        (run,) = {judgment.run_id for judgment in units.values()}
        writings = Writing.objects.filter(run=run, unit__in=list(units))
        for writing in writings.select_related("recipient", "item__study"):
            units[writing.unit].writing = writing
    return judgments
