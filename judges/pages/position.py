"""Does a judge of two lists prefer the one that it is shown first?"""

from dataclasses import dataclass

from annotate.design.splits import withheld
from judges.methods.verdicts.pairwise import sides_of
from judges.models import Judge, Judgment


@dataclass
class Position:
    """Verdicts of one run: how many, how many for one of the lists, for the one shown first;
    pairs with a verdict in both orders, and how many of these differ; verdicts about a locked test
    part, which count for nothing else.
    """

    verdicts: int = 0
    decided: int = 0
    first: int = 0
    pairs: int = 0
    differing: int = 0
    withheld: int = 0

    @property
    def first_share(self):
        """Of the verdicts for a list, those for the first; None without any."""
        return self.first / self.decided if self.decided else None

    @property
    def differing_share(self):
        """Of the pairs with both verdicts; None without any."""
        return self.differing / self.pairs if self.pairs else None


def position(run):
    """The Position of a run of a pairwise judge, in two queries; None where there is none.

    What was said of a locked test part is counted as withheld and nowhere else.
    """
    if run is None or run.judge.method != Judge.Method.PAIRWISE:
        return None
    done = run.judgments.filter(state=Judgment.State.DONE).order_by()
    answered = done.select_related("question").first()
    if answered is None:
        return None
    hidden = withheld(run.judge.study, pk__in=done.values("item"))
    sides, found = sides_of(answered.question.scale), Position()
    shown_first = {"AB": sides["A"], "BA": sides["B"]}
    said: dict[str, dict] = {"AB": {}, "BA": {}}
    rows = done.values_list("item_id", "sample", "order", "value")
    for item, sample, order, value in rows.iterator(chunk_size=20_000):
        if item in hidden:
            found.withheld += 1
            continue
        found.verdicts += 1
        found.decided += value in shown_first.values()
        found.first += value == shown_first.get(order)
        if order in said:
            said[order][item, sample] = value
    both = said["AB"].keys() & said["BA"].keys()
    found.pairs = len(both)
    found.differing = sum(said["AB"][pair] != said["BA"][pair] for pair in both)
    return found
