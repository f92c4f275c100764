"""Judges that are made of other judges: what they are; `reports.scores` computes their values."""

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from judges.models import Judge
from judges.scorers import ON_SCALE, SCORERS


@dataclass(frozen=True)
class Ensemble:
    """A judge whose values are those of its members, combined when a report asks for them."""

    name: str
    rule: str
    members: tuple


def runs_and_ensembles(study):
    """({run id: name of its judge}, ensembles in the order they were made, how others are asked,
    names of those with a scale of their own).

    All in one query; the third is {judge: (samples, strict)} of those that are not asked plainly.

    An ensemble has no runs and no other judge has members, so no row is there twice.
    """
    judges = Judge.objects.filter(study=study).order_by("runs__pk", "pk", "members__pk")
    names = ("key", "kind", "rule", "samples", "strict", "runs__pk", "members__key")
    named = list(judges.values_list(*names))
    own_scale = {name for name, kind, *_ in named if kind in SCORERS and not _on_scale(kind)}
    rows = [(name, *more) for name, _, *more in named]
    runs = {run: name for name, *_, run, _ in rows if run is not None}
    asked = {name: (samples, strict) for name, _, samples, strict, *_ in rows}
    members = [row for row in rows if row[-1] is not None]
    ensembles = [
        Ensemble(name, rule, tuple(member for *_, member in group))
        for (name, rule), group in groupby(members, key=itemgetter(0, 1))
    ]
    own_scale |= {each.name for each in ensembles if own_scale & {*each.members}}
    asked = {name: how for name, how in asked.items() if how != (1, False)}
    return runs, ensembles, asked, tuple(sorted(own_scale))


def _on_scale(kind):
    return SCORERS[kind].scale == ON_SCALE
