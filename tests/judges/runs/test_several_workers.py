"""Several workers at one run: its places are kept to; who finds nothing costs little."""

import subprocess
import sys
from decimal import Decimal

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import AddField
from django.test.utils import CaptureQueriesContext

from judges.models import Endpoint, Judgment, Run
from judges.runs import drive, resume
from judges.runs.lease import lease
from judges.runs.plan import plan
from tests import factories, processes
from tests.scripted_server import ScriptedServer, by_schema, chat

FEW = 5  # queries of a message that finds nothing to do


LARGE = {"call", "judgment"}


def test_a_column_that_needs_a_value_comes_with_one_in_the_database():
    """Else rows of a worker of the last version are refused while it is replaced."""
    added = [
        (name, operation.name, operation.field)
        for (app, name), migration in MigrationLoader(None).disk_migrations.items()
        for operation in migration.operations
        if app == "judges" and not name.startswith("0001")
        if isinstance(operation, AddField) and operation.model_name in LARGE
    ]
    assert [one for one in added if not (one[2].null or one[2].has_db_default())] == []


def make_run(url="http://127.0.0.1:9/v1", items=60, budget=None, **fields):
    study = factories.make_study("many")
    factories.make_items(study, items)
    endpoint = factories.make_endpoint(url, **{"concurrency": 12} | fields)
    return plan(factories.make_judge(study, "judge", endpoint), budget=budget)


def queries_of_a_nudge(run):
    with CaptureQueriesContext(connection) as found:
        drive.work_through(run.pk)
    return len(found)


@pytest.mark.django_db
def test_who_finds_all_places_taken_looks_and_goes(owner):
    run = make_run(known_limit=7)
    assert len(lease(run, run.judge.endpoint, "other", 100)) == 18
    assert queries_of_a_nudge(run) <= FEW
    assert Endpoint.objects.get().known_limit == 7, "it asked for nothing, so it has no pace"
    assert run.judgments.filter(state="leased", leased_by="other", lead=True).count() == 18


@pytest.mark.django_db
def test_who_finds_everything_leased_looks_and_goes(owner):
    run = make_run(items=3)
    assert len(lease(run, run.judge.endpoint, "other", 100)) == 3
    assert queries_of_a_nudge(run) <= FEW


@pytest.mark.django_db
def test_who_finds_the_money_reserved_looks_and_goes(owner):
    run = make_run(price_in=1, price_out=1, budget=Decimal(100))
    assert len(lease(run, run.judge.endpoint, "other", 100)) == 1, "the first goes alone"
    assert queries_of_a_nudge(run) <= FEW
    Run.objects.update(budget_usd=3 * run.unit_usd, spent_usd=run.unit_usd)
    assert len(lease(run, run.judge.endpoint, "other", 100)) == 1
    assert queries_of_a_nudge(run) <= FEW
    run.refresh_from_db()
    assert run.state == Run.State.ACTIVE


@pytest.mark.django_db
def test_a_run_whose_money_is_spent_is_stopped_by_whoever_comes(owner):
    run = make_run(price_in=1, price_out=1, budget=Decimal(100))
    Run.objects.update(budget_usd=run.unit_usd, spent_usd=run.unit_usd / 2)
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.OUT_OF_BUDGET


@pytest.mark.django_db
def test_a_pilot_under_way_is_left_to_who_is_at_it(owner):
    study = factories.make_study("many")
    factories.make_items(study, 60)
    judge = factories.make_judge(study, "judge", factories.make_endpoint(concurrency=64))
    run, _ = resume.start(judge)
    assert len(lease(run, judge.endpoint, "other", 100)) == 20
    assert queries_of_a_nudge(run) <= FEW


@pytest.mark.django_db
def test_who_finds_a_run_done_ends_it(owner):
    run = make_run(items=3)
    Judgment.objects.update(state="failed")
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED


WORK = """
import sys, time
import django
django.setup()
from judges.runs import drive
from judges.models import Run
print("ready", flush=True)
sys.stdin.readline()
while not Run.objects.filter(pk=int(sys.argv[1]), state="finished").exists():
    drive.work_through(int(sys.argv[1]))
    time.sleep(0.05)
"""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("begins_with", [2, 12])
def test_three_workers_never_pass_the_places_of_the_endpoint(owner, tmp_path, begins_with):
    """Measured at the server; the smaller number leaves room for all three at once."""
    env = processes.environment(tmp_path, DJANGO_SETTINGS_MODULE="config.settings")

    def slow(number, request):
        # Nobody's limit grows before the first replies: by then all three are at work.
        return chat(by_schema(request), delay=5 if number < 6 else 0.2)

    with ScriptedServer(slow) as server:
        run = make_run(server.url, items=150, known_limit=begins_with, known_slow=True)
        command = [sys.executable, "-c", WORK, str(run.pk)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        workers = [subprocess.Popen(command, env=env, **pipes) for _ in range(3)]
        assert [worker.stdout.readline() for worker in workers] == [b"ready\n"] * 3
        for worker in workers:
            worker.stdin.write(b"go\n")
            worker.stdin.flush()
        assert [worker.wait(240) for worker in workers] == [0, 0, 0]
        for worker in workers:
            worker.stdin.close()
            worker.stdout.close()
        assert server.most_in_flight <= 12
        assert len(server.requests) == 150
    if begins_with == 2:
        assert run.calls.values("worker").distinct().count() >= 3, "all had a part in it"
    assert run.judgments.exclude(state="done").count() == 0
