"""Say what a choice between two lists stands for, and whether a judge prefers the first list."""

from dataclasses import dataclass

from annotate.design.splits import withheld
from judges.models import Judgment

TIE = "tie"


@dataclass
class Position:
    """Numbers of verdicts of a run: all, for one of the lists, and for the list shown first.

    Then pairs with a verdict in both orders, and how many of these differ; and verdicts about a
    locked test part, which count for nothing else.
    """

    verdicts: int = 0
    decided: int = 0
    first: int = 0
    pairs: int = 0
    differing: int = 0
    withheld: int = 0

    @property
    def first_share(self):
        """Return the share of the first list in verdicts for a list; None without any."""
        return self.first / self.decided if self.decided else None

    @property
    def differing_share(self):
        """Return the share that differs of pairs with both verdicts; None without any."""
        return self.differing / self.pairs if self.pairs else None


def sides_of(scale):
    """Return {"A": value, "B": value, "tie": value} of a choice of lists; no tie if it has none."""
    labels = {label.strip(): value for value, label in scale.points}
    sides = {side: float(labels[side]) for side in "AB" if side in labels}
    ties = [float(value) for label, value in labels.items() if label.lower() == TIE]
    return sides | ({TIE: ties[0]} if ties else {})


def position(run):
    """Return the Position of a run of a pairwise judge, in two queries; None without verdicts.

    Verdicts on a locked test part are counted as withheld and nowhere else.
    """
    done = run.judgments.filter(state=Judgment.State.DONE).order_by()
    answered = done.select_related("question").first()
    if answered is None:
        return None
    hidden = withheld(run.judge.study, pk__in=done.values("item"))
    sides, counts = sides_of(answered.question.scale), Position()
    shown_first = {"AB": sides["A"], "BA": sides["B"]}
    verdicts: dict[str, dict] = {"AB": {}, "BA": {}}
    rows = done.values_list("item_id", "sample", "order", "value")
    for item, sample, order, value in rows.iterator(chunk_size=20_000):
        if item in hidden:
            counts.withheld += 1
            continue
        counts.verdicts += 1
        counts.decided += value in shown_first.values()
        counts.first += value == shown_first.get(order)
        if order in verdicts:
            verdicts[order][item, sample] = value
    both = verdicts["AB"].keys() & verdicts["BA"].keys()
    counts.pairs = len(both)
    counts.differing = sum(verdicts["AB"][pair] != verdicts["BA"][pair] for pair in both)
    return counts
