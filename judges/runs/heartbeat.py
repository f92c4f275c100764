"""A sign of life of each worker and of beat: a row, written every five seconds by a thread."""

import logging
import socket
import threading
from datetime import timedelta

from django.db import Error, connections
from django.utils import timezone

from judges.models import Clock, Heartbeat

log = logging.getLogger(__name__)
EVERY_SECONDS = 5
FORGET_AFTER = timedelta(days=1)
_ended = threading.Event()


def beat(worker):
    """Writes the worker's row; forgets workers that have been silent for a day."""
    now = timezone.now()
    Heartbeat.objects.update_or_create(worker=worker, defaults={"at": now})
    Heartbeat.objects.filter(at__lt=now - FORGET_AFTER).delete()


def beat_of_clock(name):
    """Writes the row of beat; forgets those that have been silent for a day."""
    now = timezone.now()
    Clock.objects.update_or_create(beat=name, defaults={"at": now})
    Clock.objects.filter(at__lt=now - FORGET_AFTER).delete()


def _beat_until_end(write, name):
    while True:
        try:
            write(name)
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
    _start(beat, name)


def start_clock(**_signal):
    """For celery's beat_init: the clock begins to send what is due."""
    _start(beat_of_clock, socket.gethostname()[:120])


def _start(write, name):
    arguments = (write, name)
    threading.Thread(target=_beat_until_end, args=arguments, name="heartbeat", daemon=True).start()


def stop(sender, **_signal):
    """For celery's worker_shutting_down (its sender is the worker's name): runs stop leasing."""
    from judges.runs import drive as running  # noqa: PLC0415 - two seconds of every start, for workers only

    running.stopping.set()


def end(sender, **_signal):
    """For celery's worker_shutdown: the worker is no longer alive."""
    _ended.set()
    try:
        Heartbeat.objects.filter(worker=sender.hostname[:120]).delete()
    except Error:
        log.warning("heartbeat: the database does not answer")
