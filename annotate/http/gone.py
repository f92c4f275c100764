"""Answer requests whose study is being deleted, or was deleted while the request was answered."""

import logging

from django.db import DatabaseError
from django.http import Http404, JsonResponse
from django.shortcuts import render
from django.views.defaults import page_not_found

from annotate.design.access import BeingDeleted
from annotate.design.platform import MTURK_FRAMES
from annotate.http.headers import loosen
from annotate.models import Session, Study

log = logging.getLogger(__name__)
# What the HTTP API says of whatever a caller cannot see.
NOT_FOUND = "There is no such thing here, or it belongs to a study that you cannot see."


def is_gone(match):
    """Tell whether the address is of a study, or of a rater's session, that is no longer there."""
    slug, token = match.kwargs.get("slug"), match.kwargs.get("token")
    if slug:
        return not Study.objects.kept().filter(slug=slug).exists()
    sessions = Session.objects.filter(token=token, study__deletion=None)
    return bool(token) and match.route.startswith("r/") and not sessions.exists()


def page(request):
    """Page: the study is gone, or going; a rater reads that the address leads nowhere."""
    path = request.path
    if path.startswith("/api/"):
        return JsonResponse({"error": {"code": "not_found", "message": NOT_FOUND}}, status=404)
    if path.startswith(("/r/", "/join/")):
        response = page_not_found(request, Http404("gone"), "annotate/lost.html")
        return loosen(response, framed_by=MTURK_FRAMES)
    return render(request, "annotate/being_deleted.html", status=404)


def answer(request, error):
    """Return the page for a request that failed because its study goes; None for other errors."""
    if isinstance(error, BeingDeleted):
        return page(request)
    if isinstance(error, Http404) or request.resolver_match is None:
        return None
    try:
        if not is_gone(request.resolver_match):
            return None
    except DatabaseError:  # which may be what the view met
        return None
    log.info("the study was deleted meanwhile: %s", type(error).__name__)
    return page(request)


class GoneMiddleware:
    """Answer 404 where a view failed because its study was deleted meanwhile.

    A request may look the study up a moment before its deletion is asked for, and then not find
    the rows that it needs: that is no fault of the server.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        return self.get_response(request)

    def process_exception(self, request, error):
        return answer(request, error)
