"""The server's disk is full: 503 in words of its own, and the same request works later."""

import errno
import gc

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.test import Client

from annotate.db import busy
from annotate.models import Rating
from judges.models import Upload
from tests import factories
from tests.annotate.raters.test_views import answers, begin, post_item
from tests.api.conftest import program
from tests.small_disk import fill, free, small_disk

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = "The disk of the server is full"
LOAD = "/studies/films/load/"


@pytest.fixture
def disk(tmp_path, settings, monkeypatch, caplog):
    """A small disk that holds uploads and temporary files."""
    with small_disk(tmp_path / "disk") as folder:
        settings.MEDIA_ROOT = folder / "media"
        settings.FILE_UPLOAD_TEMP_DIR = str(folder)
        monkeypatch.setattr("tempfile.tempdir", str(folder))
        yield folder
        caplog.get_records("call").clear()  # they hold requests, and these their files
        gc.collect()  # which are removed while their disk is there


@pytest.fixture
def study(owner):
    return factories.make_study(owner=owner, items=4, language="zh-hans")


def browser(owner):
    """A client that shows pages of faults, and whose forms are checked as a browser's."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(owner)
    client.cookies["csrftoken"] = "c" * 32
    return client


def send(client, size):
    lines = b"item,text\n" + b"".join(b"i%d,text\n" % n for n in range(size))
    file = SimpleUploadedFile("items.csv", lines)
    return client.post(LOAD, {"items": file, "csrfmiddlewaretoken": "c" * 32})


@pytest.mark.parametrize("size", [10, 400_000], ids=["copied", "received"])
def test_an_upload_is_refused_in_words_and_taken_when_there_is_room(owner, study, disk, size):
    """Django writes a large file to the disk before any view is asked."""
    client = browser(owner)
    fill(disk)
    response = send(client, size)
    assert (response.status_code, response["Retry-After"]) == (503, "3")
    assert WORDS in response.content.decode() and "busy" not in response.content.decode()
    assert not Upload.objects.exists()
    free(disk)
    assert send(client, 10).status_code == 302


def test_a_program_is_told_so_too(owner, study, disk):
    api = program(owner)
    body = {"rows": [{"item": f"i{n}", "text": "x"} for n in range(50)]}
    fill(disk)
    response = api.post("/api/v1/studies/films/items/", body, format="json")
    assert (response.status_code, response["Retry-After"]) == (503, "3")
    error = response.json()["error"]
    assert error["code"] == "disk_full" and WORDS in error["message"]
    free(disk)
    assert api.post("/api/v1/studies/films/items/", body, format="json").status_code == 201


def disk_full():
    """Let the database raise what it raises on a full disk."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '53100'; END $$")
        cursor.execute("CREATE TEMP TABLE filler (words BLOB)")
        cursor.execute("PRAGMA temp.max_page_count = 3")
        try:
            cursor.execute("INSERT INTO filler VALUES (zeroblob(1000000))")
        finally:
            cursor.execute("DROP TABLE filler")


def test_a_rater_reads_so_in_the_studys_language_and_loses_nothing(client, study, monkeypatch):
    token = begin(client, study)
    with monkeypatch.context() as patched:
        patched.setattr(
            "annotate.raters.screens.session.save_answers", lambda *_a, **_k: disk_full()
        )
        response = post_item(client, token, 1, answers(study, "5"))
        page = response.content.decode()
    assert (response.status_code, response["Retry-After"]) == (503, "3")
    assert "服务器磁盘已满" in page and "服务器繁忙" not in page and 'lang="zh-hans"' in page
    assert page.count('value="5"') == 4
    assert not Rating.objects.exists()
    assert post_item(client, token, 1, answers(study, "5")).status_code == 303


def test_a_researchers_page_reads_so(as_owner, study, monkeypatch):
    monkeypatch.setattr("annotate.recruitment.views.links.of_study", lambda *_a: disk_full())
    response = as_owner.get("/studies/films/raters/links/")
    assert response.status_code == 503 and WORDS in response.content.decode()


def test_of_errors_of_files_only_those_for_want_of_room_pass():
    passing = {errno.ENOSPC, errno.EDQUOT}
    codes = passing | {errno.EACCES, errno.ENOENT, errno.EIO}
    assert {code for code in codes if busy.is_passing(OSError(code, "x"))} == passing
    assert not busy.is_passing(OSError("x"))


def test_the_database_says_that_its_disk_is_full():
    with pytest.raises(OperationalError) as raised:
        disk_full()
    assert busy.is_disk_full(raised.value) and busy.is_passing(raised.value)
