"""Tell workers that there is something to do; all that matters is in the database.

Tasks are named by their paths, as they stand above everything that asks for one.
"""

import logging
from functools import partial

from celery.utils.nodenames import worker_direct
from django.db import transaction
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError

from judges.models import Heartbeat

log = logging.getLogger(__name__)


def nudge(run):
    """Tell a worker, after the commit, that a run has work."""
    transaction.on_commit(partial(send, "judges.tasks.work", run.pk))


def send(task, pk):
    """Give a worker a task; where no broker answers, the clock's next round finds the work."""
    try:
        import_string(task).delay(pk)
    except (OperationalError, OSError):
        log.warning("%s %s: no broker to send the message to", task, pk)


def own_queues():
    """List a queue for each living worker; a worker could take all messages of a shared queue."""
    names = Heartbeat.objects.alive().values_list("worker", flat=True)
    return [worker_direct(name) for name in names]
