"""Questions that several processes make at once: the same ones, each made by one of them, whoever
is killed.
"""

import json
import os
import threading
import time
from dataclasses import asdict
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from analysis.demo import made_up_ratings
from annotate.files.reading import Problems
from annotate.models import Item, Study
from judges.counterfactual.surveys import helping, making, once, sharing
from judges.counterfactual.surveys.plan import Plan
from judges.counterfactual.surveys.reading import read
from judges.models import Heartbeat, Run, Upload
from judges.runs.nudge import send_to_all
from judges.tasks import load_upload
from judges.uploads import uploads
from tests import factories, processes
from tests.judges.counterfactual.test_views import send
from tests.processes import Process, wait_for

SURVEYS = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("films")
    made_up_ratings.write_all(found)
    return found


@pytest.fixture(scope="module")
def films(folder):
    return read(folder, Problems())


@pytest.fixture(scope="module")
def alone(films, tmp_path_factory):
    """All questions as one process makes them."""
    return making.make(films, Plan("s", "S", SURVEYS, seed=7), tmp_path_factory.mktemp("alone"))


def names(folder, pattern="*.json"):
    return {path.name for path in folder.rglob(pattern)}


def command(folder, var, log, **env):
    arguments = ["manage.py", "make_counterfactual_study", str(folder), "--seed", "7"]
    arguments += ["--surveys", str(SURVEYS), "--files", str(log) + "-files"]
    return Process(arguments, {**os.environ, "CONCORD_VAR": str(var), **env}, log)


def made_in(var):
    """{"survey-number": what is kept of the question}, of a command's folder."""
    (kept,) = (path for path in (var / "surveys").iterdir() if path.is_dir())
    return {path.stem: json.loads(path.read_text()) for path in kept.glob("*.json")}


def kept_of(questions):
    # As JSON has it: a tuple and a list are one.
    return {f"{a}-{b}": json.loads(json.dumps(asdict(q))) for (a, b), q in questions.items()}


def test_two_processes_make_what_one_makes_and_one_goes_on_for_one_that_is_killed(
    folder, films, alone, tmp_path
):
    """Each question is made once; both end with the same files. The third is killed at work."""
    var = tmp_path / "var"
    killed = command(folder, var, tmp_path / "killed")
    wait_for(lambda: len(names(var)) >= 2, what=f"a question: {killed.output()}")
    killed.kill()
    before = names(var)
    both = [command(folder, var, tmp_path / name) for name in ("one", "two")]
    assert [process.popen.wait(120) for process in both] == [0, 0], both[0].output()
    assert names(var, "*.lock") == set() and names(var) >= before
    assert made_in(var) == kept_of(alone)
    for file in (tmp_path / "one-files").iterdir():
        assert file.read_bytes() == (tmp_path / "two-files" / file.name).read_bytes()


def test_one_thread_and_two_make_the_same_questions_with_the_same_scores(folder, alone, tmp_path):
    """All four scores of each, to the last digit."""
    for n in "12":
        threads = {f"{library}_NUM_THREADS": n for library in ("OMP", "OPENBLAS", "MKL")}
        process = command(folder, tmp_path / n, tmp_path / f"log-{n}", **threads)
        assert process.popen.wait(120) == 0, process.output()
        assert made_in(tmp_path / n) == kept_of(alone)


def test_two_at_once_share_the_work(films, alone, tmp_path):
    """Each of two threads makes some, none is made twice, and both get all."""
    plan, made, found = Plan("s", "S", SURVEYS, seed=7), [], {}
    whole = sharing.make_all
    both_begin = threading.Barrier(2)

    def counted(places, folder, make, say, goes_on):
        name = threading.current_thread().name

        def one(place, tick):
            if not any(who == name for who, _ in made):
                both_begin.wait(30)
            made.append((name, place))
            return alone[place]

        found[name] = whole(places, folder, one, say, goes_on)
        return found[name]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(making.sharing, "make_all", counted)
        both = [threading.Thread(target=making.make, args=(films, plan, tmp_path)) for _ in "ab"]
        for one in both:
            one.start()
        for one in both:
            one.join(60)
    assert len(made) == len({place for _, place in made}) == SURVEYS * 12
    assert len({name for name, _ in made}) == 2
    assert [*found.values()] == [alone, alone]


def test_a_question_that_somebody_else_is_at_is_waited_for_and_taken_over(films, alone, tmp_path):
    """The lock of who ends without a question goes to who waits."""
    places, polled = [*alone][:2], []
    first = tmp_path / "1-1.lock"
    holder = sharing.held(first)
    assert holder.__enter__() is True

    def say(done):
        polled.append(done)
        if polled.count(1) == 3:  # the other question is made, and this one was looked at again
            holder.__exit__(None, None, None)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sharing, "POLL_SECONDS", 0)
        found = sharing.make_all(places, tmp_path, lambda place, tick: alone[place], say)
    assert found == {place: alone[place] for place in places}
    assert polled.count(1) >= 3 and not first.exists()


def test_a_helper_stops_when_nobody_waits_for_it(folder, films, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    plan, told = Plan("s", "S", SURVEYS, seed=8), []
    with helping.helped(films, plan, folder, told.append):
        kept = helping.folder() / told[0]
        assert sharing.is_wanted(kept / helping.WANTED)
    helping.help_make(told[0])
    assert names(tmp_path) == set()
    helping.help_make("../../somewhere")
    # Not after a question, which takes many trainings, but in the middle of the third.
    with helping.helped(films, plan, folder, told.append), pytest.MonkeyPatch.context() as patched:
        begun = kept / "1-3.lock"
        patched.setattr(sharing, "is_wanted", lambda path: not begun.exists())
        helping.help_make(told[0])
    assert names(tmp_path) == {"1-1.json", "1-2.json"}
    with sharing.held(begun) as is_nobodys:
        assert is_nobodys


def test_helpers_are_told_again_for_who_started_later(folder, films, settings, tmp_path):
    settings.VAR_DIR, told, said = tmp_path, [], []
    plan = Plan("s", "S", SURVEYS, seed=8)
    say = lambda *now: said.append(now)  # noqa: E731
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(helping, "TELL_SECONDS", 1000)
        with helping.helped(films, plan, folder, told.append, say) as tell_and_say:
            tell_and_say(1, 24)
            assert (len(told), said) == (1, [(1, 24)])
        patched.setattr(helping, "TELL_SECONDS", 0)
        with helping.helped(films, plan, folder, told.append, say) as tell_and_say:
            tell_and_say(2, 24)
    assert said == [(1, 24), (2, 24)] and told == told[:1] * 3


def test_a_second_message_makes_no_second_thread_of_a_worker_busy(
    folder, films, settings, tmp_path
):
    settings.VAR_DIR, plan = tmp_path, Plan("s", "S", SURVEYS, seed=8)
    name = making.name_of(films, plan)
    with helping.helped(films, plan, folder, lambda name: None), once.here(name) as is_first:
        helping.help_make(name)
        assert is_first and names(tmp_path) == set()


def test_each_knows_what_all_have_made(films, alone, tmp_path):
    """One makes the first while all others are made elsewhere: the bar has them at once."""
    said, first = [], next(iter(alone))

    def one(place, tick):
        assert place == first, "the others are there"
        for number, question in alone.items():
            path = tmp_path / f"{number[0]}-{number[1]}.json"
            if number != first:
                path.write_text(json.dumps(asdict(question)))
        return alone[place]

    assert sharing.make_all([*alone], tmp_path, one, said.append) == alone
    assert said == [0, SURVEYS * 12]


def test_a_helper_leaves_ratings_alone_that_were_changed(folder, films, settings, tmp_path):
    settings.VAR_DIR, told = tmp_path / "var", []
    other = tmp_path / "other"
    other.mkdir()
    for file in folder.iterdir():
        (other / file.name).write_bytes(file.read_bytes() + b"\n")
    with helping.helped(films, Plan("s", "S", 1, seed=8), other, told.append):
        helping.help_make(told[0])
    assert names(tmp_path / "var") == set()


@pytest.fixture
def upload(as_owner, folder, settings, tmp_path, monkeypatch, transactional_db):
    """One whose study is to be made of the same questions as `alone`; no worker was told."""
    texts = {name: (folder / f"{name}.csv").read_bytes() for name in ("movies", "ratings")}
    settings.MEDIA_ROOT, settings.VAR_DIR = tmp_path / "media", tmp_path
    monkeypatch.setattr(load_upload, "delay", lambda pk: None)
    send(as_owner, texts, surveys=SURVEYS, seed=7)
    found = Upload.objects.get()
    as_owner.post(f"/uploads/{found.token}/load/")
    return found


def as_clock(var, **extra):
    """What the clock has workers do each minute, in a process with their broker."""
    tend = "import django; django.setup(); from judges import tasks; tasks.tend_uploads()"
    env = processes.environment(var, **extra) | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    assert Process(["-c", tend], env, var / "tend").popen.wait(60) == 0


def shown_in(films, questions):
    """{item: (recommended, explaining)} of a study of these questions."""
    return {
        f"survey-{survey}-{number}": (
            films.keys[one.content],
            "|".join(films.keys[column] for column in one.explaining),
        )
        for (survey, number), one in questions.items()
    }


def is_whole(upload, films, questions):
    """The study is there once, and each question of it is the one that one process makes."""
    upload.refresh_from_db()
    assert (upload.state, upload.problems["total"]) == ("loaded", 0)
    items = Study.objects.get().items.select_related("content")
    found = {one.key: (one.content.key, one.data["explaining_contents"]) for one in items}
    assert Item.objects.count() == len(questions)
    assert found == shown_in(films, questions)
    assert Run.objects.count() == 4
    return True


def test_two_celery_workers_make_one_study_and_one_of_them_is_killed(
    upload, films, alone, tmp_path
):
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}
    first = processes.start_worker(tmp_path, name="one@test", **extra)
    try:
        with processes.worker(tmp_path, name="two@test", **extra):
            wait_for(lambda: Heartbeat.objects.alive().count() == 2, what="two workers")
            as_clock(tmp_path, **extra)
            locks = wait_for(lambda: len(names(tmp_path, "*.lock")) == 2, what="both at work")
            first.kill()
            wait_for(Study.objects.exists, 120, f"the study: {locks}")
    finally:
        first.stop()
    assert is_whole(upload, films, alone)


LOADS = """
import django; django.setup()
import sys
from judges.uploads import uploads
uploads.load_upload(int(sys.argv[1]))
"""


def test_who_is_killed_while_they_load_what_all_made_loses_and_doubles_nothing(
    upload, films, alone, tmp_path
):
    """Another connection is about to make a study of that name, which the rows wait for."""
    env = processes.environment(tmp_path) | {"DJANGO_SETTINGS_MODULE": "config.settings"}

    def at_work():
        lock = uploads.folder_of(upload) / "loading.lock"
        with sharing.held(lock) as is_nobodys:
            return not is_nobodys and (lock.parent / "items.csv").exists()

    with transaction.atomic():
        factories.make_study(slug=upload.slug)
        loads = Process(["-c", LOADS, str(upload.pk)], env, tmp_path / "loads")
        try:
            wait_for(at_work, 120, "the load")
            time.sleep(2)  # until it has checked the files and waits
            assert loads.popen.poll() is None
        finally:
            loads.kill()
            transaction.set_rollback(True)
    assert not Study.objects.exists() and len(names(tmp_path)) == len(alone) + 1  # progress.json
    upload.refresh_from_db()
    assert upload.state == "loading" and uploads.being_made() == [upload.pk]
    uploads.load_upload(upload.pk)
    assert is_whole(upload, films, alone)


def test_a_message_goes_to_each_living_worker(db, monkeypatch):
    sent = []
    monkeypatch.setattr(load_upload, "apply_async", lambda args, **more: sent.append((args, more)))
    monkeypatch.setattr(load_upload, "delay", sent.append)
    send_to_all("judges.tasks.load_upload", 7)
    assert sent == [7], "nobody lives: it waits in the common queue"
    Heartbeat.objects.create(worker="one@host", at=timezone.now())
    Heartbeat.objects.create(worker="two@host", at=timezone.now())
    Heartbeat.objects.create(worker="old@host", at=timezone.now() - timedelta(minutes=1))
    send_to_all("judges.tasks.load_upload", 8)
    assert [args for args, _ in sent[1:]] == [[8], [8]]
    assert {more["queue"].name.split(".dq")[0] for _, more in sent[1:]} == {"one@host", "two@host"}
