"""Whatever a reply is, it fails its own unit at most and costs no less than it says."""

import asyncio
from decimal import Decimal

import httpx2
import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings

from judges.endpoints import client
from judges.models import Call
from judges.runs import lease, settle
from judges.runs.plan import plan
from tests import factories
from tests.any_reply import anything_sent
from tests.judges.endpoints.test_usage import ESTIMATE, LONGEST

pytestmark = pytest.mark.django_db


class Pieces(httpx2.AsyncByteStream):
    def __init__(self, pieces):
        self.pieces = pieces

    async def __aiter__(self):
        for piece in self.pieces:
            yield piece


@pytest.fixture
def run(study):
    """Of four units one is answered, two are asked, and one waits."""
    endpoint = factories.make_endpoint(price_in=Decimal(1), price_out=Decimal(10))
    judge = factories.make_judge(study, "judge", endpoint, weighted=True, max_tokens=LONGEST)
    run = plan(judge, budget=Decimal(1000))
    run.unit_usd = ESTIMATE
    run.save()
    (first,) = lease.lease(run, endpoint, "a", 2)
    answer = client.Answer(content="{}", tokens_in=1, tokens_out=1)
    keep(run, settle.Outcome(first, [], {}, answer))
    assert len(lease.lease(run, endpoint, "a", 2)) == 2
    run.refresh_from_db()
    return run


def keep(run, outcome):
    (call,) = settle.store_calls(run, run.judge.endpoint, [outcome], "a")
    if outcome.wait() is None:
        settle.settle(run, "a", [(outcome, call)])
    run.refresh_from_db()
    return call


async def ask(endpoint):
    async with client.Client(endpoint) as asking:
        return await asking.ask([{"role": "user", "content": "x"}], {"max_tokens": LONGEST})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sent=anything_sent())
def test_a_reply_raises_nothing_costs_what_it_says_and_touches_no_other_unit(
    run, monkeypatch, sent
):
    def transport(*_, **__):
        reply = httpx2.Response(
            sent.status,
            headers=[(name, text.encode("latin-1")) for name, text in sent.headers.items()],
            stream=Pieces(sent.pieces),
        )
        return httpx2.MockTransport(lambda _: reply)

    monkeypatch.setattr(client._CheckedHttp, "_init_transport", transport)
    answer = asyncio.run(ask(run.judge.endpoint))
    assert answer.failure is not client.Failure.FAULT
    with transaction.atomic():
        (unit,) = lease.read_units(run, [1])
        others = run.judgments.exclude(unit=1).order_by("pk").values()
        calls = run.calls.exclude(unit=1).order_by("pk").values()
        before, spent = [list(others), list(calls)], run.spent_usd
        call = keep(run, settle.Outcome(unit, [], {}, answer))
        assert [list(others.all()), list(calls.all())] == before
        assert run.spent_usd - spent == settle.charge(run, call) >= sent.least(ESTIMATE)
        leased = run.judgments.filter(state="leased", lead=True)
        assert run.reserved_usd == run.unit_usd * leased.count()
        own = run.judgments.filter(unit=1)
        for one in own.exclude(state="leased"):
            assert (one.state == "done") == (one.value is not None) == (not one.reason)
        assert Call.objects.get(pk=call.pk).reply == answer.content
        transaction.set_rollback(True)
    run.refresh_from_db()
