"""Write a sign of life of each worker and of beat: a row every five seconds, from a thread."""

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
    """Write the worker's row; forget workers that have been silent for a day."""
    now = timezone.now()
    Heartbeat.objects.update_or_create(worker=worker, defaults={"at": now})
    Heartbeat.objects.filter(at__lt=now - FORGET_AFTER).delete()


def beat_of_clock(name):
    """Write the row of beat; forget rows that have been silent for a day."""
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
    """Begin the worker's heartbeat, on celery's worker_ready."""
    name = sender.hostname[:120]
    _start(beat, name)


def start_clock(**_signal):
    """Begin the heartbeat of beat, on celery's beat_init."""
    _start(beat_of_clock, socket.gethostname()[:120])


def _start(write, name):
    arguments = (write, name)
    threading.Thread(target=_beat_until_end, args=arguments, name="heartbeat", daemon=True).start()


def stop(sender, **_signal):
    """Let runs stop leasing, on celery's worker_shutting_down (its sender is the worker's name)."""
    from judges.runs import drive as running  # noqa: PLC0415 - two seconds of every start, for workers only

    running.stopping.set()


def end(sender, **_signal):
    """End the worker's heartbeat and delete its row, on celery's worker_shutdown."""
    _ended.set()
    try:
        Heartbeat.objects.filter(worker=sender.hostname[:120]).delete()
    except Error:
        log.warning("heartbeat: the database does not answer")
