"""The cap of a run, measured at the server: what it counted times the prices."""

import itertools
import json
import random
import subprocess
import sys
import time
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import OperationalError
from django.utils import timezone

from judges.checks import drift
from judges.endpoints import limits
from judges.models import Endpoint, Judgment, Run
from judges.runs import drive, lease, resume, settle
from judges.runs.plan import PlanError, plan
from tests import factories, processes
from tests.scripted_server import ScriptedServer, by_schema, chat

# A token costs a tenth of a cent.
PRICES = {"price_in": Decimal(1000), "price_out": Decimal(1000)}


class Meter:
    """An endpoint that counts tokens by a rule of its own, and what all of them cost."""

    def __init__(self, counted, delay=0.1):
        self.counted, self.delay, self.tokens = counted, delay, 0

    def __call__(self, number, request):
        tokens = self.counted(number)
        self.tokens += tokens
        return chat(by_schema(request), delay=self.delay, tokens=(tokens - 5, 5))

    @property
    def usd(self):
        return Decimal(self.tokens) / 1000


class Dearest:
    """An endpoint that counts a token for each byte of a request, and the longest reply."""

    def __init__(self):
        self.each = []

    def __call__(self, number, request):
        tokens = len(json.dumps(request, ensure_ascii=False).encode()), request["max_tokens"]
        self.each.append(sum(tokens))
        return chat(by_schema(request), delay=0.1, tokens=tokens)

    @property
    def usd(self):
        return Decimal(sum(self.each)) / 1000


def make_run(server, cap, items=150, **fields):
    """A run with a cap of so many times what a call can cost by the estimate."""
    study = factories.make_study("long")
    factories.make_items(study, items)
    endpoint = factories.make_endpoint(server.url, **{"concurrency": 16} | PRICES | fields)
    run = plan(factories.make_judge(study, "judge", endpoint), budget=Decimal(1000))
    Run.objects.update(budget_usd=cap * lease.unit_usd(run))
    run.refresh_from_db()
    return run


WORK = """
import sys, time
import django
django.setup()
from judges.runs import drive
from judges.models import Run
print("ready", flush=True)
while Run.objects.filter(pk=int(sys.argv[1])).exclude(state="out_of_budget").exists():
    drive.work_through(int(sys.argv[1]))
    time.sleep(0.1)
"""


@pytest.mark.django_db(transaction=True)
def test_two_workers_never_pass_the_cap_whatever_the_server_counts(tmp_path):
    """Thrice what the run was planned with is the most that it counts, and first."""
    dice = random.Random(2)
    env = processes.environment(tmp_path, DJANGO_SETTINGS_MODULE="config.settings")
    with ScriptedServer() as server:
        # Each worker begins with six at once, so that there is room for both.
        run = make_run(server, cap=120, concurrency=32, known_limit=6, known_slow=True)
        most = 3 * int(1000 * run.unit_usd)
        meter = Meter(lambda number: dice.randrange(50, most) if number else most, 0.3)
        server.script = meter
        Run.objects.update(state=Run.State.CANCELLED)
        workers = [
            subprocess.Popen(
                [sys.executable, "-c", WORK, str(run.pk)], env=env, stdout=subprocess.PIPE
            )
            for _ in range(2)
        ]
        assert [worker.stdout.readline() for worker in workers] == [b"ready\n"] * 2
        Run.objects.update(state=Run.State.ACTIVE)
        assert [worker.wait(120) for worker in workers] == [0, 0]
    run.refresh_from_db()
    assert run.spent_usd == meter.usd, "what is counted here is what the server counted"
    assert meter.usd <= run.budget_usd
    assert meter.usd > run.budget_usd - run.unit_usd, "not one more could be afforded"
    assert run.unit_usd == Decimal(most) / 1000
    assert run.calls.values("worker").distinct().count() >= 2, "both had a part in it"


@pytest.mark.django_db
def test_a_server_that_begins_to_count_more_is_passed_by_the_calls_under_way_at_most():
    """The first call shows nothing; from the second on each costs twice the estimate."""
    with ScriptedServer() as server:
        run = make_run(server, cap=20, concurrency=4)
        estimate = int(1000 * run.unit_usd)
        server.script = meter = Meter(lambda number: 2 * estimate if number else 10)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.OUT_OF_BUDGET
    assert meter.usd <= run.budget_usd + 4 * Decimal(estimate) / 1000
    # 20 estimates less 0.01 USD: nine calls at two estimates each are 18, a tenth does not fit.
    assert len(server.requests) == 1 + 9
    assert run.reserved_usd == 0


@pytest.mark.django_db
def test_what_is_reserved_grows_with_the_estimate():
    with ScriptedServer() as server:
        run = make_run(server, cap=100)
        Run.objects.update(spent_usd=run.unit_usd)
        assert len(lease.lease(run, run.judge.endpoint, "a", 7)) == 7
        lease.expect(run, 3 * run.unit_usd)
        before, run = run.unit_usd, Run.objects.get()
        assert (run.unit_usd, run.reserved_usd) == (3 * before, 21 * before)
        lease.expect(run, before)
        lease.give_back(run, "a")
        run.refresh_from_db()
        assert (run.unit_usd, run.reserved_usd) == (3 * before, 0)


@pytest.mark.django_db
@pytest.mark.parametrize("fields", [{}, {"aspects": "single"}, {"rationale": True}])
def test_where_each_byte_of_a_request_is_a_token_no_call_passes_what_was_counted(
    study, monkeypatch, fields
):
    """Neither the estimate nor the tokens of the minute: the schema is a part of the request."""
    plain, permitted = limits.permit, []
    monkeypatch.setattr(
        limits, "permit", lambda of, tokens: permitted.extend(tokens) or plain(of, tokens)
    )
    with ScriptedServer() as server:
        server.script = meter = Dearest()
        endpoint = factories.make_endpoint(server.url, tpm=10**9, **PRICES)
        run = plan(factories.make_judge(study, "j", endpoint, **fields), budget=10**4)
        estimate = run.unit_usd
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}
    assert run.unit_usd == estimate, "no call was dearer"
    assert max(meter.each) <= min(permitted)


# Prices that came after the plan


@pytest.fixture
def waiting(owner):
    """A pilot that has come back from an endpoint without prices, which has some since."""
    study = factories.make_study("many", owner)
    factories.make_items(study, 60)
    with ScriptedServer() as server:
        server.script = Dearest()
        endpoint = factories.make_endpoint(server.url, concurrency=16, timeout_seconds=5)
        run, _ = resume.start(factories.make_judge(study, "judge", endpoint))
        drive.work_through(run.pk)
        Endpoint.objects.update(**PRICES)
        server.script = Dearest()
        yield Run.objects.get(pk=run.pk), server


def test_a_budget_that_comes_with_the_confirmation_is_kept(waiting):
    run, server = waiting
    assert (run.state, run.unit_usd, run.spent_usd) == (Run.State.WAITING, 0, 0)
    cap = resume.estimate(run) * Decimal("3.5")
    assert resume.confirm(run, cap)
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.OUT_OF_BUDGET
    assert run.spent_usd == server.script.usd <= cap
    assert len(server.script.each) == 3, "not as many as there are places"


def test_a_budget_that_allows_no_call_is_refused_and_so_is_one_without_prices(waiting):
    run, server = waiting
    with pytest.raises(PlanError, match="Give a higher budget, of at least"):
        resume.confirm(run, resume.estimate(run) / 2)
    Judgment.objects.filter(pk=run.judgments.filter(state="pending").first().pk).update(
        state="leased", leased_by="a"
    )
    with pytest.raises(PlanError, match="calls under way that began without a budget"):
        resume.confirm(run, Decimal(1000))
    Judgment.objects.filter(state="leased").update(state="pending", leased_by="")
    Endpoint.objects.update(price_in=None, price_out=None)
    run = Run.objects.get()
    assert run.state == Run.State.WAITING
    resume.cancel(run)
    for act in (resume.confirm, resume.resume):
        with pytest.raises(PlanError, match="has no prices, so a budget cannot be kept"):
            act(run, Decimal(1000))
    assert Run.objects.get().budget_usd is None


def test_a_check_for_drift_keeps_its_budget_too(waiting):
    run, server = waiting
    resume.confirm(run)
    drive.work_through(run.pk)
    run.refresh_from_db()
    again = drift.plan_check(run, 20, Decimal(100))
    assert Run.objects.get(pk=again.pk).unit_usd == again.unit_usd > 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("lost", ["store_calls", "settle"])
def test_calls_whose_replies_could_not_be_stored_count_against_the_cap(monkeypatch, lost):
    """The database goes away for a moment; the worker lives on, and its calls may be billed."""
    rounds, plain = itertools.count(), getattr(settle, lost)

    def breaks(*arguments):
        if next(rounds) == 2:
            raise OperationalError("terminating connection due to administrator command")
        return plain(*arguments)

    monkeypatch.setattr(settle, lost, breaks)
    meter = Meter(lambda number: 40)
    with ScriptedServer(meter) as server:
        run = make_run(server, 100, items=40, concurrency=4)
        with pytest.raises(OperationalError):
            drive.work_through(run.pk)
        time.sleep(0.3)  # until the endpoint has replied to the last call
    lease.return_expired(timezone.now() + timedelta(hours=1))
    run.refresh_from_db()
    assert run.reserved_usd == 0
    assert run.spent_usd >= meter.usd
