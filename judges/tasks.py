"""What a worker does for judges. A message is only a nudge: all that matters is in the database."""

import logging
from functools import partial

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotate import places
from judges import leasing, running, uploading
from judges.models import Run

log = logging.getLogger(__name__)


@shared_task
def load_upload(pk):
    """Loads checked files."""
    uploading.load_upload(pk)


@shared_task
def tend_uploads():
    """Takes up loads whose worker was killed; removes old files."""
    for pk in uploading.silent_uploads():
        load_upload.apply_async([pk], expires=60)
    uploading.remove_old()


@shared_task
def work(run_id):
    """Works on a run until nothing of it is left."""
    running.work_through(run_id)


@shared_task
def sweep_leases():
    """Returns expired leases, ends finished runs and nudges the active ones."""
    leasing.return_expired()
    leasing.finish_if_done()
    for run_id in Run.objects.filter(state=Run.State.ACTIVE).values_list("pk", flat=True):
        work.apply_async([run_id], expires=settings.SWEEP_SECONDS)


@shared_task
def release_places():
    """Opens the places of raters who stopped for too long."""
    places.release_expired(timezone.now())


def nudge(run):
    """Tells a worker, after the commit, that a run has work."""
    transaction.on_commit(partial(send, work, run.pk))


def send(task, pk):
    """Gives a worker a task; where no broker answers, the clock's next round finds the work."""
    try:
        task.delay(pk)
    except (OperationalError, OSError):
        log.warning("%s %s: no broker to send the message to", task.name, pk)
