"""Workers killed at random moments of a run, and what the endpoint saw of it."""

import os
import random
import signal
import time
from dataclasses import dataclass, field

from judges.models import Judgment, Run
from judges.runs.plan import plan
from tests import factories, processes
from tests.scripted_server import by_schema, chat

WORKERS = ("one@test", "two@test")


def slow(number, request):
    return chat(by_schema(request), delay=0.1)


@dataclass
class Crashes:
    """What was under way at each kill: sent and not stored; of these unanswered by the server."""

    under_way: list = field(default_factory=list)
    unanswered: list = field(default_factory=list)
    repeated: int = 0
    seconds: float = 0.0


def make_run(server, judgments, concurrency):
    """A run with one question an item, so that each judgment is a call."""
    study = factories.make_study("long", questions={"accuracy": "It is consistent."})
    factories.make_items(study, judgments)
    endpoint = factories.make_endpoint(server.url, concurrency=concurrency, timeout_seconds=2)
    return plan(factories.make_judge(study, "judge", endpoint))


def finish_with_kills(run, server, var, kills, seed, **extra):
    """Kills all workers at random moments, starts them again, and waits for the run's own end."""
    dice, found, started = random.Random(seed), Crashes(), time.monotonic()
    total = run.judgments.count()
    moments = sorted(dice.sample(range(total // 20, total - total // 20), kills))
    workers = _start(var, extra)
    try:
        for moment in moments:
            processes.wait_for(lambda least=moment: _done(run) >= least, f"{moment} judgments")
            time.sleep(dice.random() / 5)
            for worker in workers:
                os.killpg(worker.popen.pid, signal.SIGKILL)
            found.unanswered.append(server.in_flight)
            for worker in workers:
                worker.kill()
            workers = _start(var, extra)
            lost = len(server.requests) - run.calls.count()
            found.under_way.append(lost - sum(found.under_way))
        processes.wait_for(lambda: _finished(run), "the run's end, without a hand")
    finally:
        for worker in workers:
            worker.kill()
    found.repeated = len(server.requests) - total
    found.seconds = time.monotonic() - started
    return found


def _start(var, extra):
    return [processes.start_worker(var, name=name, **extra) for name in WORKERS]


def _done(run):
    return run.judgments.filter(state=Judgment.State.DONE).count()


def _finished(run):
    return Run.objects.filter(pk=run.pk, state=Run.State.FINISHED).exists()


def check(run, found, judgments, concurrency):
    """Nothing lost, nothing doubled, nothing repeated but what was under way."""
    assert run.judgments.count() == judgments
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}
    assert run.judgments.values("unit").distinct().count() == judgments
    assert run.judgments.values("call").distinct().count() == judgments
    assert max(found.under_way) <= concurrency
    assert found.repeated <= sum(found.under_way)
