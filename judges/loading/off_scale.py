"""Judgments of a file that lie outside their question's scale: counted, and what becomes of them.

A metric such as BLEU has a scale of its own, and keeps its values. A judge that answers questions
has none: its −1 of 1 to 5 is no answer, and never becomes a number in a statistic unasked.
"""

from dataclasses import dataclass, field

from django.db.models import Count, Q

from judges.models import Judge, Judgment, Run
from judges.scorers import ON_SCALE, SCORERS

MISSING, CLIP, REFUSE, KEEP = "missing", "clip", "refuse", "keep"
MEANINGS = {
    MISSING: "missing: the judgment has no value, and what the file has stands as the reason",
    CLIP: "the nearest end of the scale takes their place (of a choice they are missing)",
    REFUSE: "the file is refused",
    KEEP: "kept as they are, as of a metric with a scale of its own",
}
BECOMES = {
    MISSING: "They are missing judgments",
    CLIP: "The nearest end of the scale takes their place",
    KEEP: "They are kept as they are",
}
OUTSIDE = "outside "  # how the reason of such a missing judgment begins
OWN_FROM = 0.5  # of a judge's values outside: above, it has a scale of its own


@dataclass
class Tally:
    """The values that a file has of one judge, on questions whose scale has ends."""

    judge: str
    judgments: int = 0
    outside: int = 0
    lowest: float = float("inf")
    highest: float = float("-inf")
    ends: dict = field(default_factory=dict)
    own_scale: bool = False
    by_settings: bool = False

    def add(self, ends, values):
        """Count one judgment by its values: its own and, where there is one, its weighted one."""
        self.judgments += 1
        self.outside += any(_is_outside(ends, value) for value in values)
        self.lowest = min(self.lowest, *values)
        self.highest = max(self.highest, *values)
        self.ends[ends] = None

    @property
    def sentence(self):
        """Say how many lie outside and, of a scale of its own, that its values stay."""
        scales = " and ".join(f"{low}–{high}" for low, high in self.ends)
        where = scales if len(self.ends) == 1 else f"their questions' scales, {scales}"
        counted = (
            f"{self.judge}: {self.outside:,} of {self.judgments:,} judgments are {OUTSIDE}{where} "
            f"(lowest {_plain(self.lowest)}, highest {_plain(self.highest)})"
        )
        if self.by_settings:
            return f"{counted}; {self.judge} has a scale of its own: its values stay."
        if self.own_scale:
            return (
                f"{counted}, so {self.judge} is taken to have a scale of its own: its values stay."
            )
        return f"{counted}."


class OffScale:
    """Counts the judgments of one load and settles those outside their question's scale."""

    def __init__(self, policy=MISSING):
        self.policy, self.tallies, self._ends = policy, {}, {}

    def note(self, row, question):
        """Count one judgment of the file."""
        ends, value = self._ends_of(question), row["value"]
        if ends is None or value is None or row["judge"] is None:
            return
        tally = self.tallies.get(row["judge"])
        if tally is None:
            tally = self.tallies[row["judge"]] = Tally(row["judge"])
        weighted = row["weighted_value"]
        tally.add(ends, (value,) if weighted is None else (value, weighted))

    def decide(self, loading):
        """Tell which judges have a scale of their own; refuse the others where that was chosen."""
        for tally in self.noted:
            judge = loading.judges[tally.judge]
            tally.by_settings = _has_own_scale(judge)
            n, outside = _counts_before(judge, loading.questions.values())
            share = (tally.outside + outside) / (tally.judgments + n)
            tally.own_scale = tally.by_settings or share > OWN_FROM
            if self.policy == REFUSE and not tally.own_scale:
                loading.add("judgments", tally.sentence, column="value")

    @property
    def noted(self):
        """The tallies of judges with values outside, in the order of the file."""
        return [tally for tally in self.tallies.values() if tally.outside]

    @property
    def asks(self):
        """Whether there is anything to choose."""
        return any(not tally.own_scale for tally in self.noted)

    @property
    def lines(self):
        return [tally.sentence for tally in self.noted]

    def settle(self, row, question):
        """Return (value, weighted value, reason) that a judgment of the file is stored with."""
        tally = self.tallies.get(row["judge"])
        keeps = self.policy == KEEP or tally is None or tally.own_scale
        return self._settled(row, question, KEEP if keeps else self.policy)

    def agrees(self, stored, row, question, name):
        """Whether a stored judgment is the file's in this column, whatever was chosen when."""
        if stored[name] == row[name]:
            return True
        place = ("value", "weighted_value").index(name)
        results = (self._settled(row, question, policy) for policy in (MISSING, CLIP))
        return any(
            settled[place] == stored[name] and settled[2] == stored["reason"]
            for settled in results
            if settled[:2] != (row["value"], row["weighted_value"])
        )

    def _settled(self, row, question, policy):
        value, weighted = row["value"], row["weighted_value"]
        ends = self._ends_of(question)
        if policy == KEEP or ends is None or value is None:
            return value, weighted, ""
        if policy == CLIP and question.scale.kind != "choice":
            low, high = ends
            clipped = [n if n is None else min(max(n, low), high) for n in (value, weighted)]
            return *clipped, ""
        if _is_outside(ends, value):
            low, high = ends
            return None, None, f"{OUTSIDE}{low}–{high}: the file has {_exact(value)}"
        return value, None if _is_outside(ends, weighted) else weighted, ""

    def _ends_of(self, question):
        """The lowest and highest value of the question's scale; None where it has no ends."""
        if question.key not in self._ends:
            scale = question.scale
            has_ends = scale.low is not None and scale.high is not None
            self._ends[question.key] = (scale.low, scale.high) if has_ends else None
        return self._ends[question.key]


def _is_outside(ends, value):
    return value is not None and not ends[0] <= value <= ends[1]


def _has_own_scale(judge):
    """Whether a judge's settings say that its values are not on the scale of a question."""
    if judge.kind in SCORERS:
        return SCORERS[judge.kind].scale != ON_SCALE
    return judge.method == Judge.Method.FIT


def _counts_before(judge, questions):
    """Count the judgments of earlier files by this judge, and those of them that lie outside."""
    if judge.pk is None:
        return 0, 0
    outside = Q(reason__startswith=OUTSIDE)
    ends = [(question, question.scale.low, question.scale.high) for question in questions]
    some = [(question, low, high) for question, low, high in ends if None not in (low, high)]
    for question, low, high in some:
        outside |= Q(question__key=question.key) & (Q(value__lt=low) | Q(value__gt=high))
    runs = Run.objects.from_files().filter(judge=judge)
    rows = Judgment.objects.filter(run__in=runs, question__key__in=[q.key for q, *_ in some])
    has_value = Q(value__isnull=False) | Q(reason__startswith=OUTSIDE)
    counts = rows.aggregate(n=Count("pk", filter=has_value), outside=Count("pk", filter=outside))
    return counts["n"], counts["outside"]


def _plain(number):
    """A number for a sentence."""
    return f"{number:.6g}".replace("-", "−")


def _exact(number):
    """A number as no digit is lost, without the .0 of whole ones."""
    return str(int(number)) if number == int(number) else repr(number)
