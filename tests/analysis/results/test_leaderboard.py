"""The leaderboard: judges by rank beside a rater and what no insight gives."""

from dataclasses import replace
from math import isnan, nan

import pytest

from analysis.answers import frame
from analysis.reports.verdict.candidates import judges_by_rank
from analysis.results.leaderboard import Line, Mark, failed_shares, in_order, sorts_of
from analysis.serving.source import Source
from analysis.serving.summaries import pages_of, results_of
from judges.models import Judge, Judgment
from tests import factories
from tests.analysis.small import build, make_rated_study


def rated(name, answer, agreement, worth_low=nan):
    row = {"evaluator": name, "answer": answer, "agreement": agreement}
    return row | {"worth_low": worth_low}


def test_the_verdict_comes_first_then_worth_where_people_agree_then_agreement():
    rows = [
        rated("close", "no", 0.9, 0.1),
        rated("twice", "yes", 0.4, 1.1),
        rated("twice", "yes", 0.4, 1.1),
        rated("worthy", "yes", 0.5, 2.0),
        rated("worthy", "people_disagree", 0.9, nan),
        rated("once", "yes", 0.8, 1.5),
        rated("once", "people_disagree", 0.8, 99.0),
        rated("open", "not_yet", 0.2, 0.0),
        rated("constant", "no", nan),
    ]
    order = ["twice", "worthy", "once", "open", "close", "constant"]
    assert judges_by_rank(rows) == order


def line(name, **given):
    usual = {"agreement": 0.5, "ceiling": 0.5}
    return Line(name, given.pop("kind", "judge"), [], **usual | given)


def names(lines):
    return [one.name for one in lines]


def test_a_column_sorts_judges_and_leaves_the_rest_below():
    lines = [
        line("dear", price=2.0),
        line("unknown"),
        line("cheap", price=0.1),
        line("a rater", kind="rater"),
        line("coin", kind="baseline", price=0.0),
    ]
    assert names(in_order(lines, "price")) == ["cheap", "dear", "unknown", "a rater", "coin"]
    assert names(in_order(lines, "no such column")) == names(lines)


def test_a_question_sorts_judges_by_their_answer_on_it():
    def answered(name, **answers):
        own = [Mark(question, "", answer, "", "") for question, answer in answers.items()]
        return replace(line(name), marks=own)

    lines = [
        answered("no", good="no", clear="yes"),
        answered("silent", clear="yes"),
        answered("open", good="not_yet", clear="no"),
        answered("yes", good="yes", clear="no"),
    ]
    assert names(in_order(lines, "on:good")) == ["yes", "open", "no", "silent"]
    assert names(in_order(lines, "on:clear")) == ["no", "silent", "open", "yes"]
    assert sorts_of(lines, ["good"]) == ["agreement", "on:good"]


def test_a_rater_stands_after_ten_judges():
    lines = [*(line(f"judge {n}") for n in range(12)), line("a rater", kind="rater")]
    assert names(in_order(lines, ""))[9:12] == ["judge 9", "a rater", "judge 10"]


@pytest.mark.django_db
def test_lines_have_the_verdict_s_numbers(owner):
    study = make_rated_study(owner, recipients=10)
    results = results_of(Source(study))
    report = build(study, "verdict")
    own = [
        entry.row
        for entry in report.entries
        if entry.row["evaluator"] == "close" and entry.row["use"] == "rate_items"
    ]
    agreement = [row["agreement"] for row in own if not isnan(row["agreement"])]
    first = next(one for one in results.lines if one.name == "close")
    assert first.agreement == pytest.approx(sum(agreement) / len(agreement), abs=1e-12)
    furthest = max((row["level"] for row in own), key=abs)
    assert first.level == pytest.approx(furthest / 4, abs=1e-12)  # of a scale from 1 to 5
    kinds = [one.kind for one in results.lines]
    assert kinds[:3] == ["judge", "judge", "rater"] and {*kinds[3:]} == {"baseline"}
    assert len({row["item"] for row in results.apart}) == len(results.apart) == 5
    assert {row["evaluator"] for row in results.apart} == {results.ranked[0]}
    distances = [row["distance"] for row in results.apart]
    assert distances == sorted(distances, reverse=True)


@pytest.mark.django_db
def test_failed_is_what_speaks_for_a_judge_and_has_no_value_on_the_scale(owner):
    study = make_rated_study(owner, recipients=10)
    judge = Judge.objects.get(study=study, key="close")
    every = Judgment.objects.filter(run__judge=judge).order_by("pk")
    total = every.count()
    spoilt = [*every[:6]]
    for judgment in spoilt[:4]:
        judgment.state, judgment.value = "unparsable", None
        judgment.save()
    for judgment in spoilt[4:]:
        judgment.value = -1
        judgment.save()
    answers = frame.read_answers(study)
    assert failed_shares(answers, set())["close"] == pytest.approx(6 / total)
    own = {("close", question.key) for question in answers.questions}
    assert failed_shares(answers, own)["close"] == pytest.approx(4 / total)
    again = {(one.item, one.question): 3 for one in spoilt[:4]}
    factories.make_judgments(judge, again)  # a later run has the values that failed
    again = failed_shares(frame.read_answers(study), set())
    assert again["close"] == pytest.approx(2 / total)


@pytest.mark.django_db
def test_which_pages_apply_is_known_without_parsing_an_item(owner):
    study = make_rated_study(owner)
    reader = frame.Reader(study)
    shown, lacking = pages_of(reader)
    titles = [page.title for page in lacking]
    assert titles[:2] == ["Lists", "Profiles"] and len(shown) + len(lacking) == 14
    assert "every_item_row" not in reader.__dict__
    study.items.filter(pk=study.items.first().pk).update(kind="profile")
    assert "Profiles" in [page.title for page in pages_of(frame.Reader(study))[0]]


def test_a_price_says_its_currency():
    assert line("a", price=1.5).price_in_words == "$1.50"
    assert "EUR" in line("a", price=1.5, currency="EUR").price_in_words
    assert line("a").price_in_words == "unknown"
    assert line("a rater", kind="rater").price_in_words == "unknown"
    assert line("coin", kind="baseline").price_in_words == "–"


@pytest.mark.django_db
def test_a_question_that_no_judge_answers_stops_nothing(owner):
    study = make_rated_study(owner, recipients=10)
    keys = [question.key for question in study.questions.all()]
    Judgment.objects.filter(run__judge__study=study).exclude(question__key=keys[0]).delete()
    results = results_of(Source(study))
    assert results.questions == [keys[0]]
    assert {len(one.marks) for one in results.lines} == {1}
