"""A run from its plan to its end, in this process, against a scripted endpoint."""

import json
import threading
import time
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Question
from judges.endpoints import client
from judges.endpoints.client import REPLY_BYTES
from judges.models import Call, Judge, Judgment, Run
from judges.runs import drive, lease, settle
from judges.runs import plan as planning
from judges.runs.resume import cancel, reset_failed, resume
from tests import factories
from tests.scripted_server import Reply, ScriptedServer, by_schema, chat, valid

pytestmark = pytest.mark.django_db
GOOD = json.dumps(dict.fromkeys(factories.ASPECTS, 4))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    """Waits between attempts are cut to a hundredth; nobody waits for more than that here."""
    plain = settle.Outcome.wait
    monkeypatch.setattr(settle.Outcome, "wait", lambda self: (w := plain(self)) and w / 100)


def make_run(study, server, judge_fields=None, plan=None, **endpoint_fields):
    endpoint_fields = {"timeout_seconds": 5} | endpoint_fields
    endpoint = factories.make_endpoint(server.url, **endpoint_fields)
    judge = factories.make_judge(study, "judge", endpoint, **(judge_fields or {}))
    return planning.plan(judge, **(plan or {}))


def go(study, script, **fields):
    """The run that comes of it, worked through."""
    with ScriptedServer(script) as server:
        run = make_run(study, server, **fields)
        drive.work_through(run.pk)
    run.refresh_from_db()
    return run, server


def states(run):
    """{state: count} of what there is."""
    found = run.judgments.values_list("state", flat=True)
    return {state: list(found).count(state) for state in set(found)}


def test_a_run_judges_every_question_of_every_item(study):
    run, server = go(study, valid)
    assert run.state == Run.State.FINISHED
    assert states(run) == {"done": 16}
    assert set(run.judgments.values_list("value", flat=True)) == {5.0}
    assert len(server.requests) == 4, "all questions of an item in one call"
    assert run.started_at <= run.ended_at


def test_a_single_aspect_judge_asks_one_question_a_call(study):
    run, server = go(study, valid, judge_fields={"aspects": Judge.Aspects.SINGLE})
    assert len(server.requests) == 16
    asked = [
        list(r["response_format"]["json_schema"]["schema"]["properties"]) for r in server.requests
    ]
    assert all(len(keys) == 1 for keys in asked)
    assert states(run) == {"done": 16}


@pytest.mark.parametrize("error", [ZeroDivisionError("unforeseen"), RuntimeError("a rated text")])
def test_a_call_that_raises_fails_its_own_unit_alone(study, monkeypatch, caplog, error):
    """It may have been billed, so that it is charged; its words may quote a text."""
    plain, replies = client.text_of, []

    def text_of(content):
        replies.append(content)
        if len(replies) == 2:
            raise error
        return plain(content)

    monkeypatch.setattr(client, "text_of", text_of)
    prices = {"price_in": 1, "price_out": 2}
    run, server = go(study, valid, plan={"budget": Decimal(1)}, **prices)
    assert (run.state, states(run)) == (Run.State.FINISHED, {"done": 12, "failed": 4})
    assert set(run.judgments.filter(value=None).values_list("reason", "attempts")) == {
        (client.Failure.FAULT, 1)
    }
    call = run.calls.get(failure=client.Failure.FAULT)
    assert (call.failure_detail, len(server.requests)) == (type(error).__name__, 4)
    assert run.spent_usd == 3 * Decimal("0.00012") + lease.unit_usd(run)
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert f"endpoint {run.judge.endpoint_id}: a call raised" in record.getMessage()
    assert "in text_of" in record.getMessage() and str(error) not in record.getMessage()


def test_each_call_is_kept_as_evidence(study):
    run, server = go(study, valid, price_in=1, price_out=2)
    call = run.calls.first()
    assert call.messages[0]["content"].endswith("EXPLANATION>>>")
    assert json.loads(call.reply) == dict.fromkeys(factories.ASPECTS, 5)
    assert (call.prompt_name, call.model_returned, call.fingerprint) == (
        "explanation.v1",
        "scripted-1",
        "fp-1",
    )
    assert call.prompt_hash == run.frozen["prompt_sha256"]
    assert call.parameters["temperature"] == 0.0
    # 100 tokens in at 1 USD and 10 out at 2 USD a million, by hand
    assert call.cost_usd == Decimal("0.00012")
    assert call.judgments.count() == 4
    assert call.judgments.first().cost_usd == Decimal("0.00003")
    assert run.spent_usd == Decimal("0.00048")


def test_without_prices_the_cost_is_unknown_and_with_zero_prices_it_is_zero(study):
    run, _ = go(study, valid)
    assert set(run.calls.values_list("cost_usd", flat=True)) == {None}
    run, _ = go(factories.make_study("two", items=1), valid, key="free", price_in=0, price_out=0)
    assert set(run.calls.values_list("cost_usd", flat=True)) == {Decimal(0)}


def test_no_more_calls_at_once_than_the_endpoint_allows(owner):
    study = factories.make_study("many", items=30)
    slow = lambda number, request: chat(by_schema(request), delay=0.02)  # noqa: E731
    run, server = go(study, slow, concurrency=3)
    assert server.most_in_flight <= 3
    assert run.state == Run.State.FINISHED


MISSING = {
    "prose": (chat("I would give it a four."), "unparsable", "no JSON in the reply"),
    "empty": (chat(""), "unparsable", "empty reply"),
    "cut off": (chat(GOOD, "length"), "unparsable", "reply cut off at the token limit"),
    "off the scale": (chat(GOOD.replace("4", "7")), "unparsable", "answer off the scale"),
    "a word": (chat(GOOD.replace("4", '"four"')), "unparsable", "answer is no number"),
    "refusal": (chat(None, message={"refusal": "No."}), "refused", "refused by the model"),
    "filter": (chat("", "content_filter"), "refused", "stopped by the content filter"),
    "400": (Reply("{}", 400), "failed", "request refused (4xx)"),
    "HTML": (Reply("<html>"), "failed", "web page instead of a reply"),
    "10 MB": (Reply("x" * (REPLY_BYTES + 1)), "failed", "reply too large"),
}


@pytest.mark.parametrize("case", MISSING)
def test_missing_stays_missing_with_its_reason(study, case):
    reply, state, reason = MISSING[case]
    run, server = go(study, lambda *_: reply, plan={"limit": 1})
    assert run.state == Run.State.FINISHED
    assert states(run) == {state: 4}
    assert set(run.judgments.values_list("value", "reason")) == {(None, reason)}
    assert len(server.requests) == 1, "what is final is not asked twice"


def test_one_bad_aspect_leaves_the_good_ones(study):
    reply = json.dumps(dict.fromkeys(factories.ASPECTS, 3) | {"accuracy": 9})
    run, _ = go(study, lambda *_: chat(reply), plan={"limit": 1})
    assert states(run) == {"done": 3, "unparsable": 1}
    assert run.judgments.get(state="unparsable").question.key == "accuracy"


@pytest.mark.parametrize(
    ("status", "attempts"), [(500, [1, 2, 3]), (429, [1, 1, 1]), (503, [1, 1, 1]), (529, [1, 1, 1])]
)
def test_what_passes_is_asked_again(study, status, attempts):
    def twice_down(number, request):
        return Reply("", status, {"retry-after": "1"}) if number < 2 else valid(number, request)

    run, server = go(study, twice_down, plan={"limit": 1})
    assert states(run) == {"done": 4}
    assert len(server.requests) == 3
    assert list(run.calls.values_list("attempt", flat=True)) == attempts
    assert run.judgments.first().attempts == attempts[-1]


def test_the_attempts_are_bounded_and_the_end_comes_only_after_the_last(study):
    run, server = go(study, lambda *_: Reply("", 500), plan={"limit": 1})
    assert len(server.requests) == settle.MOST_ATTEMPTS == 4
    assert states(run) == {"failed": 4}
    assert run.judgments.first().reason == "server error (5xx)"
    assert run.state == Run.State.FINISHED


def test_a_retry_after_is_honoured(study, monkeypatch):
    """The wait that the endpoint asks for, not the project's own, is what passes."""
    monkeypatch.undo()

    def once_busy(number, request):
        return Reply("", 429, {"retry-after": "1.2"}) if number == 0 else valid(number, request)

    _, server = go(study, once_busy, plan={"limit": 1})
    assert server.times[1] - server.times[0] >= 1.2


def test_ask_the_failed_again_asks_only_for_what_is_missing(study):
    reply = json.dumps(dict.fromkeys(factories.ASPECTS, 3) | {"persuasiveness": 9})
    run, _ = go(study, lambda *_: chat(reply))
    kept = set(run.judgments.filter(state="done").values_list("pk", "call"))
    assert reset_failed(run) == 4
    run.refresh_from_db()
    assert run.state == Run.State.ACTIVE
    with ScriptedServer() as server:
        run.judge.endpoint.base_url = server.url
        run.judge.endpoint.save()
        drive.work_through(run.pk)
    assert states(run) == {"done": 16}
    assert len(server.requests) == 4
    assert kept <= set(run.judgments.values_list("pk", "call")), "good answers are left alone"
    assert run.calls.count() == 8, "the old calls stay as evidence"


def test_cancel_stops_and_resume_goes_on(owner):
    study = factories.make_study("many", items=20)
    with ScriptedServer(lambda n, r: chat(by_schema(r), delay=0.3)) as server:
        run = make_run(study, server, concurrency=4)
        cancelled = []

        def script(number, request):
            if number == 5 and not cancelled:
                cancelled.append(run.pk)
            return chat(by_schema(request), delay=0.05)

        server.script = script
        plain = drive.lease.lease

        def lease(*arguments):
            if cancelled == [run.pk]:
                cancel(run)
                cancelled.append("done")
            return plain(*arguments)

        drive.lease.lease = lease
        try:
            drive.work_through(run.pk)
        finally:
            drive.lease.lease = plain
        run.refresh_from_db()
        assert run.state == Run.State.CANCELLED
        assert 0 < states(run)["done"] < 80
        assert "leased" not in states(run)
        assert resume(run)
        drive.work_through(run.pk)
    assert states(run) == {"done": 80}
    assert len(server.requests) == 20, "nothing was asked twice"


def test_a_worker_that_shuts_down_gives_back_what_waits(study, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(drive, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(drive, "stopping", threading.Event())

    def busy(number, request):
        drive.stopping.set()
        return Reply("", 429, {"retry-after": "600"})

    started = time.monotonic()
    run, _ = go(study, busy)
    assert time.monotonic() - started < 60
    assert run.state == Run.State.ACTIVE
    assert states(run) == {"pending": 16}
    assert run.reserved_usd == 0


PRICES = {"price_in": Decimal(1000), "price_out": Decimal(1000)}


def test_a_run_that_is_done_is_finished_however_little_money_is_left(owner):
    study = factories.make_study("five", items=5)
    with ScriptedServer() as server:
        run = make_run(study, server, plan={"budget": Decimal(100)}, **PRICES)
        estimate = Decimal(run.frozen["unit_usd"])
        # Four calls of 0.11 USD leave room for the fifth by the estimate, and none for a sixth.
        Run.objects.update(budget_usd=estimate + Decimal("0.45"))
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, len(server.requests)) == (Run.State.FINISHED, 5)


def test_the_budget_is_never_passed(owner):
    study = factories.make_study("many", items=12)
    with ScriptedServer() as server:
        run = make_run(study, server, plan={"budget": Decimal(100)}, **PRICES)
        estimate = Decimal(run.frozen["unit_usd"])
        Run.objects.update(budget_usd=estimate + Decimal("0.5"))
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.OUT_OF_BUDGET
    # A call costs 110 tokens × 0.001 = 0.11 USD, its estimate stays free: 0.5 / 0.11 = 4.5.
    assert len(server.requests) == 5
    assert (run.spent_usd, run.reserved_usd) == (Decimal("0.55"), 0)


def test_a_stopped_run_goes_on_with_a_higher_budget(owner):
    study = factories.make_study("many", items=3)
    run, _ = go(study, valid, plan={"budget": Decimal("0.01")}, **PRICES)
    assert (run.state, states(run)) == (Run.State.OUT_OF_BUDGET, {"pending": 12})
    with ScriptedServer() as server:
        run.judge.endpoint.base_url = server.url
        run.judge.endpoint.save()
        assert resume(run, Decimal(100))
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, states(run)) == (Run.State.FINISHED, {"done": 12})


def test_a_reply_without_usage_counts_its_estimate_against_the_budget(study):
    silent = lambda number, request: chat(by_schema(request), tokens=None)  # noqa: E731
    run, _ = go(study, silent, plan={"limit": 1, "budget": Decimal(100)}, **PRICES)
    assert run.calls.get().cost_usd is None
    assert run.spent_usd == Decimal(run.frozen["unit_usd"])


def test_cached_tokens_have_their_own_price():
    endpoint = factories.Endpoint(
        price_in=Decimal(10), price_cached_in=Decimal(1), price_out=Decimal(20)
    )
    # 600 × 10 + 400 × 1 + 50 × 20 = 7,400 USD per million calls
    assert endpoint.cost(1000, 400, 50) == Decimal("0.0074")
    assert endpoint.cost(1000, 5000, 0) == Decimal("0.001"), "never more cached than there are"
    assert endpoint.cost(None, None, 5) is None


def test_a_judge_is_frozen_by_its_first_run(study):
    run, _ = go(study, valid)
    judge = run.judge
    assert judge.settings_hash == run.settings_hash == planning.hash_of(planning.settings_of(judge))
    factories.change_settings(judge, max_tokens=7)
    with pytest.raises(planning.PlanError, match="Make a new judge"):
        planning.plan(judge)


def test_another_address_or_price_is_the_same_judge(study):
    run, _ = go(study, valid)
    run.judge.endpoint.base_url, run.judge.endpoint.price_in = "http://localhost:1/v1", 3
    assert planning.plan(run.judge).settings_hash == run.settings_hash


def test_what_cannot_be_judged_is_left_out_and_counted(study):
    study.items.filter(key="item-0").update(text=" \n ")
    factories.make_question(study, "why", scale="text")
    factories.make_question(study, "other", applies_to=["profile"])
    run, server = go(study, valid)
    assert len(server.requests) == 3
    assert run.judgments.count() == 12
    assert run.frozen["left_out"] == {
        "items_without_text": 1,
        "questions_without_numbers": ["why"],
    }


REFUSED = {
    "no items": (lambda study: study.items.all().delete(), "has no items yet"),
    "no texts": (lambda study: study.items.update(text=""), "nothing to judge"),
    "text questions only": (
        lambda study: Question.objects.update(scale_spec={"kind": "text"}),
        "no question with",
    ),
    "an unknown prompt": (lambda study: Judge.objects.update(prompt="x.v1"), "explanation.v1"),
    "a host off the list": (
        lambda study: factories.Endpoint.objects.update(base_url="http://10.0.0.1/v1"),
        "not in ENDPOINT_HOSTS",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_start_says_why_and_writes_nothing(study, case):
    judge = factories.make_judge(study, "judge", factories.make_endpoint())
    spoil, words = REFUSED[case]
    spoil(study)
    judge = Judge.objects.get(pk=judge.pk)
    with pytest.raises(planning.PlanError, match=words):
        planning.plan(judge)
    assert not Run.objects.exists()
    assert not Judge.objects.get(pk=judge.pk).is_frozen


def command(*arguments):
    output = StringIO()
    call_command("run_judge", *arguments, stdout=output)
    return output.getvalue()


def test_the_command_works_by_itself_when_no_worker_is_alive(study):
    with ScriptedServer() as server:
        factories.make_judge(study, "judge", factories.make_endpoint(server.url))
        output = command("films", "judge", "--wait", "--limit", "2")
    assert "No worker is alive" in output
    assert "8 judged, 0 without a value" in output
    assert Judgment.objects.filter(state="done").count() == 8


def test_the_command_fails_when_nothing_was_judged(study):
    with ScriptedServer(lambda *_: Reply("", 404)) as server:
        factories.make_judge(study, "judge", factories.make_endpoint(server.url))
        with pytest.raises(CommandError, match="Nothing was judged"):
            command("films", "judge", "--wait")
    assert Call.objects.count() == 4


def test_the_command_resumes_what_was_stopped(study):
    with ScriptedServer() as server:
        run = make_run(study, server)
        cancel(run)
        assert f"Run {run.pk} is resumed" in command("films", "judge", "--wait")
    assert Run.objects.count() == 1


def test_the_command_names_what_there_is(study):
    factories.make_judge(study, "careful")
    with pytest.raises(CommandError, match="Studies: films"):
        command("nope", "careful")
    with pytest.raises(CommandError, match="Judges: careful"):
        command("films", "nope")
    with pytest.raises(CommandError, match="cannot be run"):
        command("films", "careful")
