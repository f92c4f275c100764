"""Delete a judge: hide it at once, keep its rows for some days, and undo it until then.

Its own row stays for good. It is the trace that the verdict's family counts: every judge that was
tried counts, whatever became of it.
"""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotate.models import Study
from judges.models import Judge, JudgeStep, Run
from judges.removal.archive import Kind, locked, note
from judges.removal.holders import what_goes, what_holds
from judges.runs.promised import Refused

UNDO_DAYS = 7  # then purge.py takes its rows away
LONGEST_KEPT = 170  # characters of a name, beside the mark that frees it for another judge


def delete(judge, user, because):
    """Hide the judge everywhere; Refused with the sentences of what rests on it.

    Its runs are locked before its study, as workers do: none of them begins meanwhile.
    """
    with transaction.atomic():
        runs = Run.objects.filter(judge=judge).order_by("pk")
        list(runs.select_for_update(no_key=True, of=("self",)).values_list("pk"))
        current = locked(judge)
        if holds := what_holds(current):
            raise Refused(" ".join(holds))
        facts = {"kind": current.kind, "settings_hash": current.settings_hash}
        facts |= what_goes(current)
        step = note(current, Kind.DELETED, user, because=because, facts=facts)
        _hide(current, step)
    return step


def leave_trace(judge, judgments, because, user=None):
    """Hide a judge whose judgments, so many, were all taken back, as one that was deleted.

    It was tried, so the verdict's family counts it by its `undone_pairs`.
    """
    if judge.deleted_at:
        Judge.with_deleted.filter(pk=judge.pk, gone_pairs__isnull=True).update(gone_pairs=[])
        return
    facts = {"kind": judge.kind, "settings_hash": judge.settings_hash}
    facts |= {"runs": 0, "judgments": judgments, "calls": 0, "usd": 0}
    step = note(judge, Kind.DELETED, user, because=because, facts=facts)
    _hide(judge, step, gone_pairs=[])


def _hide(judge, step, **fields):
    """Hide a judge everywhere, and free its name."""
    key = f"{judge.key[:LONGEST_KEPT]} (deleted {step.pk})"
    Judge.objects.filter(pk=judge.pk).update(deleted_at=timezone.now(), key=key, **fields)


def undo(judge, user):
    """Bring a deleted judge back and return it; Refused once its rows are being removed.

    Where its name was taken meanwhile it gets a number behind it.
    """
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=judge.study_id)
        deleted = Judge.with_deleted.select_for_update(of=("self",)).get(pk=judge.pk)
        if deleted.deleted_at is None:
            return deleted
        if deleted.gone_pairs is not None:
            raise Refused(f"The rows of {judge} are removed, so that it cannot be brought back.")
        step = JudgeStep.objects.filter(judge=judge, kind=Kind.DELETED).first()
        deleted.key = Judge.objects.filter(study=judge.study_id).free_name(step.name)
        deleted.deleted_at = None
        deleted.save(update_fields=["key", "deleted_at"])
        note(deleted, Kind.UNDONE, user)
    return deleted


def words_of_undo(judge):
    """Say that the judge is deleted, and how long that can be undone."""
    return (
        f"{judge} is deleted. For {UNDO_DAYS} days you can undo this at the end of this page; then "
        "its rows are removed for good."
    )


def words_of_return(judge):
    """Say that a deleted judge is back, and under which name."""
    name = JudgeStep.objects.filter(judge=judge, kind=Kind.DELETED).first().name
    renamed = "" if judge.key == name else f" Another judge is called {name} by now."
    return f"{judge} is back, with all that it had.{renamed}"


def undone_until(judge):
    """Return when the rows of a deleted judge are removed."""
    return judge.deleted_at + timedelta(days=UNDO_DAYS)
