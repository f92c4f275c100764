"""Transactions that meet on one run: none waits for another in a circle, none overrules another.

Each test holds the run's row until those that want it wait in a queue of known order.
"""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from judges.endpoints.client import Answer
from judges.models import Judgment, Run
from judges.runs import lease, resume, settle
from judges.runs.plan import plan
from judges.runs.reread import reread
from tests import factories
from tests.judges.methods.profile.test_write import WHOLE, listen, make_writer
from tests.podcasts import make_podcasts
from tests.processes import wait_for
from tests.scripted_server import chat

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
WAITING = """
SELECT COUNT(*) FROM pg_stat_activity
WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0
"""
REPLY = chat(str(WHOLE).replace("'", '"')).body["choices"][0]["message"]["content"]


class Side(threading.Thread):
    """Something done on a connection of its own; `done` brings back what it raised."""

    def __init__(self, function, *arguments):
        super().__init__(daemon=True)
        self.function, self.arguments, self.error = function, arguments, None
        self.start()

    def run(self):
        try:
            self.function(*self.arguments)
        except Exception as error:  # shown by the test
            self.error = error
        finally:
            connection.close()

    def done(self):
        self.join(60)
        assert not self.is_alive(), "it waits still"
        if self.error:
            raise self.error


def queue_up(*functions):
    """Threads that wait for a row that this connection holds, in this order."""
    sides = []
    for function, *arguments in functions:
        sides.append(Side(function, *arguments))
        wait_for(lambda: _waiting() == len(sides), "the thread to wait for the row")
    return sides


def _waiting():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # a transaction sees its first one else
        cursor.execute(WAITING)
        return cursor.fetchone()[0]


def held(run):
    """Within a transaction: the run's row is this connection's."""
    return Run.objects.select_for_update().get(pk=run.pk)


@pytest.fixture
def run(study):
    endpoint = factories.make_endpoint(timeout_seconds=5, price_in=1, price_out=1)
    return plan(factories.make_judge(study, "judge", endpoint))


def outcome(unit, content="nothing"):
    return settle.Outcome(unit, [], {}, Answer(content=content))


def test_who_ends_a_run_looks_again_once_it_has_the_run(run):
    """Somebody else ends it first, and what failed is asked again at once."""
    Judgment.objects.update(state="failed", reason="no")
    with transaction.atomic():
        held(run)
        (late,) = queue_up((lease.finish_if_done, [run.pk]))
        assert lease.finish_if_done([run.pk]) == 1
        assert resume.reset_failed(run) == 16
    late.done()
    run.refresh_from_db()
    assert (run.state, run.ended_at) == (Run.State.ACTIVE, None)
    assert lease.finish_if_done() == 0


def test_a_run_is_ended_once_however_many_look(run):
    Judgment.objects.update(state="failed", reason="no")
    with transaction.atomic():
        held(run)
        sides = queue_up((lease.finish_if_done, [run.pk]), (lease.finish_if_done, [run.pk]))
    for side in sides:
        side.done()
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED


def writer_run(owner):
    """A run of a profile writer: one unit was not understood, another is under way."""
    study = make_podcasts(owner, pairs=1)
    for who in ("r2", "r3"):
        listen(study, who, 0.9)
    run = plan(make_writer(study))
    endpoint = run.judge.endpoint
    first, second = lease.lease(run, endpoint, "a", 2)
    calls = settle.store_calls(run, endpoint, [outcome(first, REPLY)], "a")
    settle.settle(run, "a", [(outcome(first), calls[0])])
    assert Judgment.objects.get(unit=first.number).state == Judgment.State.UNPARSABLE
    resume.cancel(run)
    last = outcome(second, REPLY)
    return run, (last, settle.store_calls(run, endpoint, [last], "a")[0])


def test_replies_are_read_again_while_the_last_call_of_a_writer_is_settled(owner):
    run, last = writer_run(owner)
    type(run.judge.endpoint).objects.update(price_in=1, price_out=1)
    Run.objects.update(unit_usd=1)
    run.refresh_from_db()
    with transaction.atomic():
        held(run)
        sides = queue_up((reread, run), (settle.settle, run, "a", [last]))
    for side in sides:
        side.done()
    assert run.writings.exclude(item=None).count() == 2, "both became profiles"


def expired(run):
    """A unit that its worker settles while the sweep takes it back."""
    (unit,) = lease.lease(run, run.judge.endpoint, "a", 1)
    last = outcome(unit)
    (call,) = settle.store_calls(run, run.judge.endpoint, [last], "a")
    return last, call


LATER = timezone.now() + timedelta(days=1)
MEETINGS = {
    "returned, settled": lambda run, last: (
        (lease.return_expired, LATER),
        (settle.settle, run, "a", [last]),
    ),
    "settled, returned": lambda run, last: (
        (settle.settle, run, "a", [last]),
        (lease.return_expired, LATER),
    ),
    "given back, returned": lambda run, last: (
        (lease.give_back, run, "a"),
        (lease.return_expired, LATER),
    ),
    "settled, given back": lambda run, last: (
        (settle.settle, run, "a", [last]),
        (lease.give_back, run, "a"),
    ),
}


@pytest.mark.parametrize("meeting", MEETINGS)
def test_a_lease_ends_once_whoever_ends_it(run, meeting):
    last = expired(run)
    with transaction.atomic():
        held(run)
        sides = queue_up(*MEETINGS[meeting](run, last))
        assert not Judgment.objects.filter(pk__in=_locked(run)).exists(), "the run comes first"
    for side in sides:
        side.done()
    run.refresh_from_db()
    assert run.reserved_usd == 0
    assert run.judgments.filter(state="leased").count() == 0


DOINGS = {
    "renewed": lambda run, units: (lease.renew, run, "a", timedelta(hours=1)),
    "counted": lambda run, units: (lease.count_attempts, run, "a", units),
    "given back": lambda run, units: (lease.give_back, run, "a"),
}


@pytest.mark.parametrize("doing", DOINGS)
def test_rows_of_a_worker_are_locked_in_the_order_of_their_keys(run, doing):
    """Whoever has the first row, as the sweep of one thought lost, finds all others free."""
    units = lease.lease(run, run.judge.endpoint, "a", 2)
    held = run.judgments.filter(state="leased").order_by("pk")
    first, *others = held.values_list("pk", flat=True)
    # A column of an index: so it lies behind the others now, on the disk and in the indexes.
    Judgment.objects.filter(pk=first).update(leased_until=LATER)
    with transaction.atomic():
        held.select_for_update().get(pk=first)
        (side,) = queue_up(DOINGS[doing](run, units))
        assert _locked(run) == set()
        assert len(others) == 7
    side.done()


def _locked(run):
    """The judgments of the run that another transaction holds, waiting for the run's row."""
    rows = run.judgments.order_by("pk")
    free = rows.select_for_update(skip_locked=True).values_list("pk", flat=True)
    return set(rows.values_list("pk", flat=True)) - set(free)
