"""A few calls first, a forecast of the rest, and nothing more until somebody confirms it."""

import os
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.models import Membership
from judges.models import Judgment, Run
from judges.runs import drive, pilots
from judges.runs.lease import finish_if_done, lease
from judges.runs.plan import PlanError, plan
from judges.runs.resume import cancel, confirm, resume, start
from tests import crashes, factories, processes
from tests.scripted_server import ScriptedServer, by_schema, chat, valid

PRICES = {"price_in": 1, "price_out": 2}
QUESTION = {"accuracy": "It is consistent."}


@pytest.fixture
def many(owner):
    """A study of 60 items with one question."""
    study = factories.make_study("many", owner, questions=QUESTION)
    factories.make_items(study, 60)
    return study


@pytest.fixture
def server():
    with ScriptedServer(valid) as running_server:
        yield running_server


def make_judge(study, server, **fields):
    fields = PRICES | {"timeout_seconds": 5} | fields
    return factories.make_judge(study, "judge", factories.make_endpoint(server.url, **fields))


def started(judge, **options):
    run, _ = start(judge, **options)
    drive.work_through(run.pk)
    run.refresh_from_db()
    return run


@pytest.mark.django_db
def test_twenty_drawn_units_are_asked_and_kept_and_the_rest_waits(many, server):
    judge = make_judge(many, server)
    run = started(judge)
    assert run.state == Run.State.WAITING
    asked = sorted(run.judgments.filter(state="done").values_list("unit", flat=True))
    assert len(server.requests) == 20 and asked == run.pilot["units"]
    assert asked != list(range(20)), "a sample, not the first ones"
    drive.work_through(run.pk)
    assert len(server.requests) == 20, "nobody confirmed"
    before = dict(run.judgments.filter(unit__in=asked).values_list("pk", "call"))
    assert confirm(run)
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, run.in_pilot) == (Run.State.FINISHED, False)
    assert len(server.requests) == 60
    assert dict(run.judgments.filter(unit__in=asked).values_list("pk", "call")) == before


@pytest.mark.django_db
def test_the_same_study_draws_the_same_units_again(many, server):
    judge = make_judge(many, server)
    first = plan(judge, pilot=True, limit=50)
    cancel(first)
    second = plan(judge, pilot=True, limit=50)
    assert first.pilot == second.pilot and first.pilot["seed"] == pilots.SEED


@pytest.mark.django_db
@pytest.mark.parametrize(("limit", "waits"), [(20, False), (21, True)])
def test_a_small_run_needs_no_pause(many, server, limit, waits):
    run = started(make_judge(many, server), limit=limit)
    assert run.state == (Run.State.WAITING if waits else Run.State.FINISHED)


@pytest.mark.django_db
def test_scores_that_cost_nothing_wait_for_nobody(many):
    run = started(factories.make_judge(many, "drawn", kind="random"))
    assert run.state == Run.State.FINISHED and run.pilot == {}


@pytest.mark.django_db
def test_the_forecast_against_numbers_by_hand(many, server):
    """20 replies of 100 tokens in and, by turns, 10 and 20 out; 40 calls to come."""
    server.script = lambda number, request: chat(
        by_schema(request), tokens=(100, 10 if number % 2 else 20)
    )
    run = started(make_judge(many, server))
    lines = {line.key: line for line in pilots.forecast(run).lines}
    assert lines["calls"].whole == (60, 60, 60)
    assert lines["tokens_in"].whole == (6000, 6000, 6000)
    # mean 15, s² = 20 · 25 / 19; 2.0930 · sqrt(26.3158 · 40 · 60 / 20) = 117.6
    out = lines["tokens_out"]
    assert (out.pilot, out.rest.value) == (300, 600)
    assert out.rest.high - 600 == pytest.approx(117.6, abs=0.1)
    # 1 and 2 dollars a million: 60 · 100 + 2 · 900 = 7,800 millionths, ± 2 · 117.6
    value, low, high = lines["cost_usd"].whole
    assert value == pytest.approx(0.0078)
    assert high - low == pytest.approx(4 * 117.6e-6, rel=1e-3)
    assert lines["seconds"].rest.value > 0


@pytest.mark.django_db
def test_limits_by_the_minute_lengthen_the_forecast(many, server):
    run = started(make_judge(many, server))
    run.judge.endpoint.rpm = 10
    (line,) = (line for line in pilots.forecast(run).lines if line.key == "seconds")
    assert line.rest.value == 240, "40 calls, ten a minute"


@pytest.mark.django_db
def test_pilots_without_a_value_are_counted_and_unknown_costs_stay_unknown(many, server):
    good, bad = by_schema, lambda _: "I would say four."
    server.script = lambda number, request: chat(
        (bad if number < 3 else good)(request), tokens=None
    )
    found = pilots.forecast(started(make_judge(many, server)))
    assert found.ended == [("Reply not understood", 3)] and found.bad == 3
    data = pilots.as_data(found)
    assert data["calls"]["value"] == 60 and data["cost_usd"]["value"] is None
    assert found.no_price


@pytest.mark.django_db
def test_the_page_shows_the_forecast_and_its_buttons(many, server, as_owner):
    run = started(make_judge(many, server))
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert "Waiting for confirmation" in page and "All 20 gave a value" in page
    assert "every 2s" not in page
    as_owner.post(reverse("run_cancel", args=["many", run.pk]))
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    as_owner.post(reverse("run_resume", args=["many", run.pk]))
    run.refresh_from_db()
    assert run.state == Run.State.WAITING, "resuming confirms nothing"
    as_owner.post(reverse("run_confirm", args=["many", run.pk]), {"budget": "1.5"})
    run.refresh_from_db()
    assert (run.state, run.in_pilot, run.budget_usd) == (Run.State.ACTIVE, False, Decimal("1.5"))


@pytest.mark.django_db
def test_who_may_only_look_sees_the_forecast_without_buttons(many, server, client, stranger):
    run = started(make_judge(many, server))
    Membership.objects.create(study=many, user=stranger, role=Membership.Role.VIEWER)
    client.force_login(stranger, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get(run.get_absolute_url()).content.decode()
    assert 'id="forecast"' in page and "Go on" not in page
    assert client.post(reverse("run_confirm", args=["many", run.pk])).status_code in (403, 404)
    run.refresh_from_db()
    assert run.state == Run.State.WAITING


def command(*arguments):
    output = StringIO()
    call_command("run_judge", "many", "judge", "--wait", *arguments, stdout=output)
    return output.getvalue()


@pytest.mark.django_db
def test_the_command_stops_after_the_pilot_and_goes_on_with_yes(many, server):
    make_judge(many, server)
    with pytest.raises(CommandError, match="waits for a confirmation: repeat this with --yes"):
        command()
    assert len(server.requests) == 20
    assert "60 judged, 0 without a value" in command("--yes")
    assert len(server.requests) == 60


@pytest.mark.django_db
def test_the_command_with_yes_does_not_stop_at_all(many, server):
    make_judge(many, server)
    assert "60 judged" in command("--yes")


@pytest.mark.django_db
def test_waiting_it_takes_another_budget_only_with_the_confirmation(many, server):
    judge = make_judge(many, server)
    run = started(judge)
    again, said = start(judge)
    assert again == run and said == f"Run {run.pk} waits until its forecast is confirmed."
    with pytest.raises(PlanError, match="only with that"):
        start(judge, budget=Decimal(2))
    again, said = start(judge, budget=Decimal(2), confirmed=True)
    assert again.state == Run.State.ACTIVE and "confirmed and goes on" in said


@pytest.mark.django_db
def test_the_budget_holds_in_the_pilot_and_after_it(many, server):
    judge = make_judge(many, server)
    dearest = plan(judge).unit_usd
    Run.objects.all().delete()
    # The calls cost .00012 each, so room for one more by the estimate ends after ten of them.
    run = started(judge, budget=dearest + Decimal("0.0012"))
    assert run.state == Run.State.OUT_OF_BUDGET and run.in_pilot
    assert run.spent_usd <= run.budget_usd and 0 < len(server.requests) < 20
    resume(run, dearest + Decimal("0.0036"))
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.WAITING and len(server.requests) == 20
    confirm(run)
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.OUT_OF_BUDGET
    assert len(server.requests) * Decimal("0.00012") == run.spent_usd <= run.budget_usd


@pytest.mark.django_db
def test_no_other_worker_takes_more_than_the_pilot(many):
    run = plan(factories.make_judge(many, "judge", factories.make_endpoint()), pilot=True)
    run.judge.endpoint.concurrency = 64
    run.judge.endpoint.save()
    units = lease(run, run.judge.endpoint, "one", 50)
    assert [unit.number for unit in units] == run.pilot["units"]
    assert lease(run, run.judge.endpoint, "two", 50) == []
    finish_if_done()
    run.refresh_from_db()
    assert run.state == Run.State.ACTIVE, "they are under way"


@pytest.mark.django_db(transaction=True)
def test_workers_killed_in_the_pilot_change_nothing(tmp_path, many):
    """SIGKILL with pilot calls under way: the same twenty end, and the run waits."""
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}
    with ScriptedServer(crashes.slow) as server, processes.beat(tmp_path, **extra):
        judge = make_judge(many, server, concurrency=2, timeout_seconds=2)
        run, _ = start(judge)
        done = run.judgments.filter(state=Judgment.State.DONE)
        worker = processes.start_worker(tmp_path, **extra)
        try:
            processes.wait_for(lambda: done.count() >= 5, "five judgments")
        finally:
            worker.kill()
        with processes.worker(tmp_path, **extra):
            waiting = Run.objects.filter(pk=run.pk, state=Run.State.WAITING)
            processes.wait_for(waiting.exists, "the end of the pilot")
    assert sorted(done.values_list("unit", flat=True)) == run.pilot["units"]
    assert 20 <= len(server.requests) <= 20 + 2 * 2
