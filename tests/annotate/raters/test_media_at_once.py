"""Reports and uploads that come at the same moment, in threads on a real database."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.utils import timezone

from annotate.models import Content, ItemTime, MissingMedia, Place, Session
from annotate.raters import uploads
from annotate.raters.reporting import report_missing
from annotate.sessions import timing
from tests import factories
from tests.annotate.raters.test_media import PIXEL

# Threads of a test share the one connection of an SQLite in memory.
pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
MANY = 6


def at_once(call):
    """What each of MANY calls returned; they begin together, each on a connection of its own."""
    barrier = Barrier(MANY)

    def one(number):
        barrier.wait()
        try:
            return call(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(one, range(MANY)))


@pytest.fixture
def place(study):
    session = factories.make_session(study, state="rating", source="web")
    Session.objects.update(started_at=timezone.now() - timedelta(hours=1))
    place = Place.objects.filter(item__key="item-0").order_by("number").first()
    Place.objects.filter(pk=place.pk).update(state="held", session=session, rater=session.rater)
    return Place.objects.select_related("session").get(pk=place.pk)


def test_two_tabs_closed_together_are_both_kept(place):
    now = timezone.now()
    at_once(lambda n: timing.keep(place, timing.Report(f"view-{n:04}", 10, 0), now))
    time = ItemTime.objects.get()
    assert len(time.views) == MANY and time.active_seconds == 10


def test_a_picture_that_fails_for_many_is_one_row(study, place):
    Content.objects.update(image_url="upload:a.png")
    content = Content.objects.get()
    assert all(at_once(lambda n: report_missing(place.session, content.pk, "image")))
    assert MissingMedia.objects.get().count == MANY


def test_the_last_room_of_a_study_goes_to_one_file(study, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    settings.MEDIA_QUOTA_BYTES = int(len(PIXEL) * 1.5)

    def send(number):
        try:
            sent = SimpleUploadedFile(f"{number}.png", PIXEL)
            return uploads.receive(study, None, sent).pk
        except uploads.Refused:
            return None

    kept = [pk for pk in at_once(send) if pk]
    assert len(kept) == study.media_files.count() == 1
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1
