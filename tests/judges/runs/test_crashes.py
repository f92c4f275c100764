"""All workers killed again and again: the run ends by itself, and repeats what was under way."""

import math
import os
from datetime import timedelta

import pytest
from celery.signals import before_task_publish
from django.utils import timezone

from judges import tasks
from judges.endpoints.client import Answer, Failure
from judges.models import Heartbeat, Run
from judges.runs import drive, lease, settle
from judges.runs.plan import plan
from tests import crashes, factories, processes
from tests.scripted_server import ScriptedServer

CONCURRENCY = 8


@pytest.mark.django_db(transaction=True)
def test_kills_lose_and_double_nothing_and_repeat_only_what_was_under_way(tmp_path):
    """Shorter than `python -m tests.bench.bench_crash`, which kills ten times in 3,000."""
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}
    with ScriptedServer(crashes.slow) as server, processes.beat(tmp_path, **extra):
        run = crashes.make_run(server, 160, CONCURRENCY)
        found = crashes.finish_with_kills(run, server, tmp_path, kills=2, seed=1, **extra)
        assert server.most_in_flight <= 2 * CONCURRENCY, "the killed ones' calls end at the server"
    crashes.check(run, found, 160, CONCURRENCY)


@pytest.fixture
def run(study):
    endpoint = factories.make_endpoint(concurrency=64, timeout_seconds=5)
    return plan(factories.make_judge(study, "judge", endpoint))


def stored(run, worker, answers):
    """Units leased by a worker who stored these answers and was killed before it settled them."""
    units = lease.lease(run, run.judge.endpoint, worker, len(answers))
    outcomes = [
        settle.Outcome(unit, [], {}, answer) for unit, answer in zip(units, answers, strict=True)
    ]
    settle.store_calls(run, run.judge.endpoint, outcomes, worker)


def sweep_later(monkeypatch):
    """The sweep, an hour later; nobody is nudged."""
    later = timezone.now() + timedelta(hours=1)
    monkeypatch.setattr(tasks.timezone, "now", lambda: later)
    monkeypatch.setattr(tasks.work, "apply_async", lambda *_, **__: None)
    tasks.sweep_leases()


@pytest.mark.django_db
def test_the_sweep_tells_each_worker_alive_in_its_own_queue(run):
    now = timezone.now()
    for name, at in [("a@host", now), ("b@host", now), ("dead@host", now - timedelta(minutes=1))]:
        Heartbeat.objects.create(worker=name, at=at)
    published = []

    def note(body, routing_key, **_message):
        published.append((routing_key, body[0][0]))

    before_task_publish.connect(note)
    try:
        tasks.sweep_leases()
    finally:
        before_task_publish.disconnect(note)
    assert sorted(published) == [("a@host.dq2", run.pk), ("b@host.dq2", run.pk)]


@pytest.mark.django_db
def test_what_was_stored_before_the_kill_is_settled_and_not_asked_again(run, monkeypatch):
    answers = [
        Answer(content='{"accuracy": 3}'),
        Answer(failure=Failure.REFUSAL),
        Answer(failure=Failure.TIMEOUT),
    ]
    stored(run, "killed", answers)
    sweep_later(monkeypatch)
    states = run.judgments.order_by("unit", "question__position").values_list("unit", "state")
    assert [state for unit, state in states if unit == 0] == [
        "unparsable",
        "unparsable",
        "done",
        "unparsable",
    ]
    assert {state for unit, state in states if unit == 1} == {"refused"}
    assert {state for unit, state in states if unit == 2} == {"pending"}, "it was to be asked again"
    assert run.judgments.get(state="done").call.reply == '{"accuracy": 3}'


@pytest.mark.django_db
def test_probability_weighted_values_survive_the_kill(study, monkeypatch):
    """.6 for a 4 and .4 for a 3: 3.6 by hand, from what the killed worker stored."""
    endpoint = factories.make_endpoint(timeout_seconds=5)
    judge = factories.make_judge(study, "weighing", endpoint, weighted=True)
    run = plan(judge, limit=1)
    likely = [["4", math.log(0.6)], ["3", math.log(0.4)]]
    answer = Answer(content='{"accuracy": 4}', logprobs={"tokens": [[13, "4", likely]]})
    stored(run, "killed", [answer])
    sweep_later(monkeypatch)
    judgment = run.judgments.get(question__key="accuracy")
    assert (judgment.state, judgment.value, judgment.weighted_reason) == ("done", 4, "")
    assert judgment.weighted_value == pytest.approx(3.6)
    assert judgment.weighted_mass == pytest.approx(1)


@pytest.mark.django_db
def test_a_reply_of_another_worker_settles_nothing(run, monkeypatch):
    stored(run, "first", [Answer(content='{"accuracy": 3}')])
    lease.give_back(run, "first")
    lease.lease(run, run.judge.endpoint, "second", 1)
    sweep_later(monkeypatch)
    assert not run.judgments.filter(state="done").exists()


@pytest.mark.django_db
def test_what_cannot_be_settled_comes_back_all_the_same(run, monkeypatch):
    stored(run, "killed", [Answer(content='{"accuracy": 3}')])

    def broken(*_):
        raise ValueError("cannot be settled")

    monkeypatch.setattr(settle, "settle", broken)
    with pytest.raises(ValueError, match="cannot be settled"):
        sweep_later(monkeypatch)
    assert not run.judgments.filter(state="leased").exists()


@pytest.mark.django_db(transaction=True)
def test_units_held_ahead_are_not_sent(owner, monkeypatch):
    """Never more is sent and not stored than there are places."""
    study = factories.make_study("many")
    factories.make_items(study, 60)
    under_way = []
    plain = settle.store_calls

    def store(run, endpoint, outcomes, worker):
        # Nothing of these outcomes is stored yet.
        under_way.append(len(server.requests) - run.calls.count())
        return plain(run, endpoint, outcomes, worker)

    monkeypatch.setattr(settle, "store_calls", store)
    with ScriptedServer(crashes.slow) as server:
        endpoint = factories.make_endpoint(server.url, concurrency=8)
        run = plan(factories.make_judge(study, "judge", endpoint))
        drive.work_through(run.pk)
    assert max(under_way) == 8
    assert Run.objects.get().state == Run.State.FINISHED
