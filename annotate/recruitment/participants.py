"""What the platform's own file tells about the raters of a study: for rules on rate and tasks."""

from dataclasses import dataclass

from django.db import transaction

from annotate.models import Rater
from annotate.quality.measures import APPROVAL_RATE, TASK_COUNT


@dataclass(frozen=True)
class Kept:
    """How many raters the file told something about, whom it lacks, who of it is no rater."""

    raters: int
    lacking: int
    strangers: int


def known(study, told):
    """How many participants of the file are raters of the study."""
    people = study.raters.exclude(participant=None).values_list("participant", flat=True)
    return len(told.keys() & set(people))


@transaction.atomic
def keep(study, told):
    """Keep {participant: Told} with the raters; what a file does not tell stays as it was."""
    locked = study.raters.exclude(participant=None).select_for_update(of=("self",), no_key=True)
    raters = list(locked.order_by("pk"))
    changed = []
    for rater in raters:
        if found := told.get(rater.participant):
            news = {APPROVAL_RATE: found.rate, TASK_COUNT: found.tasks}
            rater.platform_ids |= {name: n for name, n in news.items() if n is not None}
            changed.append(rater)
    Rater.objects.bulk_update(changed, ["platform_ids"], batch_size=500)
    people = {rater.participant for rater in raters}
    return Kept(len(changed), len(raters) - len(changed), len(told.keys() - people))
