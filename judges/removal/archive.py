"""Archive a judge, which hides it from lists and results, and bring it back."""

from django.db import transaction
from django.utils import timezone

from annotate.models import Study
from judges.models import Judge, JudgeStep, Run
from judges.runs.promised import Refused

RUNNING = "{} is running. Cancel its run first."
Kind = JudgeStep.Kind


def archive(judge, user):
    """Archive the judge; Refused while it runs. What is archived already stays as it is."""
    with transaction.atomic():
        current = locked(judge)
        if current.runs.filter(state=Run.State.ACTIVE).exists():
            raise Refused(RUNNING.format(current))
        if current.archived_at is None:
            Judge.objects.filter(pk=judge.pk).update(archived_at=timezone.now())
            note(current, Kind.ARCHIVED, user)


def bring_back(judge, user):
    """Show an archived judge in lists and results again."""
    with transaction.atomic():
        current = locked(judge)
        if current.archived_at is not None:
            Judge.objects.filter(pk=judge.pk).update(archived_at=None)
            note(current, Kind.BROUGHT_BACK, user)


def locked(judge):
    """Lock the study, then the judge, as naming does, and return the judge as it is now.

    Refused where somebody deleted it meanwhile.
    """
    Study.objects.select_for_update(no_key=True).get(pk=judge.study_id)
    current = Judge.objects.select_for_update(of=("self",)).filter(pk=judge.pk).first()
    if current is None:
        raise Refused(f"{judge} was deleted meanwhile.")
    return current


def note(judge, kind, user=None, **more):
    """Write a line of the log and return it; without a user the clock did it."""
    by_name = user.get_username() if user else "the clock"
    more = {"name": judge.key, "by": user, "by_name": by_name} | more
    return JudgeStep.objects.create(study_id=judge.study_id, judge=judge, kind=kind, **more)
