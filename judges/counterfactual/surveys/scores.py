"""The scores of all explanations of a made study: its four judges are run."""

from judges.counterfactual.surveys.plan import SCORES
from judges.models import Judge, Run
from judges.runs.plan import plan


def plan_scores(study):
    """A run of each of its judges, in the caller's transaction; the sweep tells a worker."""
    for judge in Judge.objects.filter(study=study, kind__in=SCORES).order_by("pk"):
        plan(judge)


def unfinished(study):
    """The runs of these judges that have something left to do."""
    judges = Judge.objects.filter(study=study, kind__in=SCORES)
    return Run.objects.filter(judge__in=judges, state=Run.State.ACTIVE).order_by("pk")
