"""Set response headers that Django lacks, identify clients, and keep tokens out of logs."""

import logging
import re

from csp.constants import SELF
from django.conf import settings

LONGEST_TRIED = 255  # characters
TOKEN = re.compile(r"(/r/|/accounts/once/)[^/\s\"]+(?:/[^/\s\"]+)?")
API_TOKEN = re.compile(r"\bconcord_[\w-]{8,}")

PLATFORM_ID = re.compile(
    r"\b(PROLIFIC_PID|STUDY_ID|SESSION_ID|assignmentId|hitId|workerId|turkSubmitTo)"
    r"(=|%3[Dd]|'?\"?: ?)[^&\s\"]+"
)


PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


def static_headers(headers, path, url):
    """Set whitenoise's headers of a file: nothing in it may load or be loaded elsewhere."""
    headers["Content-Security-Policy"] = "default-src 'none'"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Permissions-Policy"] = PERMISSIONS


class PermissionsPolicyMiddleware:
    """Forbid pages to use a sensor, the camera or the microphone, and caches to share them."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        # A page of one person is not to be kept for the next at the same machine.
        response.headers.setdefault("Cache-Control", "private, no-cache")
        return response


def loosen(response, posts_to="", framed_by=()):
    """Let the response's forms also lead to one site, and let some sites frame it."""
    policy = {}
    if posts_to:
        policy["form-action"] = [SELF, posts_to]
    if framed_by:
        policy["frame-ancestors"] = list(framed_by)
        response.xframe_options_exempt = True
    if policy:
        # Replaced: an update would leave 'none' among ancestors. Added to what was loosened before.
        response._csp_replace = getattr(response, "_csp_replace", {}) | policy
    return response


def client_ip(request):
    """Return the visitor's address; behind PROXY_COUNT proxies, as the first of them noted it."""
    noted = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    # Counted from the end: what stands before was sent by the visitor and proves nothing.
    if 0 < settings.PROXY_COUNT <= len(noted) and noted[-settings.PROXY_COUNT].strip():
        return noted[-settings.PROXY_COUNT].strip()
    return request.META["REMOTE_ADDR"]


def username_tried(request, credentials=None):
    """Return the name of a login attempt, cut to what the table of attempts can hold."""
    return (credentials or request.POST).get("username", "")[:LONGEST_TRIED]


class TokenFilter(logging.Filter):
    """Remove tokens of sessions, logins and programs, and platforms' ids of people, from logs.

    Whoever knows a token has its authority.
    """

    def filter(self, record):
        message = record.getMessage()
        clean = PLATFORM_ID.sub(r"\1\2…", TOKEN.sub(r"\1…/", message))
        clean = API_TOKEN.sub("concord_…", clean)
        if clean != message:
            record.msg, record.args = clean, None
        return True
