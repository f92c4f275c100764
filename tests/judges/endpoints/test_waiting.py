"""Who waits for an endpoint that wants to be left alone, and what stops a run."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db.models import Count
from django.utils import timezone

from judges.endpoints import limits, pace
from judges.endpoints.client import Answer, Failure
from judges.endpoints.gate import Gate
from judges.models import Call, Endpoint, Judgment, Run
from judges.runs import drive, lease, settle
from judges.runs.plan import plan
from judges.runs.resume import resume
from tests import factories
from tests.judges.runs.test_drive import GOOD, go, make_run, states
from tests.scripted_server import Reply, ScriptedServer, chat, valid

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    plain = settle.Outcome.wait
    monkeypatch.setattr(settle.Outcome, "wait", lambda self: (w := plain(self)) and w / 10_000)


@pytest.fixture
def twelve(owner):
    return factories.make_study("twelve", items=12)


# An endpoint that wants to be left alone


@pytest.mark.parametrize("status", [429, 503, 529])
def test_no_item_fails_while_the_endpoint_answers_now_and_then(twelve, status):
    """One call in twenty-five is answered."""
    now_and_then = lambda n, r: valid(n, r) if n % 25 == 0 else Reply("", status)  # noqa: E731
    run, server = go(twelve, now_and_then, concurrency=3)
    assert (run.state, states(run)) == (Run.State.FINISHED, {"done": 48})
    assert len(server.requests) > 12 * settle.MOST_PAUSES
    assert max(run.judgments.values_list("attempts", flat=True)) <= 2, "a drive gives each up once"


def test_a_run_pauses_once_the_endpoint_answered_nobody_for_a_while(twelve, monkeypatch):
    monkeypatch.setattr(settle, "PATIENCE", timedelta(0))
    script = lambda n, r: valid(n, r) if n < 3 else Reply("", 503)  # noqa: E731
    with ScriptedServer(script) as server:
        run = make_run(twelve, server, concurrency=2)
        drive.work_through(run.pk)
        run.refresh_from_db()
        assert (run.state, states(run)) == (Run.State.STOPPED, {"done": 12, "pending": 36})
        assert run.stopped_because == (
            "no call was answered in 0 minutes: endpoint overloaded. "
            "The endpoint gave status 503 and no reason."
        )
        put_off = run.calls.values("unit").annotate(times=Count("pk")).order_by("-times")
        assert put_off[0]["times"] == settle.MOST_PAUSES
        server.script = valid
        assert resume(run)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, states(run)) == (Run.State.FINISHED, {"done": 48})


# {what the last call of the endpoint was: (its fields, whether the endpoint is silent since)}
LATELY = {
    "an answer": ({}, False),
    "an answer, of another run": ({"of": "other run"}, False),
    "an answer, of another endpoint": ({"of": "other endpoint"}, True),
    "an answer, quarter of an hour ago": ({"minutes": 15}, True),
    "an answer, nearly so long ago": ({"minutes": 14.9}, False),
    "a reply of the past that was taken over": ({"reused": True}, True),
    "a refusal by the model": ({"failure": Failure.REFUSAL}, False),
    "a limit": ({"failure": Failure.RATE}, True),
    "a key refused": ({"failure": Failure.AUTHENTICATION}, True),
    "an error": ({"failure": Failure.SERVER}, True),
}


@pytest.mark.parametrize("case", LATELY)
def test_an_endpoint_is_silent_when_no_call_of_any_run_was_answered_of_late(study, case):
    fields, silent = LATELY[case]
    now, endpoint = timezone.now(), factories.make_endpoint(key="here")
    other = factories.make_endpoint(key="there")
    of = fields.get("of", "")
    judge = factories.make_judge(study, "judge", other if of == "other endpoint" else endpoint)
    call = Call.objects.create(run=plan(judge), unit=0, failure=fields.get("failure", ""))
    if fields.get("reused"):
        again = factories.make_judge(study, "again", other)
        of_past = Call.objects.create(run=plan(again), unit=0)
        call.reused_from = of_past
        call.save()
    moment = now - timedelta(minutes=fields.get("minutes", 1))
    Call.objects.filter(pk=call.pk).update(created_at=moment)
    assert settle.is_silent(endpoint, now) is silent


@pytest.mark.parametrize("failure", [Failure.RATE, Failure.BUSY, Failure.SERVER])
def test_a_limit_keeps_all_workers_from_the_endpoint_and_an_error_only_its_call(failure):
    endpoint = factories.make_endpoint()
    gate, another = Gate(endpoint), Gate(endpoint)
    unit = lease.Unit(0, None, pauses=5000)  # 3.2 milliseconds here, 32 seconds in truth
    gate.record([settle.Outcome(unit, [], {}, Answer(failure=failure))])
    endpoint.refresh_from_db()
    assert (gate.opens > 0) is (endpoint.not_before is not None) is (failure is not Failure.SERVER)
    limits.wait_all(endpoint, 60)
    another.look()
    assert another.is_closed()


# Single items that are put off for ever, while the endpoint answers for the others

PRICED = {"price_in": Decimal(1), "price_out": Decimal(1)}
# {how the run is: (which items are put off, the places, whether it has a budget, other fields)}
PUT_OFF = {
    "one place is left": ([0], 8, False, {"known_limit": 1, "known_slow": True}),
    "one place in all": ([0], 1, False, {}),
    "as many places as items": ([5], 12, False, {}),
    "more of them than places": ([3, 4, 5, 6], 2, False, {}),
    "one place under a budget": ([5], 1, True, PRICED),
    "the first call under a budget": ([0], 8, True, PRICED),
    "the first two under a budget": ([0, 1], 8, True, PRICED),
}


def put_off(items, most, then=None):
    """A script that puts these items off, and what it was asked, each as whether it is of them.

    When they were asked so often as `most`, they are answered, or `then` is called.
    """
    asked, plain = [], by_item(lambda n: LIMIT if n in items else None)

    def script(number, request):
        reply = plain(number, request)
        asked.append(reply is LIMIT)
        if sum(asked) > most:
            return then() or reply if then else valid(number, request)
        return reply

    return script, asked


def go_priced(study, script, places, has_budget, fields):
    budget = {"plan": {"budget": Decimal(1)}} if has_budget else {}
    return go(study, script, concurrency=places, **budget, **fields)[0]


@pytest.fixture
def _at_once(monkeypatch):
    """Each limit cuts the pace, as after its cool-down, and nobody sleeps before a look."""
    monkeypatch.setattr(pace, "SHORTEST_COOL_DOWN", 0.0)
    monkeypatch.setattr(drive, "POLL_SECONDS", 0.01)


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize("case", PUT_OFF)
def test_items_that_are_put_off_for_ever_keep_no_other_from_being_asked(twelve, monkeypatch, case):
    items, *how = PUT_OFF[case]
    give_up = lambda: monkeypatch.setattr(settle, "PATIENCE", timedelta(0))  # noqa: E731
    script, asked = put_off(items, 60, give_up)
    run = go_priced(twelve, script, *how)
    done = 4 * (12 - len(items))
    assert states(run) == {"done": done, "pending": 48 - done}
    assert run.state == Run.State.STOPPED and "rate limit" in run.stopped_because
    before = asked[: len(asked) - asked[::-1].index(False)]
    assert sum(before) <= (drive.GIVES_WAY + 1) * len(items), "others waited for them"


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize("case", PUT_OFF)
def test_items_that_were_put_off_are_asked_again_after_the_others(twelve, case):
    items, *how = PUT_OFF[case]
    script, asked = put_off(items, 20 * len(items))
    run = go_priced(twelve, script, *how)
    assert (run.state, states(run)) == (Run.State.FINISHED, {"done": 48})
    assert sum(asked) > 20 * len(items) and run.reserved_usd == 0


def test_who_gives_way_makes_a_silent_endpoint_no_less_silent(twelve):
    """With a budget the first call goes alone, so that each of three gives way to the next."""
    run = go_priced(twelve, lambda *_: LIMIT, 8, True, PRICED)
    assert (run.state, states(run)) == (Run.State.STOPPED, {"pending": 48})
    assert run.stopped_because.startswith("no call was answered in 15 minutes: rate limit")
    put_off = run.calls.order_by("pk").values_list("unit", flat=True)
    assert list(put_off) == [0, 0, 0, 1, 2, 3, 4, 5], "eight in all"
    with ScriptedServer(lambda *_: LIMIT) as server:
        Endpoint.objects.update(base_url=server.url, not_before=None)
        run = Run.objects.get()
        assert resume(run)
        drive.work_through(run.pk)
    assert run.calls.order_by("pk")[8].unit == 6, "whom nobody asked yet comes first"


@pytest.mark.usefixtures("_at_once")
def test_where_all_are_put_off_who_comes_next_waits_as_long_as_who_gave_way(twelve, monkeypatch):
    waited, of_outcome = {}, settle.Outcome.wait

    def wait(self):
        if self.is_pause:
            waited.setdefault(id(self.unit), []).append(self.unit.pauses)
            outcomes.append(self)
        return of_outcome(self)

    outcomes: list = []
    monkeypatch.setattr(settle.Outcome, "wait", wait)
    stop = lambda: monkeypatch.setattr(settle, "PATIENCE", timedelta(0))  # noqa: E731
    script, _ = put_off(range(3, 12), 30, stop)
    run, _ = go(twelve, script, concurrency=1)
    assert run.state == Run.State.STOPPED
    begun = [pauses[0] for pauses in waited.values()]
    assert min(begun[2:]) >= drive.GIVES_WAY, "but for the first, and the one that was leased ahead"


# {name: (how often it was put off before, seconds since, the answer to others since, odd)}
SINCE = {
    "another was answered": (3, 60, "", True),
    "another was refused by the model": (3, 60, Failure.REFUSAL, True),
    "another was put off too": (3, 60, Failure.RATE, False),
    "another was answered before": (3, 10, "", False),
    "it was put off twice": (2, 60, "", False),
}


@pytest.mark.parametrize("case", SINCE)
def test_only_what_is_put_off_alone_and_often_is_odd(twelve, case):
    pauses, seconds, failure, odd = SINCE[case]
    run = plan(factories.make_judge(twelve, "judge", factories.make_endpoint()))
    call = Call.objects.create(run=run, unit=1, failure=failure)
    now = timezone.now()
    Call.objects.filter(pk=call.pk).update(created_at=now - timedelta(seconds=30))
    unit = lease.Unit(0, None, pauses=pauses, put_off=now - timedelta(seconds=seconds))
    outcome = settle.Outcome(unit, [], {}, Answer(failure=Failure.RATE))
    drive.Drive(run)._mark_odd([outcome])
    assert outcome.odd is odd
    assert unit.put_off >= now


@pytest.mark.parametrize("odd", [True, False])
@pytest.mark.parametrize("told", [None, 60])
def test_what_is_odd_slows_the_others_only_as_long_as_the_endpoint_says(odd, told):
    endpoint = factories.make_endpoint(concurrency=10)
    gate, unit = Gate(endpoint), lease.Unit(0, None, pauses=5000)
    answer = Answer(failure=Failure.RATE, retry_after=told)
    outcome = settle.Outcome(unit, [], {}, answer, odd=odd)
    gate.record([outcome])
    gate.heard(outcome)
    endpoint.refresh_from_db()
    assert (gate.opens > 0) is (endpoint.not_before is not None) is bool(told or not odd)
    assert gate.limit == (10 if odd else 8)


# What stops a run

# Nothing that is about one item; {name: (the reply, the failure)}.
ALIKE = {
    "a key that was revoked": (Reply("", 401), Failure.AUTHENTICATION),
    "a key that may not": (Reply("", 403), Failure.AUTHENTICATION),
    "no such model": (Reply("", 404), Failure.NOT_FOUND),
    "a request that nobody takes": (Reply("", 400), Failure.BAD_REQUEST),
    "an address that has moved": (Reply("", 307, {"location": "/"}), Failure.REDIRECT),
    "a page to log in": (Reply("<html>"), Failure.HTML),
    "an error with status 200": (Reply({"error": "no"}), Failure.NO_CHAT),
    "streams that nobody asked for": (Reply("data: {}\n\n"), Failure.STREAM),
    "packed as nobody asked": (Reply("x", headers={"content-encoding": "zstd"}), Failure.PACKED),
}


@pytest.mark.parametrize("case", ALIKE)
@pytest.mark.parametrize("concurrency", [1, 4])
def test_five_calls_in_a_row_that_fail_alike_stop_the_run(twelve, case, concurrency):
    reply, failure = ALIKE[case]
    script = lambda n, r: valid(n, r) if n < 3 else reply  # noqa: E731
    with ScriptedServer(script) as server:
        run = make_run(twelve, server, concurrency=concurrency)
        drive.work_through(run.pk)
        run.refresh_from_db()
        assert (run.state, states(run)) == (Run.State.STOPPED, {"done": 12, "pending": 36})
        said = failure.partition(" (")[0]
        assert run.stopped_because.startswith(f"5 calls in a row failed alike: {said}")
        assert 0 <= len(server.requests) - 3 - settle.IN_A_ROW <= concurrency, "those under way"
        assert run.reserved_usd == 0
        server.script = valid
        assert resume(run)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, states(run)) == (Run.State.FINISHED, {"done": 48})


KEY, MODEL, LIMIT = Reply("", 401), Reply("", 404), Reply("", 429)
TOO_LONG, FILTERED = Reply("", 413), chat("", "content_filter")
# {what comes: (replies in turn, "g" is a good one; state of the run; units that failed)}
ROWS = {
    "four": ([KEY] * 4 + ["g"] * 8, Run.State.FINISHED, 4),
    "five, the last of all": (["g"] * 7 + [KEY] * 5, Run.State.STOPPED, 0),
    "a good one between": ([KEY] * 4 + ["g"] + [KEY] * 4 + ["g"] * 3, Run.State.FINISHED, 8),
    "of two kinds in turn": ([KEY, MODEL] * 6, Run.State.FINISHED, 12),
    "limits between": ([KEY, LIMIT] * 4 + [KEY], Run.State.STOPPED, 0),
    "items that are too long": ([TOO_LONG] * 12, Run.State.FINISHED, 12),
    "items that a filter stops": ([FILTERED] * 12, Run.State.FINISHED, 12),
    "after others that stay failed": ([MODEL] * 2 + [KEY] * 5, Run.State.STOPPED, 2),
}


@pytest.mark.parametrize("case", ROWS)
def test_a_row_is_of_one_kind_without_an_answer_between(twelve, case):
    replies, state, failed = ROWS[case]
    replies = [chat(GOOD) if reply == "g" else reply for reply in replies]
    script = lambda n, _: replies[min(n, len(replies) - 1)]  # noqa: E731
    run, _ = go(twelve, script, concurrency=1)
    assert run.state == state
    assert run.judgments.filter(state__in=Judgment.NO_VALUE).count() == 4 * failed
    assert (run.judgments.open().count() > 0) is (state == Run.State.STOPPED)


# Refusals of single items. {what the n-th of them gets: the Reply}
OF_ITS_OWN = {
    "words of its own": lambda n: refusal(f"Bad text: {'abcdefghij'[n]}"),
    "in a list": lambda n: refusal("Bad text", errors=[{"msg": "abcdefghij"[n]}]),
    "quoted": lambda n: Reply({"detail": f"Cannot rate '{'abcdefghij'[n]}'"}, 422),
    "with status 200": lambda n: Reply({"error": {"message": f"No {'abcdefghij'[n]}"}}),
}
# Nothing tells these from refusals of all items, but that others are answered.
ALIKE_BY_ITEM = {
    "the same words": lambda n: refusal(f"The text no. {n} cannot be rated."),
    "a page of a firewall": lambda n: Reply("<html>", 403),
    "words of money": lambda n: refusal("This text says: no credit left on my phone"),
}


def refusal(message, **fields):
    return Reply({"error": {"message": message} | fields}, 400)


def by_item(refused):
    """A script that refuses some items, each known by its prompt, and answers the others."""
    seen = []

    def script(number, request):
        prompt = str(request["messages"])
        if prompt not in seen:
            seen.append(prompt)
        reply = refused(seen.index(prompt))
        return reply or valid(number, request)

    return script


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("case", OF_ITS_OWN)
def test_items_that_are_refused_in_their_own_words_stop_no_run(twelve, case, concurrency):
    script = by_item(lambda n: OF_ITS_OWN[case](n) if n < 8 else None)
    run, server = go(twelve, script, concurrency=concurrency)
    assert (run.state, states(run)) == (Run.State.FINISHED, {"failed": 32, "done": 16})
    assert len(server.requests) == 12


@pytest.mark.parametrize("case", ALIKE_BY_ITEM)
def test_a_resume_asks_the_others_first_and_gets_past_what_is_refused_again(twelve, case):
    script = by_item(lambda n: ALIKE_BY_ITEM[case](n) if n < 6 else None)
    with ScriptedServer(script) as server:
        run = make_run(twelve, server, concurrency=1)
        for _ in range(10):
            drive.work_through(run.pk)
            run.refresh_from_db()
            if run.state == Run.State.FINISHED:
                break
            before = states(run)
            assert resume(run)
    assert (run.state, states(run)) == (Run.State.FINISHED, {"failed": 24, "done": 24})
    assert before.keys() <= {"pending", "failed", "done"} and run.reserved_usd == 0
    times = run.calls.values("unit").annotate(times=Count("pk")).values_list("times", flat=True)
    assert max(times) == 2, "each is asked once more, after the others"


def test_where_nothing_is_answered_each_resume_asks_what_nobody_asked_yet(twelve):
    with ScriptedServer(lambda *_: refusal("No such parameter.")) as server:
        run = make_run(twelve, server, concurrency=1)
        seen = set()
        for _ in range(2):
            drive.work_through(run.pk)
            run.refresh_from_db()
            assert (run.state, states(run)) == (Run.State.STOPPED, {"pending": 48})
            before, seen = seen, set(run.calls.values_list("unit", flat=True))
            assert len(seen - before) >= 5
            assert resume(run)
        drive.work_through(run.pk)
        run.refresh_from_db()
        assert run.state == Run.State.STOPPED
        server.script = valid
        assert resume(run)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, states(run)) == (Run.State.FINISHED, {"done": 48})


def test_a_row_goes_on_over_workers_and_kills_and_begins_anew_after_a_resume(twelve):
    with ScriptedServer(lambda *_: KEY) as server:
        run = make_run(twelve, server, concurrency=1)
        (unit,) = lease.lease(run, run.judge.endpoint, "killed", 1)
        refused = settle.Outcome(unit, [], {}, Answer(failure=Failure.AUTHENTICATION))
        settle.store_calls(run, run.judge.endpoint, [refused], "killed")
        settle.settle_lost(timezone.now() + timedelta(hours=1))
        assert not settle.stop_if_alike(run)
        drive.work_through(run.pk)
        run.refresh_from_db()
        assert (run.state, states(run)) == (Run.State.STOPPED, {"pending": 48})
        assert 4 <= len(server.requests) <= 5
        assert resume(run)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert (run.state, states(run)) == (Run.State.STOPPED, {"pending": 48})
    assert 9 <= len(server.requests) <= 11
    assert run.calls.count() == len(server.requests) + 1, "what was asked stays"


def test_a_stop_counts_no_attempt_at_what_was_never_sent(twelve):
    script = lambda n, _: Reply("", 401, delay=0.3) if n else Reply("", 402)  # noqa: E731
    run, _ = go(twelve, script, concurrency=8)
    assert (run.state, states(run)) == (Run.State.STOPPED, {"pending": 48})
    asked = set(run.calls.values_list("unit", flat=True))
    assert 8 <= len(asked) < 12
    assert set(run.judgments.exclude(unit__in=asked).values_list("attempts", flat=True)) == {0}
    assert set(run.judgments.filter(unit__in=asked).values_list("attempts", flat=True)) == {1}


def test_an_error_counts_an_attempt_at_what_it_kept_from_being_sent(twelve, monkeypatch):
    """It may be an error of the unit, which would come back for ever."""

    def broken(*_):
        raise ValueError("cannot be asked")

    monkeypatch.setattr(drive.Drive, "_sent", broken)
    with ScriptedServer() as server:
        run = make_run(twelve, server, concurrency=1)
        with pytest.raises(ValueError, match="cannot be asked"):
            drive.work_through(run.pk)
    taken = run.judgments.filter(attempts=1, lead=True).count()
    assert (taken, states(run)) == (2, {"pending": 48})


def test_what_comes_after_the_stop_waits_too(twelve):
    """Some calls are under way when the fifth refusal stops the run."""
    script = lambda n, _: Reply("", 401, delay=0.5 if n >= 5 else 0)  # noqa: E731
    run, server = go(twelve, script, concurrency=8)
    assert (run.state, states(run)) == (Run.State.STOPPED, {"pending": 48})
    assert run.calls.count() == len(server.requests) > settle.IN_A_ROW
