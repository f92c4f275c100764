"""Checks for drift: the same questions again, compared in words, and never analysed."""

import json
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.urls import reverse

from analysis.answers import frame
from analysis.answers.repeats import repeats_and_outcomes
from analysis.answers.spending import spending
from analysis.exports import tables
from analysis.overview.overview import summary
from judges.checks.drift import checkable, compare, plan_check, sample
from judges.models import Endpoint, Heartbeat, Judge, Judgment, Run
from judges.runs import drive, resume
from judges.runs.plan import PlanError, plan
from judges.runs.versions import begin_version
from tests import factories
from tests.scripted_server import Reply, ScriptedServer, chat

pytestmark = pytest.mark.django_db


def says(value, model="scripted-1", fingerprint="fp-1", **more):
    """A script that answers every question with the value, or with value(number)."""

    def script(number, request):
        keys = list(request["response_format"]["json_schema"]["schema"]["properties"])
        found = value(number) if callable(value) else value
        reply = chat(json.dumps(dict.fromkeys(keys, found) | more))
        reply.body |= {"model": model, "system_fingerprint": fingerprint}
        return reply

    return script


@pytest.fixture
def study(owner):
    return factories.make_study(owner=owner, items=6)


@pytest.fixture
def server():
    with ScriptedServer(says(3)) as server:
        yield server


@pytest.fixture
def past(study, server):
    """A finished run: 3 for everything."""
    return run_of(study, server)


def run_of(study, server, **fields):
    endpoint = Endpoint.objects.first()
    endpoint = endpoint or factories.make_endpoint(server.url, timeout_seconds=5, concurrency=1)
    judge = factories.make_judge(study, endpoint=endpoint, **fields)
    run = plan(judge)
    drive.work_through(run.pk)
    server.requests.clear()
    return Run.objects.get(pk=run.pk)


def check(run, server, script=None, items=4):
    """The Drift that is found once the server answers by this script."""
    again = plan_check(run, items)
    start = len(server.requests)
    if script:
        server.script = lambda number, request: script(len(server.requests) - start - 1, request)
    drive.work_through(again.pk)
    again.refresh_from_db()
    assert again.state == Run.State.FINISHED
    return again, compare(again)


def test_every_call_is_made_anew_with_the_same_settings(past, server):
    before = list(past.calls.values_list("messages", "parameters"))
    again, drift = check(past, server)
    assert len(server.requests) == 4, "nothing stored is taken for an answer"
    assert again.calls.count() == 4
    assert all(pair in before for pair in again.calls.values_list("messages", "parameters"))
    assert again.settings_hash == past.settings_hash
    assert past.calls.count() == 6, "the past run stays as it was"


def test_a_model_that_answers_as_before(past, server):
    _, drift = check(past, server)
    assert drift.sentences == [
        "The model is the same as before: scripted-1.",
        "The fingerprint is the same as before: fp-1.",
        "16 of 16 answers are the same as before.",
    ]
    for each in drift.moved:
        assert (each.same, each.n, each.lost, each.words) == (4, 4, 0, "the same answers")
        assert (each.change.value, each.change.low, each.change.high) == (0, 0, 0)


def test_a_model_that_moved_under_the_same_name(past, server):
    """3, 4, 4, 5 for 3: changes 0, 1, 1, 2, by hand 1 ± 3.182446 · .816497/2."""
    _, drift = check(past, server, says(lambda n: [3, 4, 4, 5][n], fingerprint="fp-2"))
    assert drift.sentences[0] == "The model is the same as before: scripted-1."
    assert drift.sentences[1] == "The fingerprint is another one: fp-1 before, fp-2 now."
    assert drift.sentences[2] == "4 of 16 answers are the same as before."
    half = 3.182446 * 0.8164966 / 2
    for each in drift.moved:
        assert (each.same, each.n) == (1, 4)
        assert each.change.value == 1
        assert (each.change.low, each.change.high) == pytest.approx((1 - half, 1 + half), abs=1e-6)
        assert each.words == "no change of the mean to be seen"


def test_a_clear_move_has_its_direction_in_words(past, server):
    _, drift = check(past, server, says(4, model="newer"))
    assert drift.sentences[0] == "The model is another one: scripted-1 before, newer now."
    assert {each.words for each in drift.moved} == {"higher than before"}
    _, drift = check(past, server, says(lambda n: [1, 2, 1, 2][n]))
    assert {each.words for each in drift.moved} == {"lower than before"}


def test_what_has_no_value_any_more_is_counted_and_not_a_number(past, server):
    _, drift = check(past, server, says(3, accuracy="four"))
    lost = {each.question.key: (each.n, each.lost, each.words) for each in drift.moved}
    assert lost["accuracy"] == (0, 4, "nothing to compare")
    assert lost["satisfaction"] == (4, 0, "the same answers")


def test_an_endpoint_that_is_gone(past, server):
    server.script = lambda *_: Reply("", 404)
    again = plan_check(past, 2)
    drive.work_through(again.pk)
    drift = compare(again)
    assert drift.sentences[0] == "The model is another one: scripted-1 before, none now."
    assert drift.sentences[2].startswith("No answer can be compared")


def test_samples_are_averaged_and_chance_is_named(study, server):
    server.script = says(lambda n: 2 + n % 3)
    past = run_of(study, server, samples=3, temperature=0.7)
    again, drift = check(past, server, items=2)
    assert again.judgments.count() == past.judgments.filter(item__in=sample(past, 2)).count()
    assert all(each.n == 2 for each in drift.moved)
    _, drift = check(past, server, says(5), items=2)
    assert "At a temperature of 0.7 answers differ by chance too" in drift.sentences[2]


def test_a_model_without_a_temperature_answers_by_chance_too(study, server):
    findings = {"temperature": [False, "It takes none.", True]}
    factories.make_endpoint(server.url, timeout_seconds=5, concurrency=1, findings=findings)
    _, drift = check(run_of(study, server), server, says(5), items=2)
    assert "No temperature is sent, so answers differ by chance" in drift.sentences[2]


def test_a_single_aspect_judge_is_asked_in_as_many_calls(study, server):
    past = run_of(study, server, aspects=Judge.Aspects.SINGLE)
    check(past, server, items=2)
    assert len(server.requests) == 8


def test_the_sample_is_the_same_whatever_else_there_is(past, study):
    first = sample(past, 3)
    assert sample(past, 3) == first
    assert set(first) < set(sample(past, 5))
    question, item = study.questions.first(), factories.make_item(study, "item-99")
    Judgment.objects.create(run=past, item=item, question=question, unit=99, value=1, state="done")
    assert len(set(sample(past, 3)) - set(first)) <= 1
    assert len(sample(past, 500)) == 7


def test_what_it_shows_beside_the_item_is_what_was_shown(server):
    from tests.judges.prompting.test_examples import make_grid

    study = make_grid()
    past = run_of(study, server, prompt="explanation.v2", shots=Judge.Shots.ONE)
    sent = {tuple(m["content"] for m in call.messages) for call in past.calls.all()}
    study.items.update(reference="changed meanwhile")
    factories.Rating.objects.all().delete()
    again, _ = check(past, server)
    assert {tuple(m["content"] for m in call.messages) for call in again.calls.all()} <= sent


# Never analysed


def test_a_check_is_in_no_number(past, server, study):
    before = frame.read_answers(study), frame.Reader(study).fingerprint(), exported(study)
    check(past, server, says(5))
    after = frame.read_answers(study)
    assert after.table.equals(before[0].table)
    assert frame.Reader(study).fingerprint() == before[1], "no report is computed again"
    assert exported(study) == before[2]
    study.may_edit = True
    assert summary(study)["judged"] == 24


def test_a_check_makes_no_item_dearer_and_no_judge_less_sure(study, server):
    endpoint = factories.make_endpoint(server.url, price_in=1, price_out=1, timeout_seconds=5)
    past = run_of(study, server, samples=2, temperature=0.5)
    assert past.judge.endpoint == endpoint

    def numbers():
        costs = spending(study)["judge"].items.sort_index()
        values, ended = repeats_and_outcomes(study)
        return costs[["cost", "calls"]].values.tolist(), len(values), ended["n"]

    before = numbers()
    check(past, server, says(1))
    after = numbers()
    assert after[0] == before[0] and {calls for _, calls in after[0]} == {2}
    assert after[1] == before[1] == 6 * 4 * 2
    assert after[2].tolist() == before[2].tolist()


def exported(study):
    return [list(tables.rows(study, table)[1]) for table in ("scores", "judgments", "samples")]


def test_the_next_run_goes_on_where_the_last_judging_one_was(past, server, study):
    again = plan_check(past, 2)
    resume.cancel(again)
    run, said = resume.start(past.judge)
    assert "is planned" in said and run.pk != again.pk


def test_a_check_whose_account_cannot_pay_stops_says_so_and_can_be_resumed(
    past, server, study, as_owner
):
    """Two replies of four came: what was not asked yet is not called lost."""
    broke = Reply({"error": {"code": "insufficient_quota"}}, 429)
    again = plan_check(past, 4)
    answers = says(3)
    server.script = lambda number, request: (
        answers(number, request) if len(server.requests) <= 2 else broke
    )
    drive.work_through(again.pk)
    again.refresh_from_db()
    assert again.state == Run.State.STOPPED
    drift = compare(again)
    assert drift.sentences[2:] == [
        "8 of 8 answers are the same as before.",
        "8 answers were not asked for again yet.",
    ]
    assert {(each.n, each.lost) for each in drift.moved} == {(2, 0)}
    page = as_owner.get(again.get_absolute_url()).content.decode()
    assert "billing limit" in page and "8 answers were not asked for again yet." in page
    server.script = answers
    as_owner.post(reverse("run_resume", args=[study.slug, again.pk]))
    drive.work_through(again.pk)
    again.refresh_from_db()
    assert again.state == Run.State.FINISHED
    assert compare(again).sentences[2:] == ["16 of 16 answers are the same as before."]


def test_a_check_that_nothing_came_of_says_why(past, server):
    server.script = lambda *_: Reply({"error": {"code": "insufficient_quota"}}, 429)
    again = plan_check(past, 2)
    drive.work_through(again.pk)
    assert compare(again).sentences[2:] == [
        "No answer can be compared: none has come yet.",
        "8 answers were not asked for again yet.",
    ]


def test_a_check_keeps_its_budget(study, server):
    """A call costs a cent; after the first, what is left is less than one may cost at most."""
    endpoint = factories.make_endpoint(server.url, concurrency=1, price_in=10, price_out=0)
    server.script = lambda number, request: Reply(
        says(3)(number, request).body | {"usage": {"prompt_tokens": 1000, "completion_tokens": 10}}
    )
    past = plan(factories.make_judge(study, "priced", endpoint))
    drive.work_through(past.pk)
    past.refresh_from_db()
    again = plan_check(past, 4, Decimal("0.005") + past.unit_usd)
    assert again.unit_usd == past.unit_usd > 0, "the estimate is known before the first call"
    server.requests.clear()
    drive.work_through(again.pk)
    again.refresh_from_db()
    assert (again.state, len(server.requests)) == (Run.State.OUT_OF_BUDGET, 1)
    assert again.spent_usd == Decimal("0.01")


# What cannot be checked


def test_what_cannot_be_checked_says_why(past, study, server):
    again = plan_check(past, 2)
    with pytest.raises(PlanError, match="running already"), transaction.atomic():
        plan_check(past, 2)
    with pytest.raises(PlanError, match=f"is a check itself; check run {past.pk}"):
        plan_check(again, 2)
    resume.cancel(again)
    with pytest.raises(PlanError, match="allowed are 1 to 500"):
        plan_check(past, 501)
    with pytest.raises(PlanError, match="no prices"):
        plan_check(past, 2, Decimal(1))
    Judgment.objects.filter(run=past).update(state="failed", value=None)
    with pytest.raises(PlanError, match="no answer yet"):
        plan_check(past, 2)
    assert checkable(past.judge) is None


def test_a_judge_that_computes_cannot_drift(study):
    judge = factories.make_judge(study, "R", kind=Judge.Kind.RANDOM)
    run = factories.make_judgments(judge, {(study.items.first(), study.questions.first()): 3})
    assert checkable(judge) is None
    with pytest.raises(PlanError, match="asks no model"):
        plan_check(run)


# Pages and command


def test_the_button_and_the_page(past, server, study, as_owner, django_assert_max_num_queries):
    at = reverse("judge", args=[study.slug, past.judge_id])
    assert f"Check run {past.pk} for drift" in as_owner.get(at).content.decode()
    answer = as_owner.post(reverse("judge_check", args=[study.slug, past.judge_id]), {"items": 3})
    again = Run.objects.checks().get()
    assert (answer.status_code, answer.url) == (302, again.get_absolute_url())
    page = as_owner.get(answer.url).content.decode()
    assert "It is never analysed." in page and "stands here once the check has ended" in page
    drive.work_through(again.pk)
    with django_assert_max_num_queries(20):
        page = as_owner.get(answer.url).content.decode()
    assert "The fingerprint is the same as before: fp-1." in page
    assert "12 of 12 answers are the same as before." in page
    page = as_owner.get(at).content.decode()
    assert f"check of run {past.pk}" in page
    assert (
        f"check of run {past.pk}"
        in as_owner.get(reverse("runs", args=[study.slug])).content.decode()
    )


@pytest.mark.parametrize("items", ["0", "501", "", "many"])
def test_a_wrong_number_is_refused_on_the_page(past, study, as_owner, items):
    at = reverse("judge_check", args=[study.slug, past.judge_id])
    answer = as_owner.post(at, {"items": items})
    assert answer.status_code == 422
    assert not Run.objects.checks().exists()


def command(*arguments):
    out = StringIO()
    call_command("check_drift", "films", "judge", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_tells_it_in_words(past, server):
    server.script = says(5, fingerprint="fp-9")
    said = command("--items", "3", "--wait")
    assert f"asks 3 items of run {past.pk} again." in said
    assert "The fingerprint is another one: fp-1 before, fp-9 now." in said
    assert "accuracy: 0 of 3 the same, mean moved by +2.000 [2.000, 2.000]: higher" in said
    assert not Heartbeat.objects.exists()


def test_the_command_refuses_in_words(past, study):
    with pytest.raises(CommandError, match="has no run of number 999"):
        command("--run", "999")
    with pytest.raises(CommandError, match="allowed are 1 to 500"):
        command("--items", "600")
    Judgment.objects.all().delete()
    with pytest.raises(CommandError, match="has no run with an answer"):
        command()


def test_a_run_of_a_later_version_is_asked_again_in_its_own_words(study, server, owner):
    """Else the model would seem to have moved, and a new question could not be asked at all."""
    first = run_of(study, server)
    assert begin_version(study, owner)
    study.questions.filter(key="accuracy").update(text="Accuracy in new words.")
    factories.make_question(study, "humour", text="It is funny.", position=9)
    study = type(study).objects.get()
    past = run_of(study, server, key="later")
    for run in (first, past):
        before = list(run.calls.values_list("messages", flat=True))
        again, drift = check(run, server)
        assert again.version == run.version
        assert all(sent in before for sent in again.calls.values_list("messages", flat=True))
    assert past.version == 2 and len(drift.moved) == 5


def test_what_a_judge_says_of_itself_is_of_the_version_looked_at(study, server, owner):
    run_of(study, server, samples=2, temperature=0.5)
    assert begin_version(study, owner)
    assert spending(study, version=1)["judge"].items["calls"].tolist() == [2] * 6
    assert spending(study, version=2) == {}
    values, ended = repeats_and_outcomes(study, version=1)
    assert len(values) == 6 * 4 * 2 and ended["n"].sum() == 6 * 4 * 2
    assert [len(found) for found in repeats_and_outcomes(study, version=2)] == [0, 0]
