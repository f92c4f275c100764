"""Commands that stay with a run go on after a worker was killed, though no clock returns leases."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from analysis.demo import preparing
from config.celery import app
from judges.endpoints.client import Answer
from judges.models import Heartbeat, Judge, Judgment, Run
from judges.runs import drive, lease, settle
from judges.runs.plan import plan
from judges.runs.through import see_through
from tests import factories, processes
from tests.judges.methods.recommend.test_method import FIRST, films, make_recommender, said, small
from tests.scripted_server import ScriptedServer, chat, valid
from tests.scripted_server import by_schema as best

__all__ = ["films"]
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
    units = lease.lease(run, run.judge.endpoint, "dead", 1)
    answer = Answer(content='{"accuracy": 3}')
    settle.store_calls(run, run.judge.endpoint, [settle.Outcome(units[0], [], {}, answer)], "dead")
    end_leases()
    go_on()
    assert len(server.requests) == 3
    assert run.judgments.filter(unit=units[0].number, value=3).count() == 1


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
