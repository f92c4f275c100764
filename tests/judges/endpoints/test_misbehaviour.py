"""Every way an endpoint can misbehave, each through a whole run: its state, its words, its end."""

import gc
import json
from decimal import Decimal

import pytest

from judges.endpoints import client
from judges.endpoints.client import Failure
from judges.models import Judgment, Run
from judges.replies.parse import Reason
from judges.runs import drive, settle
from judges.runs.plan import plan
from judges.runs.resume import resume
from tests import factories, processes
from tests.judges.endpoints.test_local_model import finished, var  # noqa: F401 - a fixture
from tests.scripted_server import Reply, ScriptedServer, chat

KEYS = list(factories.ASPECTS)
GOOD = dict.fromkeys(KEYS, 4)
DONE, FAILED = Judgment.State.DONE, Judgment.State.FAILED
UNPARSABLE, REFUSED = Judgment.State.UNPARSABLE, Judgment.State.REFUSED
FIRST = KEYS[0]


def said(**changes):
    """A reply with 4 for every question, but for these."""
    return chat(json.dumps(GOOD | changes))


def envelope(**fields):
    """A good completion with other fields around it."""
    return Reply(chat(json.dumps(GOOD)).body | fields)


def usage(**counts):
    return envelope(usage=counts)


def error(code, kind=None):
    return {"error": {"message": "no", "type": kind, "code": code}}


class Stalled(Reply):
    """Half of a good reply, then silence."""


# A reply, and what becomes of the first question's judgment: its state and its reason.
WORDS = {
    "the schema is ignored": (
        chat('{"score": 4}'),
        UNPARSABLE,
        Reason.EXTRA,
    ),
    "prose without JSON": (chat("I would give it a 4 out of 5."), UNPARSABLE, Reason.NO_JSON),
    "a score as a word": (said(**{FIRST: "four"}), UNPARSABLE, Reason.NOT_A_NUMBER),
    "a score as a text": (said(**{FIRST: "4"}), UNPARSABLE, Reason.NOT_A_NUMBER),
    "a score above the scale": (said(**{FIRST: 6}), UNPARSABLE, Reason.OFF_SCALE),
    "a score below the scale": (said(**{FIRST: 0}), UNPARSABLE, Reason.OFF_SCALE),
    "a score between points": (said(**{FIRST: 3.5}), UNPARSABLE, Reason.NOT_WHOLE),
    "an endless score": (chat('{"accuracy": Infinity}'), UNPARSABLE, Reason.BROKEN_JSON),
    "a score that is no number": (chat('{"accuracy": NaN}'), UNPARSABLE, Reason.BROKEN_JSON),
    "one aspect is missing": (
        chat(json.dumps({key: 4 for key in KEYS[1:]})),
        UNPARSABLE,
        Reason.MISSING,
    ),
    "one aspect too many": (said(humour=5), UNPARSABLE, Reason.EXTRA),
    "an aspect answered twice": (
        chat(json.dumps(GOOD)[:-1] + f', "{FIRST}": 2}}'),
        UNPARSABLE,
        Reason.DUPLICATE,
    ),
    "an empty reply": (chat(""), UNPARSABLE, Reason.EMPTY),
    "no content": (chat(None), UNPARSABLE, Reason.EMPTY),
    "a refusal in words": (chat("I'm sorry, I can't rate that."), UNPARSABLE, Reason.NO_JSON),
    "a refusal in its own field": (
        chat(None, message={"refusal": "I can't rate that."}),
        REFUSED,
        Failure.REFUSAL,
    ),
    "stopped by a filter": (chat("", "content_filter"), REFUSED, Failure.CONTENT_FILTER),
    "cut off, though a verdict stands": (
        chat(json.dumps(GOOD), "length"),
        UNPARSABLE,
        Reason.CUT_OFF,
    ),
    "cut off in another word": (chat(json.dumps(GOOD), "MAX_TOKENS"), UNPARSABLE, Reason.CUT_OFF),
    "ended in a failure": (
        chat(json.dumps(GOOD), "error"),
        UNPARSABLE,
        "reply not whole, the endpoint ended it with “error”",
    ),
    "stopped by a filter in another word": (
        chat(json.dumps(GOOD), "SAFETY"),
        REFUSED,
        Failure.CONTENT_FILTER,
    ),
    "only thought": (chat(f"<think>{json.dumps(GOOD)}"), UNPARSABLE, Reason.EMPTY),
    "cut off inside the verdict": (
        chat('{"accuracy": 4, "sat', "length"),
        UNPARSABLE,
        Reason.CUT_OFF,
    ),
    "a verdict 10,000 deep": (chat('{"a":' * 10_000), UNPARSABLE, Reason.BROKEN_JSON),
}
TRANSPORT = {
    "400": (Reply(error("bad"), 400), FAILED, Failure.BAD_REQUEST),
    "401": (Reply(error("invalid_api_key"), 401), FAILED, Failure.AUTHENTICATION),
    "404": (Reply(error("model_not_found"), 404), FAILED, Failure.NOT_FOUND),
    "500": (Reply("oops", 500), FAILED, Failure.SERVER),
    "504": (Reply("", 504), FAILED, Failure.GATEWAY),
    "500 within a choice": (
        Reply({"choices": [{"finish_reason": "error", "error": {"code": 500}}]}),
        FAILED,
        Failure.SERVER,
    ),
    "a redirect": (
        Reply("see there", 307, {"location": "http://127.0.0.1:1/"}),
        FAILED,
        Failure.REDIRECT,
    ),
    "slow": (chat(json.dumps(GOOD), delay=3), FAILED, Failure.TIMEOUT),
    "a trickle": (chat(json.dumps(GOOD), trickle=0.1), FAILED, Failure.TIMEOUT),
    "stalled half-way": (Stalled(chat(json.dumps(GOOD)).body), FAILED, Failure.TIMEOUT),
    "broken half-way": (Reply(chat(json.dumps(GOOD)).body, cut=40), FAILED, Failure.CONNECTION),
    "10 MB": (Reply(b'{"choices": "' + b"x" * 10_000_000), FAILED, Failure.TOO_LARGE),
    "packed in an unknown way": (
        Reply(b"\x1b\x03", headers={"content-encoding": "br"}),
        FAILED,
        Failure.PACKED,
    ),
    "not UTF-8": (Reply(b'{"choices": "\xff\xfe"}'), FAILED, Failure.BAD_UTF8),
    "a web page": (
        Reply("<html>Log in</html>", headers={"content-type": "text/html"}),
        FAILED,
        Failure.HTML,
    ),
    "half of its JSON": (Reply('{"choices": ['), FAILED, Failure.BAD_JSON),
    "10,000 deep": (Reply("[" * 10_000), FAILED, Failure.BAD_JSON),
    "10,000 deep and closed": (Reply("[" * 10_000 + "]" * 10_000), FAILED, None),
    "nothing": (Reply(""), FAILED, Failure.BAD_JSON),
    "a stream": (Reply("data: {}\n\n"), FAILED, Failure.STREAM),
    "null": (Reply("null"), FAILED, Failure.NO_CHAT),
    "choices that are null": (Reply({"choices": None}), FAILED, Failure.NO_CHAT),
    "a choice that is null": (Reply({"choices": [None]}), FAILED, Failure.NO_CHAT),
    "a message that is null": (Reply({"choices": [{"message": None}]}), FAILED, Failure.NO_CHAT),
    "content in parts without text": (chat([{"type": "text"}]), FAILED, Failure.NO_CHAT),
}
# Odd, and yet the verdict is exactly determinable: no reason to lose it.
READ = {
    "prose around JSON": chat(f"Sure!\n```json\n{json.dumps(GOOD)}\n```\nHope it helps."),
    "two verdicts: the last counts": chat(json.dumps(dict.fromkeys(KEYS, 1)) + json.dumps(GOOD)),
    "a byte order mark": Reply(b"\xef\xbb\xbf" + chat(json.dumps(GOOD)).encoded()),
    "a byte order mark in the content": chat("\ufeff" + json.dumps(GOOD)),
    "content in parts": chat(
        [{"type": "thinking", "thinking": []}, {"type": "text", "text": json.dumps(GOOD)}]
    ),
    "a thought before it": chat(f'<think>{{"{FIRST}": 2}}?</think>{json.dumps(GOOD)}'),
    "another word for whole": chat(json.dumps(GOOD), "end_turn"),
    "no usage": chat(json.dumps(GOOD), tokens=None),
    "negative usage": usage(prompt_tokens=-5, completion_tokens=-1),
    "huge usage": usage(prompt_tokens=2**70, completion_tokens=2**40),
    "usage in words": usage(prompt_tokens="many", completion_tokens=None),
    "usage that is no number": Reply(
        json.dumps(
            envelope().body
            | {"usage": {"prompt_tokens": float("nan"), "completion_tokens": float("inf")}}
        )
    ),
    "usage that is a list": envelope(usage=[1, 2]),
    "the same field twice": Reply('{"choices": null, ' + json.dumps(envelope().body)[1:]),
    "a model that is a number": envelope(model=5, system_fingerprint=["x"]),
}


class Server(ScriptedServer):
    async def _send(self, writer, reply):
        if not isinstance(reply, Stalled):
            return await super()._send(writer, reply)
        body = reply.encoded()
        writer.write(f"HTTP/1.1 200 OK\r\ncontent-length: {len(body)}\r\n\r\n".encode())
        writer.write(body[: len(body) // 2])
        await writer.drain()
        await self._stop.wait()
        return False


@pytest.fixture
def impatient(monkeypatch):
    """Two attempts, and next to no waiting between them."""
    plain = settle.Outcome.wait
    monkeypatch.setattr(settle, "MOST_ATTEMPTS", 2)
    monkeypatch.setattr(settle, "MOST_PAUSES", 2)
    monkeypatch.setattr(settle.Outcome, "wait", lambda self: (w := plain(self)) and w / 10_000)


def run_against(url, study, **prices):
    # Half a second is enough here for whoever answers at all.
    endpoint = factories.make_endpoint(url, timeout_seconds=1, **prices)
    run = plan(factories.make_judge(study, "judge", endpoint), limit=1)
    drive.work_through(run.pk)
    run.refresh_from_db()
    return run


def outcome_of(reply, study):
    """The run of one item against a server that always replies so; how a run ends is checked."""
    with Server(lambda *_: reply) as server:
        run = run_against(server.url, study)
    assert run.state == Run.State.FINISHED
    assert not run.judgments.open().exists()
    assert run.reserved_usd == 0
    return run


@pytest.mark.django_db
@pytest.mark.parametrize("case", WORDS)
def test_a_reply_that_is_no_answer(study, impatient, case):
    reply, state, reason = WORDS[case]
    gc.collect()  # what earlier tests left open is told of here, not at the depth of a recursion
    run = outcome_of(reply, study)
    judgment = run.judgments.get(question__key=FIRST)
    assert (judgment.state, judgment.reason, judgment.value) == (state, reason, None)
    call = run.calls.get()
    message = reply.body["choices"][0]["message"]
    assert call.reply == (message["content"] or ""), "the raw reply is kept"
    assert call.failure_detail == (message.get("refusal") or "")
    assert call.judgments.count() == 4


@pytest.mark.django_db
@pytest.mark.parametrize("case", TRANSPORT)
def test_a_reply_that_never_came_or_is_no_reply(study, impatient, case):
    reply, state, reason = TRANSPORT[case]
    run = outcome_of(reply, study)
    found = set(run.judgments.values_list("state", "value", "attempts"))
    again = reason in client.TRANSIENT
    assert found == {(state, None, 2 if again else 1)}
    reasons = set(run.judgments.values_list("reason", flat=True))
    assert reasons == {reason} if reason else reasons <= {Failure.BAD_JSON, Failure.NO_CHAT}
    assert run.calls.count() == (2 if again else 1)
    call = run.calls.last()
    assert call.failure_detail, "what came is kept, as far as it came"
    if isinstance(reply.body, str) and reply.body and reply.status < 400:
        assert reply.body[:1000] in call.failure_detail


# The endpoint wants to be left alone and never answers: the run pauses, and says why.
PUT_OFF = {
    "429, too fast": (Reply(error("rate_limit_exceeded"), 429), Failure.RATE),
    "429 that wants an hour": (Reply("", 429, {"retry-after": "3600"}), Failure.RATE),
    "429 until a date": (
        Reply("", 429, {"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}),
        Failure.RATE,
    ),
    "429 within 200": (Reply({"error": {"code": 429}}), Failure.RATE),
    "503": (Reply("", 503), Failure.BUSY),
    "529": (Reply("", 529), Failure.BUSY),
}


@pytest.mark.django_db
@pytest.mark.parametrize("case", PUT_OFF)
def test_an_endpoint_that_only_puts_off_pauses_the_run(study, impatient, case):
    reply, failure = PUT_OFF[case]
    with Server(lambda *_: reply) as server:
        run = run_against(server.url, study)
        assert (run.state, run.reserved_usd, run.calls.count()) == (Run.State.STOPPED, 0, 2)
        said = failure.partition(" (")[0]
        assert run.stopped_because.startswith(f"no call was answered in 15 minutes: {said}. ")
        found = run.judgments.values_list("state", "value", "reason", "leased_by", "attempts")
        assert set(found) == {(Judgment.State.PENDING, None, "", "", 1)}
        server.script = lambda *_: chat(json.dumps(GOOD))
        type(run.judge.endpoint).objects.update(not_before=None)
        assert resume(run)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, run.stopped_because) == (Run.State.FINISHED, "")
    assert set(run.judgments.values_list("state", "value")) == {(DONE, 4.0)}


# The account cannot pay, so no call of the run would be answered: the run ends, and says why.
UNPAID = {
    "429, nothing left to spend": Reply(error("insufficient_quota"), 429),
    "429, the account is closed": Reply(error(None, "billing_not_active"), 429),
    "402": Reply("Payment required", 402),
    "402 within 200": Reply({"error": {"message": "no", "code": 402}}),
    "400, in words": Reply({"error": {"message": "Your credit balance is too low."}}, 400),
    "403, by its code": Reply(error("insufficient_user_quota"), 403),
}


@pytest.mark.django_db
@pytest.mark.parametrize("case", UNPAID)
def test_an_account_that_cannot_pay_stops_the_run(study, impatient, case):
    """No judgment fails for it: they wait, the run has the reason, a resume asks them."""
    with Server(lambda *_: UNPAID[case]) as server:
        run = run_against(server.url, study)
        assert (run.state, run.reserved_usd) == (Run.State.STOPPED, 0)
        assert run.ended_at is not None
        assert run.stopped_because.startswith(Failure.BILLING)
        found = run.judgments.values_list("state", "value", "reason", "leased_by", "attempts")
        assert set(found) == {(Judgment.State.PENDING, None, "", "", 1)}
        assert run.calls.get().failure == Failure.BILLING
        server.script = lambda *_: chat(json.dumps(GOOD))
        assert resume(run)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, run.stopped_because) == (Run.State.FINISHED, "")
    assert set(run.judgments.values_list("state", "value")) == {(DONE, 4.0)}


@pytest.mark.django_db
@pytest.mark.parametrize("case", READ)
def test_an_odd_reply_with_one_plain_verdict(study, impatient, case):
    run = outcome_of(READ[case], study)
    assert set(run.judgments.values_list("state", "value", "reason")) == {(DONE, 4.0, "")}
    call = run.calls.get()
    if "usage" in case:
        assert (call.tokens_in, call.tokens_out, call.cost_usd) == (None, None, None)


@pytest.mark.django_db
def test_one_aspect_too_few_leaves_the_others(study, impatient):
    run = outcome_of(WORDS["one aspect is missing"][0], study)
    assert run.judgments.filter(state=DONE, value=4).count() == 3


# {what keeps all calls from being sent: (fields of the endpoint, the reason, attempts)}
UNSENT = {
    "nobody listens": ({}, Failure.UNREACHED, 2),
    "no key": ({"api_key_env": "NO_SUCH_KEY"}, Failure.NO_KEY, 1),
    "a line end in the key": ({"api_key_env": "BROKEN_KEY"}, Failure.BAD_KEY, 1),
    "a host that is listed no longer": ({}, Failure.HOST, 1),
}


@pytest.mark.django_db
@pytest.mark.parametrize("case", UNSENT)
def test_a_run_of_which_nothing_was_ever_sent_stops_with_the_reason_and_costs_nothing(
    study, impatient, monkeypatch, settings, as_owner, case
):
    monkeypatch.setenv("BROKEN_KEY", "sk-123456\nabcdef")
    fields, failure, attempts = UNSENT[case]
    with Server(lambda *_: chat(json.dumps(GOOD))) as server:
        pass
    priced = {"price_in": 1, "price_out": 2, "timeout_seconds": 1}
    endpoint = factories.make_endpoint(server.url, **priced | fields)
    run = plan(factories.make_judge(study, "judge", endpoint), budget=Decimal("0.01"))
    listed = settings.ENDPOINT_HOSTS
    settings.ENDPOINT_HOSTS = [] if failure is Failure.HOST else listed
    drive.work_through(run.pk)
    settings.ENDPOINT_HOSTS = listed
    run.refresh_from_db()
    assert (run.state, run.spent_usd, run.reserved_usd) == (Run.State.STOPPED, 0, 0)
    assert failure.partition(" (")[0] in run.stopped_because
    assert "sk-123456" not in run.stopped_because
    assert set(run.judgments.values_list("state", "reason")) == {(Judgment.State.PENDING, "")}
    assert run.calls.count() == attempts, "with a budget the first unit goes alone"
    assert failure in as_owner.get(run.get_absolute_url()).content.decode()
    with Server(lambda *_: chat(json.dumps(GOOD))) as server:
        type(endpoint).objects.update(base_url=server.url, api_key_env="")
        assert resume(run)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert set(run.judgments.values_list("state", "value")) == {(DONE, 4.0)}


@pytest.mark.django_db
def test_after_an_answer_a_lost_endpoint_fails_what_is_left_at_no_cost(study, impatient):
    with Server(lambda *_: chat(json.dumps(GOOD))) as server:
        run = run_against(server.url, study, price_in=1, price_out=2)
        assert run.judgments.filter(state=DONE).count() == 4
    spent = run.spent_usd
    run.judgments.update(state=Judgment.State.PENDING, value=None)
    Run.objects.update(state=Run.State.ACTIVE)
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, run.spent_usd) == (Run.State.FINISHED, spent)
    found = set(run.judgments.values_list("state", "value", "reason"))
    assert found == {(FAILED, None, Failure.UNREACHED)}


@pytest.mark.django_db
def test_what_is_too_large_keeps_its_beginning(study, impatient):
    run = outcome_of(TRANSPORT["10 MB"][0], study)
    detail = run.calls.get().failure_detail
    assert detail.startswith("more than 2,097,152 bytes, which begin: ")
    assert '{"choices": "xxx' in detail
    assert len(detail) <= client.DETAIL_LENGTH


@pytest.mark.django_db
def test_what_is_not_utf_8_is_kept_as_far_as_it_can_be_read(study, impatient):
    run = outcome_of(TRANSPORT["not UTF-8"][0], study)
    assert run.calls.get().failure_detail == (
        'invalid start byte at byte 13: {"choices": "\ufffd\ufffd"}'
    )


@pytest.mark.django_db(transaction=True)
def test_a_real_worker_ends_a_run_of_nothing_but_misbehaviour(var):  # noqa: F811
    """Items in turn meet every reply that is final at once, a time-out and a good one."""
    folder, extra = var
    replies = [reply for reply, *_ in WORDS.values()]
    replies += [reply for reply, _, reason in TRANSPORT.values() if reason not in client.TRANSIENT]
    replies += [*READ.values(), chat("", delay=3)]
    replies = replies[::2] + replies[1::2]  # five that fail alike in a row would stop the run
    with Server(lambda number, _: replies[number % len(replies)]) as server:
        study = factories.make_study("hostile", items=len(replies))
        endpoint = factories.make_endpoint(server.url, timeout_seconds=1, concurrency=8)
        run = plan(factories.make_judge(study, "judge", endpoint))
        with processes.worker(folder, **extra):
            processes.wait_for(finished(run), "the run's end")
    assert not run.judgments.open().exists()
    without = run.judgments.exclude(state=DONE)
    assert without.exists() and run.judgments.filter(state=DONE).exists()
    assert not without.exclude(value=None).exists()
    assert not without.filter(reason="").exists()


@pytest.mark.django_db(transaction=True)
def test_a_real_worker_gets_past_items_that_are_refused_for_their_own_content(var):  # noqa: F811
    """Six items in a row, each of which the endpoint refuses in the same words, and six others."""
    folder, extra = var
    refused = {f"Because of {n}." for n in range(6)}
    no = Reply({"error": {"message": "This text cannot be rated."}}, 400)

    def script(_, request):
        prompt = str(request["messages"])
        return no if any(text in prompt for text in refused) else chat(json.dumps(GOOD))

    with Server(script) as server:
        study = factories.make_study("refused")
        factories.make_items(study, 12)
        endpoint = factories.make_endpoint(server.url, concurrency=1)
        run = plan(factories.make_judge(study, "judge", endpoint))
        with processes.worker(folder, **extra):
            stopped = Run.objects.filter(pk=run.pk, state=Run.State.STOPPED)
            processes.wait_for(stopped.exists, "the stop")
            assert run.judgments.filter(state=Judgment.State.PENDING).exists()
            run.refresh_from_db()
            assert resume(run)
            processes.wait_for(finished(run), "the run's end")
    assert run.judgments.filter(state=DONE).count() == 6 * len(GOOD)
    assert run.judgments.filter(state=Judgment.State.FAILED).count() == 6 * len(GOOD)
