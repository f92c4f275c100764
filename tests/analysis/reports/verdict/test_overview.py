"""The overview's rows, for files: they say what other reports say, in poor studies too."""

from math import isnan

import pytest

from analysis.reports.registry import REPORTS
from annotate.models import Rating
from judges.models import Judgment
from tests import factories
from tests.analysis.small import build, make_rated_study, row_of

pytestmark = pytest.mark.django_db
PASSED, NOT_PASSED, UNTESTED = "passed", "not passed", "not tested"


@pytest.fixture
def study(owner):
    """48 items, so that a rater can be tested."""
    return make_rated_study(owner, recipients=8)


def said(report):
    """Why there is no test, of every judge and question."""
    return " ".join(row["why"] for row in report.rows if row["figure"] == "place")


def verdicts(report):
    return {row["verdict"] for row in report.rows if row["figure"] == "place"}


def test_every_number_is_that_of_the_report_it_comes_from(study):
    report = build(study, "overview", draws=50)
    tests = build(study, "substitution", draws=50)
    means, kindness = build(study, "prediction_powered"), build(study, "bias", draws=50)
    one = {"evaluator": "close", "question": "accuracy"}
    test = row_of(tests, **one)
    row = row_of(report, figure="place", **one)
    assert (row["value"], row["low"], row["n"]) == (
        test["advantage_probability"],
        test["low"],
        test["n"],
    )
    assert row["verdict"] == (PASSED if test["passes"] else NOT_PASSED)
    assert row_of(report, figure="ceiling", **one)["value"] == test["difference"]
    worth = row_of(means, system="all", method="mean", **one)["n_effective"]
    assert row_of(report, figure="worth", **one)["value"] == pytest.approx(worth, nan_ok=True)
    mean = row_of(kindness, bias="systems", group="all", **one)
    assert row_of(report, figure="kindness", **one)["low"] == mean["low"]


def test_the_close_judge_passes_and_the_random_one_does_not(study):
    report = build(study, "overview", epsilon=0.3)
    passes = {row["evaluator"]: set() for row in report.rows}
    for row in report.rows:
        passes[row["evaluator"]] |= {row["verdict"]} - {""}
    assert PASSED in passes["close"] and passes["random"] == {NOT_PASSED}


def test_without_a_judge_it_says_so(study):
    Judgment.objects.all().delete()
    report = build(study, "overview")
    assert report.rows == []
    assert report.notes[-1] == "No judge has scored an item."


def test_one_rater_is_no_comparison(study):
    Rating.objects.exclude(session__rater__key="ann").delete()
    report = build(study, "overview")
    assert verdicts(report) == {UNTESTED}
    assert "1 rater: a second one has to rate the same items" in said(report)
    kindness = row_of(report, figure="kindness", evaluator="close", question="accuracy")
    assert not isnan(kindness["value"])


def test_few_items_say_how_many_are_missing(owner):
    report = build(make_rated_study(owner), "overview")
    assert verdicts(report) == {UNTESTED}
    assert "24 items have two ratings and a judgment" in said(report)
    assert "at least 6 more are needed" in said(report)


def test_one_recipient_is_no_test(owner):
    report = build(make_rated_study(owner, recipients=1, contents=8, systems=5), "overview")
    assert verdicts(report) == {UNTESTED}
    assert "all items belong to one recipient" in said(report)


def test_constant_answers_give_a_reason_not_a_number(study):
    Rating.objects.update(value=3)
    Judgment.objects.update(value=3)
    report = build(study, "overview")
    ceilings = [row for row in report.rows if row["figure"] == "ceiling"]
    assert ceilings and all(isnan(row["value"]) and row["why"] for row in ceilings)


def test_a_judge_that_failed_everywhere_says_so(study):
    Judgment.objects.filter(run__judge__key="close").update(
        state="failed", value=None, reason="timed out"
    )
    report = build(study, "overview")
    row = row_of(report, figure="place", evaluator="close", question="accuracy")
    assert (row["verdict"], "no value on any item" in row["why"]) == (UNTESTED, True)


def test_its_page_is_the_verdict_s(study, as_owner):
    titles = [kind.title for kind in REPORTS.values()]
    assert "Overview" not in titles and len({*titles}) == len(titles)
    response = as_owner.get("/studies/films/analysis/overview/", {"question": "accuracy"})
    assert response.status_code == 302
    assert response.headers["Location"] == "/studies/films/analysis/verdict/?question=accuracy"
    page = as_owner.get("/studies/films/analysis/verdict/").text
    assert "analysis/substitution/" in page and "analysis/overview/" not in page


def test_a_question_that_nobody_answered_says_why(study):
    factories.make_question(study, "unasked")
    factories.make_question(study, "why", "text")
    report = build(study, "overview")
    row = row_of(report, figure="place", evaluator="close", question="unasked")
    assert (row["verdict"], bool(row["why"])) == (UNTESTED, True)
    assert "why" not in {row["question"] for row in report.rows}


@pytest.mark.parametrize("scale", ["binary", {"choice": ["A", "tie", "B"]}])
def test_yes_or_no_and_choices_of_lists_are_tested_too(owner, scale):
    study = make_rated_study(owner, recipients=8)
    question = factories.make_question(study, "chosen", scale)
    first = 0 if scale == "binary" else 1  # the points of a choice are counted from one
    judge = factories.make_judge(study, "agrees")
    items = list(study.items.all())
    for session in study.sessions.all():
        for item in items:
            factories.make_rating(session, item, question, first + item.pk % 2)
    factories.make_judgments(judge, {(item, question): first + item.pk % 2 for item in items})
    report = build(study, "overview")
    assert row_of(report, figure="place", evaluator="agrees", question="chosen")["value"] == 1
