"""The report of variance: published coefficients, designs that confound, people asked twice."""

from math import isnan

import numpy as np
import pytest
from django.utils import timezone

from annotate.models import Answer, Rating, Screen
from tests import factories
from tests.analysis.small import build, make_rated_study, row_of
from tests.analysis.stats.published import ANXIETY

pytestmark = pytest.mark.django_db


@pytest.fixture
def anxiety():
    """20 subjects as recipients, 3 raters; nothing else differs."""
    study = factories.make_study("anxiety", questions={})
    question = factories.make_question(study, "anxiety", {"min": 1, "max": 6})
    items = [factories.make_item(study, f"item-{n}", f"r{n}", None, None) for n in range(20)]
    for rater in range(3):
        session = factories.make_session(study, f"rater-{rater}")
        for item, value in zip(items, ANXIETY[:, rater], strict=True):
            factories.make_rating(session, item, question, value)
    return study


def test_published_coefficients_of_an_unnested_design(anxiety):
    report = build(anxiety, "variance", draws=100)
    # irr::icc of R: C,1 .216, A,1 .198, C,k .4526, A,k .4255 (recipients are the subjects).
    for k, relative, absolute in ((1, 0.2160, 0.1980), (3, 0.4526, 0.4255)):
        for name, value in (("relative", relative), ("absolute", absolute)):
            found = row_of(report, part="generalisability", component=name, raters=k)
            assert found["value"] == pytest.approx(value, abs=5e-5)
            assert found["low"] <= found["value"] <= found["high"]
    shares = [row["share"] for row in report.rows if not isnan(row["share"])]
    assert sum(shares) == pytest.approx(1)
    rater = row_of(report, part="component", component="rater")
    assert (rater["levels"], rater["n"]) == (3, 60)


def test_what_cannot_be_told_apart_is_named(anxiety):
    report = build(anxiety, "variance")
    reasons = {e.row["component"]: e.reason for e in report.entries if e.row["part"] == "component"}
    assert reasons["item"] == "item: it is not told apart from the recipient"
    assert reasons["system"] == "system: no item has a system"
    assert reasons["recipient"] == ""


def test_the_verdict_says_how_many_raters_it_takes(anxiety):
    # Absolute: Φ = .1980 for one; .8 needs 4 · (1 − .198)/.198 = 16.2, so 17.
    report = build(anxiety, "variance")
    assert "anxiety: the mean of 3 raters" in report.verdict[0]
    assert "stands for all raters with 0.43" in report.verdict[0]
    assert report.verdict[0].endswith("0.8 takes 17 per item.")


def test_only_the_reference_role_and_the_items_left_in_count():
    study = make_rated_study()
    n = row_of(build(study, "variance"), question="accuracy", component="rater")["n"]
    fewer = build(study, "variance", exclude=["system=system-0"])
    assert (n, row_of(fewer, question="accuracy", component="rater")["n"]) == (72, 48)


def test_without_repeats_the_retest_says_so(anxiety):
    found = [e for e in build(anxiety, "variance").entries if e.row["part"] == "retest"]
    assert {e.reason for e in found} == {"no item was repeated"}
    assert len(found) == 4


def repeat(study, changes):
    """The first rater answers the first items again, with the value changed by so much."""
    session = study.sessions.order_by("pk").first()
    ratings = Rating.objects.filter(session=session, question=study.questions.first())
    for place, (rating, change) in enumerate(zip(ratings.order_by("pk"), changes, strict=False)):
        extra = Screen.objects.create(
            session=session, position=100 + place, kind=Screen.Kind.REPEAT, item=rating.item
        )
        Answer.objects.create(
            screen=extra,
            item=rating.item,
            question=rating.question,
            value=rating.value + change,
            answered_at=timezone.now(),
        )


def test_people_asked_twice(anxiety):
    repeat(anxiety, [0, 0, 1, -1])
    report = build(anxiety, "variance", draws=50)
    found = {r["component"]: r for r in report.rows if r["part"] == "retest"}
    assert (found["exact_agreement"]["value"], found["mean_change"]["value"]) == (0.5, 0.5)
    assert (found["mean_change"]["n"], found["mean_change"]["levels"]) == (4, 1)
    first = np.array([3, 3, 3, 4])
    second = first + [0, 0, 1, -1]
    # By hand, quadratic weights: observed Σ(a−b)² = 2; expected ΣΣ(a−b)²/4 over all pairs.
    expected = ((first[:, None] - second[None, :]) ** 2).sum() / 4
    assert found["kappa_quadratic"]["value"] == pytest.approx(1 - 2 / expected)
    assert isnan(found["mean_change"]["low"])  # one person is one cluster


def test_one_item_has_no_components():
    study = make_rated_study(recipients=1, contents=1, systems=1)
    report = build(study, "variance", draws=20)
    assert not report.verdict
    assert all(isnan(row["value"]) for row in report.rows if row["part"] == "generalisability")


def test_only_answers_of_the_items_left_in_are_given_twice(anxiety):
    """The first four items again: two the same, two one point off."""
    repeat(anxiety, [0, 0, 1, -1])

    def retest(**options):
        report = build(anxiety, "variance", **options)
        row = row_of(report, part="retest", component="exact_agreement")
        return row["n"], row["value"]

    assert retest() == (4, 0.5)
    assert retest(only=["item=item-0"]) == (1, 1)
    assert retest(only=["item=item-2"]) == (1, 0)
    assert retest(exclude=["item=item-2"]) == (3, pytest.approx(2 / 3))


def test_only_answers_of_the_version_are_given_twice(anxiety):
    repeat(anxiety, [0, 0, 1, -1])
    anxiety.questionnaire_version = 2
    anxiety.save()
    assert (
        row_of(build(anxiety, "variance", version=1), part="retest", component="exact_agreement")[
            "n"
        ]
        == 4
    )
    later = build(anxiety, "variance", version=2)
    assert {e.reason for e in later.entries if e.row["part"] == "retest"} == {
        "no item was repeated"
    }
