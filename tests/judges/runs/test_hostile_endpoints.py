"""An endpoint that lies, hangs or leaks: the run ends, its money is counted, nothing breaks."""

import json
from decimal import Decimal

import pytest
from django.db import connection
from django.urls import reverse

from judges.endpoints.client import DETAIL_LENGTH
from judges.models import Call, Judgment, Run
from judges.replies.parse import LONGEST_RATIONALE, Reason
from judges.runs import drive, lease, settle
from tests.judges.runs.test_drive import GOOD, PRICES, go, make_run, states
from tests.scripted_server import Reply, ScriptedServer, chat, valid

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    plain = settle.Outcome.wait
    monkeypatch.setattr(settle.Outcome, "wait", lambda self: (w := plain(self)) and w / 100)


def with_rationale(escaped):
    """A good reply whose rationale is this JSON string."""
    return chat(GOOD[:-1] + f', "rationale": "{escaped}"}}')


RATIONALES = {
    "half a surrogate pair": (r"x\ud800y", "x?y"),
    "NUL": (r"x\u0000y", "x\ufffdy"),
    "a lone carriage return": (r"x\ry", "x\ny"),
    "lines of Windows": (r"x\r\ny", "x\ny"),
    "far too long": ("x" * 50_000, "x" * 10_000),
}


@pytest.mark.parametrize("case", RATIONALES)
def test_a_rationale_is_stored_whatever_it_holds(study, case):
    sent, stored = RATIONALES[case]
    run, server = go(study, lambda *_: with_rationale(sent), plan={"limit": 1})
    assert (run.state, states(run)) == (Run.State.FINISHED, {"done": 4})
    assert set(run.judgments.values_list("rationale", flat=True)) == {stored}
    assert len(stored) <= LONGEST_RATIONALE
    assert len(server.requests) == 1


@pytest.mark.django_db(transaction=True)
def test_replies_are_read_before_the_transaction_that_settles_them(study, monkeypatch):
    """A reply that takes long to read must not keep rows locked."""
    within, plain = [], settle.parse_outcome
    monkeypatch.setattr(
        settle, "parse_outcome", lambda *a: within.append(connection.in_atomic_block) or plain(*a)
    )
    endless = "{}" * 900_000
    run, server = go(study, lambda *_: chat(endless), plan={"limit": 1})
    assert within == [False]
    assert set(run.judgments.values_list("state", "reason")) == {
        ("unparsable", Reason.REPLY_TOO_LONG)
    }
    assert run.calls.get().reply == endless, "it is kept as it came"


def break_settling(monkeypatch):
    def broken(*_):
        raise ValueError("cannot be settled")

    monkeypatch.setattr(settle, "settle", broken)


def test_calls_are_paid_for_even_when_they_cannot_be_settled(study, monkeypatch):
    break_settling(monkeypatch)
    with ScriptedServer() as server:
        run = make_run(study, server, plan={"limit": 1, "budget": Decimal(100)}, **PRICES)
        with pytest.raises(ValueError, match="cannot be settled"):
            drive.work_through(run.pk)
    run.refresh_from_db()
    # 110 tokens at 0.001 USD
    assert (run.spent_usd, run.reserved_usd) == (Decimal("0.11"), 0)


def test_a_unit_that_can_never_be_settled_fails_in_the_end(study, monkeypatch):
    break_settling(monkeypatch)
    with ScriptedServer() as server:
        run = make_run(study, server, plan={"limit": 1})
        for _ in range(lease.MOST_LEASES):
            with pytest.raises(ValueError, match="cannot be settled"):
                drive.work_through(run.pk)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert set(run.judgments.values_list("state", "reason")) == {("failed", lease.GIVEN_BACK)}
    assert len(server.requests) == lease.MOST_LEASES


# Usage, the tokens (in, out) that are kept, and the price of what was counted at least; None: the
# estimate is charged. A token costs 0.001 USD.
IMPLAUSIBLE = {
    "both": ((2**31 - 1, 2**31 - 1), (None, None), "20000"),
    "in": ((10_000_001, 10), (None, 10), "10000.01"),
    "out": ((100, 10_000_001), (100, None), "10000.1"),
    "out, by what was allowed": ((100, 200_000), (100, 200_000), "200.1"),
    "in alone": ((50_000, None), (50_000, None), "50"),
    "out alone": ((None, 50_000), (None, 50_000), "50"),
    "nothing": ((None, None), (None, None), None),
}


@pytest.mark.parametrize("case", IMPLAUSIBLE)
def test_a_count_in_doubt_makes_no_call_cheaper(study, owner, client, case):
    tokens, kept, price = IMPLAUSIBLE[case]
    liar = lambda *_: chat(GOOD, tokens=tokens)  # noqa: E731
    run, _ = go(study, liar, plan={"limit": 1, "budget": Decimal(100)}, **PRICES)
    call = run.calls.get()
    assert (call.tokens_in, call.tokens_out) == kept
    assert call.cost_usd == (price and Decimal(price))
    assert run.spent_usd == (Decimal(price) if price else run.unit_usd)
    assert bool(call.failure_detail) is (max(tokens[0] or 0, tokens[1] or 0) > 10_000_000)
    client.force_login(owner)
    assert client.get(run.get_absolute_url()).status_code == 200


# {name: (usage beside 300 tokens in, tokens out that are charged)}
COUNTED = {
    "thoughts within": ({"completion_tokens": 2826, "total_tokens": 3126}, 2800, 2826),
    "thoughts beside": ({"completion_tokens": 10, "total_tokens": 4310}, 4000, 4010),
    "thoughts beside, no total": ({"completion_tokens": 10}, 4000, 4010),
    "only a total": ({"total_tokens": 4310}, 0, 4010),
    "thoughts in doubt": ({"completion_tokens": 9000, "total_tokens": 9300}, 0, 9000),
}


@pytest.mark.parametrize("case", COUNTED)
def test_a_budget_is_kept_whatever_part_of_the_usage_has_the_tokens(study, case):
    """The first call is made alone, and shows that no second one can be afforded."""
    fields, thought, out = COUNTED[case]
    details = {"completion_tokens_details": {"reasoning_tokens": thought}}
    reply = chat(GOOD)
    reply.body["usage"] = {"prompt_tokens": 300} | fields | details
    price = Decimal(300 + out) / 1000
    run, server = go(
        study,
        lambda *_: reply,
        judge_fields={"max_tokens": 30},
        plan={"budget": Decimal("9.9")},
        **PRICES,
    )
    assert (run.state, len(server.requests)) == (
        Run.State.OUT_OF_BUDGET,
        int(Decimal("9.9") / price),
    )
    assert (run.spent_usd, run.unit_usd) == (len(server.requests) * price, price)
    assert run.spent_usd <= run.budget_usd
    assert set(run.calls.values_list("tokens_out", flat=True)) == {out}


def test_the_dearest_counts_that_are_believed_can_be_stored_and_shown(study, owner, client):
    prices = dict.fromkeys(("price_in", "price_out"), Decimal(999_999))
    run, _ = go(study, lambda *_: chat(GOOD, tokens=(10_000_000, 10)), **prices)
    run.refresh_from_db()
    # 10,000,010 tokens at 0.999999 USD, by hand: 9,999,999.99999 a call, of four calls
    assert run.spent_usd == Decimal("39999999.99996")
    client.force_login(owner)
    assert client.get(run.get_absolute_url()).status_code == 200


KEY = "sk-proj/aB3+dE5fG7hJ9"
ECHOES = {
    "in the rationale": with_rationale(f"Your key is {KEY}."),
    "escaped in the rationale": with_rationale(KEY.replace("/", r"\/").replace("s", r"\u0073", 1)),
    "in prose": chat(f"I was called with {KEY}"),
    "as the model": Reply(json.dumps(chat(GOOD).body | {"model": KEY})),
    "as the fingerprint": Reply(json.dumps(chat(GOOD).body | {"system_fingerprint": KEY})),
    "in an error": Reply({"error": {"message": f"Bearer {KEY}"}}, 400),
    "with slashes escaped": Reply(json.dumps({"error": KEY}).replace("/", r"\/"), 400),
    "across the cut": Reply("x" * (DETAIL_LENGTH - 12) + KEY, 400),
    "across the cut of a page": Reply("<" + "x" * (DETAIL_LENGTH - 8) + KEY),
    "in a refusal": chat(None, message={"refusal": "x" * (DETAIL_LENGTH - 8) + KEY}),
}


@pytest.mark.parametrize("case", ECHOES)
def test_a_key_that_the_endpoint_echoes_is_not_stored(study, monkeypatch, case):
    monkeypatch.setenv("ECHO_KEY", KEY)
    run, server = go(study, lambda *_: ECHOES[case], plan={"limit": 1}, api_key_env="ECHO_KEY")
    assert server.headers[0]["authorization"] == f"bearer {KEY}".lower()
    stored = repr(list(Call.objects.values()) + list(Judgment.objects.values()))
    assert KEY[:5] not in stored.replace("\\", "")
    assert KEY[-6:] not in stored


def test_a_good_reply_stays_good_without_the_key_in_it(study, monkeypatch):
    monkeypatch.setenv("ECHO_KEY", KEY)
    reply = with_rationale(f"Your key is {KEY}.")
    run, _ = go(study, lambda *_: reply, plan={"limit": 1}, api_key_env="ECHO_KEY")
    assert states(run) == {"done": 4}
    assert run.judgments.first().rationale == "Your key is [key]."


def test_a_placeholder_for_a_key_does_not_spoil_replies(study, monkeypatch):
    """Servers of one's own take any word; it is no secret and may occur in a reply."""
    monkeypatch.setenv("ECHO_KEY", "acc")
    run, _ = go(study, lambda *_: chat(GOOD), plan={"limit": 1}, api_key_env="ECHO_KEY")
    assert states(run) == {"done": 4}


def test_every_attempt_that_may_have_been_billed_is_charged(study):
    """Three time-outs, then an answer: 3 estimates and 0.11 USD."""

    def slow_to_start(number, request):
        return chat("", delay=1.5) if number < 3 else valid(number, request)

    plan = {"limit": 1, "budget": Decimal(1000)}
    run, server = go(study, slow_to_start, plan=plan, timeout_seconds=1, **PRICES)
    assert len(server.requests) == 4
    assert run.spent_usd == 3 * lease.unit_usd(run) + Decimal("0.11")
    assert run.reserved_usd == 0


@pytest.mark.parametrize("status", [502, 504, 524])
def test_an_attempt_at_which_a_gateway_gave_up_is_charged(study, status):
    def gives_up(number, request):
        return Reply("", status) if number < 3 else valid(number, request)

    run, server = go(study, gives_up, plan={"limit": 1, "budget": Decimal(1000)}, **PRICES)
    assert len(server.requests) == 4
    assert run.spent_usd == 3 * lease.unit_usd(run) + Decimal("0.11")


def test_an_attempt_that_was_refused_before_any_token_is_free(study):
    def busy(number, request):
        return Reply("", 429) if number < 2 else valid(number, request)

    run, _ = go(study, busy, plan={"limit": 1, "budget": Decimal(1000)}, **PRICES)
    assert run.spent_usd == Decimal("0.11")


SILENT = {
    "hangs": (chat("", delay=3), "no reply in time"),
    "a gateway gives up": (
        Reply("", 504),
        "gateway without a reply. The endpoint gave status 504 and no reason.",
    ),
}


@pytest.mark.parametrize("case", SILENT)
def test_an_endpoint_that_never_answers_never_costs_more_than_the_budget(study, as_owner, case):
    """Each request may have been billed; a retry needs room in the budget as a first call does."""
    reply, reason = SILENT[case]
    with ScriptedServer(lambda *_: reply) as server:
        run = make_run(study, server, plan={"budget": Decimal(1000)}, timeout_seconds=1, **PRICES)
        estimate = lease.unit_usd(run)
        Run.objects.update(budget_usd=estimate * Decimal("6.5"))
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert len(server.requests) * estimate <= run.budget_usd
    assert len(server.requests) == 6, "what the budget allows is asked"
    assert (run.spent_usd, run.reserved_usd) == (6 * estimate, 0)
    assert (run.state, states(run)) == (Run.State.STOPPED, {"pending": 16})
    said = f"no call was answered before the budget was used up: {reason}"
    assert run.stopped_because.startswith(said)
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert said in page and "Resume it with a higher budget, of" in page
    resumed = reverse("run_resume", args=[study.slug, run.pk])
    assert "Give a higher budget" in as_owner.post(resumed, follow=True).content.decode()
    with ScriptedServer() as server:
        type(run.judge.endpoint).objects.update(base_url=server.url)
        as_owner.post(resumed, {"budget": "1000"})
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, run.stopped_because) == (Run.State.FINISHED, "")
    assert states(run) == {"done": 16}
    assert run.spent_usd == 6 * estimate + 4 * Decimal("0.11"), "what is charged stays so"


@pytest.mark.parametrize("answer", [valid, lambda *_: chat("", "content_filter")])
def test_a_run_that_was_answered_once_ends_at_its_budget(study, answer):
    script = lambda n, r: Reply("", 504) if n else answer(n, r)  # noqa: E731
    with ScriptedServer(script) as server:
        run = make_run(study, server, plan={"budget": Decimal(1000)}, **PRICES)
        Run.objects.update(budget_usd=lease.unit_usd(run) * Decimal("2.5"))
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, run.stopped_because) == (Run.State.OUT_OF_BUDGET, "")
