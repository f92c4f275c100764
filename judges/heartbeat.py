"""A worker's sign of life: one row, written every five seconds by a thread of its main process."""

import logging
import threading
from datetime import timedelta

from django.db import Error, connections
from django.utils import timezone

from judges.models import Heartbeat

log = logging.getLogger(__name__)
EVERY_SECONDS = 5
FORGET_AFTER = timedelta(days=1)
_ended = threading.Event()


def beat(worker):
    """Writes the worker's row; forgets workers that have been silent for a day."""
    now = timezone.now()
    Heartbeat.objects.update_or_create(worker=worker, defaults={"at": now})
    Heartbeat.objects.filter(at__lt=now - FORGET_AFTER).delete()


def _beat_until_end(worker):
    while True:
        try:
            beat(worker)
        except Error:  # a database that is away comes back; the next beat tells
            log.warning("heartbeat: the database does not answer")
        finally:
            # Nothing open between beats: survives restarts of the database, and pools that fork.
            connections.close_all()
        if _ended.wait(EVERY_SECONDS):
            return


def start(sender, **_signal):
    """For celery's worker_ready: the worker's main process has begun to take messages."""
    name = sender.hostname[:120]
    threading.Thread(target=_beat_until_end, args=(name,), name="heartbeat", daemon=True).start()


def stop(sender, **_signal):
    """For celery's worker_shutting_down (its sender is the worker's name): runs stop leasing."""
    from judges import running  # noqa: PLC0415 - two seconds of every start, for workers only

    running.stopping.set()


def end(sender, **_signal):
    """For celery's worker_shutdown: the worker is no longer alive."""
    _ended.set()
    try:
        Heartbeat.objects.filter(worker=sender.hostname[:120]).delete()
    except Error:
        log.warning("heartbeat: the database does not answer")
