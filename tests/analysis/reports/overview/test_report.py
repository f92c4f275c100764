"""The overview of an analysis: what it says is what the other reports say, in poor studies too."""

import re
from math import isnan

import pytest
from django.core.cache import caches

from analysis.reports.overview.report import MOST_JUDGES, NOT_PASSED, PASSED, UNTESTED
from analysis.reports.registry import REPORTS
from annotate.models import Rating
from judges.models import Judgment
from tests import factories
from tests.analysis.small import add_judge, build, make_rated_study, row_of

pytestmark = pytest.mark.django_db
PATH = "/studies/films/analysis/overview/"


@pytest.fixture(autouse=True)
def _empty_cache():
    caches["reports"].clear()


@pytest.fixture
def study(owner):
    """48 items, so that a rater can be tested."""
    return make_rated_study(owner, recipients=8)


def said(report):
    return " ".join(report.verdict)


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


def test_a_verdict_stands_for_each_judge_and_the_close_one_does_better(study):
    report = build(study, "overview", epsilon=0.3)
    sentences = [one for one in report.verdict if one.startswith(("close:", "random:"))]
    assert len(sentences) == 2
    assert sentences[0].startswith("close: alternative annotator test passed on")
    assert "random: alternative annotator test not passed on" in sentences[1]


def test_without_a_judge_it_says_what_there_is(study):
    Judgment.objects.all().delete()
    report = build(study, "overview")
    assert report.rows == []
    assert said(report).startswith("Nothing can be said of judges, as none has scored an item: 48")


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


def test_judges_of_which_the_same_is_said_share_a_sentence(owner):
    assert said(build(make_rated_study(owner), "overview")).startswith(
        "close, random: alternative annotator test not tested on all 4 questions (24 items have two"
    )


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


def test_of_many_judges_the_closest_are_named_and_drawn(study, as_owner):
    for number in range(20):
        add_judge(study, f"j{number}", lambda item, k=number: 1 + (item.pk * (k + 2)) % 5)
    report = build(study, "overview")
    assert "10 more judges stand in the rows" in said(report)
    page = as_owner.get(PATH, {"draws": 20})
    figures = {f.key: f for f in page.context["groups"][0][2].figures}
    assert len(figures["overview-place"].plot["layout"]["yaxis"]["ticktext"]) == MOST_JUDGES


def test_words_of_the_page_have_one_meaning(study, as_owner):
    titles = [kind.title for kind in REPORTS.values()]
    assert "Overview" not in titles and len({*titles}) == len(titles)
    response = as_owner.get(PATH, {"draws": 20})
    table = response.context["groups"][0][2].tables[0]
    assert {"Advantage probability", "Effective labels"} <= {*table.headings}
    assert "ρ" not in " ".join(table.headings)
    place = table.headings.index("Effective labels")
    cells = [cells[place] for _, cells in table.lines]
    assert all(cell == "–" or re.fullmatch(r"\d+ \(n = \d+\)", cell) for cell in cells)
    page = response.content.decode()
    assert page.count(">Overview</a>") == 1  # the study's


def test_a_question_that_nobody_answered_and_a_text_are_said(study):
    factories.make_question(study, "unasked")
    factories.make_question(study, "why", "text")
    report = build(study, "overview")
    row = row_of(report, figure="place", evaluator="close", question="unasked")
    assert (row["verdict"], bool(row["why"])) == (UNTESTED, True)
    assert "Nothing is said on why" in said(report)


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
