"""What a forecast says where replies are reused, calls fail, or the budget is spent."""

from decimal import Decimal

import pytest
from django.urls import reverse

from judges.models import Run
from judges.runs import drive, lease, pilots, resume
from judges.runs.plan import PlanError, plan
from tests import factories
from tests.scripted_server import Reply, ScriptedServer, by_schema, chat, valid

pytestmark = pytest.mark.django_db
CALL = Decimal("0.00012")  # 100 tokens in at 1 and 10 out at 2 dollars a million


@pytest.fixture
def study(owner):
    """60 items with one question."""
    study = factories.make_study("many", owner, questions={"accuracy": "It is consistent."})
    factories.make_items(study, 60)
    return study


@pytest.fixture
def server():
    with ScriptedServer(valid) as running_server:
        yield running_server


@pytest.fixture
def judge(study, server):
    endpoint = factories.make_endpoint(server.url, price_in=1, price_out=2, timeout_seconds=5)
    return factories.make_judge(study, "judge", endpoint)


def worked(run):
    drive.work_through(run.pk)
    run.refresh_from_db()
    return run


def again(judge, others=0):
    """A second run whose pilot is taken over, with other texts in so many items of its rest."""
    first, _ = resume.start(judge, confirmed=True)
    worked(first)
    run, _ = resume.start(judge)
    rest = run.judgments.exclude(unit__in=run.pilot["units"]).order_by("unit")
    for judgment in rest[:others]:
        judgment.item.text = f"Another text {judgment.unit}."
        judgment.item.save()
    return worked(run)


def lines_of(found):
    return {line.key: line for line in found.lines}


# Replies that are taken over


def test_a_pilot_that_was_taken_over_costs_nothing_but_says_what_a_call_costs(judge, server):
    run = again(judge, others=40)
    assert (run.state, len(server.requests)) == (Run.State.WAITING, 60)
    found = pilots.forecast(run)
    assert (found.reused, found.reusable) == (20, 0)
    lines = lines_of(found)
    assert lines["calls"].whole == (40, 40, 40)
    assert (lines["tokens_in"].pilot, lines["tokens_in"].rest.value) == (0, 4000)
    assert (lines["tokens_out"].pilot, lines["tokens_out"].rest.value) == (0, 400)
    assert lines["cost_usd"].pilot == 0
    assert lines["cost_usd"].rest.value == pytest.approx(float(40 * CALL))
    assert lines["seconds"].pilot == 0 and lines["seconds"].rest.value > 0
    resume.confirm(run)
    worked(run)
    assert run.spent_usd == 40 * CALL, "as it was said"


def test_a_count_in_doubt_of_a_past_run_forecasts_no_call_below_the_estimate(judge):
    """201 tokens out, where 20 were allowed, cost less than the bytes of the prompt might."""
    judge.settings = {"max_tokens": 20}
    judge.save()
    run = again(judge)
    Run.objects.earliest("pk").calls.update(tokens_out=200)
    assert lines_of(pilots.forecast(run))["cost_usd"].whole[0] == 0
    spent, takes = pilots._spent(run, run.pilot["units"])
    assert set(takes[:, 3]) == {0.0005}
    Run.objects.earliest("pk").calls.update(tokens_out=201)
    spent, takes = pilots._spent(run, run.pilot["units"])
    assert set(takes[:, 3]) == {float(run.unit_usd)}
    assert run.unit_usd > Decimal("0.000502")
    assert not spent[:, 3].any()


def test_a_count_in_doubt_has_no_price_where_the_endpoint_has_none(judge):
    judge.settings = {"max_tokens": 20}
    judge.save()
    type(judge.endpoint).objects.update(price_in=None, price_out=None)
    judge.endpoint.refresh_from_db()
    run = again(judge, others=40)
    Run.objects.earliest("pk").calls.update(tokens_out=201)
    assert pilots.forecast(run).no_price


def test_what_can_be_taken_over_of_the_rest_is_no_call(judge, server, as_owner):
    run = again(judge, others=15)
    found = pilots.forecast(run)
    assert (found.reusable, found.to_ask) == (25, 15)
    assert lines_of(found)["calls"].rest.value == 15
    assert pilots.as_data(found)["reusable"] == 25
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert "25 of the other 40 can be taken over too" in page
    resume.confirm(run)
    assert worked(run).spent_usd == 15 * CALL


def test_where_all_can_be_taken_over_nothing_is_left_to_pay(judge, server, as_owner):
    run = again(judge)
    found = pilots.forecast(run)
    assert found.reusable == 40 and lines_of(found)["cost_usd"].whole == (0, 0, 0)
    assert "40 of the other 40 can be" in as_owner.get(run.get_absolute_url()).content.decode()


def test_of_a_long_rest_some_are_looked_at(judge, monkeypatch, as_owner):
    monkeypatch.setattr(pilots, "LOOKED_AT", 10)
    run = again(judge)
    assert pilots.forecast(run).reusable == 40, "10 of 10"
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert "About 40 of the other 40" in page and "10 of them were looked at" in page


def test_a_changed_price_counts_where_replies_were_taken_over(judge):
    run = again(judge, others=40)
    type(judge.endpoint).objects.update(price_in=2, price_out=4)
    run.judge.endpoint.refresh_from_db()
    cost = lines_of(pilots.forecast(run))["cost_usd"]
    assert cost.rest.value == pytest.approx(float(2 * 40 * CALL))


@pytest.mark.parametrize("prices", [(1, 2), (None, None)], ids=["with prices", "without"])
def test_what_a_provider_said_it_charged_counts_where_replies_were_taken_over(
    judge, server, prices
):
    def charged(_, request):
        reply = chat(by_schema(request))
        reply.body["usage"]["cost"] = 0.01
        return reply

    server.script = charged
    type(judge.endpoint).objects.update(price_in=prices[0], price_out=prices[1])
    judge.endpoint.refresh_from_db()
    cost = lines_of(pilots.forecast(again(judge, others=40)))["cost_usd"]
    assert (cost.pilot, cost.rest.value) == (0, pytest.approx(0.4))


def test_what_a_past_call_took_may_be_unknown(judge, server):
    server.script = lambda _, request: chat(by_schema(request), tokens=None)
    found = pilots.forecast(again(judge, others=40))
    assert found.no_price and lines_of(found)["calls"].rest.value == 40


# Calls that fail


def failing(reply):
    return lambda number, request: reply if number < 3 else valid(number, request)


def test_a_failed_call_costs_in_the_forecast_what_it_costs_the_budget(judge, server):
    """A page instead of a reply may have been billed: 3 estimates and 17 replies."""
    server.script = failing(Reply("<html>"))
    run, _ = resume.start(judge, budget=Decimal(5))
    run = worked(run)
    spent = 3 * lease.unit_usd(run) + 17 * CALL
    assert run.spent_usd == spent
    cost = lines_of(pilots.forecast(run))["cost_usd"]
    assert cost.pilot == pytest.approx(float(spent))
    assert cost.rest.value == pytest.approx(float(2 * spent))


def test_a_call_that_was_refused_before_any_token_is_free_in_both(judge, server):
    server.script = failing(Reply("", 400))
    run = worked(resume.start(judge)[0])
    assert lines_of(pilots.forecast(run))["cost_usd"].pilot == pytest.approx(float(17 * CALL))
    assert run.spent_usd == 17 * CALL


# A budget that is spent


@pytest.fixture
def spent(judge):
    """A run that its budget stopped in its pilot; the next call needs .0012 less than it has."""
    dearest = plan(judge).unit_usd
    Run.objects.all().delete()
    run = worked(resume.start(judge, budget=dearest + 10 * CALL)[0])
    assert run.state == Run.State.OUT_OF_BUDGET and run.in_pilot
    return run


def test_a_spent_budget_confirms_and_resumes_nothing(spent):
    least = spent.spent_usd + spent.unit_usd
    assert resume.least_usd(spent) == least
    for act in (resume.confirm, resume.resume):
        for budget in (None, spent.budget_usd, least - Decimal("0.000001")):
            with pytest.raises(PlanError, match="Give a higher budget, of at least"):
                act(spent, budget)
    spent.refresh_from_db()
    assert (spent.state, spent.in_pilot) == (Run.State.OUT_OF_BUDGET, True)
    assert resume.confirm(spent, least)
    before = spent.calls.count()
    assert worked(spent).calls.count() > before


def test_the_page_says_so_and_takes_the_higher_budget_there(spent, as_owner):
    confirm = reverse("run_confirm", args=["many", spent.pk])
    page = as_owner.get(spent.get_absolute_url()).content.decode()
    assert f'formaction="{confirm}"' in page and 'name="budget"' in page
    said = as_owner.post(confirm, follow=True).content.decode()
    assert "Give a higher budget" in said and "Confirmed" not in said
    said = as_owner.post(confirm, {"budget": "1"}, follow=True).content.decode()
    assert "Confirmed" in said
    spent.refresh_from_db()
    assert (spent.state, spent.budget_usd, spent.in_pilot) == (Run.State.ACTIVE, 1, False)


def test_a_pilot_that_came_back_with_the_last_of_the_budget_asks_for_more(judge, as_owner):
    dearest = plan(judge).unit_usd
    Run.objects.all().delete()
    run = worked(resume.start(judge, budget=dearest + 19 * CALL)[0])
    assert run.state == Run.State.WAITING
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert "allows no further call" in page
    assert "required" in page.split('id="confirm-budget"')[1].split(">")[0]
    with pytest.raises(PlanError, match="Give a higher budget"):
        resume.confirm(run)
    with pytest.raises(PlanError, match="Give a higher budget"):
        resume.start(judge, confirmed=True)
    run.refresh_from_db()
    assert run.state == Run.State.WAITING
    assert resume.confirm(run, Decimal(1)) and worked(run).state == Run.State.FINISHED


def test_without_a_budget_nothing_is_asked_for(judge):
    run = worked(resume.start(judge)[0])
    assert resume.confirm(run) and worked(run).state == Run.State.FINISHED
