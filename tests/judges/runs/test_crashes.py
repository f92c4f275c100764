"""Workers killed again and again: the run ends by itself, and repeats what was under way.

Commands that stay with a run see to that themselves, for no clock may be there.
"""

import math
import os
from datetime import timedelta
from io import StringIO

import pytest
from celery.signals import before_task_publish
from django.core.management import CommandError, call_command
from django.utils import timezone

from analysis.demo import preparing
from config.celery import app
from judges import tasks
from judges.endpoints.client import Answer, Failure
from judges.models import Heartbeat, Judge, Judgment, Run
from judges.runs import drive, lease, settle
from judges.runs.plan import plan
from judges.runs.through import see_through
from tests import crashes, factories, processes
from tests.judges.methods.recommend.test_method import FIRST, films, make_recommender, said, small
from tests.scripted_server import ScriptedServer, chat, valid
from tests.scripted_server import by_schema as best

__all__ = ["films"]
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


# Commands that stay with a run


CHECKS = {
    "check_drift": ("--items=3",),
    "test_robustness": ("--items=2", "--repeats=1", "--relations=spaces:rate=.3,shift"),
}


def tell(name, *arguments):
    output = StringIO()
    call_command(name, "films", "judge", *arguments, stdout=output)
    return output.getvalue()


@pytest.fixture
def server():
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def past(study, server):
    """A finished run of a judge that a check asks again."""
    endpoint = factories.make_endpoint(server.url, timeout_seconds=60, concurrency=2)
    run = plan(factories.make_judge(study, "judge", endpoint))
    drive.work_through(run.pk)
    server.requests.clear()
    return run


def end_leases(_words=""):
    past = timezone.now() - timedelta(seconds=1)
    Judgment.objects.filter(state=Judgment.State.LEASED).update(leased_until=past)


def lose(run, units=2):
    """A killed worker held so many units."""
    held = run.judgments.filter(unit__lt=units)
    held.update(state=Judgment.State.LEASED, leased_by="dead", attempts=1)
    end_leases()


@pytest.mark.django_db(transaction=True)
def test_a_check_that_was_killed_is_taken_up_by_the_same_command(past, server, tmp_path):
    server.script = lambda _, request: chat(best(request), delay=600 * (len(server.requests) > 1))
    arguments = ("--items=4", "--wait")
    command = ["manage.py", "check_drift", "films", "judge", *arguments]
    killed = processes.Process(command, processes.environment(tmp_path), tmp_path / "log")
    processes.wait_for(
        lambda: len(server.requests) == 3, what=f"calls under way: {killed.output()}"
    )
    killed.kill()
    again = Run.objects.checks().get()
    assert again.judgments.filter(state="leased").count() >= 2 * len(factories.ASPECTS)
    end_leases()
    server.script = valid
    words = tell("check_drift", *arguments)
    assert f"Run {again.pk} asks 4 items of run {past.pk} again." in words
    assert "16 of 16 answers are the same as before." in words
    assert Run.objects.checks().get().state == Run.State.FINISHED
    assert len(server.requests) == 4 + 2, "only what was under way is asked again"


def a_run(study, server):
    run = plan(factories.make_judge(study, "judge", factories.make_endpoint(server.url)))
    return run, lambda: tell("run_judge", "--wait")


def a_check(name):
    def begin(study, server):
        past, _ = a_run(study, server)
        drive.work_through(past.pk)
        tell(name, *CHECKS[name])
        return Run.objects.checks().get(), lambda: tell(name, *CHECKS[name], "--wait")

    return begin


def a_demo(study, _server):
    study.slug = next(iter(preparing.STUDIES))
    study.save()
    run = plan(factories.make_judge(study, "judge", kind=Judge.Kind.RANDOM))
    return run, preparing.work_here


STAYING = {
    "run_judge": a_run,
    "check_drift": a_check("check_drift"),
    "test_robustness": a_check("test_robustness"),
    "demo": a_demo,
}


@pytest.mark.django_db
@pytest.mark.parametrize("command", STAYING)
def test_each_command_takes_back_what_a_killed_worker_held(study, server, command):
    run, go_on = STAYING[command](study, server)
    lose(run)
    go_on()
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}


@pytest.mark.django_db
def test_a_test_of_a_recommender_takes_it_back_too(films):
    with ScriptedServer(said(FIRST)) as server:
        run = plan(make_recommender(films, server.url), trial=small())
        lose(run)
        see_through(run)
    assert run.state == Run.State.FINISHED


@pytest.mark.django_db
def test_a_reply_that_was_stored_is_settled_and_not_asked_again(study, server):
    run, go_on = a_run(study, server)
    stored(run, "dead", [Answer(content='{"accuracy": 3}')])
    end_leases()
    go_on()
    assert len(server.requests) == 3
    assert run.judgments.filter(unit=0, value=3).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_living_worker_is_told_again_of_what_a_killed_one_held(study, server, monkeypatch):
    """The eager task stands for the worker; its lease ends once the command has shown the run."""
    monkeypatch.setitem(app.conf, "task_always_eager", True)
    run, _ = a_run(study, server)
    Heartbeat.objects.create(worker="alive", at=timezone.now())
    lease.lease(run, run.judge.endpoint, "dead", 1)
    see_through(run, end_leases)
    assert (run.state, len(server.requests)) == (Run.State.FINISHED, 4)


OTHERS = {
    "check_drift": (("--items=2",), ("--items=3", "--budget=1")),
    "test_robustness": (
        ("--items=1", *CHECKS["test_robustness"][1:]),
        (*CHECKS["test_robustness"], "--seed=2"),
        CHECKS["test_robustness"][:2],
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize("name", OTHERS)
def test_an_unfinished_check_goes_on_as_it_was_or_not_at_all(past, name):
    tell(name, *CHECKS[name])
    again = Run.objects.checks().get()
    assert f"Run {again.pk} asks" in tell(name, *CHECKS[name])
    for arguments in OTHERS[name]:
        with pytest.raises(CommandError, match=f"Run {again.pk} of judge is unfinished and asks"):
            tell(name, *arguments)
    other = "test_robustness" if name == "check_drift" else "check_drift"
    with pytest.raises(CommandError, match="unfinished and asks something else"):
        tell(other, *CHECKS[other])
    tell(name, *CHECKS[name], "--wait")
    assert Run.objects.checks().get().state == Run.State.FINISHED
    tell(name, *CHECKS[name])
    assert Run.objects.checks().count() == 2, "the first has ended"
