"""Classify a rater's browser, device and screen in classes too wide to identify anybody.

The header that browsers send, and the exact width, are not stored.
"""

import re
from contextlib import suppress

from django.db import OperationalError

from annotate.models import Session

# The first that is found; nearly all of them also call themselves Chrome or Safari.
BROWSERS = (
    ("other", r"OPR/|Opera|SamsungBrowser|YaBrowser|UCBrowser|MicroMessenger|bot\b"),
    ("Edge", r"Edg(e|A|iOS)?/"),
    ("Firefox", r"Firefox/|FxiOS/"),
    ("Chrome", r"Chrome/|CriOS/"),
    ("Safari", r"Version/.*Safari/"),
)
TABLET = re.compile(r"iPad|Tablet|Android(?!.*Mobile)")
PHONE = re.compile(r"Mobi|iPhone|Android")
LONGEST = 1_000  # characters of the header that are looked at
WIDTHS = (240, 320, 360, 414, 600, 768, 1024, 1280, 1536, 1920, 2560)


def browser_of(agent):
    """Return the browser that a User-Agent header names: Chrome, Firefox, Safari, Edge or other."""
    return next((name for name, pattern in BROWSERS if re.search(pattern, agent)), "other")


def device_of(agent):
    """Return phone, tablet or desktop as the header tells; newer iPads call themselves desktops."""
    if TABLET.search(agent):
        return "tablet"
    return "phone" if PHONE.search(agent) else "desktop"


def width_class(text):
    """Round a width in CSS pixels down to one of WIDTHS; None if the text is no width."""
    if not re.fullmatch(r"[0-9]{1,5}", text):
        return None
    return max((width for width in WIDTHS if width <= int(text)), default=None)


def note(session, request):
    """Store the browser, device and screen classes of the rater who consents, once a session."""
    agent = request.headers.get("User-Agent", "")[:LONGEST]
    # Consent is kept by now: a busy database must not make the rater give it once more.
    with suppress(OperationalError):
        # Who comes by the same visit again may have withdrawn.
        new = Session.objects.filter(pk=session.pk, browser="")
        new.exclude(state=Session.State.WITHDRAWN).update(
            browser=browser_of(agent),
            device=device_of(agent),
            screen_width=width_class(request.POST.get("width", "")),
        )
