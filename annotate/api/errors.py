"""Return every error of the HTTP API in one form: {"error": {"code", "message", …}}."""

import logging
from math import ceil

from django.core.exceptions import PermissionDenied as DjangoDenied
from django.core.exceptions import RequestDataTooBig
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response

from annotate.db.busy import AGAIN_AFTER, is_disk_full, is_passing, note
from annotate.http.gone import NOT_FOUND

log = logging.getLogger(__name__)
BUSY = "The database is busy. Please send the request again."
FULL = (
    "The disk of the server is full, so this was not done. Please tell whoever runs the server to "
    "make room, then send the request again."
)


class TooLarge(exceptions.APIException):
    """The body has more bytes than the API reads."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"


class Busy(exceptions.APIException):
    """The database is busy for too long: the same request may succeed in a moment."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "busy"
    wait = AGAIN_AFTER


class DiskFull(Busy):
    """The disk is full: the same request may succeed when somebody has made room."""

    default_code = "disk_full"


class Conflict(exceptions.APIException):
    """The request is as the schema says, but does not fit what the study holds.

    problems: [{row, field, message}], the first fifty of total. fields: {field: [messages]}.
    """

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"

    def __init__(self, message, code=None, problems=(), total=0, fields=None):
        super().__init__(message, code)
        self.more = {"fields": _fields(fields)} if fields else {}
        if total:
            self.more = {"problems": list(problems), "problem_count": total}


def answer(error, context):
    """Return the response to an exception of a view."""
    if isinstance(error, Http404):
        error = exceptions.NotFound(NOT_FOUND)
    elif isinstance(error, DjangoDenied):
        error = exceptions.PermissionDenied()
    elif isinstance(error, RequestDataTooBig):
        error = TooLarge("The body is too large.")
    elif is_passing(error):
        note(error)
        error = DiskFull(FULL) if is_disk_full(error) else Busy(BUSY)
    elif not isinstance(error, exceptions.APIException):
        log.error("unexpected error in the API", exc_info=error)
        error = exceptions.APIException("Something went wrong here; it was logged.")
        error.detail.code = "server_error"
    return Response(_body(error), status=error.status_code, headers=_headers(error))


def _body(error):
    if isinstance(error, exceptions.ValidationError):
        fields = _fields(error.detail)
        message = "; ".join(
            f"{name}: {' '.join(messages)}" for name, messages in list(fields.items())[:3]
        )
        return {"error": {"code": "invalid", "message": message, "fields": fields}}
    if isinstance(error, exceptions.ParseError):
        return {"error": {"code": "malformed", "message": str(error.detail)}}
    error_of_api = {
        "code": getattr(error.detail, "code", error.default_code),
        "message": str(error.detail),
    }
    return {"error": error_of_api | getattr(error, "more", {})}


def _fields(detail, name=""):
    """Flatten errors into {field: [messages]}; fields inside of others are named with dots."""
    if isinstance(detail, dict):
        pairs = detail.items()
    elif any(isinstance(entry, dict | list) for entry in detail):
        pairs = ((number, entry) for number, entry in enumerate(detail) if entry)
    else:
        return {name or "body": [str(message) for message in detail]}
    messages_by_field: dict[str, list] = {}
    for key, entry in pairs:
        own = "" if key == "non_field_errors" else str(key)
        messages_by_field |= _fields(entry, ".".join(filter(None, [name, own])))
    return messages_by_field


def _headers(error):
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if isinstance(error, exceptions.Throttled | Busy):
        headers["Retry-After"] = str(max(1, ceil(error.wait or 1)))
    return headers
