"""Replies become evidence, then judgments: what each costs, who waits, and what is written."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judges.endpoints.client import Answer, Failure
from judges.models import Call, Judgment, Run
from judges.runs import lease as leasing
from judges.runs import settle as settling
from judges.runs.plan import plan
from judges.runs.settle import Outcome
from tests import factories

ESTIMATE = Decimal("0.30")
PRICES = {"price_in": Decimal(1000), "price_out": Decimal(2000)}  # of a million tokens
GOOD = '{"accuracy": 3, "persuasiveness": 4, "transparency": 2, "satisfaction": 5}'


@pytest.fixture
def run(study):
    """Four units of four questions; a unit costs 0.30 USD at most, one token 0.001 or 0.002."""
    endpoint = factories.make_endpoint(concurrency=64, timeout_seconds=5, **PRICES)
    run = plan(factories.make_judge(study, "judge", endpoint), budget=Decimal(100))
    return change(run, unit_usd=ESTIMATE, spent_usd=Decimal("0.01"))


def change(run, **fields):
    Run.objects.filter(pk=run.pk).update(**fields)
    run.refresh_from_db()
    return run


def lease(run, most=4, worker="a"):
    return leasing.lease(run, run.judge.endpoint, worker, most)


def states(run):
    return list(run.judgments.filter(lead=True).order_by("unit").values_list("state", "leased_by"))


def settle(run, units, worker="a", **answer):
    """Stores and settles one answer for each unit: the calls."""
    answer = {"content": GOOD, "tokens_in": 100, "tokens_out": 50} | answer
    outcomes = [Outcome(unit, [], {}, Answer(**answer)) for unit in units]
    calls = settling.store_calls(run, run.judge.endpoint, outcomes, worker)
    settling.settle(run, worker, list(zip(outcomes, calls, strict=True)))
    run.refresh_from_db()
    return calls


def rows(run, unit=0):
    found = run.judgments.filter(unit=unit).order_by("question__key")
    return {row.question.key: row for row in found.select_related("question")}


# Whether the budget lets ask again


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("budget", "kept"),
    [
        # Three units under way are 0.90 and 0.10 is spent: 1.00 are enough for all of them.
        ("1.00", 3),
        ("1.01", 3),
        ("5.00", 3),
        # A cent too little, and one of them has to wait; what is over is rounded up, never down.
        ("0.99", 2),
        ("0.71", 2),
        ("0.70", 2),
        ("0.69", 1),
        ("0.40", 1),
        ("0.39", 0),
        ("0.10", 0),
        ("0.01", 0),
    ],
)
def test_as_many_are_asked_again_as_the_budget_pays_for(run, budget, kept):
    again = [(unit, 1.0) for unit in lease(run, 3)]
    change(run, spent_usd=Decimal("0.10"), budget_usd=Decimal(budget))
    assert run.reserved_usd == Decimal("0.90")
    assert settling.affordable(run, "a", again) == again[:kept]
    run.refresh_from_db()
    assert states(run)[:3] == [("leased", "a")] * kept + [("pending", "")] * (3 - kept)
    assert run.reserved_usd == kept * ESTIMATE
    assert run.spent_usd + run.reserved_usd <= max(run.budget_usd, run.spent_usd)


@pytest.mark.django_db
def test_without_a_budget_or_a_price_all_are_asked_again(run):
    again = [(unit, 1.0) for unit in lease(run, 2)]
    change(run, spent_usd=Decimal(500), budget_usd=None)
    assert settling.affordable(run, "a", again) == again
    change(run, unit_usd=Decimal(0), budget_usd=Decimal(1))
    assert settling.affordable(run, "a", again) == again
    assert settling.affordable(run, "a", []) == []


@pytest.mark.django_db
def test_the_budget_of_now_counts_and_not_that_of_when_the_run_was_read(run):
    again = [(unit, 1.0) for unit in lease(run, 2)]
    run.refresh_from_db()
    Run.objects.filter(pk=run.pk).update(budget_usd=Decimal("0.02"))
    assert run.budget_usd == 100
    assert settling.affordable(run, "a", again) == []


# How long until it is asked again


@pytest.mark.parametrize(
    ("before", "failure", "retry_after", "wait"),
    [
        (0, Failure.TIMEOUT, None, 1),
        (1, Failure.CONNECTION, None, 2),
        (1, Failure.UNREACHED, None, 2),
        (1, Failure.GATEWAY, None, 2),
        (2, Failure.SERVER, None, 4),
        (3, Failure.SERVER, None, None),
        (3, Failure.RATE, None, 8),
        (3, Failure.BUSY, None, 8),
        (5, Failure.RATE, None, 32),
        (6, Failure.BUSY, None, 32),
        (5000, Failure.RATE, None, 32),
        # The endpoint may make the wait longer, never shorter.
        (0, Failure.RATE, 0, 1),
        (3, Failure.RATE, 0, 8),
        (3, Failure.RATE, 7.5, 8),
        (2, Failure.SERVER, 0, 4),
        (0, Failure.RATE, 20, 20),
        (6, Failure.RATE, 900, 900),
        (0, Failure.SERVER, 901, 900),
        (0, Failure.BILLING, None, None),
        (0, Failure.REFUSAL, None, None),
        (0, Failure.BAD_REQUEST, 5, None),
        (0, None, None, None),
    ],
)
def test_what_failed_for_now_is_asked_again_later_and_later(before, failure, retry_after, wait):
    """Who is put off by a limit or an overload has used up no attempt."""
    pause = failure in (Failure.RATE, Failure.BUSY)
    unit = leasing.Unit(0, None, **{"pauses": before} if pause else {"attempt": before + 1})
    answer = Answer(failure=failure, retry_after=retry_after)
    assert Outcome(unit, [], answer=answer).wait() == wait


def test_a_call_without_an_answer_is_not_asked_again_by_this_worker():
    stopped = Outcome(leasing.Unit(0, None), [])
    assert (stopped.wait(), stopped.is_billing) == (None, False)


def test_only_the_account_s_limit_is_billing():
    unit = leasing.Unit(0, None)
    assert Outcome(unit, [], answer=Answer(failure=Failure.BILLING)).is_billing is True
    assert Outcome(unit, [], answer=Answer(failure=Failure.RATE)).is_billing is False


@pytest.mark.parametrize(
    ("answer", "tokens"),
    [
        ({"tokens_in": 3, "tokens_out": 4}, 7),
        ({"tokens_in": 0, "tokens_out": 0}, 0),
        ({"tokens_in": None, "tokens_out": 4}, 50),
        ({"tokens_in": 3, "tokens_out": None}, 50),
        ({}, 50),
        ({"tokens_in": 3, "tokens_out": 40, "least": (3, 40)}, 50),
        ({"tokens_in": 3, "tokens_out": 60, "least": (3, 60)}, 63),
        ({"tokens_in": None, "tokens_out": None, "least": (60, 0)}, 60),
    ],
)
def test_the_endpoint_s_count_of_tokens_is_used_but_in_doubt_no_fewer_than_were_planned(
    answer, tokens
):
    assert Outcome(leasing.Unit(0, None), [], answer=Answer(**answer)).tokens(50) == tokens


# What a call costs


@pytest.mark.django_db
def test_a_call_is_charged_and_its_price_shared_by_what_it_answered(run):
    (call,) = settle(run, lease(run, 1))
    assert call.cost_usd == Decimal("0.20")  # 100 tokens at 0.001, 50 at 0.002
    assert (run.spent_usd, run.reserved_usd) == (Decimal("0.21"), 0)
    assert {row.cost_usd for row in rows(run).values()} == {Decimal("0.05")}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("answer", "charged"),
    [
        ({}, "0.20"),
        ({"failure": Failure.REFUSAL}, "0.20"),
        ({"tokens_in": None}, "0.30"),
        ({"failure": Failure.TIMEOUT, "tokens_in": None, "tokens_out": None}, "0.30"),
        ({"failure": Failure.BAD_JSON, "tokens_in": None}, "0.30"),
        ({"tokens_in": 100, "tokens_out": 50, "least": (100, 50)}, "0.30"),
        ({"tokens_in": 100, "tokens_out": 400, "least": (100, 400)}, "0.90"),
        ({"tokens_in": None, "tokens_out": 50, "least": (0, 500)}, "1.00"),
        ({"tokens_in": None, "tokens_out": None, "least": (0, 0)}, "0.30"),
        ({"failure": Failure.CONNECTION, "tokens_in": None}, "0.30"),
        ({"failure": Failure.GATEWAY, "tokens_in": None}, "0.30"),
        ({"failure": Failure.UNREACHED, "tokens_in": None}, "0"),
        ({"failure": Failure.BAD_KEY, "tokens_in": None}, "0"),
        ({"failure": Failure.RATE, "tokens_in": None}, "0"),
        ({"failure": Failure.SERVER, "tokens_in": None}, "0"),
        ({"failure": Failure.SERVER}, "0.20"),
        ({"failure": Failure.RATE, "tokens_in": None, "least": (100, 0)}, "0.10"),
        ({"failure": Failure.RATE, "tokens_in": None, "least": (0, 0)}, "0"),
        ({"failure": Failure.AUTHENTICATION, "tokens_in": None}, "0"),
    ],
)
def test_what_nobody_counted_is_charged_by_the_estimate_unless_it_was_surely_free(
    run, answer, charged
):
    settle(run, lease(run, 1), **answer)
    assert run.spent_usd == Decimal("0.01") + Decimal(charged)
    assert run.reserved_usd == 0


@pytest.mark.django_db
def test_a_call_dearer_than_the_estimate_raises_it_for_all_units_under_way(run):
    units = lease(run, 3)
    settle(run, units[:1], tokens_out=250)  # 0.10 + 0.50
    assert run.unit_usd == Decimal("0.60")
    assert run.spent_usd == Decimal("0.61")
    assert run.reserved_usd == 2 * Decimal("0.60")
    settle(run, units[1:2], tokens_out=50)
    assert run.unit_usd == Decimal("0.60"), "a cheaper one lowers nothing"
    settle(run, units[2:], tokens_out=250)
    assert (run.unit_usd, run.reserved_usd) == (Decimal("0.60"), 0)


@pytest.mark.django_db
@pytest.mark.parametrize(("budget", "expected"), [("100", "0.60"), (None, "0.30")])
def test_the_dearest_of_calls_stored_together_raises_the_estimate(run, budget, expected):
    """Under a budget only: nothing else looks at the estimate."""
    change(run, budget_usd=budget)
    units = lease(run, 3)
    answers = [Answer(content=GOOD, tokens_in=100, tokens_out=out) for out in (50, 250, 100)]
    outcomes = [Outcome(*one) for one in zip(units, [[]] * 3, [{}] * 3, answers, strict=True)]
    settling.store_calls(run, run.judge.endpoint, outcomes, "a")
    run.refresh_from_db()
    assert run.unit_usd == Decimal(expected)
    assert run.reserved_usd == 3 * Decimal(expected)


@pytest.mark.django_db
@pytest.mark.parametrize("has_price", [True, False])
def test_the_row_of_a_run_with_a_price_is_locked_before_those_of_its_judgments(run, has_price):
    """The order of locks that `leasing.hold` names: else two workers wait for each other."""
    if not has_price:
        change(run, unit_usd=Decimal(0), budget_usd=None)
    (unit,) = lease(run, 1)
    outcome = Outcome(unit, [], {}, Answer(content=GOOD, tokens_in=100, tokens_out=50))
    (call,) = settling.store_calls(run, run.judge.endpoint, [outcome], "a")
    with CaptureQueriesContext(connection) as captured:
        settling.settle(run, "a", [(outcome, call)])
    reads = [query["sql"] for query in captured if query["sql"].strip().startswith("SELECT")]
    tables = ["judgments" if "judges_judgment m" in sql else "run" for sql in reads]
    assert tables == (["run", "judgments"] if has_price else ["judgments"])


@pytest.mark.django_db
def test_evidence_is_stored_and_paid_for_before_anything_is_settled(run):
    units = lease(run, 2)
    outcomes = [
        Outcome(unit, [{"role": "user", "content": "Rate."}], {"seed": 1}, answer)
        for unit, answer in zip(
            units,
            [
                Answer(
                    content=GOOD,
                    tokens_in=10,
                    tokens_cached=4,
                    tokens_out=5,
                    finish_reason="stop",
                    model="test-model-2",
                    fingerprint="fp",
                    seconds=1.5,
                ),
                Answer(failure=Failure.TIMEOUT, detail="30 s"),
            ],
            strict=True,
        )
    ]
    stored = settling.store_calls(run, run.judge.endpoint, outcomes, "a")
    assert states(run)[:2] == [("leased", "a")] * 2
    first, second = Call.objects.order_by("pk")
    assert [first.pk, second.pk] == [call.pk for call in stored]
    assert (first.unit, first.worker, first.attempt) == (units[0].number, "a", 1)
    assert (first.reply, first.failure, first.finish_reason) == (GOOD, "", "stop")
    assert (first.endpoint_key, first.model, first.model_returned) == (
        "local",
        "test-model",
        "test-model-2",
    )
    assert (first.tokens_in, first.tokens_cached, first.tokens_out) == (10, 4, 5)
    assert first.messages == [{"role": "user", "content": "Rate."}]
    assert first.parameters == {"seed": 1}
    assert (first.fingerprint, first.latency_seconds) == ("fp", 1.5)
    assert first.prompt_name == "explanation.v1" and len(first.prompt_hash) == 64
    assert (second.failure, second.failure_detail, second.cost_usd) == (
        "no reply in time",
        "30 s",
        None,
    )
    run.refresh_from_db()
    assert run.spent_usd == Decimal("0.01") + Decimal("0.02") + ESTIMATE
    assert run.reserved_usd == 2 * ESTIMATE, "the units are still under way"


# What is written


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("answer", "state", "value", "reason"),
    [
        ({}, "done", 3, ""),
        ({"content": '{"accuracy": 3}'}, "done", 3, ""),
        ({"content": "A three."}, "unparsable", None, "no JSON in the reply"),
        ({"content": GOOD.replace("3", "9")}, "unparsable", None, "answer off the scale"),
        ({"failure": Failure.REFUSAL, "content": ""}, "refused", None, "refused by the model"),
        ({"failure": Failure.CONTENT_FILTER}, "refused", None, "stopped by the content filter"),
        ({"failure": Failure.BAD_JSON}, "failed", None, "reply is not JSON"),
        ({"finish_reason": "length"}, "unparsable", None, "reply cut off at the token limit"),
    ],
)
def test_the_last_word_of_a_call_is_written_with_its_reason(run, answer, state, value, reason):
    before = timezone.now()
    (call,) = settle(run, lease(run, 1), **answer)
    row = rows(run)["accuracy"]
    assert (row.state, row.value, row.reason, row.call_id) == (state, value, reason, call.pk)
    assert (row.leased_by, row.leased_until) == ("", None)
    assert before <= row.settled_at <= timezone.now()


@pytest.mark.django_db
def test_each_question_stands_for_itself(run):
    settle(run, lease(run, 1), content='{"accuracy": 3, "transparency": 7, "rationale": "So."}')
    found = rows(run)
    assert {key: (row.state, row.value, row.reason) for key, row in found.items()} == {
        "accuracy": ("done", 3, ""),
        "persuasiveness": ("unparsable", None, "question not answered"),
        "satisfaction": ("unparsable", None, "question not answered"),
        "transparency": ("unparsable", None, "answer off the scale"),
    }
    assert found["accuracy"].rationale == "So."


@pytest.mark.django_db
def test_a_worker_that_lost_its_unit_writes_nothing_and_its_money_is_counted(run):
    units = lease(run, 1)
    run.judgments.filter(unit=0).update(leased_by="b")
    settle(run, units, "a")
    assert {row.state for row in rows(run).values()} == {"leased"}
    assert (run.spent_usd, run.reserved_usd) == (Decimal("0.21"), ESTIMATE)
    assert settling.settle(run, "a", []) is None


# What a killed worker leaves


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ({"content": GOOD}, "done"),
        ({"content": "A three."}, "unparsable"),
        ({"failure": Failure.REFUSAL}, "refused"),
        ({"failure": Failure.TIMEOUT}, "leased"),
        ({"failure": Failure.BILLING}, "leased"),
    ],
)
def test_a_stored_reply_that_was_the_last_word_is_settled_without_another_call(run, answer, state):
    (unit,) = lease(run, 1)
    outcome = Outcome(unit, [], {}, Answer(tokens_in=100, tokens_out=50, **answer))
    (call,) = settling.store_calls(run, run.judge.endpoint, [outcome], "a")
    now = timezone.now()
    settling.settle_lost(now)
    assert states(run)[0] == ("leased", "a"), "its lease has not run out"
    settling.settle_lost(now + timedelta(days=1))
    row = rows(run)["accuracy"]
    assert row.state == state
    assert row.call_id == (None if state == "leased" else call.pk)
    run.refresh_from_db()
    assert run.reserved_usd == (ESTIMATE if state == "leased" else 0)


@pytest.mark.django_db
def test_nothing_is_settled_by_another_worker_s_reply(run):
    (unit,) = lease(run, 1)
    outcome = Outcome(unit, [], {}, Answer(content=GOOD, tokens_in=1, tokens_out=1))
    settling.store_calls(run, run.judge.endpoint, [outcome], "b")
    settling.settle_lost(timezone.now() + timedelta(days=1))
    assert states(run)[0] == ("leased", "a")


@pytest.mark.django_db
def test_the_newest_of_several_stored_replies_is_the_last_word(run):
    (unit,) = lease(run, 1)
    for failure, content in ((Failure.TIMEOUT, ""), (None, GOOD)):
        outcome = Outcome(unit, [], {}, Answer(content=content, failure=failure))
        settling.store_calls(run, run.judge.endpoint, [outcome], "a")
    settling.settle_lost(timezone.now() + timedelta(days=1))
    assert Judgment.objects.filter(unit=0, state="done").count() == 4
