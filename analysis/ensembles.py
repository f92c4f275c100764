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


def ensembles_of(study):
    """The ensembles of a study, in the order in which they were made; in one query."""
    judges = Judge.objects.filter(study=study, kind=Judge.Kind.ENSEMBLE, members__isnull=False)
    rows = judges.order_by("pk", "members__pk").values_list("key", "rule", "members__key")
    return [
        Ensemble(name, rule, tuple(member for *_, member in group))
        for (name, rule), group in groupby(rows, key=itemgetter(0, 1))
    ]
