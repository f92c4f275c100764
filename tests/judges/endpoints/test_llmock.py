"""Runs against llmock, an endpoint by somebody else: replies by schema, faults on demand."""

import pytest
from llmock.scenarios import Delay, Fail, Reply
from llmock.testing import LLMockServer

from judges.models import Judgment, Run
from judges.runs import drive, settle
from judges.runs.plan import plan
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    plain = settle.Outcome.wait
    monkeypatch.setattr(settle.Outcome, "wait", lambda self: (w := plain(self)) and w / 100)


def go(study, *behaviours, patience=60):
    """The run of a server that meets its first requests with these, then replies by the schema.

    patience: seconds before a call is given up; long, as machines may be busy.
    """
    with LLMockServer() as server:
        for behaviour in behaviours:
            server.state.scenarios.add(behaviour)
        endpoint = factories.make_endpoint(
            server.base_url("openai"), model="gpt-4o", timeout_seconds=patience, concurrency=1
        )
        run = plan(factories.make_judge(study, "judge", endpoint))
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    return run


def test_its_replies_by_the_schema_are_read(study):
    run = go(study)
    values = set(run.judgments.values_list("state", "value"))
    assert {state for state, _ in values} == {"done"}
    assert {value for _, value in values} <= {1, 2, 3, 4, 5}
    assert set(run.calls.values_list("model_returned", flat=True)) == {"gpt-4o"}


@pytest.mark.parametrize(
    ("fault", "attempt"),
    [(Fail(429, retry_after=1), 1), (Fail(500), 2), (Fail(503), 1), (Delay(9), 2)],
)
def test_a_fault_that_passes_costs_one_attempt_and_a_limit_none(study, fault, attempt):
    run = go(study, fault, patience=4 if isinstance(fault, Delay) else 60)
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}
    assert sorted(run.calls.values_list("attempt", flat=True)) == [1, 1, 1, 1, attempt]


FINAL = {
    400: "request refused (4xx)",
    401: "key refused (401, 403)",
    404: "no such model or address (404)",
}


@pytest.mark.parametrize("status", FINAL)
def test_a_fault_that_stays_is_the_reason(study, status):
    run = go(study, Fail(status))
    failed = run.judgments.exclude(state=Judgment.State.DONE)
    assert set(failed.values_list("state", "reason", "value")) == {("failed", FINAL[status], None)}
    assert failed.count() == 4
    assert run.calls.count() == 4


def test_words_instead_of_a_verdict(study):
    run = go(study, Reply(text="I would rate this a solid four."))
    missing = run.judgments.exclude(state=Judgment.State.DONE)
    assert set(missing.values_list("state", "reason")) == {("unparsable", "no JSON in the reply")}
    assert missing.first().call.reply == "I would rate this a solid four."
