"""Read how long computing judges take for a score, in one query."""

from dataclasses import dataclass

from django.db.models import Count, Max, Q

from judges.models import Judgment, Run
from judges.models.run import FROM_FILE


@dataclass
class Time:
    """Seconds at work, and the scores made in them; items without a score count too."""

    seconds: float = 0.0
    scores: int = 0


def scoring_times(study, version=None):
    """Return {judge: Time} over all its runs that computed here, from start to last score.

    Until the last score, not the run's end: the time then changes with the judgments alone, by
    which reports are kept. version: of the questionnaire; None for all.
    """
    done = Q(judgments__state__in=Judgment.ASKED)
    runs = Run.objects.speaking(version).filter(judge__study=study, started_at__isnull=False)
    runs = runs if version is None else runs.filter(version=version)
    rows = (
        runs.exclude(frozen__kind=FROM_FILE)
        .order_by()
        .annotate(
            last=Max("judgments__settled_at", filter=done),
            units=Count("judgments__unit", filter=done, distinct=True),
        )
        .values_list("judge__key", "started_at", "last", "idle_seconds", "units")
    )
    times: dict[str, Time] = {}
    for judge, began, last, idle, units in rows:
        if last is not None:
            time = times.setdefault(judge, Time())
            time.seconds += max(0.0, (last - began).total_seconds() - idle)
            time.scores += units
    return times
