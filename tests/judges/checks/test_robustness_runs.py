"""Tests of robustness are runs like any other, and their judgments never count."""

import json
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from analysis.answers import frame
from analysis.exports import tables
from judges.checks import drift, robustness
from judges.checks.robustness import Chosen
from judges.models import Call, Run
from judges.runs import drive, plan, resume
from judges.runs.reread import reread
from tests import factories
from tests.judges.checks.test_robustness import (
    at_random,
    prompt_of,
    put_to_test,
    run_of,
    schema_of,
    steady,
    values,
)
from tests.scripted_server import ScriptedServer, chat

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner):
    return factories.make_study(owner=owner, items=6)


@pytest.fixture
def server():
    with ScriptedServer(steady) as server:
        yield server


@pytest.fixture
def past(study, server):
    """A finished run."""
    return run_of(study, server)


def exported(study):
    return [list(tables.rows(study, table)[1]) for table in ("scores", "judgments", "samples")]


def test_a_test_is_in_no_number_of_the_judge(past, study, server):
    before = frame.read_answers(study), frame.Reader(study).fingerprint(), exported(study)
    server.script = at_random()
    put_to_test(past, items=4)
    assert frame.read_answers(study).table.equals(before[0].table)
    assert frame.Reader(study).fingerprint() == before[1]
    assert exported(study) == before[2]
    assert Run.objects.judging().get() == past == drift.checkable(past.judge)


def test_the_next_run_and_drift_checks_go_on_as_before(past):
    test = robustness.plan_test(past, Chosen({"typos": {}}, items=2))
    with pytest.raises(plan.PlanError, match="is running already"):
        drift.plan_check(past, 2)
    resume.cancel(test)
    assert drift.plan_check(past, 2).checked == past
    with pytest.raises(plan.PlanError, match="is a check itself"):
        drift.plan_check(test, 2)
    with pytest.raises(plan.PlanError, match="is a check itself"):
        robustness.plan_test(test)


def test_a_cancelled_test_is_resumed_and_ends_as_if_it_never_stopped(past, server):
    test = robustness.plan_test(past, Chosen({"typos": {}}, items=2, repeats=1))
    resume.cancel(test)
    drive.work_through(test.pk)
    assert not server.requests
    resume.resume(test)
    drive.work_through(test.pk)
    test.refresh_from_db()
    assert test.state == Run.State.FINISHED and len(server.requests) == 6


def test_what_was_not_understood_is_asked_again_in_the_same_prompt(past, server):
    server.script = lambda *_: chat("four")
    test = put_to_test(past, items=1, repeats=1, relations={"multiply": {}})
    assert set(test.judgments.values_list("state", flat=True)) == {"unparsable"}
    first = [prompt_of(request) for request in server.requests]
    server.script = steady
    assert resume.reset_failed(test) == 12
    drive.work_through(test.pk)
    assert [prompt_of(request) for request in server.requests[len(first) :]] == first
    assert values(test, "multiply") == {4}


def test_stored_replies_are_read_again_on_their_own_scale(past, server):
    test = put_to_test(past, items=2, repeats=1, relations={"multiply": {"factor": 3}})
    assert reread(test).changed == 0
    test.judgments.update(value=1)
    assert reread(test).other == test.judgments.count()
    assert values(test, "multiply") == {4}


def test_an_answer_on_the_old_scale_is_off_the_new_one_where_it_is(past, server):
    server.script = lambda number, request: chat(json.dumps(dict.fromkeys(schema_of(request), 1)))
    test = put_to_test(past, items=1, repeats=1, relations={"shift": {}})
    shifted = test.judgments.filter(relation="shift")
    assert set(shifted.values_list("state", "reason")) == {("unparsable", "answer off the scale")}


def test_a_budget_is_kept_and_a_call_is_estimated_by_the_longest_prompt(study, server):
    factories.make_endpoint(server.url, timeout_seconds=5, concurrency=1, price_in=1, price_out=1)
    past = run_of(study, server)
    test = robustness.plan_test(past, Chosen({"random_words": {"rate": 1.0}}), Decimal("0.01"))
    resume.cancel(test)
    usual = robustness.plan_test(past, Chosen({"politeness": {}}), Decimal("0.01"))
    assert test.unit_usd > usual.unit_usd > 0
    resume.cancel(usual)
    resume.resume(test)
    drive.work_through(test.pk)
    test.refresh_from_db()
    assert test.state in (Run.State.OUT_OF_BUDGET, Run.State.FINISHED)
    assert test.spent_usd <= Decimal("0.01")


def test_no_reply_is_reused_and_none_is_taken_from_a_test(past, server):
    put_to_test(past, items=2, repeats=1, relations={"typos": {}})
    assert not Call.objects.exclude(reused_from=None).exists()
    start = len(server.requests)
    run, _ = resume.start(past.judge, reuse=True, confirmed=True)
    drive.work_through(run.pk)
    assert len(server.requests) == start
    assert set(run.calls.values_list("reused_from__run", flat=True)) == {past.pk}


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"relations": {"nonsense": {}}}, "Found relation 'nonsense'"),
        ({"relations": {}}, "Choose at least one relation"),
        ({"relations": {"no_change": {}}}, "Choose at least one relation"),
        ({"relations": {"swapped_lists": {}}}, "changes nothing in the prompts"),
        ({"relations": {"multiply": {"factor": 10**9}}}, "at most 100"),
        ({"items": 0}, "Found 0 items; allowed are 1 to 200"),
        ({"repeats": 99}, "Found 99 repeats"),
        ({"seed": -1}, "Found -1 as the seed"),
    ],
)
def test_what_cannot_be_tested_is_refused_in_words(past, chosen, words):
    with pytest.raises(plan.PlanError, match=words):
        robustness.plan_test(past, Chosen(**chosen))
    assert not Run.objects.checks().exists()


def test_a_run_without_an_answer_and_a_judge_without_a_model_are_refused(study, server):
    server.script = lambda *_: chat("")
    with pytest.raises(plan.PlanError, match="has no answer yet"):
        robustness.plan_test(run_of(study, server))
    loaded = factories.make_judge(study, "loaded")
    run = factories.make_judgments(loaded, {(study.items.first(), study.questions.first()): 1})
    with pytest.raises(plan.PlanError, match="asks no model"):
        robustness.plan_test(run)


def test_one_answer_for_each_relation_and_repetition(past):
    test = robustness.plan_test(past, Chosen({"typos": {}}, items=1, repeats=1))
    row = test.judgments.filter(relation="typos").first()
    row.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()
