"""What a report reads is as it was at one moment, however much is saved meanwhile."""

import threading
from contextlib import contextmanager

from django.db import connection

# Deferred and without a write, neither keeps anybody from saving.
BEGIN = {
    "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "sqlite": "BEGIN DEFERRED",
}
_open = threading.local()


@contextmanager
def one_moment():
    """Around all reading for a report; what would write calls `over` first.

    Inside a moment, or a transaction, there is nothing to do.
    """
    if _is_open() or connection.in_atomic_block:
        yield
        return
    _execute(BEGIN[connection.vendor])
    _open.on = connection.connection
    try:
        _refuse_writes(True)
        yield
    finally:
        over()


def over():
    """Ends the moment: nothing more is read in it."""
    if _is_open():
        _refuse_writes(False)
        _execute("COMMIT")
    _open.on = None


def _is_open():
    """Whether there is one; a connection that was lost took its moment along."""
    begun = getattr(_open, "on", None)
    return begun is not None and begun is connection.connection


def _refuse_writes(refuse):
    """On SQLite, where a deferred transaction would only begin to lock; PostgreSQL was told."""
    if connection.vendor == "sqlite":
        _open.on.execute(f"PRAGMA query_only = {int(refuse)}")


def _execute(words):
    with connection.cursor() as cursor:
        cursor.execute(words)
