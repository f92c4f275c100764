"""/readyz: each part that the work needs, in words; and what Overview says of it."""

import threading
import time
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from annotate.models import Deletion
from annotate.studies import delete
from judges.health import readiness
from judges.models import Clock, Computation, Heartbeat, Upload
from judges.runs import heartbeat
from judges.runs.plan import plan
from judges.uploads import uploads
from tests import factories, processes

PARTS = ["beat", "database", "disk", "pending", "redis", "workers"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _looks_anew(monkeypatch):
    monkeypatch.setattr(readiness, "LOOK", readiness.Look())
    monkeypatch.setattr(readiness, "KEPT_SECONDS", -1)


@pytest.fixture
def alive():
    now = timezone.now()
    Clock.objects.create(beat="host-1", at=now)
    Heartbeat.objects.create(worker="worker@host-2", at=now)


def look(client):
    """(status, the parts that are not well)."""
    answer = client.get("/readyz")
    found = answer.json()
    assert found.pop("ready") == (answer.status_code == 200)
    assert sorted(found) == PARTS
    return answer.status_code, [name for name, part in found.items() if not part["ok"]]


def test_all_is_well(client, alive, settings):
    settings.REDIS_URL = ""
    assert look(client) == (200, [])
    text = client.get("/readyz").content.decode()
    assert "1 worker is running." in text and "host-" not in text
    assert client.get("/readyz").json()["workers"]["alive"] == 1


def test_a_silent_worker_and_a_silent_clock_are_told(client, settings):
    settings.REDIS_URL = ""
    before = timezone.now() - timedelta(seconds=30)
    Clock.objects.create(beat="host", at=before)
    Heartbeat.objects.create(worker="worker", at=before)
    assert look(client) == (503, ["workers", "beat"])
    heartbeat.beat_of_clock("host")
    assert look(client) == (503, ["workers"])


def test_redis_that_does_not_answer_is_told_within_two_seconds(client, alive, settings):
    settings.REDIS_URL = "redis://:secret@127.0.0.1:9/0"
    begun = time.monotonic()
    assert look(client) == (503, ["redis"])
    assert time.monotonic() - begun < 2.5
    assert "secret" not in client.get("/readyz").content.decode()


def test_work_that_nobody_begins_is_told_after_ten_minutes(client, alive, settings, study):
    settings.REDIS_URL = ""
    run = plan(factories.make_judge(study, "judge", factories.make_endpoint()))
    type(run).objects.update(created_at=timezone.now() - timedelta(seconds=300))
    assert look(client) == (200, [])
    assert 300 <= client.get("/readyz").json()["pending"]["oldest_seconds"] < 320
    type(run).objects.update(created_at=timezone.now() - timedelta(seconds=700))
    assert look(client) == (503, ["pending"])
    type(run).objects.update(started_at=timezone.now())
    assert look(client) == (200, [])


LONG = timedelta(seconds=700)


def wait_for_seconds(client):
    return client.get("/readyz").json()["pending"]["oldest_seconds"]


def test_a_load_counts_from_when_it_was_handed_over_until_a_worker_begins(
    client, alive, settings, owner, monkeypatch
):
    settings.REDIS_URL = ""
    upload = Upload.objects.create(user=owner, slug="films")
    Upload.objects.update(created_at=timezone.now() - LONG)
    assert Upload.objects.begin(upload.pk)
    assert look(client) == (200, []) and wait_for_seconds(client) < 20
    Upload.objects.update(waiting_since=timezone.now() - LONG)
    assert look(client) == (503, ["pending"])
    seen = []
    monkeypatch.setattr(uploads, "_load", lambda _upload: seen.append(look(client)))
    uploads.load_upload(upload.pk)
    assert seen == [(200, [])], "a worker is busy with it, however long that takes"
    assert Upload.objects.get().state == Upload.State.LOADING and look(client) == (200, [])


def test_a_report_counts_from_when_it_was_asked_for_while_somebody_waits_for_it(
    client, alive, settings, study
):
    settings.REDIS_URL = ""
    row = Computation.objects.create(key="k", study=study, n_answers=1)
    Computation.objects.update(asked_at=timezone.now() - LONG)
    assert look(client) == (503, ["pending"])
    assert Computation.objects.claim_nudge(row.pk, timezone.now())  # its page asks again
    assert look(client) == (503, ["pending"]) and wait_for_seconds(client) >= 700
    Computation.objects.update(due_at=timezone.now() - LONG)
    assert look(client) == (200, []), "its page was closed"
    assert Computation.objects.claim(row.pk, timezone.now())
    assert look(client) == (200, [])
    late = timezone.now() + LONG
    assert Computation.objects.claim_nudge(row.pk, late)  # its worker was killed
    assert Computation.objects.get().asked_at == late
    Computation.objects.update(state="failed", asked_at=timezone.now() - LONG)
    Computation.objects.ask_again()
    assert look(client) == (200, []) and wait_for_seconds(client) < 20


def test_a_deletion_counts_until_a_worker_has_taken_it_once(client, alive, settings, study):
    settings.REDIS_URL = ""
    delete.begin(study)
    Deletion.objects.update(asked_at=timezone.now() - LONG)
    assert look(client) == (503, ["pending"])
    begun = timezone.now()
    assert Deletion.objects.claim(begun, begun)
    assert look(client) == (200, []), "calls under way keep it from counting rows"
    assert Deletion.objects.claim(timezone.now(), timezone.now())
    assert Deletion.objects.get().started_at == begun


def test_a_full_disk_is_told(client, alive, settings, monkeypatch):
    settings.REDIS_URL = ""
    assert client.get("/readyz").json()["disk"]["free_mb"] > 0
    monkeypatch.setattr(readiness, "LEAST_FREE_MB", 10**9)
    assert look(client) == (503, ["disk"])


def test_a_database_that_fails_is_told_without_its_words(client, settings, monkeypatch):
    settings.REDIS_URL = ""

    def down():
        raise OperationalError("connection to host-9 refused: password=x")

    monkeypatch.setitem(readiness.PARTS, "database", down)
    status, bad = look(client)
    assert status == 503 and "database" in bad
    text = client.get("/readyz").content.decode()
    assert "password" not in text and "host-9" not in text


def test_a_part_that_hangs_delays_one_answer_and_is_not_asked_twice(
    client, alive, settings, monkeypatch
):
    settings.REDIS_URL = ""
    monkeypatch.setattr(readiness, "PATIENCE", 0.2)
    asked, ended = [], threading.Event()

    def hangs():
        asked.append(1)
        ended.wait(30)
        return readiness.Part(True, "late")

    monkeypatch.setitem(readiness.PARTS, "database", hangs)
    for _ in range(3):
        status, bad = look(client)
        assert status == 503 and "database" in bad
    assert len(asked) == 1
    ended.set()


def test_who_asks_at_once_is_told_what_was_just_found(client, alive, settings, monkeypatch):
    settings.REDIS_URL = ""
    monkeypatch.setattr(readiness, "KEPT_SECONDS", 60)
    assert look(client) == (200, [])
    Heartbeat.objects.all().delete()
    assert look(client) == (200, [])


def test_overview_says_why_a_run_may_not_go_on(as_owner, study, settings, monkeypatch):
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    plan(factories.make_judge(study, "judge", factories.make_endpoint()))

    def sentences():
        return [words for words, _ in as_owner.get("/studies/films/").context["attention"]]

    assert sentences() == ["A run waits, but no worker is alive"]
    Heartbeat.objects.create(worker="worker", at=timezone.now())
    found = " ".join(sentences())
    assert "The clock (beat) is not running" in found and "Redis does not answer" in found
    monkeypatch.setattr(readiness, "LEAST_FREE_MB", 10**9)
    assert "The disk is nearly full" in " ".join(sentences())


def test_beat_tells_that_it_lives(tmp_path):
    with processes.beat(tmp_path):
        processes.wait_for(Clock.objects.alive().exists, "the clock's sign of life")
    assert not Heartbeat.objects.exists(), "it is no worker"


@pytest.fixture
def sentences(as_owner, study):
    def read():
        return [words for words, _ in as_owner.get("/studies/films/").context["attention"]]

    return read


def begin_load(user, **fields):
    upload = Upload.objects.create(user=user, **fields)
    assert Upload.objects.begin(upload.pk)


def test_overview_says_that_loads_reports_and_deletions_wait_for_a_worker(
    sentences, owner, study, settings
):
    settings.REDIS_URL = ""
    assert sentences() == []
    begin_load(owner, slug="films")
    Computation.objects.create(key="k", study=study, n_answers=1)
    delete.begin(factories.make_study("old", owner=owner))
    assert sentences() == [
        "A load of files waits, but no worker is alive",
        "A report waits, but no worker is alive",
        "The deletion of a study waits, but no worker is alive",
    ]
    Heartbeat.objects.create(worker="worker", at=timezone.now())
    assert sentences() == [readiness.clock().words]
    Clock.objects.create(beat="host", at=timezone.now())
    assert sentences() == []


def test_overview_says_how_old_work_is_that_no_worker_has_begun(
    sentences, owner, study, settings, alive
):
    settings.REDIS_URL = ""
    run = plan(factories.make_judge(study, "judge", factories.make_endpoint()))
    begin_load(owner, slug="new", is_new=True)
    Computation.objects.create(key="k", study=study, n_answers=1)
    delete.begin(factories.make_study("old", owner=owner))
    assert sentences() == []
    type(run).objects.update(created_at=timezone.now() - LONG)
    Upload.objects.update(waiting_since=timezone.now() - LONG * 2)
    Computation.objects.update(asked_at=timezone.now() - LONG * 3)
    Deletion.objects.update(asked_at=timezone.now() - LONG * 4)
    assert sentences() == [
        "A run has waited for 11 minutes: no worker has begun it",
        "A load of files has waited for 23 minutes: no worker has begun it",
        "A report has waited for 35 minutes: no worker has begun it",
        "The deletion of a study has waited for 46 minutes: no worker has begun it",
    ]
    type(run).objects.update(started_at=timezone.now())
    Upload.objects.update(waiting_since=None)
    Computation.objects.update(state="computing")
    Deletion.objects.update(started_at=timezone.now())
    assert sentences() == []


def test_overview_is_silent_of_what_waits_for_others(sentences, stranger, settings):
    settings.REDIS_URL = ""
    other = factories.make_study("other", owner=stranger, items=1)
    plan(factories.make_judge(other, "judge", factories.make_endpoint()))
    begin_load(stranger, slug="new", is_new=True)
    Computation.objects.create(key="k", study=other, n_answers=1)
    delete.begin(factories.make_study("old", owner=stranger))
    assert sentences() == []
