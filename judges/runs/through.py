"""Stay with a run until it has ended, and take back what killed workers held."""

import time

from django.utils import timezone

from judges.models import Heartbeat, Run
from judges.runs import drive, lease, settle
from judges.runs.nudge import nudge


def recover(now=None):
    """Settle or return what killed workers held, end finished runs; return how many rows waited."""
    now = now or timezone.now()
    try:
        settle.settle_lost(now)
    finally:  # what cannot be settled must not keep the rest from coming back
        returned = lease.return_expired(now)
    lease.finish_if_done()
    return returned


def see_through(run, say=lambda words: None):
    """Stay until the run has ended: workers do it, or this process while none is alive.

    What killed workers held comes back here too, for the clock may not run. say: is told how far
    the run is.
    """
    was_alive = None
    while run.state == Run.State.ACTIVE:
        returned, is_alive = recover(), Heartbeat.objects.any_alive()
        if is_alive and (returned or not was_alive):
            nudge(run)
        elif not is_alive:
            if was_alive is not False:
                say(f"No worker is alive: run {run.pk} is worked through here.")
            drive.work_through(run.pk)
        was_alive = is_alive
        run.refresh_from_db()
        total, waiting = run.judgments.count(), run.judgments.open().count()
        say(f"run {run.pk}: {total - waiting} of {total} judgments")
        if run.state == Run.State.ACTIVE:
            time.sleep(1)
