"""Read everything for a report as it is at one moment, however much is saved meanwhile."""

import threading
from contextlib import contextmanager

from django.db import DatabaseError, connection

# Deferred and without a write, neither keeps anybody from saving.
BEGIN = {
    "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "sqlite": "BEGIN DEFERRED",
}


class _Open(threading.local):
    """The open moment of a thread, and the connection on which it is."""

    on = moment = None


_open = _Open()


@contextmanager
def one_moment():
    """Wrap all reading for a report in one snapshot; code that writes calls `over` first.

    Inside a moment, or a transaction, there is nothing to do.
    """
    if _is_open() or connection.in_atomic_block:
        yield
        return
    _execute(BEGIN[connection.vendor])
    _open.on, _open.moment = connection.connection, (mine := object())
    try:
        _refuse_writes(True)
        yield
    finally:
        if _open.moment is mine:  # a generator may end long after its moment
            over()


def over():
    """End the moment: nothing more is read in it."""
    if _is_open():
        _refuse_writes(False)
        _execute("COMMIT")
    _open.on = _open.moment = None


def end_with_request(**_):
    """Receive the signals of requests: no moment outlives its request, closed or not."""
    try:
        over()
    except DatabaseError:  # the connection broke, and took its moment along
        connection.close()


def _is_open():
    """Return whether a moment is open; a lost connection takes its moment along."""
    return _open.on is not None and _open.on is connection.connection


def _refuse_writes(refuse):
    """Refuse writes on SQLite, whose deferred transaction would lock then; PostgreSQL was told."""
    if connection.vendor == "sqlite":
        _open.on.execute(f"PRAGMA query_only = {int(refuse)}")


def _execute(words):
    with connection.cursor() as cursor:
        cursor.execute(words)
