"""Store what the platform's own file tells about raters: for rules on approval rate and tasks."""

from dataclasses import dataclass

from django.db import transaction

from annotate.models import Rater, Session
from annotate.quality.measures import APPROVAL_RATE, TASK_COUNT


@dataclass(frozen=True)
class Kept:
    """How many raters the file tells about, how many it lacks, how many people are no raters."""

    raters: int
    lacking: int
    strangers: int


def count_known(study, told):
    """Count the participants of the file who are raters of the study."""
    people = study.raters.exclude(participant=None).values_list("participant", flat=True)
    return len(told.keys() & set(people))


@transaction.atomic
def keep(study, told):
    """Store {participant: Told} with the raters; what a file does not tell stays as it was.

    Nothing is stored of who withdrew.
    """
    locked = study.raters.exclude(participant=None).select_for_update(of=("self",), no_key=True)
    people = set(locked.order_by("pk").values_list("participant", flat=True))
    withdrawn = study.sessions.filter(state=Session.State.WITHDRAWN)
    raters = list(locked.exclude(pk__in=withdrawn.values("rater")).order_by("pk"))
    changed = []
    for rater in raters:
        if told_of_rater := told.get(rater.participant):
            news = {APPROVAL_RATE: told_of_rater.rate, TASK_COUNT: told_of_rater.tasks}
            rater.platform_ids |= {name: n for name, n in news.items() if n is not None}
            changed.append(rater)
    Rater.objects.bulk_update(changed, ["platform_ids"], batch_size=500)
    return Kept(len(changed), len(raters) - len(changed), len(told.keys() - people))
