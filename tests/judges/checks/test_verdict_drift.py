"""Checks for drift of judges that give verdicts: the orders are kept, and no A and B make a tie."""

import json

import pytest

from analysis.answers import frame
from judges.checks.drift import compare, plan_check
from judges.models import Judge, Run
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.podcasts import make_podcasts
from tests.scripted_server import ScriptedServer, chat

pytestmark = pytest.mark.django_db
Method, Order = Judge.Method, Judge.Order


def says(verdict):
    """A script that gives this verdict, or verdict(number of the request)."""

    def script(number, _request):
        said = verdict(number) if callable(verdict) else verdict
        return chat(json.dumps({"rationale": "r", "verdict": said}))

    return script


def checked(study, before, now, **fields):
    """(run, its check, Drift): the judge answered by one script, and answers by another one."""
    with ScriptedServer(says(before)) as server:
        endpoint = factories.make_endpoint(server.url, concurrency=1)
        judge = factories.make_judge(study, "judge", endpoint, context="profile", **fields)
        run = plan(judge)
        drive.work_through(run.pk)
        run.refresh_from_db()
        start = len(server.requests)
        server.script = lambda number, request: says(now)(number - start, request)
        again = plan_check(run)
        drive.work_through(again.pk)
        again.refresh_from_db()
    assert (run.state, again.state) == (Run.State.FINISHED, Run.State.FINISHED)
    return run, again, compare(again)


def rows_of(run):
    rows = run.judgments.select_related("call").order_by("unit")
    return [(row.item_id, row.sample, row.order, row.call.messages) for row in rows]


def test_both_orders_are_asked_again_as_they_were(owner):
    """The list shown first, once and again: the same verdicts, and nothing of it is analysed."""
    study = make_podcasts(owner, pairs=2)
    run, again, drift = checked(
        study, "1", "1", method=Method.PAIRWISE, prompt="pairwise.v1", order=Order.BOTH
    )
    assert rows_of(again) == rows_of(run)
    (moved,) = drift.moved
    assert (moved.same, moved.n, moved.change, moved.words) == (4, 4, None, "the same answers")
    assert frame.read_answers(study).both_orders == {"judge": (2, 2)}, "of the run alone"


def test_a_judge_that_takes_to_the_second_list_answers_otherwise(owner):
    study = make_podcasts(owner, pairs=3)
    _, _, drift = checked(study, "1", "2", method=Method.PAIRWISE, prompt="pairwise.v1")
    (moved,) = drift.moved
    assert (moved.same, moved.n, moved.words) == (0, 3, "some answers differ")


def test_samples_for_a_and_for_b_are_no_ties(owner):
    study = make_podcasts(owner, pairs=6)
    run, again, drift = checked(
        study,
        lambda number: "12"[number % 2],
        "tie",
        method=Method.PAIRWISE,
        prompt="pairwise.v1",
        samples=2,
        temperature=1,
    )
    assert rows_of(again) == rows_of(run)
    (moved,) = drift.moved
    assert (moved.same, moved.n) == (0, 12)


def test_verdicts_of_fit_have_a_mean_that_moves(owner):
    study = make_podcasts(owner, pairs=1)
    _, _, drift = checked(study, "fit", "no fit", method=Method.FIT, prompt="fit.v1")
    (moved,) = drift.moved
    assert (moved.same, moved.n, moved.words) == (0, 6, "lower than before")
    assert moved.change.value == -1
