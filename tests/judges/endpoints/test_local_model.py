"""A real Celery worker and a real clock, killed and stopped in the middle of a run."""

import os

import pytest
from django.db import connection

from judges.endpoints import local_model
from judges.models import Heartbeat, Judgment, Run
from judges.runs.plan import plan
from tests import factories, processes
from tests.conftest import missing
from tests.scripted_server import ScriptedServer, by_schema, chat

pytestmark = pytest.mark.django_db(transaction=True)
ITEMS, CONCURRENCY = 150, 8


@pytest.fixture
def var(tmp_path):
    """A folder of its own for broker and logs, a queue of its own, and the clock running."""
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}
    with processes.beat(tmp_path, **extra):
        yield tmp_path, extra


def slow(number, request):
    return chat(by_schema(request), delay=0.1)


def make_run(server, items=ITEMS, judge=None, **endpoint_fields):
    study = factories.make_study("long", items=items)
    fields = {"concurrency": CONCURRENCY, "timeout_seconds": 60} | endpoint_fields
    endpoint = factories.make_endpoint(server.url, **fields)
    return plan(factories.make_judge(study, "judge", endpoint, **(judge or {})))


def finished(run):
    return lambda: Run.objects.filter(pk=run.pk, state=Run.State.FINISHED).exists()


def done(run, count):
    return lambda: run.judgments.filter(state=Judgment.State.DONE).count() >= count


def assert_complete(run, items=ITEMS):
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}
    assert run.judgments.count() == items * 4
    assert run.judgments.filter(call=None).count() == 0


def test_a_worker_works_a_run_through_and_tells_that_it_lives(var):
    folder, extra = var
    with ScriptedServer(slow) as server, processes.worker(folder, **extra):
        run = make_run(server, items=20)
        processes.wait_for(Heartbeat.objects.alive().exists, "the heartbeat")
        processes.wait_for(finished(run), "the run's end")
        assert_complete(run, items=20)
        assert len(server.requests) == 20
        assert server.most_in_flight <= CONCURRENCY
    assert not Heartbeat.objects.exists(), "a worker that ends says so"


def test_after_a_sigkill_nothing_is_lost_or_doubled(var):
    folder, extra = var
    with ScriptedServer(slow) as server:
        run = make_run(server, timeout_seconds=2)  # the leases of the killed end soon
        for step in (1, 2):
            worker = processes.start_worker(folder, **extra)
            processes.wait_for(done(run, step * ITEMS), "a part of the run")
            worker.kill()
        assert not finished(run)()
        with processes.worker(folder, **extra):
            processes.wait_for(finished(run), "the run's end after two kills")
        assert_complete(run)
        repeated = len(server.requests) - ITEMS
        assert repeated <= 2 * 2 * CONCURRENCY, "at most what was under way at each kill"
        assert run.calls.count() >= ITEMS


def test_a_worker_that_is_asked_to_end_ends_soon_and_another_goes_on(var):
    folder, extra = var
    with ScriptedServer(slow) as server:
        run = make_run(server)
        worker = processes.start_worker(folder, **extra)
        processes.wait_for(done(run, 40), "a part of the run")
        worker.stop()
        assert not finished(run)()
        assert not run.judgments.filter(state=Judgment.State.LEASED).exists()
        with processes.worker(folder, **extra):
            processes.wait_for(finished(run), "the run's end")
        assert_complete(run)
        assert len(server.requests) == ITEMS, "an orderly end repeats no call"


def test_two_workers_share_a_run_within_the_endpoint_s_concurrency(var):
    folder, extra = var
    with (
        ScriptedServer(slow) as server,
        processes.worker(folder, name="one@test", **extra),
        processes.worker(folder, name="two@test", **extra),
    ):
        run = make_run(server)
        processes.wait_for(finished(run), "the run's end")
        assert_complete(run)
        assert len(server.requests) == ITEMS
        assert server.most_in_flight <= CONCURRENCY


@pytest.mark.model
def test_the_small_local_model_judges_three_items(tmp_path, var):
    """The whole path with a real model: its server, a worker, grammar-bound replies."""
    try:
        local_model.weights()
    except local_model.NotInstalled as error:
        missing(str(error))
    folder, extra = var
    connection.close()
    arguments = ["manage.py", "serve_local_model", "--port", "8397"]
    model = processes.Process(arguments, processes.environment(folder), folder / "model.log")
    try:
        processes.wait_for(lambda: "/v1" in model.output(), "the model's address")
        server = type("Server", (), {"url": "http://127.0.0.1:8397/v1"})
        fields = {"model": local_model.ALIAS, "concurrency": 4, "timeout_seconds": 240}
        run = make_run(server, 3, {"weighted": True}, **fields)
        with processes.worker(folder, **extra):
            processes.wait_for(finished(run), "the run's end")
        assert_complete(run, items=3)
        assert set(run.judgments.values_list("value", flat=True)) <= {1.0, 2.0, 3.0, 4.0, 5.0}
        assert set(run.calls.values_list("model_returned", flat=True)) == {local_model.ALIAS}
        weighted = list(run.judgments.values_list("weighted_value", "weighted_mass"))
        assert all(1 <= value <= 5 and 0 < mass <= 1 for value, mass in weighted)
    finally:
        assert model.stop() == 0
