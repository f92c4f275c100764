"""Remove the rows of judges that were deleted some days ago, as a worker, a few at a time.

All that it has reached stands in the database, so a worker that is killed is followed by another.
"""

import logging
from datetime import timedelta
from functools import partial

from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils import timezone

from annotate.db.busy import is_passing
from annotate.models import Study
from annotate.studies import delete as rows
from judges.models import Judge, JudgeStep, Judgment, Run
from judges.removal.archive import Kind, note
from judges.removal.delete import UNDO_DAYS
from judges.removal.holders import replies_taken_by
from judges.runs import drive

log = logging.getLogger(__name__)
BEGUN = (Run.State.ACTIVE, Run.State.WAITING)


def due():
    """List the ids of judges whose rows are to be removed."""
    before = timezone.now() - timedelta(days=UNDO_DAYS)
    judges = Judge.with_deleted.filter(deleted_at__lt=before, study__deletion=None)
    purged = JudgeStep.objects.filter(kind=Kind.PURGED).values("judge")
    return list(judges.exclude(pk__in=purged).values_list("pk", flat=True))


def purge(judge_id):
    """Remove the runs of a deleted judge with all their rows; return whether they are gone."""
    try:
        if not _begin(judge_id):
            return False
        for model, lookup in rows.tables_below(Run, "judge", rows.is_owned):
            while _walk(model, lookup, judge_id):
                if drive.stopping.is_set():
                    return False
        return _finish(judge_id)
    except (OperationalError, connection.Database.OperationalError) as error:
        if not is_passing(error):
            raise
        log.warning("judge %s: the database was busy; its removal goes on", judge_id)
    except IntegrityError:  # of a row that came when its table had been emptied
        log.info("judge %s: something was added while it was removed", judge_id)
    return False


def _begin(judge_id):
    """Keep what the family counts; False while something is under way or rests on the judge."""
    with transaction.atomic():
        runs = _hold_runs(judge_id)
        judge = _hold_judge(judge_id)
        if judge is None or judge.deleted_at is None:
            return False
        Run.objects.filter(pk__in=runs, state__in=BEGUN).update(
            state=Run.State.CANCELLED, ended_at=timezone.now()
        )
        if Judgment.objects.filter(run__in=runs, state=Judgment.State.LEASED).exists():
            return False
        if names := replies_taken_by(judge):
            log.warning("judge %s: %s other judges took over its replies", judge_id, len(names))
            return False
        if judge.gone_pairs is None:
            Judge.with_deleted.filter(pk=judge_id).update(gone_pairs=answered_by(judge))
    return True


def answered_by(judge):
    """List the keys of the questions that a judge answered: a pair of the family each.

    Its probability-weighted values are another judge for the family. An ensemble answers what all
    of its members answer.
    """
    if judge.kind == Judge.Kind.ENSEMBLE:
        of_members = [set(answered_by(member)) for member in judge.members.all()]
        return sorted(set.intersection(*of_members)) if of_members else []
    done = Judgment.objects.filter(
        run__judge=judge, run__checked=None, question__isnull=False, state=Judgment.State.DONE
    )
    keys = partial(_keys, done)
    return keys() + keys(weighted_value__isnull=False)


def _keys(judgments, **which):
    keys = judgments.filter(**which).order_by("question__key")
    return list(keys.values_list("question__key", flat=True).distinct())


def _hold_runs(judge_id):
    runs = Run.objects.filter(judge=judge_id).order_by("pk")
    return list(runs.select_for_update(no_key=True, of=("self",)).values_list("pk", flat=True))


def _hold_judge(judge_id):
    """Lock the study and then the judge, so that nobody brings it back meanwhile."""
    study = Judge.with_deleted.filter(pk=judge_id).values("study")
    list(Study.objects.select_for_update(no_key=True).filter(pk__in=study).values_list("pk"))
    return Judge.with_deleted.select_for_update(of=("self",)).filter(pk=judge_id).first()


def _walk(model, lookup, judge_id):
    """Remove rows of one table, from its first to its last; return how many."""
    after = deleted = 0
    while True:
        with transaction.atomic():
            _hold_runs(judge_id)
            count, after = rows.delete_some(model, lookup, judge_id, after)
        deleted += count
        if not count or drive.stopping.is_set():
            return deleted


def _finish(judge_id):
    """Note in the log that all is gone; False where a row is left."""
    with transaction.atomic():
        judge = _hold_judge(judge_id)
        if judge is None or judge.runs.exists():
            return False
        if not judge.steps.filter(kind=Kind.PURGED).exists():
            judge.members.clear()
            note(judge, Kind.PURGED)
    log.info("judge %s: its rows are removed", judge_id)
    return True
