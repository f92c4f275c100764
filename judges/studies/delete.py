"""Delete a study as a worker: its runs stop, its rows go, then the study itself.

All that it has reached stands in the database, so a worker that is killed is followed by another.
"""

import logging
import shutil
import time
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.core.cache import caches
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import Q
from django.utils import timezone

from annotate.db.busy import is_passing
from annotate.models import Deletion, Study
from annotate.studies import delete
from judges.models import Endpoint, Judgment, Run, Upload
from judges.runs import drive
from judges.runs.renew import renewed
from judges.uploads.uploads import folder_of

log = logging.getLogger(__name__)
LOOK_SECONDS = 0.2  # between two looks whether the calls under way have ended
PATIENCE = 10  # seconds; then the thread is given to others, and the sweep comes back
BEGUN = (Run.State.ACTIVE, Run.State.WAITING)


class GoesOn(Exception):
    """Something of the study began, or has not ended yet: its runs are to be stopped first."""


def waiting_studies():
    """List the ids of studies to be deleted that no worker is busy with."""
    return list(Deletion.objects.due(timezone.now()).values_list("study", flat=True))


def delete_study(study_id):
    """Delete a study as far as that can be done now; return whether it is gone.

    Return at once if another worker does it. What has to end first is waited for a little.
    """
    mine = Deletion.objects.filter(study=study_id)
    if not mine.claim(timezone.now(), _until()):
        return False
    try:
        patient_until = time.monotonic() + PATIENCE
        while not (gone := _delete(study_id)) and time.monotonic() < patient_until:
            if drive.stopping.wait(LOOK_SECONDS):
                break
        return gone
    finally:
        mine.update(due_at=timezone.now())


def _until():
    return timezone.now() + timedelta(seconds=settings.LEASE_MARGIN_SECONDS)


def _delete(study_id):
    try:
        _stop_runs(study_id)
        delete.end_sessions(study_id)
        slug = Study.objects.filter(pk=study_id).values_list("slug", flat=True).first()
        if slug is None:  # another worker deleted it meanwhile
            return True
        _forget_uploads(slug)
        _count(study_id)
        for model, lookup in delete.tables():
            while _walk(model, lookup, study_id):
                pass
        Endpoint.objects.filter(study=study_id).delete()  # with their keys; no judge is left
        is_gone = delete.finish(study_id)
        caches["reports"].forget(study_id)  # they quote what people answered
        return is_gone
    except GoesOn as reason:
        Deletion.objects.filter(study=study_id).update(waits_for=str(reason), due_at=_until())
    except IntegrityError:  # of a row that came when its table had been emptied
        log.info("study %s: something was added while it was deleted", study_id)
    except (OperationalError, connection.Database.OperationalError) as error:
        # Of locks that others hold, or of a connection that broke; the batch was rolled back.
        if not is_passing(error):
            raise
        log.warning("study %s: the database was busy; its deletion goes on", study_id)
    return False


def _stop_runs(study_id):
    """Cancel the runs of the study; GoesOn while calls of them are under way."""
    with transaction.atomic():
        begun = Run.objects.filter(judge__study=study_id, state__in=BEGUN).order_by("pk")
        pks = list(begun.select_for_update(no_key=True, of=("self",)).values_list("pk", flat=True))
        stopped = {"state": Run.State.CANCELLED, "ended_at": timezone.now()}
        Run.objects.filter(pk__in=pks).update(**stopped)
    _check_leases(study_id)


def _check_leases(study_id):
    leased = Judgment.objects.filter(run__judge__study=study_id, state=Judgment.State.LEASED)
    if calls := leased.filter(lead=True).count():
        raise GoesOn("a call under way" if calls == 1 else f"{calls:,} calls under way")


def _forget_uploads(slug):
    """Delete what was uploaded for the study, or made it; a load that is writing is waited for."""
    own = Upload.objects.filter(Q(is_new=False) | Q(state=Upload.State.LOADED), slug=slug)
    for pk in own.values_list("pk", flat=True):
        with transaction.atomic():
            upload = own.select_for_update().filter(pk=pk).first()
            if upload is not None:
                upload.delete()
        if upload is not None:
            shutil.rmtree(folder_of(upload), ignore_errors=True)


def _count(study_id):
    """Count the rows once, so that pages can say how far the deletion is."""
    uncounted = Deletion.objects.filter(study=study_id, rows=None)
    if not uncounted.exists():
        return
    # Of a large study one table's count may take longer than a claim lasts.
    with renewed(partial(_renew, study_id), settings.LEASE_MARGIN_SECONDS / 3, f"study {study_id}"):
        rows = delete.count_rows(study_id)
    uncounted.update(rows=rows, due_at=_until())


def _renew(study_id):
    Deletion.objects.filter(study=study_id).update(due_at=_until())


def _walk(model, lookup, study_id):
    """Delete rows of one table, from its first to its last; return how many."""
    after = deleted = 0
    while True:
        with transaction.atomic():
            _hold(model, study_id)
            count, after = delete.delete_some(model, lookup, study_id, after)
            delete.note(study_id, count, _until())
        if not count:
            return deleted
        deleted += count
        if drive.stopping.is_set():
            raise GoesOn("a worker to start again")


def _hold(model, study_id):
    """Lock what everybody locks before rows of this table: the runs, or the study.

    Never both, since judgments come between them (runs/lease.py).
    """
    if model._meta.app_label == "annotate":
        list(Study.objects.select_for_update(no_key=True).filter(pk=study_id).values_list("pk"))
        return
    runs = Run.objects.filter(judge__study=study_id).order_by("pk")
    states = runs.select_for_update(no_key=True, of=("self",)).values_list("state", flat=True)
    if set(states) & set(BEGUN):
        raise GoesOn("a run that was started again")
    _check_leases(study_id)
