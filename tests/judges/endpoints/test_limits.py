"""Requests and tokens a minute, shared by all workers, and the endpoint's "not before"."""

import itertools
import os
import random
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from django.db import connection

from judges.endpoints import limits
from judges.models import Endpoint, Heartbeat, Run, Window
from judges.runs import drive
from judges.runs.plan import plan
from judges.runs.resume import resume
from tests import factories, processes
from tests.scripted_server import Reply, ScriptedServer, by_schema, chat
from tests.short_minute import SECONDS

MINUTE = 60


def most_in_a_window(events, seconds):
    """The largest sum of [(time, amount)] in any window of so many seconds, by trying each."""
    events = sorted(events)
    return max(
        sum(amount for at, amount in events[first:] if at - start <= seconds)
        for first, (start, _) in enumerate(events)
    )


def taken(rules, wanted, seconds):
    """[(time, amount)] that a greedy caller gets who asks four times a second for what he wants."""
    slots, got = {}, []
    for quarter in range(4 * seconds):
        granted = limits.take(slots, 1000 + quarter // 4, rules, wanted)
        got += [(quarter / 4, amount) for amount in wanted[:granted]]
    return got


def test_no_window_of_a_minute_holds_more_requests_than_the_limit():
    rules = limits._rules(Endpoint(rpm=100))
    got = [(at, 1) for at, _ in taken(rules, [1] * 5, 300)]
    assert most_in_a_window(got, MINUTE + limits.LATE) <= 100
    # 100 in 64 s are 469 in 300 s: what is allowed is used.
    assert len(got) >= 450
    assert most_in_a_window(got, 0.999) <= 2 * 3, "no burst: a 48th of a minute's in each slot"


def test_no_window_of_a_minute_holds_more_tokens_than_the_limit():
    rules = limits._rules(Endpoint(tpm=10_000))
    got = taken(rules, [700] * 5, 300)
    assert most_in_a_window(got, MINUTE + limits.LATE) <= 10_000
    # 14 calls of 700 fit into 64 s, so 65 into 300 s.
    assert len(got) >= 60


@pytest.mark.parametrize("rpm", [1, 2, 7])
def test_a_small_limit_lets_just_as_many_through(rpm):
    got = [(at, 1) for at, _ in taken(limits._rules(Endpoint(rpm=rpm)), [1], 200)]
    assert most_in_a_window(got, MINUTE) == rpm


def test_a_call_larger_than_the_limit_goes_alone():
    rules = limits._rules(Endpoint(tpm=500))
    slots = {}
    assert limits.take(slots, 1000, rules, [500, 1]) == 1
    assert limits.take(slots, 1063, rules, [1]) == 0
    assert limits.take(slots, 1064, rules, [1]) == 1


@pytest.mark.django_db
def test_what_is_counted_is_corrected_by_what_it_took():
    endpoint = factories.make_endpoint(tpm=1000, key="corrected")
    granted, slot = limits.permit(endpoint, [900, 900])
    assert granted == 1
    limits.correct(endpoint, slot, 50 - 900)
    limits.correct(endpoint, slot - 500, 7)  # a slot that is gone is left alone
    granted, _ = limits.permit(endpoint, [50, 900])
    assert granted == 1, "a tenth of the minute's tokens fits into a second"


@pytest.mark.django_db
@pytest.mark.redis
def test_the_script_in_redis_takes_what_the_rule_in_python_takes():
    dice, slots, now = random.Random(5), {}, 10_000
    rules = limits._rules(Endpoint(rpm=90, tpm=5000))
    key = f"test-{os.getpid()}:window"
    try:
        for _ in range(400):
            now += dice.choice([0, 0, 1, 1, 2, 30])
            wanted = [dice.randrange(1, 900) for _ in range(dice.randrange(6))]
            arguments = [now, *rules, limits.KEPT, *wanted]
            granted, _ = limits._script(limits.TAKE)(keys=[key], args=arguments)
            assert granted == limits.take(slots, now, rules, wanted)
    finally:
        limits._redis().delete(key)


@pytest.mark.django_db(transaction=True)
def test_threads_at_once_never_take_more_than_there_is(settings):
    settings.REDIS_URL = ""
    endpoint = factories.make_endpoint(rpm=48 * 20, key="threads")
    granted = []

    def ask():
        granted.extend(limits.permit(endpoint, [1])[0] for _ in range(8))
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(granted) == sum(n for s, n in Window.objects.get().slots.items() if s[0] == "r")
    assert sum(granted) > 8


def finished(run):
    return lambda: Run.objects.filter(pk=run.pk, state=Run.State.FINISHED).exists()


@pytest.mark.django_db(transaction=True)
def test_two_workers_never_pass_the_limits_of_an_endpoint(tmp_path):
    """Measured at the server, with a minute of four seconds; one call in five is asked twice."""
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}
    dice, tokens = random.Random(3), []

    def script(number, request):
        if number % 5 == 4:
            return Reply("", 503, {"retry-after": "0"})
        used = dice.randrange(50, 400)
        tokens.append((server.times[number], used))
        return chat(by_schema(request), delay=0.2, tokens=(used - 10, 10))

    with ScriptedServer(script) as server, processes.beat(tmp_path, **extra):
        study = factories.make_study("long")
        factories.make_items(study, 50)
        # Each worker begins with four at once, so that there is room for both.
        limits_of = {"rpm": 24, "tpm": 14_000, "known_limit": 4, "known_slow": True}
        endpoint = factories.make_endpoint(
            server.url, concurrency=32, timeout_seconds=5, **limits_of
        )
        judge = factories.make_judge(study, "judge", endpoint)
        with (
            processes.worker(tmp_path, name="one@test", app="tests.short_minute", **extra),
            processes.worker(tmp_path, name="two@test", app="tests.short_minute", **extra),
        ):
            both = lambda: Heartbeat.objects.alive().count() == 2  # noqa: E731
            processes.wait_for(both, "both workers")
            run = plan(judge)
            processes.wait_for(finished(run), "the run's end")
        assert set(run.judgments.values_list("state", flat=True)) == {"done"}
        assert run.calls.values("worker").distinct().count() >= 2, "both had a part in it"
        requests = [(at, 1) for at in server.times]
    assert len(requests) > 50, "some were asked again"
    assert 8 <= most_in_a_window(requests, SECONDS) <= 24
    assert most_in_a_window(tokens, SECONDS) <= 14_000


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("form", ["seconds", "date"])
def test_all_workers_of_an_endpoint_wait_when_one_is_asked_to(tmp_path, form):
    """Two runs of one endpoint in two threads; the first reply of all asks for three seconds."""
    asked = itertools.count()

    def script(number, request):
        if next(asked) == 0:
            return Reply("", 429, {"retry-after": retry_after(form)})
        return chat(by_schema(request), delay=0.5)

    with ScriptedServer(script) as server:
        endpoint = factories.make_endpoint(server.url, concurrency=2, timeout_seconds=5)
        study = factories.make_study("long")
        factories.make_items(study, 8)
        runs = [plan(factories.make_judge(study, f"j{n}", endpoint)) for n in range(2)]

        def work(run):
            drive.work_through(run.pk)
            connection.close()

        threads = [threading.Thread(target=work, args=[run]) for run in runs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        first = server.times[0]
    # A second for the other to learn of it; a date has whole seconds.
    assert not [at - first for at in server.times if 1.2 < at - first < 1.9]
    assert len(server.times) == 17
    assert {run.judgments.exclude(state="done").count() for run in runs} == {0}


def retry_after(form):
    if form == "seconds":
        return "3"
    return format_datetime(datetime.now(UTC) + timedelta(seconds=3), usegmt=True)


BILLING = Reply({"error": {"code": "insufficient_quota", "message": "You have no credit."}}, 429)


@pytest.mark.django_db
def test_an_account_that_cannot_pay_stops_the_run_and_a_resume_asks_the_rest(owner):
    study = factories.make_study("many")
    factories.make_items(study, 100)
    broke = lambda number, request: chat(by_schema(request)) if number < 5 else BILLING  # noqa: E731
    with ScriptedServer(broke) as server:
        endpoint = factories.make_endpoint(server.url, concurrency=4)
        run = plan(factories.make_judge(study, "judge", endpoint))
        drive.work_through(run.pk)
        run.refresh_from_db()
        assert len(server.requests) <= 5 + 2 * 4, "not a call for each of the rest"
        assert run.state == Run.State.STOPPED
        assert "insufficient_quota" in run.stopped_because
        states = run.judgments.values_list("state", flat=True)
        assert (list(states).count("done"), list(states).count("pending")) == (20, 380)
        server.script = lambda number, request: chat(by_schema(request))
        assert resume(run)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, run.stopped_because) == (Run.State.FINISHED, "")
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}
