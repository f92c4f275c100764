"""Renew a worker's claim from a thread while the worker computes."""

import logging
import threading
from contextlib import contextmanager

from django.db import Error, connections

log = logging.getLogger(__name__)


@contextmanager
def renewed(renew, seconds, what):
    """Call `renew` every so many seconds from another thread until the block ends."""
    done = threading.Event()
    thread = threading.Thread(target=_until, args=(done, renew, seconds, what), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _until(done, renew, seconds, what):
    while not done.wait(seconds):
        try:
            renew()
        except Error:  # a database that is away comes back
            log.warning("%s: the database does not answer", what)
        finally:
            connections.close_all()
