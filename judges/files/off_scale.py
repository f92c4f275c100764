"""Count judgments of a file that lie outside their question's scale, and settle them.

A metric such as BLEU has a scale of its own, and keeps its values. A judge that answers questions
has none: its −1 of 1 to 5 is no answer, and never becomes a number in a statistic unasked.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Count, Q

from annotate.files.reading.columns import number
from annotate.values.scales.base import is_number_text
from judges import methods
from judges.models import Judgment, Run
from judges.scorers import ON_SCALE, SCORERS

MISSING, CLIP, REFUSE, KEEP = "missing", "clip", "refuse", "keep"
MEANINGS = {
    MISSING: "Count as missing; the file’s value is kept as the reason",
    CLIP: "Replace by the nearest end of the scale (on a choice scale: count as missing)",
    REFUSE: "Refuse the file",
    KEEP: "Keep as they are: the judge is a metric with its own scale",
}
BECOMES = {
    MISSING: "They count as missing",
    CLIP: "The nearest end of the scale replaces them",
    KEEP: "They are kept as they are",
}
OUTSIDE = "outside "  # how the reason of such a missing judgment begins
CLIPPED = "clipped"  # and that of a replaced value
IN_FILE = re.compile(r"the file has (?P<value>[^\s,]+)(, weighted (?P<weighted_value>\S+))?$")
OWN_SCALE_SHARE = 0.5  # of a judge's values outside: above, it has a scale of its own
OWN_SCALE_JUDGMENTS = 20  # of fewer no scale is inferred: a single −1 may be a refusal


class Settled(NamedTuple):
    """The values and reasons that a judgment of a file is stored with."""

    value: float | None
    weighted_value: float | None
    reason: str = ""
    weighted_reason: str = ""


@dataclass
class Tally:
    """The values that a file has of one judge, on questions whose scale has ends."""

    judge: str
    judgments: int = 0
    outside: int = 0
    stored: int = 0
    stored_outside: int = 0
    lowest: float = float("inf")
    highest: float = float("-inf")
    scales: dict = field(default_factory=dict)
    own_scale: bool = False
    by_settings: bool = False

    def add(self, scale, values, is_outside, is_stored):
        """Count a judgment by its value and, where there is one, its weighted value."""
        self.judgments += 1
        self.outside += is_outside
        self.stored += is_stored
        self.stored_outside += is_outside and is_stored
        if is_outside or not scale.is_nominal:  # the file has labels, not their ranks
            self.lowest = min(self.lowest, *values)
            self.highest = max(self.highest, *values)
        self.scales[_words_of(scale)] = None

    @property
    def sentence(self):
        """Say how many lie outside and, of a scale of its own, that its values stay."""
        scales = " and ".join(self.scales)
        where = (
            f"the scale {scales}" if len(self.scales) == 1 else f"their questions’ scales, {scales}"
        )
        counted = (
            f"{self.judge}: {self.outside:,} of {self.judgments:,} judgments "
            f"{'is' if self.outside == 1 else 'are'} {OUTSIDE}{where} "
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
    """Count the judgments of a load and settle those outside their question's scale."""

    def __init__(self, policy=MISSING):
        self.policy, self.tallies, self._ends = policy, {}, {}
        self.judges = {}  # by name; those of the file come as it is read

    def note(self, row, question, is_stored=False):
        """Count one judgment of the file; is_stored: an earlier file brought it already."""
        ends, (value, is_stray) = self._ends_of(question), self.value_of(row, question)
        if ends is None or value is None:
            return
        tally = self.tallies.get(row["judge"])
        if tally is None:
            tally = self.tallies[row["judge"]] = Tally(row["judge"])
        weighted = row["weighted_value"]
        values = (value,) if weighted is None else (value, weighted)
        is_outside = is_stray or any(_is_outside(ends, number) for number in values)
        tally.add(question.scale, values, is_outside, is_stored)

    def value_of(self, row, question):
        """Return (the row's value on the question's scale, whether it is stray); None where blank.

        Of a choice the file has a label, but a metric's numbers stay numbers. Stray is another
        number where labels are numbers: it might be the rank of a label, so nobody keeps it.
        """
        text, scale = row["value"], question.scale
        if text is None or isinstance(text, bool):
            return (None if text is None else scale.parse(text)), False
        judge = self.judges[row["judge"]]
        if scale.is_nominal and not has_own_scale(judge.kind, judge.method, scale.level):
            try:
                return scale.parse(text), False
            except ValueError:
                if not is_number_text(text):
                    raise
                return number(text), scale.has_number_labels
        return number(text), False

    def decide(self, loading):
        """Tell which judges have a scale of their own; refuse the others where that was chosen."""
        for tally in self.noted:
            judge = loading.judges[tally.judge]
            tally.by_settings = has_own_scale(judge.kind, judge.method)
            tally.own_scale = tally.by_settings
            if self.policy == REFUSE and not tally.own_scale:
                loading.add("judgments", tally.sentence, column="value")
            elif not tally.own_scale:
                tally.own_scale = _is_own_scale_likely(tally, judge, loading.questions.values())

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
        """Return the tallies' sentences."""
        return [tally.sentence for tally in self.noted]

    def settle(self, row, question):
        """Return the Settled that a judgment of the file is stored with."""
        tally = self.tallies.get(row["judge"])
        keeps = self.policy == KEEP or tally is None or tally.own_scale
        return self._settled(row, question, KEEP if keeps else self.policy)

    def agrees(self, stored, row, question, name):
        """Whether a stored judgment is the file's in this column, whatever was chosen when.

        A value that was replaced or left out is recognised by the file's value in its reason.
        """
        given, is_stray = self.value_of(row, question) if name == "value" else (row[name], False)
        if stored[name] == given and not is_stray:
            return True
        kept = _value_in_file(stored, name)
        if kept is None or kept != _exact_or_none(given):
            return False
        results = (self._settled(row, question, policy) for policy in (MISSING, CLIP))
        return any(getattr(settled, name) == stored[name] for settled in results)

    def _settled(self, row, question, policy):
        (value, is_stray), weighted = self.value_of(row, question), row["weighted_value"]
        ends = self._ends_of(question)
        if (policy == KEEP and not is_stray) or ends is None or value is None:
            return Settled(value, weighted)
        in_file = f"the file has {_exact(value)}"
        in_file += "" if weighted is None else f", weighted {_exact(weighted)}"
        if policy == CLIP and not question.scale.is_nominal:
            clipped = [_clip(ends, number) for number in (value, weighted)]
            return Settled(
                *clipped, "" if clipped == [value, weighted] else f"{CLIPPED}: {in_file}"
            )
        where = f"{OUTSIDE}the scale {_words_of(question.scale)}"
        if is_stray or _is_outside(ends, value):
            return Settled(None, None, f"{where}: {in_file}")
        if _is_outside(ends, weighted):
            return Settled(value, None, "", f"{where}: the file has {_exact(weighted)}")
        return Settled(value, weighted)

    def _ends_of(self, question):
        """Return the lowest and highest value of the question's scale; None if it has no ends."""
        if question.key not in self._ends:
            scale = question.scale
            has_ends = scale.low is not None and scale.high is not None
            self._ends[question.key] = (scale.low, scale.high) if has_ends else None
        return self._ends[question.key]


def _is_outside(ends, value):
    return value is not None and not ends[0] <= value <= ends[1]


def _clip(ends, value):
    return value if value is None else min(max(value, ends[0]), ends[1])


def _value_in_file(stored, name):
    """Return a column's value in the file by the judgment's reason; None if it is silent."""
    if name == "weighted_value" and (match := IN_FILE.search(stored["weighted_reason"])):
        return match["value"]
    match = IN_FILE.search(stored["reason"])
    return match and match[name]


def has_own_scale(kind, method, level=""):
    """Whether a judge's settings say that its values are not on the scale of a question.

    level: of that question's scale, on which some metrics answer all the same.
    """
    if kind in SCORERS:
        return SCORERS[kind].scale != ON_SCALE and level not in SCORERS[kind].on_scale_of
    return bool(methods.named(method).scale)


def _is_own_scale_likely(tally, judge, questions):
    """Whether most of a judge's values lie outside, in the file and in those loaded before."""
    judgments, outside = _counts_before(judge, questions)
    judgments += tally.judgments - tally.stored
    outside += tally.outside - tally.stored_outside
    return judgments >= OWN_SCALE_JUDGMENTS and outside / judgments > OWN_SCALE_SHARE


def _counts_before(judge, questions):
    """Count the judgments of earlier files by this judge, and those of them that lie outside."""
    if judge.pk is None:
        return 0, 0
    noted = Q(reason__startswith=OUTSIDE) | Q(reason__startswith=CLIPPED)
    outside = noted | Q(weighted_reason__startswith=OUTSIDE)
    ends = [(question, question.scale.low, question.scale.high) for question in questions]
    some = [(question, low, high) for question, low, high in ends if None not in (low, high)]
    for question, low, high in some:
        outside |= Q(question__key=question.key) & (Q(value__lt=low) | Q(value__gt=high))
    runs = Run.objects.from_files().filter(judge=judge)
    rows = Judgment.objects.filter(run__in=runs, question__key__in=[q.key for q, *_ in some])
    has_value = Q(value__isnull=False) | Q(reason__startswith=OUTSIDE)
    counts = rows.aggregate(n=Count("pk", filter=has_value), outside=Count("pk", filter=outside))
    return counts["n"], counts["outside"]


def _words_of(scale):
    """Return a scale in words: options, or ends of which negative ones can be read: −2 to 2."""
    if scale.is_nominal:
        return scale.summary
    return f"{_plain(scale.low)} to {_plain(scale.high)}"


def _plain(number):
    """Format a number for a sentence."""
    return f"{number:.6g}".replace("-", "−")


def _exact(number):
    """Format a number without losing a digit, and without the .0 of whole numbers."""
    return str(int(number)) if number == int(number) else repr(number)


def _exact_or_none(number):
    return None if number is None else _exact(number)
