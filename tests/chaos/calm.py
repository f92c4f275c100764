"""After the faults: what is under way ends, and what was left is given back."""

import os
import time
from contextlib import suppress
from datetime import timedelta

from django.utils import timezone

from tests.simulated_raters import GaveUp

LATER = timedelta(hours=3)  # by so much the clock is put forward for what was left
ROUND = 8  # seconds until the clock sends again what it sends; a minute in truth


def wait_until(condition, seconds):
    """Wait until it holds; return whether it does."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.5)
    return True


def runs_have_ended():
    """Whether no run waits for a worker and no lease is left."""
    from judges.models import Judgment, Run

    leased = Judgment.objects.filter(state=Judgment.State.LEASED)
    return not leased.exists() and not Run.objects.filter(state=Run.State.ACTIVE).exists()


def nothing_is_held():
    """Whether no place is held and no load waits."""
    from annotate.models import Place
    from judges.models import Upload

    loading = Upload.objects.filter(state=Upload.State.LOADING)
    return not loading.exists() and not Place.objects.filter(state=Place.State.HELD).exists()


def give_back_what_was_left(seconds):
    """Let the clock's rounds follow one another until nothing is held; return whether that came.

    What a worker takes up at one round may be lost with its message, and comes at the next.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        put_clock_forward()
        if wait_until(nothing_is_held, min(ROUND, seconds)):
            return True
    return False


def open_places(crowd):
    """Return the waves that sent raters away and have open places all the same."""
    from annotate.models import Place

    late = [study for study, wave in crowd.raters.items() if any(n.is_late for n in wave)]
    free = Place.objects.filter(study__in=late, state=Place.State.OPEN)
    return list(free.values_list("study__slug", "item"))


def put_clock_forward():
    """Let hours pass for sessions that were left and loads that went silent; the workers do the
    rest: they are sent what the clock sends them once a minute.
    """
    from annotate.models import Session
    from judges import tasks
    from judges.models import Upload
    from judges.uploads import uploads as uploading

    before = timezone.now() - LATER
    unended = Session.objects.exclude(state__in=Session.OVER)
    unended.update(last_seen_at=before)
    for upload in Upload.objects.filter(state=Upload.State.LOADING):
        Upload.objects.filter(pk=upload.pk).update(created_at=before)
        with suppress(FileNotFoundError):
            progress = uploading.folder_of(upload) / "progress.json"
            os.utime(progress, (before.timestamp(), before.timestamp()))
    tasks.release_places.delay()
    tasks.tend_uploads.delay()


def look_around(browser, slugs):
    """Ask for pages as a researcher does now that all is calm; return what did not come."""
    trouble = []
    for path in ("/healthz", "/", *(f"/studies/{slug}/" for slug in slugs)):
        try:
            status, _, _ = browser.ask("a page after the calm", "GET", path)
        except GaveUp as error:
            status = str(error)
        if status != 200:
            trouble.append(f"{status}: {path}")
    return trouble
