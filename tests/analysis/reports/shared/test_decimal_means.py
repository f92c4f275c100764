"""Means of decimals tie and reach a threshold, in whichever order the raters come."""

from itertools import permutations

import pytest

from tests import factories
from tests.analysis.small import build, row_of

pytestmark = pytest.mark.django_db
HIGH, LOW = list(permutations((0.6, 0.7, 0.8))), list(permutations((0.1, 0.2, 0.3)))
JUDGED = (0.9, 0.8, 0.7, 0.9, 0.8, 0.7, 0.1, 0.2, 0.3, 0.3, 0.2, 0.1)
DATASET = {"evaluator": "gpt", "question": "share", "level": "dataset"}


def rate(rows, judged):
    """A study of one number; rows: what ann, bob and cat say of each item."""
    study = factories.make_study("decimals", questions={})
    share = factories.make_question(study, "share", "number")
    factories.make_items(study, len(rows))
    items = list(study.items.order_by("pk"))
    for name, values in zip(("ann", "bob", "cat"), zip(*rows, strict=True), strict=True):
        answers = [(item, share, value) for item, value in zip(items, values, strict=True)]
        factories.make_ratings(factories.make_session(study, name), answers)
    for name in ("gpt", "twin"):
        values = {(item, share): value for item, value in zip(items, judged, strict=True)}
        factories.make_judgments(factories.make_judge(study, name), values)
    return study


@pytest.fixture
def study():
    """Six items with a mean of exactly .7, six of .2; the judge has all of the first above."""
    return rate([*HIGH, *LOW], JUDGED)


def test_every_item_of_the_mean_reaches_a_threshold_that_is_the_mean(study):
    row = row_of(build(study, "roc", threshold=0.7), evaluator="gpt", threshold=0.7)
    assert (row["positives"], row["negatives"], row["auc"]) == (6, 6, 1)


def test_no_order_is_seen_among_items_of_one_mean(study):
    (ordinal,) = [
        row
        for row in build(study, "roc", threshold=0.7).rows
        if row["evaluator"] == "gpt" and row["positives"] is None
    ]
    assert ordinal["auc"] == 1


@pytest.mark.parametrize(
    ("report", "keys", "value"),
    [
        ("correlation", DATASET | {"coefficient": "spearman"}, 0.878),
        ("correlation", DATASET | {"coefficient": "kendall"}, 0.775),
        ("compare", {"measure": "spearman-dataset", "question": "share"}, 0.878),
        ("compare", {"measure": "kendall-dataset", "question": "share"}, 0.775),
    ],
)
def test_ranks_tie(study, report, keys, value):
    """With scipy, of means written as .7 and .2."""
    named = {"of": ["gpt"], "other": "twin"} if report == "compare" else {}
    row = row_of(build(study, report, **named), **keys)
    assert row["value"] == pytest.approx(value, abs=5e-4)


def test_a_reference_of_one_mean_has_no_correlation_and_no_area():
    study = rate(LOW * 4, JUDGED * 2)
    correlation = build(study, "correlation")
    assert [row for row in correlation.rows if row["evaluator"] == "gpt"] == []
    assert any("all reference values are equal" in note for note in correlation.notes)
    report = build(study, "roc", threshold=0.2)
    row = row_of(report, evaluator="gpt", threshold=0.2)
    assert (row["positives"], row["negatives"]) == (24, 0)
    assert "All 24 values of the reference are equal to 1" in " ".join(report.notes)
