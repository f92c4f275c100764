"""Ask the client to send a request again: the database is busy or away, or the disk is full."""

import errno
import logging
import re

from django.db import OperationalError, connection
from django.http import HttpResponse
from django.shortcuts import render

log = logging.getLogger(__name__)
AGAIN_AFTER = 3  # seconds; static/rater.js waits as long before it sends an answer again
# What PostgreSQL calls the things that pass: a connection that broke, a serialization that failed,
# a deadlock, a lock waited for too long, too many connections, a server that stops or starts, or
# that closed a connection because nobody used it.
PASSING = re.compile(r"08...|40001|40P01|55P03|53300|57P0[1235]")
# Of a connection that could not be made only its words are known. What the server itself refused
# stays refused (a name, a password, a database that is not there), but for what is said here. Such
# words are in the language of the server; the codes are in none, but the library drops them. An
# encrypted connection that only broke ends in the middle of something.
REFUSED = re.compile(
    r"FATAL|no password supplied|certificate"
    r"|SSL error: (?!unexpected eof|decryption failed or bad record mac)"
)
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
DISK_FULL = "53100"  # of PostgreSQL
STARTS_OR_STOPS = re.compile(
    r"starting up|shutting down|not yet accepting connections|in recovery mode"
    r"|too many (clients|connections)|connection slots are reserved|terminating connection"
)


def _error_of_driver(error):
    """Return the driver's error about its database; None for any other error.

    Django wraps such errors in its own, but for one that comes while it closes a cursor.
    """
    if isinstance(error, OperationalError):
        return error.__cause__ or error
    return error if isinstance(error, connection.Database.OperationalError) else None


def is_disk_full(error):
    """Tell whether something could not be written because a disk of the server is full."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    if (cause := _error_of_driver(error)) is None:
        return False
    code = getattr(cause, "sqlstate", None)
    return code == DISK_FULL or str(error) == "database or disk is full"  # as SQLite says it


def is_passing(error):
    """Tell whether the same request may succeed in a moment, or when somebody has made room.

    SQLite says so of a lock that it waited for in vain. Of PostgreSQL it is so for locks, deadlocks
    and connections; a statement that took too long would only be met again.
    """
    if is_disk_full(error):
        return True
    if (cause := _error_of_driver(error)) is None:
        return False
    if connection.vendor != "postgresql":
        return "locked" in str(error)
    if code := getattr(cause, "sqlstate", None):
        return PASSING.fullmatch(code) is not None
    words = str(error)
    return not REFUSED.search(words) or STARTS_OR_STOPS.search(words) is not None


def note(error):
    """Log an error that passes; a full disk is an error for the operator to mend."""
    if is_disk_full(error):
        log.error("the disk is full, so a request was refused")
    else:
        kind = type(_error_of_driver(error)).__name__
        log.warning("the database was busy for too long: %s", kind)


def page(request, error, template="503.html"):
    """Return 503 with when to try again; raise the error where trying again is of no use."""
    if not is_passing(error):
        raise error
    note(error)
    if request.headers.get("HX-Request"):  # the page keeps the answer, and sends it again
        response = HttpResponse(status=503)
    else:
        sent = [(name, value) for name, values in request.POST.lists() for value in values]
        context = {"sent": sent, "is_disk_full": is_disk_full(error)}
        response = render(request, template, context, status=503)
    response["Retry-After"] = str(AGAIN_AFTER)
    return response


class BusyMiddleware:
    """Answer researchers' pages while the database is busy; raters' pages answer by themselves."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        return self.get_response(request)

    def process_exception(self, request, error):
        return page(request, error) if is_passing(error) else None
