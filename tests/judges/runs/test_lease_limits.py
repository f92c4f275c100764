"""The edges of a lease: the last place, the last cent, the last attempt, and the order of locks."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judges import methods
from judges.models import Judgment, Run
from judges.runs import lease as leasing
from judges.runs.plan import plan
from tests import factories

ESTIMATE = Decimal("0.30")
SOON = timedelta(minutes=1)


@pytest.fixture
def endpoint(db):
    prices = {"price_in": Decimal(1000), "price_out": Decimal(2000)}
    return factories.make_endpoint(concurrency=64, timeout_seconds=5, **prices)


@pytest.fixture
def run(study, endpoint):
    """Four units of four questions, of which each costs 0.30 USD at most; 0.01 is spent."""
    run = plan(factories.make_judge(study, "judge", endpoint), budget=Decimal(100))
    return change(run, unit_usd=ESTIMATE, spent_usd=Decimal("0.01"))


def change(run, **fields):
    Run.objects.filter(pk=run.pk).update(**fields)
    return Run.objects.get(pk=run.pk)


def places(endpoint, count):
    endpoint.concurrency = count
    endpoint.save()


def lease(run, worker="a", most=64, ahead=None):
    return [unit.number for unit in leasing.lease(run, run.judge.endpoint, worker, most, ahead)]


def leased(run):
    return run.judgments.filter(state="leased").count()


# Places


@pytest.mark.parametrize(("count", "ahead"), [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (64, 32)])
def test_half_as_many_units_as_places_are_held_ahead_and_one_at_least(count, ahead):
    assert leasing.ahead(count) == ahead


def test_runs_share_an_odd_number_of_places_by_whole_ones(run, endpoint):
    places(endpoint, 5)
    other = plan(factories.make_judge(run.judge.study, "other", endpoint))
    assert (lease(run), lease(other)) == ([0, 1], [0, 1])


def test_the_only_run_of_an_endpoint_gets_all_its_places_under_a_budget(run, endpoint):
    places(endpoint, 3)
    assert lease(run) == [0, 1, 2]
    assert lease(run) == []


def test_who_is_alone_and_holds_some_gets_only_the_rest(run, endpoint):
    run = change(run, budget_usd=None)
    places(endpoint, 2)
    assert lease(run, most=1) == [0]
    assert lease(run) == [1, 2], "two places, and one ahead"
    assert lease(run) == []


def test_a_run_has_work_while_a_place_is_left(run, endpoint):
    places(endpoint, 1)
    assert leasing.has_work(run) is True
    lease(run)
    assert leasing.has_work(run) is False, "its one place is taken"
    run.judgments.update(state=Judgment.State.FAILED, leased_by="", leased_until=None)
    assert leasing.has_work(run) is False, "nothing waits"


# Money


@pytest.mark.parametrize(("budget", "calls"), [("0.30", 0), ("0.31", 1), ("0.60", 1), ("0.61", 2)])
def test_the_last_cent_of_a_budget_decides_about_the_last_call(run, budget, calls):
    run = change(run, budget_usd=Decimal(budget))
    # Of a run that can pay for nothing, one visit is work too: it ends there.
    assert leasing.has_work(run) is True
    assert len(lease(run)) == calls
    run.refresh_from_db()
    assert run.state == (Run.State.ACTIVE if calls else Run.State.OUT_OF_BUDGET)
    assert run.reserved_usd == calls * ESTIMATE


def test_a_run_whose_last_money_is_under_way_has_no_work(run):
    run = change(run, budget_usd=Decimal("0.31"))
    lease(run)
    run.refresh_from_db()
    assert leasing.has_work(run) is False


def test_a_run_has_work_while_one_more_call_is_paid_for(run):
    run = change(run, budget_usd=Decimal("0.61"))
    lease(run, most=1)
    run.refresh_from_db()
    assert leasing.has_work(run) is True


def test_calls_that_cost_nothing_are_not_kept_by_a_budget(run):
    run = change(run, unit_usd=Decimal(0), budget_usd=Decimal("0.01"))
    assert lease(run) == [0, 1, 2, 3]


def test_a_call_as_dear_as_the_estimate_changes_nothing_and_a_dearer_one_all_that_is_reserved(run):
    lease(run, most=2)
    leasing.expect(run, ESTIMATE)
    run.refresh_from_db()
    assert (run.unit_usd, run.reserved_usd) == (ESTIMATE, 2 * ESTIMATE)
    leasing.expect(run, 2 * ESTIMATE)
    run.refresh_from_db()
    assert (run.unit_usd, run.reserved_usd) == (2 * ESTIMATE, 4 * ESTIMATE)


# Pilots


@pytest.fixture
def pilot(run):
    return change(run, pilot={"units": [1, 2]}, in_pilot=True)


def test_units_read_ahead_in_a_pilot_are_of_the_pilot(pilot):
    ahead = {}
    assert lease(pilot, most=1, ahead=ahead) == [1]
    assert [*ahead] == [2]


def test_a_pilot_whose_units_have_come_back_has_no_work(pilot):
    pilot.judgments.filter(unit__in=[1, 2]).update(state=Judgment.State.FAILED)
    assert leasing.has_work(pilot) is False
    pilot.judgments.filter(unit=2).update(state=Judgment.State.PENDING)
    assert leasing.has_work(pilot) is True


# Units read ahead


def test_units_read_ahead_are_whole_units_and_those_of_before_go(run):
    ahead = {99: None}
    assert lease(run, most=2, ahead=ahead) == [0, 1]
    assert [*ahead] == [2, 3]
    assert [len(unit.questions) for unit in ahead.values()] == [4, 4]
    assert [(unit.sample, unit.compared) for unit in ahead.values()] == [(0, False)] * 2
    assert leasing.Unit(0, None).sample == 0, "of a unit that is no sample"


def test_nothing_is_read_ahead_for_a_judge_that_proposes(run, monkeypatch):
    """A part of the study may be locked before its turn comes."""
    monkeypatch.setattr(type(methods.of_judge(run.judge)), "reads_ahead", False)
    ahead = {}
    assert lease(run, most=1, ahead=ahead) == [0]
    assert ahead == {}


# Leases without a call


def test_only_an_active_run_is_leased_from_without_a_call_too(run):
    run = change(run, state=Run.State.CANCELLED)
    until = timezone.now() + SOON
    assert leasing.lease_these(run, "a", [0, 1], until) == []
    assert leasing.lease_free(run, "a", 5, until) == []
    assert leased(run) == 0


def test_no_unit_is_leased_where_none_is_named(run):
    assert leasing.lease_these(run, "a", [], timezone.now() + SOON) == []
    assert leasing.lease_these(run, "a", [3, 1], timezone.now() + SOON) == [1, 3]
    assert leased(run) == 8


# Attempts


@pytest.mark.parametrize(("leases", "state"), [(24, "pending"), (25, "failed")])
def test_a_unit_given_back_or_lost_for_the_25th_time_fails(run, leases, state):
    units = lease(run, most=2)
    run.judgments.filter(unit__in=units).update(attempts=leases)
    before = timezone.now()
    leasing.give_back(run, "a", units[:1])
    leasing.return_expired(before + timedelta(days=1))
    reasons = {0: leasing.GIVEN_BACK, 1: leasing.WORKER_LOST} if state == "failed" else {}
    for unit in units:
        rows = run.judgments.filter(unit=unit)
        assert {(row.state, row.reason) for row in rows} == {(state, reasons.get(unit, ""))}
        assert {row.settled_at is None for row in rows} == {state == "pending"}
        assert {(row.leased_by, row.leased_until) for row in rows} == {("", None)}


def test_the_reason_why_a_run_stopped_is_cut_to_what_its_column_holds(run):
    leasing.stop(run, "x" * 400)
    run.refresh_from_db()
    assert (run.state, len(run.stopped_because)) == (Run.State.STOPPED, 300)


# Ends


def ended(run, **which):
    run.judgments.filter(**which).update(
        state=Judgment.State.FAILED, leased_by="", leased_until=None
    )


def test_the_sweep_tells_how_many_runs_it_finished(run):
    assert leasing.finish_if_done() == 0
    ended(run)
    assert (leasing.finish_if_done(), leasing.finish_if_done()) == (1, 0)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED


def test_the_sweep_lets_a_run_wait_whose_pilot_has_come_back(pilot):
    ended(pilot, unit__in=[1, 2])
    assert leasing.finish_if_done() == 0
    pilot.refresh_from_db()
    assert pilot.state == Run.State.WAITING


# Locks: endpoint before run, run before its judgments, so that nobody waits in a circle


def locks(captured):
    """The tables of which rows were read first, in their order."""
    tables = ("judges_endpoint", "judges_run", "judges_judgment")
    sqls = [query["sql"] for query in captured]
    firsts = {
        table: next((at for at, sql in enumerate(sqls) if f'FROM "{table}"' in sql), None)
        for table in tables
    }
    return sorted((table for table in tables if firsts[table] is not None), key=firsts.get)


def test_what_is_given_back_is_read_after_its_run(run):
    units = lease(run)
    with CaptureQueriesContext(connection) as captured:
        leasing.give_back(run, "a", units)
    assert locks(captured) == ["judges_run", "judges_judgment"]


@pytest.mark.postgres
def test_rows_are_locked_so_that_others_can_refer_to_them(run):
    with CaptureQueriesContext(connection) as captured:
        units = lease(run)
        leasing.give_back(run, "a", units)
        leasing.return_expired(timezone.now() + timedelta(days=1))
        ended(run)
        leasing.finish_if_done([run.pk])
    sqls = [query["sql"] for query in captured if " FOR " in query["sql"]]
    strong = [sql for sql in sqls if "NO KEY" not in sql]
    assert any('FROM "judges_endpoint"' in sql and "FOR NO KEY UPDATE" in sql for sql in sqls)
    runs = [sql for sql in sqls if 'FROM "judges_run"' in sql and "FOR NO KEY UPDATE" in sql]
    assert len(runs) == 4, "to lease, to give back, to look for lost workers, to finish"
    assert all("judges_judgment" in sql for sql in strong), strong
    assert any("MATERIALIZED" in sql and "SKIP LOCKED" in sql for sql in sqls)
