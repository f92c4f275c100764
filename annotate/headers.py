"""Response headers that Django does not set by itself, who tries to log in, logs without tokens."""

import logging
import re

from django.conf import settings

LONGEST_TRIED = 255  # characters
TOKEN = re.compile(r"(/r/|/accounts/once/)[^/\s\"]+(?:/[^/\s\"]+)?")


PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


def static_headers(headers, path, url):
    """What whitenoise adds to each file: nothing in it may load or be loaded elsewhere."""
    headers["Content-Security-Policy"] = "default-src 'none'"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Permissions-Policy"] = PERMISSIONS


class PermissionsPolicyMiddleware:
    """No page of the project uses a sensor, the camera or the microphone."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        # A page of one person is not to be kept for the next at the same machine.
        response.headers.setdefault("Cache-Control", "private, no-cache")
        return response


def client_ip(request):
    """The visitor's address; behind PROXY_COUNT proxies, as the first of them noted it."""
    noted = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    # Counted from the end: what stands before was sent by the visitor and proves nothing.
    if 0 < settings.PROXY_COUNT <= len(noted) and noted[-settings.PROXY_COUNT].strip():
        return noted[-settings.PROXY_COUNT].strip()
    return request.META["REMOTE_ADDR"]


def username_tried(request, credentials=None):
    """The name that somebody tries to log in with, cut to what the table of tries can hold."""
    return (credentials or request.POST).get("username", "")[:LONGEST_TRIED]


class TokenFilter(logging.Filter):
    """Takes the tokens of sessions and logins out of log lines: they are the authority."""

    def filter(self, record):
        message = record.getMessage()
        if TOKEN.search(message):
            record.msg, record.args = TOKEN.sub(r"\1…/", message), None
        return True
