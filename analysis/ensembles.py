"""Judges that are made of other judges: what they are; `reports.scores` computes their values."""

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from judges.models import Judge


@dataclass(frozen=True)
class Ensemble:
    """A judge whose values are those of its members, combined when a report asks for them."""

    name: str
    rule: str
    members: tuple


def runs_and_ensembles(study):
    """({run id: name of its judge}, ensembles in the order they were made, how others are asked).

    All in one query; the last is {judge: (samples, strict)} of those that are not asked plainly.

    An ensemble has no runs and no other judge has members, so no row is there twice.
    """
    judges = Judge.objects.filter(study=study).order_by("runs__pk", "pk", "members__pk")
    rows = list(judges.values_list("key", "rule", "samples", "strict", "runs__pk", "members__key"))
    runs = {run: name for name, *_, run, _ in rows if run is not None}
    asked = {name: (samples, strict) for name, _, samples, strict, *_ in rows}
    members = [row for row in rows if row[-1] is not None]
    ensembles = [
        Ensemble(name, rule, tuple(member for *_, member in group))
        for (name, rule), group in groupby(members, key=itemgetter(0, 1))
    ]
    return runs, ensembles, {name: how for name, how in asked.items() if how != (1, False)}
