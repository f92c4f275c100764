"""A judge is deleted and its rows are removed while a worker judges with it and with another."""

import os
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from judges.models import Call, Judge, Judgment, Run
from judges.removal import delete, purge
from judges.runs.plan import plan
from judges.runs.promised import Refused
from judges.runs.resume import cancel
from tests import factories, processes
from tests.scripted_server import ScriptedServer, by_schema, chat

ITEMS = 30


def slow(_number, request):
    return chat(by_schema(request), delay=0.05)


def is_deleted(judge, owner):
    """Whether the judge could be deleted; not while calls of it are under way."""
    try:
        delete.delete(judge, owner, "it failed")
    except Refused as refused:
        assert "still under way" in str(refused)
        return False
    return True


@pytest.mark.django_db(transaction=True)
def test_a_judge_goes_while_a_worker_is_at_work(tmp_path, owner):
    connection.close()
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}
    study = factories.make_study(owner=owner, items=ITEMS)
    with (
        ScriptedServer(slow) as server,
        processes.beat(tmp_path, **extra),
        processes.worker(tmp_path, **extra) as worker,
    ):
        endpoint = factories.make_endpoint(server.url, concurrency=4, timeout_seconds=5)
        goes, stays = (plan(factories.make_judge(study, name, endpoint)) for name in "ab")
        done = goes.judgments.filter(state="done")
        processes.wait_for(lambda: done.count() > 3, "the first judgments")
        with pytest.raises(Refused, match="a is running. Cancel its run first."):
            delete.delete(goes.judge, owner, "it failed")
        cancel(goes)
        processes.wait_for(lambda: is_deleted(goes.judge, owner), "the end of its calls")
        since = timezone.now() - timedelta(days=delete.UNDO_DAYS, hours=1)
        Judge.with_deleted.filter(pk=goes.judge_id).update(deleted_at=since)
        processes.wait_for(lambda: purge.purge(goes.judge_id), "the removal of its rows")
        ended = Run.objects.filter(pk=stays.pk, state=Run.State.FINISHED)
        processes.wait_for(ended.exists, "the end of the other run")
        log = worker.output()
    assert "deadlock" not in log and "Traceback" not in log, log
    assert set(Judgment.objects.values_list("run", "state")) == {(stays.pk, "done")}
    assert set(Call.objects.values_list("run", flat=True)) == {stays.pk}
