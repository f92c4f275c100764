"""Replies to identical calls of past runs are taken over; the server counts what is asked."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from analysis.answers.spending import spending
from judges.checks import drift
from judges.models import Call, Run
from judges.runs import drive, resume
from judges.runs.lease import lease
from judges.runs.plan import plan
from judges.runs.reuse import past_calls
from tests import factories
from tests.scripted_server import ScriptedServer, by_schema, chat, valid

pytestmark = pytest.mark.django_db


@pytest.fixture
def server():
    with ScriptedServer(valid) as running_server:
        yield running_server


@pytest.fixture
def endpoint(server):
    return factories.make_endpoint(server.url, timeout_seconds=5, price_in=1, price_out=2)


@pytest.fixture
def past(study, endpoint):
    """A finished run of four calls."""
    return worked(plan(factories.make_judge(study, "judge", endpoint)))


def worked(run):
    drive.work_through(run.pk)
    run.refresh_from_db()
    return run


def again(judge, **options):
    return worked(resume.start(judge, **options)[0])


def test_the_same_run_again_asks_nothing_costs_nothing_and_names_its_source(past, server):
    run = again(past.judge)
    assert run.state == Run.State.FINISHED and len(server.requests) == 4
    assert run.spent_usd == 0 and run.judgments.filter(state="done", value=5).count() == 16
    assert set(run.judgments.values_list("cost_usd", flat=True)) == {Decimal(0)}
    for call in run.calls.all():
        source = past.calls.get(unit=call.unit)
        assert call.reused_from == source and call.reply == source.reply
        assert (call.messages, call.model_returned) == (source.messages, "scripted-1")
        assert (call.cost_usd, call.tokens_in, call.latency_seconds) == (0, None, None)


def test_a_third_run_names_the_call_that_was_made_not_the_copy(past):
    again(past.judge)
    third = again(past.judge)
    assert {call.reused_from.run_id for call in third.calls.all()} == {past.pk}


def test_another_judge_with_the_same_prompt_takes_them_too(past, study, endpoint, server):
    run = again(factories.make_judge(study, "twin", endpoint))
    assert len(server.requests) == 4 and run.calls.exclude(reused_from=None).count() == 4


DIFFERENT = {
    "temperature": {"temperature": 0.5},
    "tokens": {"max_tokens": 300},
    "rationale": {"rationale": True},
    "aspects": {"aspects": "single"},
    "log-probabilities": {"weighted": True},
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_what_is_sent_otherwise_is_asked(past, study, endpoint, server, what):
    run = again(factories.make_judge(study, "other", endpoint, **DIFFERENT[what]))
    assert run.calls.filter(reused_from=None).count() == run.calls.count() > 0
    assert len(server.requests) == 4 + run.calls.count()


@pytest.mark.parametrize("change", [{"model": "another"}, {"key": "another"}])
def test_another_model_or_endpoint_is_asked(past, study, server, change):
    fields = {"key": "second", "price_in": 1, "price_out": 2} | change
    other = factories.make_endpoint(server.url, **fields)
    assert (
        again(factories.make_judge(study, "o", other)).calls.filter(reused_from=None).count() == 4
    )


def test_only_new_items_are_asked(past, study, server):
    factories.make_item(study, "item-new")
    run = again(past.judge)
    assert len(server.requests) == 5
    assert run.calls.get(reused_from=None).judgments.first().item.key == "item-new"


def test_never_from_another_study(past, owner, endpoint, server):
    """The same items, questions, judge and endpoint; the user owns both."""
    twin = factories.make_study("twin", owner, items=4)
    again(factories.make_judge(twin, "warm", endpoint, temperature=0.5))
    run = again(factories.make_judge(twin, "judge", endpoint))
    assert run.calls.first().messages == past.calls.first().messages
    assert len(server.requests) == 12 and not Call.objects.exclude(reused_from=None).exists()


def test_refusals_failures_and_what_was_not_understood_are_asked_again(study, endpoint, server):
    bad = [chat(None, message={"refusal": "No."}), chat("a four"), chat('{"accuracy": 3}')]
    server.script = lambda number, request: bad[number] if number < 3 else valid(number, request)
    past = worked(plan(factories.make_judge(study, "judge", endpoint)))
    assert past.judgments.filter(state="done").count() == 5
    run = again(past.judge)
    assert len(server.requests) == 7 and run.calls.exclude(reused_from=None).count() == 1
    assert run.judgments.filter(state="done").count() == 16


def test_off_where_it_is_not_wanted(past, server):
    run = again(past.judge, reuse=False)
    assert len(server.requests) == 8 and not run.reuse


def test_never_for_several_samples(study, endpoint, server):
    judge = factories.make_judge(study, "s", endpoint, samples=2, temperature=1.0)
    assert len(set(again(judge).calls.values_list("request_hash", flat=True))) == 8
    run = again(judge)
    assert len(server.requests) == 16 and not run.reuse


def test_never_for_a_check_for_drift_nor_from_one(past, server):
    check = worked(drift.plan_check(past))
    assert len(server.requests) == 8 and not check.calls.exclude(reused_from=None).exists()
    assert {c.reused_from.run_id for c in again(past.judge).calls.all()} == {past.pk}


def test_equal_items_of_one_run_are_each_asked(owner, endpoint, server):
    study = factories.make_study("equal", owner)
    for number in range(3):
        factories.make_item(study, f"i{number}", text="Because.")
    type(endpoint).objects.update(concurrency=1)
    again(factories.make_judge(study, "warm", endpoint, temperature=0.5))
    run = again(factories.make_judge(study, "judge", endpoint))
    assert len(server.requests) == 6 and run.calls.values("request_hash").distinct().count() == 1


def test_weighted_values_come_with_the_reply(study, endpoint, server):
    likely = {
        "token": "5",
        "logprob": -0.5,
        "top_logprobs": [{"token": "5", "logprob": -0.5}, {"token": "4", "logprob": -1.0}],
    }

    def script(_number, request):
        content = by_schema(request)
        tokens = [
            likely if sign == "5" else {"token": sign, "logprob": 0.0, "top_logprobs": []}
            for sign in content
        ]
        reply = chat(content)
        reply.body["choices"][0]["logprobs"] = {"content": tokens}
        return reply

    server.script = script
    judge = factories.make_judge(study, "w", endpoint, weighted=True)
    first, second = again(judge), again(judge)
    assert len(server.requests) == 4
    values = [
        list(run.judgments.order_by("unit", "pk").values_list("weighted_value", flat=True))
        for run in (first, second)
    ]
    assert values[0] == values[1] and None not in values[0]


def test_a_long_run_is_taken_over_in_few_queries_a_call(
    owner, endpoint, server, django_assert_max_num_queries
):
    study = factories.make_study("long", owner)
    factories.make_items(study, 200)
    judge = factories.make_judge(study, "judge", endpoint)
    again(judge, confirmed=True)
    run, _ = resume.start(judge, confirmed=True)
    with django_assert_max_num_queries(60 * 25):
        worked(run)
    assert run.state == Run.State.FINISHED and len(server.requests) == 200


def test_under_a_budget_whole_leases_are_taken_over(owner, endpoint, server):
    """Nothing is spent, so the first call, which is made alone, never comes."""
    study = factories.make_study("long", owner)
    factories.make_items(study, 200)
    judge = factories.make_judge(study, "judge", endpoint)
    again(judge, confirmed=True)
    run, _ = resume.start(judge, confirmed=True, budget=Decimal(10))
    with CaptureQueriesContext(connection) as found:
        worked(run)
    assert (run.state, run.spent_usd, run.reserved_usd) == (Run.State.FINISHED, 0, 0)
    assert len(server.requests) == 200 and run.calls.exclude(reused_from=None).count() == 200
    assert len(found) < 150, "a few rounds, not one a unit"


def test_what_is_new_is_asked_within_the_budget_beside_what_is_taken_over(owner, endpoint, server):
    study = factories.make_study("long", owner)
    factories.make_items(study, 150)
    judge = factories.make_judge(study, "judge", endpoint)
    again(judge, confirmed=True)
    for number in range(0, 150, 30):
        factories.make_item(study, f"new-{number}", text=f"Because of the new {number}.")
    run, _ = resume.start(judge, confirmed=True, budget=Decimal(10))
    worked(run)
    assert run.state == Run.State.FINISHED and len(server.requests) == 155
    # 100 tokens in and 10 out at 1 and 2 USD per million.
    assert (run.spent_usd, run.reserved_usd) == (5 * Decimal("0.00012"), 0)
    assert run.calls.values("unit").distinct().count() == run.calls.count() == 155


def test_a_pilot_takes_over_none_but_its_own_units(owner, endpoint, server):
    study = factories.make_study("long", owner)
    factories.make_items(study, 60)
    judge = factories.make_judge(study, "judge", endpoint)
    again(judge, confirmed=True)
    run = again(judge)
    assert run.state == Run.State.WAITING
    assert set(run.calls.values_list("unit", flat=True)) == set(run.pilot["units"])


def test_what_another_worker_holds_is_not_taken_over(past, endpoint, server):
    run, _ = resume.start(past.judge)
    lease(run, endpoint, "other", 2)
    worked(run)
    assert run.calls.count() == 2
    assert run.judgments.filter(leased_by="other", state="leased", lead=True).count() == 2


def test_the_page_says_so_and_the_form_offers_it(past, study, as_owner):
    page = as_owner.get(reverse("judge", args=[study.slug, past.judge_id])).content.decode()
    assert 'name="reuse"' in page and "checked" in page.split('name="reuse"')[1][:80]
    as_owner.post(reverse("judge_run", args=[study.slug, past.judge_id]), {"reuse": "on"})
    run = worked(Run.objects.first())
    assert run.reuse
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert "4 replies taken over from past runs, at no cost" in page
    as_owner.post(reverse("judge_run", args=[study.slug, past.judge_id]), {})
    assert not Run.objects.first().reuse


def test_the_cost_report_says_so(past, study, endpoint):
    run = again(factories.make_judge(study, "twin", endpoint))
    assert run.calls.count() == 4
    found = spending(study)
    assert (found["twin"].reused, found["judge"].reused) == (4, 0)
    assert found["twin"].items["calls"].sum() == 0 and found["twin"].items["cost"].sum() == 0


@pytest.mark.parametrize("units", [1, 99])
def test_past_calls_are_found_by_an_index_without_the_blank_ones(units):
    hashes = [f"{number:064x}" for number in range(units)]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'call_request'")
        else:
            cursor.execute("SELECT sql FROM sqlite_master WHERE name = 'call_request'")
        assert " WHERE " in cursor.fetchone()[0], "it is a part of the table"
    assert "call_request" in past_calls(hashes).explain()
