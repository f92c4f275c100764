"""Choices between lists and costs: MSA, ties, majorities without one's own answer, prices."""

from math import isnan

import numpy as np
import pytest

from annotate.design.payment import AMOUNT, CURRENCY
from annotate.models import Item, Rater
from judges.models import Judgment
from tests import factories
from tests.analysis.reports.lists.test_selection import make_lists
from tests.analysis.small import add_judge, build, make_rated_study, row_of

pytestmark = pytest.mark.django_db
LISTS = {"choice": ["A", "tie", "B"]}
ANSWERS = {  # a pair of lists: what ann, bob, cem and dan prefer, and both judges
    "ann": [1, 1, 1, 2, 3, 3, 3, 1, 1, 2],
    "bob": [1, 1, 3, 2, 3, 1, 3, 2, 2, 2],
    "cem": [1, 3, 1, 2, 3, 3, 2, 3, 1, 1],
    "dan": [1, 3, 1, 3, 3, 3, 3, 2, 3, 2],
}
JUDGES = {"laaj": [1, 1, 1, 2, 3, 3, 1, 2, 1, 3], "other": [2, 3, 1, 2, 2, 3, 3, 1, 3, 2]}


@pytest.fixture
def study():
    study = factories.make_study(questions={}, kind="list_pair")
    question = factories.make_question(study, "better", LISTS)
    items = [
        factories.make_item(study, f"pair-{n}", f"r{n}", None, None, kind=Item.Kind.LIST_PAIR)
        for n in range(10)
    ]
    for name, values in ANSWERS.items():
        session = factories.make_session(study, name, Rater.Role.THIRD_PARTY)
        factories.make_ratings(
            session, ((i, question, v) for i, v in zip(items, values, strict=True))
        )
    for name, values in JUDGES.items():
        add_judge(study, name, dict(zip(items, values, strict=True)).__getitem__)
    return study


def majority(values):
    """The most frequent value, None at a tie."""
    counts = {value: values.count(value) for value in values}
    best = [value for value, n in counts.items() if n == max(counts.values())]
    return best[0] if len(best) == 1 else None


def agreeing(own, people):
    pairs = [(a, b) for a, b in zip(own, people, strict=True) if a is not None and b is not None]
    return sum(a == b for a, b in pairs) / len(pairs), len(pairs)


def test_agreement_on_lists_is_with_the_majority(study):
    row = row_of(build(study, "compare", of=["laaj"], other="other"), measure="msa")
    people = [majority(list(values)) for values in zip(*ANSWERS.values(), strict=True)]
    value, n = agreeing(JUDGES["laaj"], people)
    assert (row["value"], row["n"]) == (pytest.approx(value), n)
    assert row["other_value"] == pytest.approx(agreeing(JUDGES["other"], people)[0])


def test_a_rater_of_lists_meets_the_majority_of_the_others(study):
    row = row_of(build(study, "compare", of=["laaj"], other="a rater"), measure="msa")
    own, judge, people = [], [], []
    for name, values in ANSWERS.items():
        others = [v for other, v in ANSWERS.items() if other != name]
        own += values
        judge += JUDGES["laaj"]
        people += [majority(list(each)) for each in zip(*others, strict=True)]
    value, n = agreeing(own, people)
    assert (row["other_value"], row["n"]) == (pytest.approx(value), n)
    assert row["value"] == pytest.approx(agreeing(judge, people)[0])


def test_the_majority_of_the_others_meets_each_answer(study):
    report = build(study, "compare", of=["mean of third_party"], other="laaj")
    row = row_of(report, measure="accuracy")
    own, judge, people = [], [], []
    for name, values in ANSWERS.items():
        others = [v for other, v in ANSWERS.items() if other != name]
        majorities = [majority(list(each)) for each in zip(*others, strict=True)]
        kept = [k for k, value in enumerate(majorities) if value is not None]
        own += [majorities[k] for k in kept]
        judge += [JUDGES["laaj"][k] for k in kept]
        people += [values[k] for k in kept]
    assert row["value"] == pytest.approx(agreeing(own, people)[0])
    assert (row["other_value"], row["n"]) == (
        pytest.approx(agreeing(judge, people)[0]),
        len(people),
    )


def test_ties_are_counted_and_neither_worse_nor_better(study):
    report = build(study, "compare", of=["laaj"], other="other", margin=0.1, draws=50)
    row = row_of(report, measure="ties")
    assert (row["value"], row["other_value"]) == (2 / 10, 4 / 10)
    assert (row["margin"], row["not_worse"]) == (None, None)


def test_a_panel_of_lists_has_the_most_frequent_answer(study):
    report = build(study, "compare", of=["laaj + other + ann"], other="bob")
    row = row_of(report, measure="msa")
    three = zip(JUDGES["laaj"], JUDGES["other"], ANSWERS["ann"], strict=True)
    people = [majority(list(v)) for v in zip(ANSWERS["cem"], ANSWERS["dan"], strict=True)]
    own = [majority(list(values)) for values in three]
    usable = [k for k in range(10) if own[k] is not None and people[k] is not None]
    assert row["n"] == len(usable)
    assert row["value"] == pytest.approx(np.mean([own[k] == people[k] for k in usable]))


def test_the_printed_counts_give_the_printed_agreement():
    """P3's table: 30 wins, 1 tie and 16 losses are an MSA of .6596; a coin for comparison."""
    study = make_lists((30, 1, 16))
    add_judge(study, "always A", lambda item: 1)
    report = build(study, "compare", of=["laaj"], other="always A", reference="recipient")
    assert row_of(report, measure="msa")["value"] == pytest.approx(0.6596, abs=5e-5)


def test_there_is_no_correlation_of_lists(study):
    measures = {row["measure"] for row in build(study, "compare").rows}
    assert measures == {"alpha", "accuracy", "msa", "ties", "cost"}


def test_costs_are_those_of_the_judgments_and_of_the_pay():
    study = make_rated_study()
    study.extra = {AMOUNT: 2, CURRENCY: "USD"}
    study.save()
    Judgment.objects.filter(run__judge__key="close").update(cost_usd=0.001)
    report = build(study, "compare", of=["close"], other="a rater")
    row = row_of(report, measure="cost")
    assert row["question"] == "all questions"
    assert row["value"] == pytest.approx(1000 * 4 * 0.001)  # four questions an item
    assert row["other_value"] == pytest.approx(1000 * 2 / study.items_per_session)
    both = build(study, "compare", of=["close + ann"], other="close")
    assert row_of(both, measure="cost")["difference"] == pytest.approx(500)
    unknown = build(study, "compare", of=["random"], other="close")
    assert isnan(row_of(unknown, measure="cost")["difference"])
    assert any("cost of random is not known" in note for note in unknown.notes)


def test_another_currency_is_not_subtracted():
    study = make_rated_study()
    study.extra = {AMOUNT: 2, CURRENCY: "EUR"}
    study.save()
    Judgment.objects.update(cost_usd=0.001)
    row = row_of(build(study, "compare", of=["close"], other="a rater"), measure="cost")
    assert isnan(row["difference"])
