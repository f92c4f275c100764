"""Show the page of a fault of the server without asking the database, which may be what fails."""

import sys

from django.http import HttpResponseServerError
from django.template.loader import render_to_string
from django.utils import translation
from django.views import defaults

from annotate.db import busy
from annotate.design.platform import MTURK_FRAMES
from annotate.http.headers import loosen
from annotate.values.languages import ENGLISH


def server_error(request):
    """Page: a fault, in the study's or the browser's language for raters, in English for others."""
    start, _, rest = request.path.lstrip("/").partition("/")
    error = sys.exc_info()[1]  # such as of a file that was being received before any view
    if start not in ("r", "join") and busy.is_passing(error):
        return busy.page(request, error)
    if start not in ("r", "join"):
        return defaults.server_error(request)
    spoken = getattr(request, "spoken", ENGLISH)
    if spoken == ENGLISH:  # of the study, or of nothing yet
        spoken = translation.get_language_from_request(request)
    # Where an address only takes forms, trying again begins at the session.
    again = f"/r/{rest.split('/')[0]}/" if start == "r" else request.get_full_path()
    with translation.override(spoken):
        page = render_to_string("annotate/fault.html", {"again": again})
    response = HttpResponseServerError(
        page, headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    )
    return loosen(response, framed_by=MTURK_FRAMES)  # whose session it is may be what is not known
