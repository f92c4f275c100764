"""Redis is killed in the middle of a run and comes back: the run ends, each judgment once."""

import os
import random
import shutil
import subprocess
import time
from contextlib import contextmanager

import pytest

from judges.models import Heartbeat, Judgment, Run
from judges.runs.plan import plan
from tests import factories, processes
from tests.conftest import missing
from tests.scripted_server import ScriptedServer, by_schema, chat
from tests.web_server import free_port

KILLS = int(os.environ.get("REDIS_KILLS", "2"))  # 20 for the long form
ITEMS = 60 * KILLS


class Redis:
    """A server of the test's own, which keeps nothing on disk."""

    def __init__(self, folder):
        self.port, self.folder = free_port(), folder
        self.start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self):
        command = ["redis-server", "--port", str(self.port), "--save", "", "--appendonly", "no"]
        with (self.folder / "redis.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait()


@contextmanager
def redis_server(folder):
    if not shutil.which("redis-server"):
        missing("redis-server is not installed")
    redis = Redis(folder)
    try:
        yield redis
    finally:
        redis.kill()


def slow(_number, request):
    return chat(by_schema(request), delay=0.1)


@pytest.mark.django_db(transaction=True)
def test_a_worker_lives_on_and_a_run_ends_though_redis_is_killed(tmp_path):
    """REDIS_KILLS=20 kills as often; the worker takes new messages after each."""
    dice = random.Random(1)
    with redis_server(tmp_path) as redis, ScriptedServer(slow) as server:
        extra = {"REDIS_URL": redis.url, "CELERY_QUEUE": "redis-away"}
        with processes.beat(tmp_path, **extra), processes.worker(tmp_path, **extra) as worker:
            run = make_run(server, "first", ITEMS)
            for number in range(1, KILLS + 1):
                processes.wait_for(lambda n=number: _done(run) >= 40 * n, "a part of the run")
                redis.kill()
                time.sleep(dice.uniform(0.2, 3))
                redis.start()
                time.sleep(dice.uniform(0.5, 2))
                assert worker.popen.poll() is None, worker.output()[-3000:]
            processes.wait_for(lambda: _finished(run), "the run's end")
            again = make_run(server, "second", 5)
            processes.wait_for(lambda: _finished(again), "a run that began after the kills")
            assert worker.popen.poll() is None and Heartbeat.objects.alive().exists()
    for done in (run, again):
        assert set(done.judgments.values_list("state", flat=True)) == {"done"}
    assert len(server.requests) == ITEMS + 5, "each was asked once"


def make_run(server, slug, items):
    study = factories.make_study(slug, questions={"accuracy": "It is consistent."})
    factories.make_items(study, items)
    fields = {"concurrency": 4, "timeout_seconds": 5, "key": slug}
    endpoint = factories.make_endpoint(server.url, **fields)
    return plan(factories.make_judge(study, "judge", endpoint))


def _done(run):
    return run.judgments.filter(state=Judgment.State.DONE).count()


def _finished(run):
    return Run.objects.filter(pk=run.pk, state=Run.State.FINISHED).exists()
