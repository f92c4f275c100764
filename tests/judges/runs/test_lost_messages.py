"""A message to a worker is only a nudge: none is acknowledged late, and the sweep sends a lost one.

tests/judges/runs/test_redis_away.py kills Redis for it; here is why a kill does no harm.
"""

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotate.studies import delete
from config.celery import app
from judges import tasks
from judges.models import Run, Upload
from judges.runs import nudge
from judges.runs.plan import plan
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


def our_tasks():
    app.loader.import_default_modules()
    names = ("annotate.", "judges.", "analysis.")
    return {name: task for name, task in app.tasks.items() if name.startswith(names)}


def test_no_task_is_acknowledged_at_its_end():
    """With a late acknowledgement kombu ends the worker when Redis has gone meanwhile."""
    assert settings.CELERY_TASK_ACKS_LATE is False and app.conf.task_acks_late is False
    late = [name for name, task in our_tasks().items() if task.acks_late]
    assert len(our_tasks()) > 5 and late == []


def test_every_sweep_that_sends_lost_messages_again_is_on_the_clock():
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert {"judges.tasks.sweep_leases", "judges.tasks.tend_uploads"} <= scheduled
    assert app.conf.beat_schedule["return-expired-leases"]["schedule"].run_every.seconds <= 60


@pytest.fixture
def away(monkeypatch):
    """Let no task reach a broker, as while Redis is away."""

    def refuse(*_args, **_options):
        raise OperationalError("Connection refused")

    for task in (tasks.work, tasks.load_upload, tasks.delete_study):
        monkeypatch.setattr(task, "apply_async", refuse)
    return monkeypatch


@pytest.fixture
def sent(away):
    """Messages that a sweep sends once the broker is back: (task, argument)."""
    kept = []

    def come_back():
        for task in (tasks.work, tasks.load_upload, tasks.delete_study):
            name = task.name.split(".")[-1]
            keep = lambda args, name=name, **_options: kept.append((name, *args))  # noqa: E731
            away.setattr(task, "apply_async", keep)
        tasks.sweep_leases()
        tasks.tend_uploads()
        return kept

    return come_back


def test_a_nudge_of_a_run_that_was_lost_is_sent_by_the_sweep(study, sent):
    run = plan(factories.make_judge(study, "judge", factories.make_endpoint()))
    nudge.nudge(run)  # the page or command that asks for a run lives on
    assert Run.objects.get().state == Run.State.ACTIVE
    assert sent() == [("work", run.pk)]


def test_a_nudge_of_a_load_that_was_lost_is_sent_by_the_sweep(owner, sent, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    upload = Upload.objects.create(user=owner, slug="films")
    Upload.objects.begin(upload.pk)
    nudge.send("judges.tasks.load_upload", upload.pk)
    assert sent() == [], "a worker may be busy with the first message"
    Upload.objects.update(created_at=timezone.now() - timedelta(minutes=10))
    assert sent() == [("load_upload", upload.pk)]


def test_a_nudge_of_a_deletion_that_was_lost_is_sent_by_the_sweep(study, sent):
    delete.begin(study)
    nudge.send("judges.tasks.delete_study", study.pk)
    assert sent() == [("delete_study", study.pk)]
