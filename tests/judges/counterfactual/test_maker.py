"""One worker makes a study of uploaded ratings; whoever takes over goes on where it was killed."""

import fcntl
import os
import threading
import time

import pytest
from django.db import connections, transaction

from annotate.files.reading import Problems
from annotate.models import Item, Study
from judges.counterfactual import maker
from judges.counterfactual.surveys import making
from judges.counterfactual.surveys.plan import Plan
from judges.counterfactual.surveys.reading import read_folder
from judges.models import Run, Upload
from judges.tasks import load_upload
from judges.uploads import uploads
from tests import factories, processes
from tests.demo_files import made_up_ratings
from tests.judges.counterfactual.test_views import go_silent, send
from tests.processes import Process, wait_for

SURVEYS = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    films = tmp_path_factory.mktemp("films")
    made_up_ratings.write_all(films)
    return films


@pytest.fixture(scope="module")
def films(folder):
    return read_folder(folder, Problems())


@pytest.fixture(scope="module")
def undisturbed(films, tmp_path_factory):
    """All questions as they are made without an interruption."""
    plan = Plan("s", "S", SURVEYS, seed=7)
    return making.make(films, plan, tmp_path_factory.mktemp("undisturbed"))


@pytest.fixture
def upload(as_owner, folder, settings, tmp_path, monkeypatch, transactional_db):
    """One whose study is to be made of the same questions; no worker was told."""
    texts = {name: (folder / f"{name}.csv").read_bytes() for name in ("movies", "ratings")}
    settings.MEDIA_ROOT, settings.VAR_DIR = tmp_path / "media", tmp_path
    monkeypatch.setattr(load_upload, "delay", lambda pk: None)
    send(as_owner, texts, surveys=SURVEYS, seed=7)
    sent = Upload.objects.get()
    as_owner.post(f"/uploads/{sent.token}/load/")
    return sent


def questions_in(folder):
    """{name: when it was written} of the questions that are kept; none while they are removed."""
    try:
        return {path.name: path.stat().st_mtime_ns for path in folder.rglob("[0-9]*-*.json")}
    except FileNotFoundError:
        return {}


def shown_in(films, questions):
    """{item: (recommended, explaining)} of a study of these questions."""
    return {
        f"survey-{survey}-{number}": (
            films.keys[shown.content],
            "|".join(films.keys[column] for column in shown.explaining),
        )
        for (survey, number), shown in questions.items()
    }


def is_whole(upload, films, questions):
    """The study is there once, and each of its questions is as it is made without interruption."""
    upload.refresh_from_db()
    assert (upload.state, upload.problems["total"]) == ("loaded", 0)
    items = Study.objects.get().items.select_related("content")
    shown = {item.key: (item.content.key, item.data["explaining_contents"]) for item in items}
    assert Item.objects.count() == len(questions)
    assert shown == shown_in(films, questions)
    assert Run.objects.count() == 4
    return True


def as_clock(var, **extra):
    """What the clock has workers do each minute, in a process with their broker."""
    tend = "import django; django.setup(); from judges import tasks; tasks.tend_uploads()"
    env = processes.environment(var, **extra) | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    assert Process(["-c", tend], env, var / "tend").popen.wait(60) == 0


def test_a_second_worker_takes_over_from_a_killed_one(upload, films, undisturbed, tmp_path):
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}
    uploads.Progress(upload)
    go_silent(upload)
    first = processes.start_worker(tmp_path, name="one@test", **extra)
    try:
        as_clock(tmp_path, **extra)
        wait_for(lambda: len(questions_in(tmp_path)) >= 2, "two questions")
    finally:
        first.kill()
    before = questions_in(tmp_path)
    assert len(before) < len(undisturbed) and not Study.objects.exists()
    kept = []

    def are_kept():
        kept.append(questions_in(tmp_path))
        return Study.objects.exists()

    go_silent(upload)
    with processes.worker(tmp_path, name="two@test", **extra):
        as_clock(tmp_path, **extra)
        wait_for(are_kept, "the study")
    assert max(map(len, kept)) > len(before)
    assert all(before.items() <= now.items() for now in kept if len(now) > len(before))
    assert is_whole(upload, films, undisturbed)


def test_a_second_message_leaves_a_study_to_the_worker_that_is_at_it(upload, monkeypatch):
    """Neither its questions nor what its page says of them are touched."""
    at_work, goes_on = threading.Event(), threading.Event()
    train = making.question

    def question(*given):
        at_work.set()
        assert goes_on.wait(60)
        return train(*given)

    def load():
        load_upload(upload.pk)
        connections.close_all()

    monkeypatch.setattr(making, "question", question)
    worker = threading.Thread(target=load)
    worker.start()
    assert at_work.wait(60)
    progress = uploads.progress_of(upload)
    assert progress["making"] and progress["rows"] == 0
    load_upload(upload.pk)
    assert uploads.progress_of(upload) == progress and not Study.objects.exists()
    goes_on.set()
    worker.join(120)
    upload.refresh_from_db()
    assert upload.state == "loaded" and Item.objects.count() == SURVEYS * 12


def test_a_worker_stops_in_the_middle_of_a_question_when_the_study_is_discarded(
    upload, monkeypatch
):
    monkeypatch.setattr(maker, "ASK_SECONDS", 0)
    trainings = []

    def trained(self, done, whole):
        trainings.append(done)
        if done == 100:  # of the second question
            Upload.objects.all().delete()

    monkeypatch.setattr(uploads.Progress, "trained", trained)
    load_upload(upload.pk)
    assert trainings[-1] == 100 and not Study.objects.exists()


LOADS = """
import django; django.setup()
import sys
from judges.uploads import uploads
uploads.load_upload(int(sys.argv[1]))
"""


def test_a_worker_killed_while_it_loads_loses_and_doubles_nothing(
    upload, films, undisturbed, tmp_path
):
    """Another connection is about to make a study of that name, which the rows wait for."""
    env = processes.environment(tmp_path) | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    folder = uploads.folder_of(upload)
    with transaction.atomic():
        factories.make_study(slug=upload.slug)
        loads = Process(["-c", LOADS, str(upload.pk)], env, tmp_path / "loads")
        try:
            wait_for((folder / "items.csv").exists, "the load")
            time.sleep(2)  # until it has checked the files and waits
            assert loads.popen.poll() is None and is_locked(folder / "making.lock")
        finally:
            loads.kill()
            transaction.set_rollback(True)
    assert not Study.objects.exists() and len(questions_in(tmp_path)) == len(undisturbed)
    upload.refresh_from_db()
    assert upload.state == "loading" and not is_locked(folder / "making.lock")
    uploads.load_upload(upload.pk)
    assert is_whole(upload, films, undisturbed)


def is_locked(path):
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
