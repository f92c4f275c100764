"""A study is deleted on its retention date, by the same path as by its owner."""

import logging
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError

from annotate.design import retention
from annotate.models import Deletion, Membership, Study
from judges import tasks
from judges.models import Upload
from judges.studies import delete as deleting
from judges.uploads import uploads
from tests import factories
from tests.annotate.design.test_ethics import load
from tests.annotate.design.test_payment import SETTINGS

pytestmark = pytest.mark.django_db


def day(days):
    return (retention.today() + timedelta(days=days)).isoformat()


def date(study, days):
    study.extra |= {"delete_on": day(days)}
    study.save()
    return study


def test_on_the_day_everything_goes_and_not_before(study, owner, caplog, settings):
    settings.CELERY_TASK_ALWAYS_EAGER = True
    date(study, 1)
    other = factories.make_study("other", owner, items=1)
    tasks.delete_due_studies()
    assert not Deletion.objects.exists()
    date(study, 0)
    with caplog.at_level(logging.INFO):
        tasks.delete_due_studies()
    assert list(Study.objects.all()) == [other]
    assert f"study {study.pk}: its retention date has come" in caplog.text


def test_a_missed_day_is_made_up_for_and_a_killed_worker_followed(study):
    date(study, -3)
    assert tasks.retention.begin_due() == [study.pk]
    assert tasks.retention.begin_due() == []  # marked once; the sweep goes on with it
    assert deleting.waiting_studies() == [study.pk]
    assert deleting.delete_study(study.pk)
    assert not Study.objects.exists()


def test_a_date_that_is_changed_in_time_saves_the_study(study):
    date(study, 0)
    due = Study.objects.to_be_deleted_by(retention.today())
    assert due.exists()
    date(study, 9)
    assert not tasks.retention._begin(study.pk)
    assert not Deletion.objects.exists()


def test_a_worker_is_told_of_it_regularly(settings):
    entry = settings.CELERY_BEAT_SCHEDULE["delete-due-studies"]
    assert entry["task"] == tasks.delete_due_studies.name
    assert entry["schedule"].run_every <= timedelta(hours=1)


def test_the_pages_of_the_study_say_it_from_30_days_before(as_owner, study):
    date(study, 31)
    assert "because its retention date" not in as_owner.get("/studies/films/").content.decode()
    date(study, 30)
    shown = (retention.today() + timedelta(days=30)).strftime("%-d %B %Y")
    for path in ("", "settings/", "judges/", "raters/"):
        page = as_owner.get(f"/studies/films/{path}").content.decode()
        assert f"is deleted on {shown}, because its retention date says so" in page, path
        assert 'settings/#id_delete_on">Change the date' in page


def test_raters_read_it_before_they_agree(client, study):
    assert "is deleted on" not in client.get("/join/films/").content.decode()
    study.extra = {"delete_on": "2187-06-30"}
    study.save()
    page = client.get("/join/films/").content.decode()
    assert "What you answer is deleted on June 30, 2187." in page


@pytest.mark.parametrize("days", [0, -1, -400])
def test_a_day_that_has_come_is_refused_on_the_page_and_in_the_file(
    as_owner, study, tmp_path, capsys, days
):
    answer = as_owner.post("/studies/films/settings/", SETTINGS | {"delete_on": day(days)})
    assert answer.status_code == 422 and "a day after today" in answer.content.decode()
    with pytest.raises(CommandError):
        load(tmp_path, f"delete_on: {day(days)}\n")
    assert "a day after today" in capsys.readouterr().err
    assert Study.objects.get().extra == {}


@pytest.mark.parametrize("value", ["soon", "2187-13-01", "7", "2187-06-30 10:00:00", "[1]", "true"])
def test_what_is_no_day_is_refused_with_its_line(tmp_path, capsys, value):
    with pytest.raises(CommandError):
        load(tmp_path, f"delete_on: {value}\n")
    said = capsys.readouterr().err
    assert "a day after today" in said and "line 5" in said


@pytest.mark.parametrize("text", ["2187-06-30", "'2187-06-30'"])
def test_the_file_and_the_page_set_and_take_back_a_day(as_owner, study, tmp_path, text):
    assert load(tmp_path, f"delete_on: {text}\n").extra == {"delete_on": "2187-06-30"}
    as_owner.post("/studies/films/settings/", SETTINGS | {"delete_on": "2187-06-30"})
    assert Study.objects.get(slug="films").extra == {"delete_on": "2187-06-30"}
    assert 'value="2187-06-30"' in as_owner.get("/studies/films/settings/").content.decode()
    as_owner.post("/studies/films/settings/", SETTINGS)
    assert Study.objects.get(slug="films").extra == {}


def test_a_copy_of_a_study_is_not_deleted_with_it(as_owner, study):
    date(study, 40)
    as_owner.post("/studies/films/copy/", {"title": "Again", "slug": "again"})
    assert "delete_on" not in Study.objects.get(slug="again").extra


def test_an_editor_cannot_set_it_and_keeps_it(client, stranger, study):
    Membership.objects.create(study=study, user=stranger, role="editor")
    client.force_login(stranger, backend="django.contrib.auth.backends.ModelBackend")
    sent = SETTINGS | {"delete_on": day(1)}
    assert client.post("/studies/films/settings/", sent).status_code == 302
    assert Study.objects.get().extra == {}
    date(study, 400)
    client.post("/studies/films/settings/", SETTINGS)
    assert Study.objects.get().extra == {"delete_on": day(400)}


@pytest.mark.parametrize("role", ["editor", "owner"])
def test_nor_by_a_file(stranger, study, role):
    Membership.objects.create(study=study, user=stranger, role=role)
    text = f"study: films\ndelete_on: {day(400)}\n".encode()
    upload = uploads.receive(stranger, {"study": SimpleUploadedFile("study.yaml", text)}, "films")
    assert upload.problems.get("rows", []) == [] and upload.state == Upload.State.CHECKED
    Upload.objects.update(state=Upload.State.LOADING)
    uploads.load_upload(upload.pk)
    upload.refresh_from_db()
    if role == "owner":
        assert Study.objects.get().extra == {"delete_on": day(400)}
    else:
        assert "by owners only" in str(upload.problems)
        assert Study.objects.get().extra == {} and upload.state == Upload.State.FAILED
