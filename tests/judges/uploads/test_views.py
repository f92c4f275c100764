"""Files come through the pages: checked and shown first, loaded by a worker, seen by one only."""

import os
import shutil
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, IntegrityError
from django.test import Client
from django.utils import timezone

from annotate.models import Item, Membership, Study
from judges.models import Heartbeat, Upload
from judges.tasks import load_upload, tend_uploads
from judges.uploads import uploads
from tests import factories
from tests.files import ITEMS, RATINGS, STUDY, load

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folders(settings, tmp_path):
    """Uploads and messages of a test go to folders of its own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT / "uploads"


@pytest.fixture
def no_broker(monkeypatch):
    """Messages that were sent; the tests run the task themselves."""
    sent = []
    monkeypatch.setattr(load_upload, "delay", sent.append)
    return sent


def files(study=STUDY, **tables):
    given = {"study": study, **tables}
    return {
        name: SimpleUploadedFile(f"my {name}.csv", text.encode() if isinstance(text, str) else text)
        for name, text in given.items()
        if text is not None
    }


def send(client, address="/studies/new/", **tables):
    """Posts the files; returns the page that follows."""
    return client.post(address, files(**tables), follow=True)


def test_the_form_explains_every_file(as_owner):
    page = as_owner.get("/studies/new/").content.decode()
    for text in ("study.yaml", "judgments.csv", "explaining_contents"):
        assert text in page
    assert "<code>movieId</code> is read as <code>content</code>" in page


def test_a_preview_shows_rows_and_counts_before_anything_is_written(as_owner):
    response = send(as_owner, items=ITEMS, ratings=RATINGS)
    page = response.content.decode()
    assert "No problems found. Nothing is written yet." in page
    assert "First rows of items.csv" in page
    assert "Slow, and quiet." in page
    assert Upload.objects.get().counts["ratings"] == {
        "rows": 3,
        "new": 3,
        "changed": 0,
        "unchanged": 0,
    }
    assert not Study.objects.exists()


def test_a_new_study_is_open_at_once_as_the_preview_says_unless_its_file_closes_it(
    as_owner, no_broker
):
    page = send(as_owner, study=STUDY + "state: closed\n", items=ITEMS).content.decode()
    assert "is open for raters at once, unless its study.yaml has <code>state: closed" in page
    upload = Upload.objects.get()
    as_owner.post(f"/uploads/{upload.token}/load/")
    load_upload(upload.pk)
    assert not Study.objects.get().is_open
    page = send(
        as_owner, f"/studies/{upload.slug}/load/", study=None, items="item,text\nnew,A text.\n"
    )
    assert "open for raters at once" not in page.content.decode()


def test_the_pages_of_a_load_say_what_rows_with_a_blank_question_stand_for(as_owner, no_broker):
    blank = "item,judge,question,value\ne1,BLEU,,1\n"
    words = "1 new row stands for 2 judgments, as a blank question means every question asked of"
    assert words in send(as_owner, items=ITEMS, judgments=blank).content.decode()
    upload = Upload.objects.get()
    as_owner.post(f"/uploads/{upload.token}/load/")
    load_upload(upload.pk)
    page = as_owner.get(f"/uploads/{upload.token}/").content.decode()
    assert "What was loaded" in page and words in page


def test_load_makes_a_study_that_the_uploader_owns(as_owner, owner, no_broker, folders):
    send(as_owner, items=ITEMS, ratings=RATINGS)
    upload = Upload.objects.get()
    page = as_owner.post(f"/uploads/{upload.token}/load/", follow=True).content.decode()
    assert "Waiting for a worker." in page
    assert no_broker == [upload.pk]
    load_upload(upload.pk)
    upload.refresh_from_db()
    assert upload.state == "loaded"
    assert Membership.objects.get().user == owner
    assert Item.objects.count() == 2


def test_loading_twice_at_once_writes_once(as_owner, no_broker):
    send(as_owner, items=ITEMS)
    upload = Upload.objects.get()
    for _ in range(2):
        as_owner.post(f"/uploads/{upload.token}/load/")
    assert no_broker == [upload.pk]
    load_upload(upload.pk)
    load_upload(upload.pk)
    upload.refresh_from_db()
    assert upload.state == "loaded"


def test_files_for_a_study_need_no_study_file(as_owner, study, no_broker):
    # The study of the fixture has items of its own.
    response = send(as_owner, "/studies/films/load/", study=None, items="item,text\nnew,A text.\n")
    assert response.status_code == 200
    upload = Upload.objects.get()
    as_owner.post(f"/uploads/{upload.token}/load/")
    load_upload(upload.pk)
    assert study.items.filter(key="new").exists()


def test_the_same_files_again_have_nothing_to_load(as_owner, no_broker):
    send(as_owner, items=ITEMS)
    as_owner.post(f"/uploads/{Upload.objects.get().token}/load/")
    load_upload(Upload.objects.get().pk)
    page = send(as_owner, "/studies/films/load/", items=ITEMS).content.decode()
    assert "Nothing changes: the study holds all of it already." in page
    assert "/load/" not in page.split('<main id="main">')[1].split('id="loading"')[1]


def test_what_differs_from_a_loaded_answer_is_counted_before_and_after_a_load(as_owner, no_broker):
    send(as_owner, items=ITEMS, ratings=RATINGS)
    as_owner.post(f"/uploads/{Upload.objects.get().token}/load/")
    load_upload(Upload.objects.get().pk)
    header, *rows = RATINGS.splitlines()
    ratings = "\n".join([f"{header},reason", *(f"{row},Because." for row in rows), ""])
    words = '<p class="num">3 rows differ in reason from what is loaded, which stays.</p>'
    page = send(as_owner, "/studies/films/load/", ratings=ratings).content.decode()
    assert words in page and "Nothing changes: what the study holds stays." in page
    more = {"ratings": ratings + "e2,cem,third_party,fits,1,\n"}
    assert words in send(as_owner, "/studies/films/load/", **more).content.decode()
    upload = Upload.objects.latest("pk")
    as_owner.post(f"/uploads/{upload.token}/load/")
    load_upload(upload.pk)
    assert words in as_owner.get(f"/uploads/{upload.token}/").content.decode()


def test_problems_are_shown_with_file_line_and_column_and_cannot_be_loaded(as_owner, no_broker):
    page = send(as_owner, items=ITEMS, ratings=RATINGS.replace("ness,4", "ness,6"))
    text = page.content.decode()
    assert "1 problem. Nothing was written." in text
    assert "<td>ratings.csv, line 2, column value</td>" in text
    assert "found &#x27;6&#x27;; allowed is a whole number from 1 to 5" in text
    address = f"/uploads/{Upload.objects.get().token}/load/"
    assert address not in text
    assert as_owner.post(address).status_code == 404
    assert no_broker == []


def test_of_many_problems_the_first_fifty_are_shown_and_all_counted(as_owner):
    rows = "item,text,position\n" + "".join(f"i{n},x,first\n" for n in range(60))
    page = send(as_owner, items=rows).content.decode()
    assert "60 problems." in page
    assert "The first 50 of 60 are shown." in page


def test_html_in_files_and_names_is_shown_as_text(as_owner):
    evil = "<script>alert(1)</script>"
    page = send(as_owner, items=f"item,text,{evil}\n{evil},{evil},{evil}\n", ratings=f"{evil}\nx\n")
    text = page.content.decode()
    assert evil not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


@pytest.mark.parametrize(
    "tables, message",
    [
        ({"items": "item,text\na,caf\xe9\n".encode("latin-1")}, "which is not UTF-8"),
        ({"items": "item;text\na;x\n"}, "separated by semicolons"),
        ({"items": ""}, "the file is empty"),
        ({"items": "item,text\na,x,y\n"}, "found 3 cells; allowed are 2"),
        ({"study": "questions: []\n"}, "a study asks at least one"),
        ({"study": STUDY + "hold_minutes: 0x_\n"}, "; allowed is a whole number from 1 to 32767"),
        ({"study": STUDY + "notice: !!bool foo\n"}, "found the tag"),
        ({"study": STUDY + 'notice: "a\\ud800b"\n'}, "<td>study.yaml, line 8, column notice</td>"),
        ({"study": STUDY + '"\\0": 1\n'}, "allowed is text without NUL"),
    ],
)
def test_a_bad_file_is_a_problem_on_the_page(as_owner, tables, message):
    assert message in send(as_owner, **tables).content.decode()
    assert not Study.objects.exists()


def test_a_file_over_the_limit_is_refused_by_its_size(as_owner, settings, folders):
    settings.UPLOAD_MAX_BYTES = 1000
    response = send(as_owner, items=ITEMS + "x" * 1000)
    assert response.status_code == 422
    assert "found a file of 0.0 MB; allowed are 0.0 MB" in response.content.decode()
    assert not folders.exists()


def test_no_file_at_all_is_said(as_owner, study):
    response = as_owner.post("/studies/films/load/")
    assert response.status_code == 422
    assert "Choose at least one file." in response.content.decode()
    assert "needs its study.yaml" in as_owner.post("/studies/new/").content.decode()


def test_a_taken_name_is_refused(as_owner, study):
    page = send(as_owner, items=ITEMS).content.decode()
    assert "found &#x27;films&#x27;, which is taken" in page


@pytest.mark.parametrize("address", ["/studies/new/", "/studies/mine/load/"])
def test_nothing_of_a_study_of_others_is_told(address, as_owner, owner, tmp_path):
    load(tmp_path, items=ITEMS, ratings=RATINGS)
    factories.make_study(slug="mine", owner=owner)
    ratings = RATINGS.replace("persuasiveness,4", "persuasiveness,1").replace("third_", "")
    page = send(as_owner, address, items=ITEMS.replace("Slow", "Fast"), ratings=ratings)
    upload = Upload.objects.get()
    assert (upload.counts, upload.problems["total"]) == ({}, 1)
    assert "already" not in page.content.decode()


def test_a_file_of_another_study_is_refused(as_owner, study):
    page = send(
        as_owner, "/studies/films/load/", study=STUDY.replace("study: films", "study: other")
    )
    assert "the study of this page" in page.content.decode()


def test_users_names_of_files_are_never_used(as_owner, folders):
    file = SimpleUploadedFile("../../evil.jsonl", b'{"item": "a", "text": "x"}\n')
    as_owner.post("/studies/new/", {**files(), "items": file})
    (folder,) = folders.iterdir()
    assert sorted(path.name for path in folder.iterdir()) == ["items.jsonl", "study.yaml"]


# Who may


def test_only_the_uploader_sees_an_upload(as_owner, as_stranger, no_broker):
    send(as_owner, items=ITEMS)
    address = f"/uploads/{Upload.objects.get().token}/"
    for path in ("", "load/", "discard/"):
        assert as_stranger.post(address + path).status_code == 404
    assert as_stranger.get(address).status_code == 404
    assert Client().get(address).status_code == 302


def test_an_editor_who_was_removed_cannot_load_any_more(as_stranger, stranger, study, no_broker):
    member = Membership.objects.create(study=study, user=stranger, role="editor")
    as_stranger.post("/studies/films/load/", files(study=None, items=ITEMS))
    member.delete()
    assert as_stranger.post(f"/uploads/{Upload.objects.get().token}/load/").status_code == 404


@pytest.mark.parametrize("address", ["/studies/new/", "/studies/films/load/"])
def test_a_post_without_the_csrf_token_is_refused(study, owner, address):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    assert client.post(address, files(items=ITEMS)).status_code == 403
    assert not Upload.objects.exists()


# The load


def test_the_page_says_loudly_that_no_worker_is_alive(as_owner, no_broker):
    send(as_owner, items=ITEMS)
    address = f"/uploads/{Upload.objects.get().token}/"
    as_owner.post(address + "load/")
    assert "No worker is alive" in as_owner.get(address).content.decode()
    Heartbeat.objects.create(worker="w", at=timezone.now())
    assert "No worker is alive" not in as_owner.get(address).content.decode()


def test_progress_is_polled_and_the_end_reloads_the_page(as_owner, no_broker):
    send(as_owner, items=ITEMS)
    upload = Upload.objects.get()
    address = f"/uploads/{upload.token}/"
    as_owner.post(address + "load/")
    uploads.Progress(upload)("items", 1)
    part = as_owner.get(address, headers={"HX-Request": "true"}).content.decode()
    # 2 items, 3 questions and the study are new: 6 rows
    assert "Loading items: 1 of 6 rows." in part
    assert "<html" not in part
    load_upload(upload.pk)
    assert as_owner.get(address, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"


def test_what_changed_since_the_check_fails_whole(as_owner, no_broker):
    send(as_owner, items=ITEMS)
    upload = Upload.objects.get()
    as_owner.post(f"/uploads/{upload.token}/load/")
    factories.make_study()
    load_upload(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.problems["total"]) == ("failed", 1)
    assert not Item.objects.exists()
    page = as_owner.get(f"/uploads/{upload.token}/").content.decode()
    assert "Nothing was loaded: 1 problem turned up." in page


def loading_upload(client):
    """The one upload, given to a worker."""
    send(client, items=ITEMS)
    upload = Upload.objects.get()
    client.post(f"/uploads/{upload.token}/load/")
    return upload


def test_a_load_whose_files_are_gone_fails_and_can_be_discarded(as_owner, no_broker):
    upload = loading_upload(as_owner)
    shutil.rmtree(uploads.folder_of(upload))
    load_upload(upload.pk)
    page = as_owner.get(f"/uploads/{upload.token}/").content.decode()
    assert "Nothing was loaded: 1 problem turned up." in page
    assert "the files could not be read or kept: No such file or directory" in page
    assert "/uploads/" + upload.token not in page.split("No such file")[1].split("</td>")[0]
    assert uploads.silent_uploads() == []
    as_owner.post(f"/uploads/{upload.token}/discard/")
    assert not Upload.objects.exists()


def breaking(error):
    def write_files(*_):
        Study.objects.create(slug="half", title="Half")
        raise error

    return write_files


LOAD_ERRORS = [
    (IntegrityError("no\nmore"), "database: refused the rows: no"),
    (DatabaseError(), "database: refused the rows: DatabaseError"),
    (ValueError("A string literal cannot contain NUL (0x00)\0"), "NUL (0x00)\\x00"),
    (TypeError("not serializable"), "TypeError: 'not serializable'"),
    (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "not allowed"), "UnicodeEncodeError"),
    (PermissionError(13, "Permission denied", "/secret"), "or kept: Permission denied"),
]


@pytest.mark.parametrize("error, reason", LOAD_ERRORS, ids=lambda value: type(value).__name__)
def test_a_load_that_breaks_fails_whole_with_its_reason(
    as_owner, no_broker, monkeypatch, error, reason
):
    upload = loading_upload(as_owner)
    monkeypatch.setattr(uploads, "write_files", breaking(error))
    load_upload(upload.pk)
    upload.refresh_from_db()
    assert upload.state == "failed"
    (problem,) = upload.problems["shown"]
    assert reason in f"{problem['file']}: {problem['message']}"
    assert not Study.objects.exists()


def test_a_fault_of_the_program_fails_the_load_and_is_still_raised(
    as_owner, no_broker, monkeypatch
):
    upload = loading_upload(as_owner)
    monkeypatch.setattr(uploads, "write_files", breaking(AttributeError("no such thing")))
    with pytest.raises(AttributeError):
        load_upload(upload.pk)
    upload.refresh_from_db()
    assert upload.state == "failed"
    assert "no such thing" in upload.problems["shown"][0]["message"]


def test_a_load_of_yesterday_is_removed_unless_a_worker_is_busy_with_it(as_owner, no_broker):
    upload = loading_upload(as_owner)
    progress = uploads.Progress(upload).path
    Upload.objects.update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    uploads.remove_old()
    assert Upload.objects.exists()
    os.utime(progress, (time.time() - 200,) * 2)
    uploads.remove_old()
    assert not Upload.objects.exists()


def test_discarding_forgets_the_files(as_owner, folders):
    send(as_owner, items=ITEMS)
    page = as_owner.post(f"/uploads/{Upload.objects.get().token}/discard/", follow=True)
    assert "nothing was loaded" in page.content.decode()
    assert not Upload.objects.exists()
    assert list(folders.iterdir()) == []


def test_uploads_of_yesterday_are_removed(as_owner, folders):
    send(as_owner, items=ITEMS)
    tend_uploads()
    assert Upload.objects.exists()
    Upload.objects.update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    (folder,) = folders.iterdir()
    os.utime(folder, (time.time() - 90_000,) * 2)
    tend_uploads()
    assert not Upload.objects.exists()
    assert list(folders.iterdir()) == []


def test_a_load_whose_worker_was_killed_is_taken_up_again(as_owner, no_broker):
    send(as_owner, items=ITEMS)
    upload = Upload.objects.get()
    as_owner.post(f"/uploads/{upload.token}/load/")
    uploads.Progress(upload)
    assert uploads.silent_uploads() == []
    progress = Path(uploads.folder_of(upload)) / "progress.json"
    os.utime(progress, (time.time() - 200,) * 2)
    assert uploads.silent_uploads() == [upload.pk]
