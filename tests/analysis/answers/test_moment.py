"""A report reads everything as it was at one moment, whoever saves or loads meanwhile."""

import random
from itertools import chain
from threading import Thread

import pytest
from django.core.cache import caches
from django.core.signals import request_started
from django.db import DatabaseError, connection

from analysis.answers import counting, frame
from analysis.answers.moment import one_moment, over
from analysis.exports import tables, write
from analysis.serving.compute import compute
from analysis.serving.source import Source
from annotate.http.streaming import Begun
from annotate.models import Rating
from judges.models import Computation
from tests import factories
from tests.analysis.small import add_judge, add_raters, make_rated_study

pytestmark = pytest.mark.django_db(transaction=True)
ROC = "/studies/films/analysis/roc/?draws=20"


@pytest.fixture
def rated(owner):
    caches["reports"].clear()
    return make_rated_study(owner)


@pytest.fixture
def loaded_meanwhile(rated, monkeypatch):
    """Between the hash and the answers somebody loads an item, a rater and a judge."""
    read, done = frame.Reader.answers, []

    def load():
        factories.make_item(rated, "new", "r0", "film-0", "system-0", data={"genre": "drama"})
        quality = {item: 3 for item in rated.items.all()}
        add_raters(rated, ["dee"], quality, random.Random(1))
        add_judge(rated, "late", lambda item: 3)
        connection.close()

    def beside_a_load(reader):
        if not done:
            done.append(True)
            thread = Thread(target=load)
            thread.start()
            thread.join()
        return read(reader)

    monkeypatch.setattr(frame.Reader, "answers", beside_a_load)
    return done


def raters(page):
    (note,) = [note for note in page.context["report"].notes if note.startswith("Reference:")]
    return note.removesuffix(".")


def test_a_load_between_the_hash_and_the_answers_is_not_in_them(as_owner, loaded_meanwhile):
    page = as_owner.get(ROC)
    assert loaded_meanwhile
    assert raters(page).endswith("role third_party, 3 raters, 24 items")
    assert raters(as_owner.get(ROC)).endswith("role third_party, 4 raters, 25 items")


def test_a_worker_reads_so_too(rated, loaded_meanwhile):
    row = Computation.objects.create(
        key="k", study=rated, report="roc", query="draws=20", n_answers=1
    )
    compute(row.pk)
    row.refresh_from_db()
    assert (row.state, row.reason) == ("done", "")
    assert loaded_meanwhile


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_an_export_is_of_one_moment(rated, monkeypatch, form):
    """Somebody rates between the look at the sessions and that at the answers."""
    before, who_counts = list(write.pieces(rated, "scores", form)), counting.who_counts

    def rate():
        quality = {item: 3 for item in rated.items.all()}
        add_raters(rated, ["dee"], quality, random.Random(1))
        connection.close()

    def beside_a_rater(study):
        found = who_counts(study)
        thread = Thread(target=rate)
        thread.start()
        thread.join()
        return found

    monkeypatch.setattr(counting, "who_counts", beside_a_rater)
    assert list(write.pieces(rated, "scores", form)) == before
    assert Rating.objects.filter(session__rater__key="dee").exists()


@pytest.mark.postgres
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_an_export_whose_connection_ends_before_its_first_row_is_refused_in_words(
    as_owner, rated, monkeypatch, form
):
    first_rows = tables.rows

    def cut_off(*args, **options):
        header, rows = first_rows(*args, **options)
        return header, chain([cut()], rows)

    def cut():
        with connection.cursor() as cursor, connection.copy().cursor() as other:
            cursor.execute("SELECT pg_backend_pid()")
            other.execute("SELECT pg_terminate_backend(%s)", cursor.fetchone())
            cursor.execute("SELECT 1")

    monkeypatch.setattr(tables, "rows", cut_off)
    response = as_owner.get(f"/studies/films/export/scores.{form}")
    connection.close()
    assert (response.status_code, response["Retry-After"]) == (503, "3")
    assert "try it again" in response.content.decode()
    monkeypatch.undo()
    response = as_owner.get(f"/studies/films/export/scores.{form}")
    assert b"".join(response).decode() == "".join(write.pieces(rated, "scores", form))


def test_an_export_that_was_never_sent_leaves_no_moment_behind(rated):
    Begun(write.pieces(rated, "scores", "csv")).close()
    Rating.objects.all().delete()
    assert not Rating.objects.exists()


EXPORT = "/studies/films/export/scores.csv"


@pytest.mark.parametrize("path", [EXPORT, "/studies/films/analysis/verdict/rows.csv"])
def test_a_session_that_is_saved_with_an_export_meets_no_moment(as_owner, rated, settings, path):
    settings.SESSION_SAVE_EVERY_REQUEST = True
    response = as_owner.get(path)
    assert response.status_code == 200 and settings.SESSION_COOKIE_NAME in response.cookies
    assert b"".join(response)


def test_an_export_that_is_never_read_or_closed_leaves_no_moment_to_the_next_request(
    as_owner, rated
):
    response = as_owner.get(EXPORT)
    with pytest.raises(DatabaseError, match="read.?only"):
        Rating.objects.update(value=2)
    request_started.send(None)
    Rating.objects.update(value=2)
    assert not response.closed


def test_an_export_that_ends_late_ends_no_moment_of_others(rated):
    pieces = write.pieces(rated, "scores", "csv")
    next(pieces)
    over()
    with one_moment():
        pieces.close()
        with pytest.raises(DatabaseError, match="read.?only"):
            Rating.objects.update(value=2)


def test_an_export_that_is_broken_off_leaves_no_moment_behind(rated, monkeypatch):
    monkeypatch.setattr(write, "PIECE", 1)
    pieces = write.pieces(rated, "scores", "csv")
    next(pieces), next(pieces)
    pieces.close()
    count = Rating.objects.count()
    thread = Thread(target=lambda: (Rating.objects.all().delete(), connection.close()))
    thread.start()
    thread.join()
    assert count and not Rating.objects.exists()


def test_a_moment_ends_and_another_begins(rated):
    with one_moment():
        first = Source(rated).fingerprint
        thread = Thread(target=lambda: (Rating.objects.update(value=2), connection.close()))
        thread.start()
        thread.join()
        with one_moment():
            assert Source(rated).fingerprint == first, "within the same"
        over()
        assert Source(rated).fingerprint != first
    assert not connection.in_atomic_block
    Rating.objects.update(value=4)
    assert Rating.objects.filter(value=4).count() == Rating.objects.count()


def test_within_a_moment_nothing_can_be_written_and_afterwards_it_can(rated):
    with one_moment(), pytest.raises(DatabaseError, match="read.?only"):
        Rating.objects.update(value=2)
    Rating.objects.update(value=4)
    with one_moment():
        over()
        Rating.objects.update(value=5)
    assert not Rating.objects.exclude(value=5).exists()
