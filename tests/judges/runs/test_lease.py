"""Leases: never the same unit twice, nothing lost, the run's and the endpoint's limits kept."""

import signal
import subprocess
import sys
import threading
from collections import Counter
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from judges.endpoints.client import Answer
from judges.models import Judgment, Run
from judges.runs import drive, resume
from judges.runs import lease as leasing
from judges.runs import plan as planning
from judges.runs import settle as settling
from tests import factories
from tests.processes import environment
from tests.scripted_server import Reply, ScriptedServer, by_schema, chat


@pytest.fixture
def run(study):
    endpoint = factories.make_endpoint(concurrency=64, timeout_seconds=5)
    return planning.plan(factories.make_judge(study, "judge", endpoint))


def lease(run, worker="a", most=64):
    return leasing.lease(run, run.judge.endpoint, worker, most)


def numbers(units):
    return [unit.number for unit in units]


def settle(run, worker, units, content='{"accuracy": 3}'):
    outcomes = [settling.Outcome(unit, [], {}, Answer(content=content)) for unit in units]
    calls = settling.store_calls(run, run.judge.endpoint, outcomes)
    settling.settle(run, worker, list(zip(outcomes, calls, strict=True)))
    leasing.finish_if_done([run.pk])


@pytest.mark.django_db
def test_a_unit_is_leased_with_all_its_rows_to_one_worker(run):
    units = lease(run, "a", 3)
    assert numbers(units) == [0, 1, 2]
    assert [len(unit.questions) for unit in units] == [4, 4, 4]
    assert numbers(lease(run, "b")) == [3]
    assert lease(run, "c") == []
    assert set(Judgment.objects.values_list("state", "attempts")) == {("leased", 1)}


@pytest.mark.django_db
def test_a_lease_is_two_statements_and_the_units_come_in_one_query(
    run, django_assert_max_num_queries
):
    with django_assert_max_num_queries(11):
        lease(run)


@pytest.mark.django_db
def test_only_an_active_run_is_leased_from(run):
    for state in (Run.State.CANCELLED, Run.State.FINISHED, Run.State.OUT_OF_BUDGET):
        Run.objects.update(state=state)
        assert lease(run) == []


@pytest.mark.django_db
def test_the_endpoint_is_shared_fairly_by_its_active_runs(run):
    endpoint = run.judge.endpoint
    endpoint.concurrency = 4
    endpoint.save()
    other = planning.plan(factories.make_judge(run.judge.study, "other", endpoint))
    assert len(lease(run)) == 2
    assert len(lease(run)) == 0, "its share is under way"
    assert len(lease(other)) == 2


@pytest.mark.django_db
def test_a_second_run_waits_for_the_places_that_the_first_one_took(run):
    endpoint = run.judge.endpoint
    endpoint.concurrency = 4
    endpoint.save()
    units = lease(run)
    assert len(units) == 4
    other = planning.plan(factories.make_judge(run.judge.study, "other", endpoint))
    assert lease(other) == [], "all four places are taken"
    resume.cancel(run)
    assert lease(other) == [], "calls under way still end"
    settle(run, "a", units[:3])
    assert len(lease(other)) == 3


@pytest.mark.django_db
def test_who_has_the_endpoint_alone_holds_some_units_ahead_and_nobody_else_enters(owner):
    study = factories.make_study("many", items=30)
    endpoint = factories.make_endpoint(concurrency=8)
    run = planning.plan(factories.make_judge(study, "judge", endpoint))
    units = lease(run, "a")
    assert numbers(units) == list(range(12)), "8 to be asked and 4 to wait for a place"
    assert lease(run, "a") == []
    assert lease(run, "b") == []
    settle(run, "a", units[:4])
    assert lease(run, "b") == [], "8 are held still, so as many may be under way"
    settle(run, "a", units[4:7])
    assert len(lease(run, "b")) == 3
    settle(run, "a", units[7:9])
    assert len(lease(run, "a")) == 2, "no longer alone: no more are held than places"


@pytest.mark.django_db
def test_nothing_is_held_ahead_under_a_budget_or_beside_another_run(owner):
    study = factories.make_study("many", items=30)
    prices = {"price_in": Decimal(5), "price_out": Decimal(5)}
    endpoint = factories.make_endpoint(concurrency=8, **prices)
    run = planning.plan(factories.make_judge(study, "judge", endpoint), budget=Decimal(1000))
    assert len(lease(run)) == 1, "the first call is made alone: it shows what a call costs"
    assert lease(run) == []
    Run.objects.update(spent_usd=Decimal("0.01"))
    assert len(lease(run)) == 7
    leasing.give_back(run, "a")
    Run.objects.update(budget_usd=None)
    planning.plan(factories.make_judge(study, "other", endpoint))
    assert len(lease(run)) == 4


@pytest.mark.django_db
def test_what_waits_for_its_place_is_renewed_and_not_returned(run):
    lease(run, "a", 2)
    lease(run, "b", 1)
    later = timezone.now() + leasing.lease_length(run.judge.endpoint) + timedelta(seconds=1)
    leasing.renew(run, "a", timedelta(hours=1))
    assert leasing.return_expired(later) == 4
    assert set(Judgment.objects.filter(state="leased").values_list("leased_by")) == {("a",)}


@pytest.mark.django_db
def test_units_read_ahead_are_those_that_come_next(owner, django_assert_num_queries):
    study = factories.make_study("many", items=9)
    endpoint = factories.make_endpoint(concurrency=64)
    run = planning.plan(factories.make_judge(study, "judge", endpoint))
    ahead = {}
    assert numbers(leasing.lease(run, endpoint, "a", 3, ahead)) == [0, 1, 2]
    assert sorted(ahead) == [3, 4, 5, 6, 7, 8]
    assert numbers(leasing.lease(run, endpoint, "b", 2)) == [3, 4]
    units = leasing.lease(run, endpoint, "a", 3, ahead)
    assert numbers(units) == [5, 6, 7]
    assert [unit.item.key for unit in units] == ["item-5", "item-6", "item-7"]
    leasing.give_back(run, "b")
    with django_assert_num_queries(6):
        assert numbers(leasing.lease(run, endpoint, "a", 3, ahead)) == [3, 4, 8]


@pytest.mark.django_db(transaction=True)
def test_runs_at_once_never_pass_the_endpoint_together(owner):
    study = factories.make_study("many", items=12)
    endpoint = factories.make_endpoint(concurrency=6)
    runs = [planning.plan(factories.make_judge(study, f"j{n}", endpoint)) for n in range(2)]
    # As at the moment when the first run is still alone: its share is the whole endpoint.
    Run.objects.filter(pk=runs[1].pk).update(state=Run.State.CANCELLED)
    assert len(lease(runs[0], most=5)) == 5
    Run.objects.filter(pk=runs[1].pk).update(state=Run.State.ACTIVE)

    def take(run):
        for _ in range(4):
            lease(run, str(run.pk), 1)
        connection.close()

    threads = [threading.Thread(target=take, args=[run]) for run in runs * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Judgment.objects.filter(state="leased", lead=True).count() == 6


@pytest.mark.django_db
def test_an_expired_lease_waits_again_and_a_late_reply_changes_nothing(run):
    (unit,) = lease(run, "slow", 1)
    assert leasing.return_expired() == 0
    later = timezone.now() + leasing.lease_length(run.judge.endpoint) + timedelta(seconds=1)
    assert leasing.return_expired(later) == 4
    (again,) = [one for one in lease(run, "fast") if one.number == unit.number]
    settle(run, "slow", [unit], '{"accuracy": 1}')
    assert not Judgment.objects.filter(state="done").exists()
    settle(run, "fast", [again])
    assert Judgment.objects.get(state="done").value == 3
    assert run.calls.count() == 2, "both replies are kept as evidence"


@pytest.mark.django_db
def test_a_call_whose_worker_was_lost_counts_against_the_budget(study):
    endpoint = factories.make_endpoint(price_in=Decimal(5), price_out=Decimal(5))
    run = planning.plan(factories.make_judge(study, "j", endpoint), budget=Decimal(100))
    Run.objects.update(spent_usd=1)
    lease(run, "lost", 2)
    run.refresh_from_db()
    assert run.reserved_usd == 2 * leasing.unit_usd(run) > 0
    leasing.return_expired(timezone.now() + timedelta(hours=1))
    run.refresh_from_db()
    assert (run.reserved_usd, run.spent_usd) == (0, 1 + 2 * leasing.unit_usd(run))


@pytest.mark.django_db
def test_a_unit_that_takes_its_worker_down_each_time_fails_in_the_end(run):
    for _ in range(leasing.MOST_LEASES):
        assert len(lease(run, "x")) == 4
        leasing.return_expired(timezone.now() + timedelta(hours=1))
    assert Judgment.objects.filter(state="failed", reason=leasing.WORKER_LOST).count() == 16


@pytest.mark.django_db
def test_a_unit_asked_again_is_found_though_its_first_row_is_done(run):
    (unit, *_) = units = lease(run)
    settle(run, "a", units, '{"persuasiveness": 3, "transparency": 3}')
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert resume.reset_failed(run) == 8
    again = lease(run)
    assert numbers(again) == numbers(units)
    assert len(again[0].questions) == 4, "the same questions are asked, for the same prompt"
    assert Judgment.objects.filter(state="leased").count() == 8


@pytest.mark.django_db
def test_what_a_worker_gives_back_waits_again(run):
    lease(run, "a", 2)
    lease(run, "b", 1)
    leasing.give_back(run, "a")
    assert Judgment.objects.filter(state="leased").count() == 4
    assert set(Judgment.objects.filter(state="leased").values_list("leased_by")) == {("b",)}


@pytest.mark.django_db
def test_a_run_is_finished_by_the_sweep_too(run):
    Judgment.objects.update(state="failed")
    assert leasing.finish_if_done() == 1
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert run.ended_at is not None


@pytest.mark.django_db
@pytest.mark.parametrize("among", [0, 20])
def test_the_lease_reads_no_more_than_it_needs(owner, among):
    """Its statement goes by the two indexes made for it, however long the run, and sorts no run."""
    study = factories.make_study("long", items=300)
    run = planning.plan(factories.make_judge(study, "judge", factories.make_endpoint()))
    run.judgments.update(attempts=1)  # as those of a run that was resumed
    waits = leasing.AMONG.format(", ".join(["%s"] * among)) if among else leasing.WAITS
    sql = leasing.TAKE.format(waits=waits, materialized="", skip_locked="")
    arguments = [run.pk, *range(among), 4, timezone.now().isoformat(), "a", run.pk]
    explain = "EXPLAIN " if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN "
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE judges_judgment")  # else it plans by what other tests left
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(explain + sql, arguments)
        plan = str(cursor.fetchall())
    assert ("judgment_pending" in plan) is (not among)
    assert ("Sort" in plan or "ORDER BY" in plan) is bool(among)
    assert "judgment_unit" in plan
    assert "judgment_run_state" not in plan
    # PostgreSQL reads all leads of so small a table at once where it looks for twenty.
    assert "one_lead_a_unit" not in plan or (among and connection.vendor == "postgresql")


@pytest.mark.django_db(transaction=True)
def test_a_unit_that_waits_longer_than_its_lease_stays_with_its_worker(owner, settings):
    settings.LEASE_MARGIN_SECONDS = 1
    study = factories.make_study("few", items=2)

    def once_busy(number, request):
        busy = Reply("", 429, {"retry-after": "3.5"})
        return busy if number == 0 else chat(by_schema(request))

    returned, ended = [], threading.Event()

    def sweep():
        while not ended.wait(0.2):
            returned.append(leasing.return_expired())
        connection.close()

    with ScriptedServer(once_busy) as server:
        endpoint = factories.make_endpoint(server.url, concurrency=1, timeout_seconds=2)
        run = planning.plan(factories.make_judge(study, "judge", endpoint))
        sweeper = threading.Thread(target=sweep)
        sweeper.start()
        drive.work_through(run.pk)
        ended.set()
        sweeper.join()
        assert len(server.requests) == 3
    assert sum(returned) == 0
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}


LEASE_ALL = """
import sys
import django
django.setup()
from judges.runs import lease as leasing
from judges.models import Run
run = Run.objects.select_related("judge__endpoint").get(pk=int(sys.argv[1]))
while units := leasing.lease(run, run.judge.endpoint, sys.argv[2], 3):
    print(" ".join(str(unit.number) for unit in units), flush=True)
"""


@pytest.mark.django_db(transaction=True)
def test_processes_at_once_never_lease_the_same_unit(owner, tmp_path):
    study = factories.make_study("many", items=150)
    endpoint = factories.make_endpoint(concurrency=512)
    run = planning.plan(factories.make_judge(study, "judge", endpoint))
    env = environment(tmp_path, DJANGO_SETTINGS_MODULE="config.settings")
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", LEASE_ALL, str(run.pk), name], env=env, stdout=subprocess.PIPE
        )
        for name in ("a", "b", "c")
    ]
    leased = Counter()
    for process in processes:
        output, _ = process.communicate(timeout=300)
        assert process.returncode == 0
        leased.update(map(int, output.split()))
    assert leased == Counter(range(150))


@pytest.mark.django_db(transaction=True)
def test_threads_at_once_never_pass_the_budget(owner):
    study = factories.make_study("many", items=40)
    endpoint = factories.make_endpoint(concurrency=512, price_in=Decimal(5), price_out=Decimal(5))
    judge = factories.make_judge(study, "judge", endpoint)
    run = planning.plan(judge, budget=Decimal(100))
    Run.objects.update(budget_usd=11 * leasing.unit_usd(run), spent_usd=leasing.unit_usd(run))
    leased = []

    def take():
        while units := lease(run, "x", 1):
            leased.extend(numbers(units))
        connection.close()

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(leased) == len(set(leased)) == 10


DIE_WHILE_SETTLING = """
import os, signal, sys
import django
django.setup()
from judges.runs import lease as leasing, drive
plain, batches = leasing.free, []
def free(run, units, spent):
    # The last statement of a batch: its rows are written, its transaction is not at its end.
    plain(run, units, spent)
    batches.extend([units] * (units > 0))
    if len(batches) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
leasing.free = free
drive.work_through(int(sys.argv[1]))
"""


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_while_it_settles_a_batch_loses_and_doubles_nothing(owner, tmp_path):
    study = factories.make_study("many", items=60)
    slow = lambda number, request: chat(by_schema(request), delay=0.02)  # noqa: E731
    with ScriptedServer(slow) as server:
        endpoint = factories.make_endpoint(server.url, concurrency=8)
        run = planning.plan(factories.make_judge(study, "judge", endpoint))
        env = environment(tmp_path, DJANGO_SETTINGS_MODULE="config.settings")
        command = [sys.executable, "-c", DIE_WHILE_SETTLING, str(run.pk)]
        died = subprocess.run(command, env=env, timeout=300, check=False)
        assert died.returncode == -signal.SIGKILL
        settled = run.judgments.filter(state="done").count()
        asked, stored = len(server.requests), run.calls.count()
        assert 0 < settled / 4 < stored <= asked, "the killed batch was stored, not settled"
        later = timezone.now() + timedelta(hours=1)
        settling.settle_lost(later)
        assert run.judgments.filter(state="done").count() == 4 * stored, "what was stored counts"
        leasing.return_expired(later)  # none, where all that it held had come back
        drive.work_through(run.pk)
        assert len(server.requests) - 60 <= 8
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert list(run.judgments.values_list("state").distinct()) == [("done",)]
    assert run.judgments.count() == 240
    assert not run.judgments.filter(call=None).exists()


@pytest.mark.django_db
def test_the_database_refuses_a_second_lead_of_a_unit(run):
    with pytest.raises(IntegrityError), transaction.atomic():
        run.judgments.filter(unit=0).update(lead=True)
    other = planning.plan(factories.make_judge(run.judge.study, "other", run.judge.endpoint))
    assert other.judgments.filter(unit=0, lead=True).count() == 1, "each run has leads of its own"
