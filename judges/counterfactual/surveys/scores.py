"""Score all explanations of a made study by running its four judges."""

from judges.counterfactual.surveys.plan import SCORES
from judges.models import Judge, Run
from judges.runs.plan import plan


def plan_scores(study):
    """Plan a run of each judge, in the caller's transaction; the sweep tells a worker."""
    for judge in Judge.objects.filter(study=study, kind__in=SCORES).order_by("pk"):
        plan(judge)


def unfinished(study):
    """Return the runs of these judges that have something left to do."""
    judges = Judge.objects.filter(study=study, kind__in=SCORES)
    return Run.objects.filter(judge__in=judges, state=Run.State.ACTIVE).order_by("pk")
