"""A study from ratings, by the page: checked and shown first, then made by a worker."""

import os
import threading
import time
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, connections
from django.test import Client
from django.utils import timezone

from annotate.models import Item, Membership, Study
from judges.counterfactual import maker
from judges.models import Run, Upload
from judges.tasks import load_upload
from judges.uploads import uploads
from tests.demo_files import made_up_ratings

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/new/ratings/"


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("films")
    made_up_ratings.write_all(folder)
    return {name: (folder / f"{name}.csv").read_bytes() for name in ("movies", "ratings")}


@pytest.fixture(autouse=True)
def folders(settings, tmp_path, monkeypatch):
    settings.MEDIA_ROOT, settings.VAR_DIR = tmp_path / "media", tmp_path / "var"
    monkeypatch.setattr(load_upload, "delay", lambda pk: None)


def send(client, texts, **fields):
    given = {"title": "Why films", "slug": "", "surveys": 1, "raters": 2, "seed": 3} | fields
    # The names of the user's files are never used.
    files = {name: SimpleUploadedFile("../../x.csv", text) for name, text in texts.items()}
    return client.post(ADDRESS, given | files, follow=True)


def test_ratings_become_a_study_of_who_sent_them(as_owner, owner, texts):
    page = send(as_owner, texts).content.decode()
    assert "No problems found. Nothing is written yet." in page and "Make the study" in page
    assert '<td>questions</td><td class="num">12</td>' in page and "First rows of movies" in page
    upload = Upload.objects.get()
    page = as_owner.post(f"/uploads/{upload.token}/load/", follow=True).content.decode()
    assert "Waiting for a worker." in page
    uploads.Progress(upload).making(5, 12)
    part = as_owner.get(f"/uploads/{upload.token}/", headers={"HX-Request": "true"})
    assert "5 of 12 questions are made." in part.content.decode()
    load_upload(upload.pk)
    study = Study.objects.get(slug="why-films")
    assert Membership.objects.get().user == owner
    assert (study.items.count(), study.raters_per_item) == (12, 2)
    assert set(Run.objects.values_list("state", "judge__kind")) == {
        ("active", kind) for kind in ("cf", "cf-a", "item-sim", "genre-jacc")
    }
    assert "Loaded." in as_owner.get(f"/uploads/{upload.token}/").content.decode()


def go_silent(upload):
    long_ago = time.time() - uploads.SILENT_SECONDS - 1
    os.utime(uploads.folder_of(upload) / "progress.json", (long_ago, long_ago))


def test_a_worker_that_was_killed_loses_no_question(as_owner, texts, monkeypatch):
    send(as_owner, texts)
    upload = Upload.objects.get()
    as_owner.post(f"/uploads/{upload.token}/load/")

    def killed(self, done, whole):
        if done == 4:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(uploads.Progress, "making", killed)
        with pytest.raises(KeyboardInterrupt):
            load_upload(upload.pk)
    folder = uploads.folder_of(upload)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("1-*.json")}
    assert len(before) == 4 and not Study.objects.exists()
    seen = []
    monkeypatch.setattr(
        uploads.Progress,
        "making",
        lambda *now: seen.append({path: path.stat().st_mtime_ns for path in before}),
    )
    load_upload(upload.pk)
    assert Item.objects.count() == 12
    assert seen and all(times == before for times in seen)


def test_a_bad_file_is_a_problem_on_the_page(as_owner, texts):
    bad = texts | {"ratings": texts["ratings"] + b"1,none,3\n"}
    page = send(as_owner, bad).content.decode()
    assert "<td>ratings.csv, line 2715, column movieId</td>" in page
    address = f"/uploads/{Upload.objects.get().token}/load/"
    assert address not in page and as_owner.post(address).status_code == 404


def test_what_turns_out_impossible_later_is_said_and_nothing_is_made(as_owner, texts):
    header, *rows = texts["movies"].decode().splitlines()
    alike = "\n".join([header, *(row.rsplit(",", 1)[0] + ",Drama" for row in rows)]) + "\n"
    send(as_owner, texts | {"movies": alike.encode()})
    upload = Upload.objects.get()
    as_owner.post(f"/uploads/{upload.token}/load/")
    load_upload(upload.pk)
    page = as_owner.get(f"/uploads/{upload.token}/").content.decode()
    assert "all candidates have the same Genre-Jacc" in page
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"surveys": 0}, "greater than or equal to 1"),
        ({"seed": 2**31}, "less than or equal to 2147483647"),
        ({"title": "Films"}, "“films” is taken"),
        ({"slug": "new"}, "Not “new”"),
        ({"form": "both"}, "Select a valid choice."),
        ({"factors": 201}, "less than or equal to 200"),
        ({"iterations": 0}, "greater than or equal to 1"),
        ({"regularisation": 0}, "greater than or equal to 1e-06"),
        ({"only": "5"}, "These are for surveys about real people; choose that too."),
    ],
)
def test_the_form_says_what_it_does_not_take(as_owner, study, texts, fields, words):
    response = send(as_owner, texts, **fields)
    assert response.status_code == 422 and words in response.content.decode()
    assert not Upload.objects.exists()


def test_what_the_page_sends_is_what_is_made(as_owner, texts):
    """As the command's options; histories of people, real people, and what is left empty."""
    model = {"form": "explicit", "factors": 3, "iterations": 2, "regularisation": 0.5, "seeds": 2}
    send(as_owner, texts, people="on", slug="one", **model)
    plan = Upload.objects.get().making
    assert plan["people"] and not plan["real"] and model.items() <= plan.items()
    send(as_owner, texts, real="on", only=" 7\r\n\r\n5\r\n7", slug="two", factors="", surveys=40)
    plan = Upload.objects.get(slug="two").making
    assert (plan["real"], plan["only"], plan["surveys"]) == (True, ["7", "5"], 2)
    assert (plan["form"], plan["factors"], plan["regularisation"]) == ("implicit", 40, 0.01)
    assert plan["seeds"] == 1
    load = Upload.objects.get(slug="one")
    as_owner.post(f"/uploads/{load.token}/load/")
    load_upload(load.pk)
    study = Study.objects.get()
    assert {*study.items.values_list("data__seeds", flat=True)} == {"3|4"}
    made_up = study.interactions.filter(data__hypothetical="yes").values_list("rating", flat=True)
    assert len(made_up) == 12 * 9 and set(made_up) <= {1, 2, 3, 4, 5}


def test_people_who_cannot_have_a_survey_are_a_problem_before_anything_is_made(as_owner, texts):
    page = send(as_owner, texts, real="on", only="nobody").content.decode()
    assert "found &#x27;nobody&#x27; as a recipient; allowed is a userId of ratings.csv" in page
    assert "Nothing was written." in page


def test_nobody_else_sees_it_and_no_folder_of_the_server_is_named(as_owner, as_stranger, texts):
    assert Client().get(ADDRESS).status_code == 302
    send(as_owner, texts)
    address = f"/uploads/{Upload.objects.get().token}/"
    for path in ("", "load/", "discard/"):
        assert as_stranger.post(address + path).status_code == 404
    page = as_owner.get(ADDRESS).content.decode()
    assert 'name="folder"' not in page and page.count('type="file"') == 2


def test_pages_ask_few_queries(as_owner, texts, django_assert_max_num_queries):
    with django_assert_max_num_queries(4):
        assert as_owner.get(ADDRESS).status_code == 200
    last = send(as_owner, texts).redirect_chain[-1][0]
    with django_assert_max_num_queries(5):
        as_owner.get(urlsplit(last).path)


def begun(as_owner, texts):
    """An upload whose study is to be made now."""
    send(as_owner, texts)
    upload = Upload.objects.get()
    assert Upload.objects.begin(upload.pk)
    return upload


def in_a_thread(act, *given):
    """With database connections of its own, as another process has them."""

    def whole():
        act(*given)
        connections.close_all()

    thread = threading.Thread(target=whole)
    thread.start()
    return thread


def ended(thread):
    thread.join(120)
    return not thread.is_alive()


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_one_study_spoil_nothing(as_owner, texts):
    """One of them makes and loads it, the other one leaves it alone."""
    upload = begun(as_owner, texts)
    both = [in_a_thread(load_upload, upload.pk) for _ in range(2)]
    assert [ended(one) for one in both] == [True, True]
    upload.refresh_from_db()
    assert (upload.state, upload.problems["total"]) == ("loaded", 0)
    study = Study.objects.get()
    ratings = texts["ratings"].count(b"\n") - 1
    assert (study.items.count(), study.interactions.count()) == (12, ratings + 12 * 9)
    assert Run.objects.count() == 4


def test_what_is_being_made_is_kept_for_days_and_can_be_stopped(as_owner, texts):
    send(as_owner, texts)
    upload = Upload.objects.get()
    Upload.objects.begin(upload.pk)
    uploads.Progress(upload).making(5, 12)
    Upload.objects.update(created_at=timezone.now() - timedelta(hours=25))
    go_silent(upload)
    uploads.remove_old()
    assert uploads.silent_uploads() == [upload.pk]
    page = as_owner.get(f"/uploads/{upload.token}/").content.decode()
    assert "Stop and discard" in page
    page = as_owner.post(f"/uploads/{upload.token}/discard/", follow=True).content.decode()
    assert "nothing was loaded" in page and not Upload.objects.exists()
    load_upload(upload.pk)
    assert not Study.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_who_discards_first_wins_and_nothing_is_loaded(as_owner, texts, monkeypatch):
    """All questions are made and checked; the rows are not being written yet."""
    upload, checked, discarded = begun(as_owner, texts), threading.Event(), threading.Event()
    check = uploads.check_files

    def held_up(*given, **options):
        found = check(*given, **options)
        checked.set()
        assert discarded.wait(60)
        return found

    monkeypatch.setattr(uploads, "check_files", held_up)
    loading = in_a_thread(load_upload, upload.pk)
    assert checked.wait(60)
    page = as_owner.post(f"/uploads/{upload.token}/discard/", follow=True).content.decode()
    discarded.set()
    assert ended(loading)
    assert "The files were discarded; nothing was loaded." in page
    assert not Upload.objects.exists() and not Study.objects.exists()
    assert not uploads.folder_of(upload).exists()


@pytest.mark.django_db(transaction=True)
def test_who_discards_while_the_rows_are_written_is_told_that_it_is_too_late(
    as_owner, texts, monkeypatch
):
    """PostgreSQL says so at once; on SQLite one writer waits for the other, as anywhere."""
    upload, writing, goes_on = begun(as_owner, texts), threading.Event(), threading.Event()
    pages, plan = [], maker.plan_scores

    def held_up(study):
        plan(study)
        writing.set()
        assert goes_on.wait(60)

    def discard():
        response = as_owner.post(f"/uploads/{upload.token}/discard/", follow=True)
        pages.append(response.content.decode())

    monkeypatch.setattr(maker, "plan_scores", held_up)
    loading = in_a_thread(load_upload, upload.pk)
    assert writing.wait(60)
    discarding = in_a_thread(discard)
    if connection.vendor == "postgresql":
        assert ended(discarding)
    else:
        discarding.join(1)
        assert discarding.is_alive()
    goes_on.set()
    assert ended(loading) and ended(discarding)
    assert "It is too late to discard the files" in pages[0]
    upload.refresh_from_db()
    assert upload.state == "loaded" and Study.objects.get().items.count() == 12
    page = as_owner.post(f"/uploads/{upload.token}/discard/", follow=True).content.decode()
    assert "It is too late to discard the files" in page and "Loaded." in page
    assert Upload.objects.exists() and Study.objects.exists()


def test_plain_files_that_are_being_loaded_are_not_discarded(as_owner, texts):
    upload = begun(as_owner, texts)
    Upload.objects.update(making={})
    page = as_owner.post(f"/uploads/{upload.token}/discard/", follow=True).content.decode()
    assert "It is too late to discard the files" in page
    assert uploads.folder_of(upload).exists() and Upload.objects.exists()
