"""The confusion report: counts by hand, rounding, thresholds, majorities."""

import numpy as np
import pytest

from analysis.serving.latex import as_latex
from analysis.serving.tables import as_text
from tests.analysis.reports.raters.test_agreement import make_table
from tests.analysis.small import add_judge, build, row_of

pytestmark = pytest.mark.django_db


def with_judge(table, values, scale="likert5"):
    study = make_table(np.array(table), scale)
    keys = list(study.items.order_by("pk"))
    add_judge(study, "gpt", lambda item: values[keys.index(item)])
    return study


def test_means_are_rounded_halves_down_for_people_and_judges_alike():
    # Means of people: 1, 2.5 -> 2, 4.5 -> 4; judge: 1, 2.5 -> 2, 4.6 -> 5.
    study = with_judge([[1, 2, 4], [1, 3, 5]], [1, 2.5, 4.6])
    row = row_of(build(study, "confusion"), evaluator="gpt")
    assert row["labels"] == [1, 2, 3, 4, 5]
    expected = np.zeros((5, 5), dtype=int)
    expected[0, 0] = expected[1, 1] = expected[3, 4] = 1
    assert row["matrix"] == expected.tolist()


def test_a_threshold_makes_two_labels_of_the_scale():
    study = with_judge([[1, 3, 4, 5], [1, 4, 4, 5]], [1, 4, 2, 5])
    row = row_of(build(study, "confusion", threshold="3.5"), evaluator="gpt")
    assert row["labels"] == ["< 3.5", "≥ 3.5"]
    assert row["matrix"] == [[1, 0], [1, 2]]


@pytest.mark.parametrize(
    ("scale", "why"),
    [
        ({"min": 0, "max": 100}, "more than 11 points"),
        ("slider", "its values cannot be listed"),
        ("number", "its values cannot be listed"),
    ],
)
def test_scales_without_few_points_have_a_matrix_with_a_threshold_only(scale, why):
    study = with_judge([[10, 50, 90]], [20, 50, 80], scale)
    report = build(study, "confusion")
    assert report.rows == []
    assert f"No matrix for q: {why}; with a threshold it has two labels." in report.notes
    row = row_of(build(study, "confusion", threshold="50"), evaluator="gpt")
    assert row["matrix"] == [[1, 0], [0, 2]]


def test_a_yes_no_question_has_two_labels():
    study = with_judge([[1, 1, 1]], [1, 0, 1], "binary")
    row = row_of(build(study, "confusion"), evaluator="gpt")
    assert (row["labels"], row["matrix"]) == ([0, 1], [[0, 0], [1, 2]])


def test_a_choice_takes_the_majority_and_drops_ties():
    scale = {"choice": ["A", "tie", "B"]}
    study = with_judge([[1, 3, 2], [1, 3, 3], [3, 3, 1]], [1, 2, 3], scale)
    report = build(study, "confusion")
    row = row_of(report, evaluator="gpt")
    assert row["labels"] == ["A", "tie", "B"]
    assert row["matrix"] == [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert "Majority of the raters for q: 1 ties dropped." in report.notes


def test_a_rater_is_compared_with_the_others():
    study = make_table(np.array([[1, 2], [3, 4], [3, 4]]))
    row = row_of(build(study, "confusion"), evaluator="rater-0")
    assert row["matrix"][2][0] == 1
    assert row["matrix"][3][1] == 1


def test_values_off_the_scale_are_dropped_and_judges_of_another_scale_left_out():
    study = with_judge([[1, 2, 3]], [0, 2, 3])
    add_judge(study, "BLEU", lambda item: 0.3)
    report = build(study, "confusion")
    assert np.sum(row_of(report, evaluator="gpt")["matrix"]) == 2
    assert [row["evaluator"] for row in report.rows] == ["gpt"]
    assert any("cannot be compared: BLEU" in note for note in report.notes)


def test_missing_judgments_counted_as_zero_are_off_the_scale():
    from judges.models import Judgment

    study = with_judge([[1, 2, 3]], [1, 2, 3])
    first = Judgment.objects.first()
    Judgment.objects.filter(pk=first.pk).update(state="failed", value=None, reason="timed out")
    report = build(study, "confusion", missing_judgment="0")
    assert np.sum(row_of(report, evaluator="gpt")["matrix"]) == 2
    Judgment.objects.exclude(pk=Judgment.objects.last().pk).delete()
    rest = build(study, "confusion", missing_judgment="0")
    assert np.sum(row_of(rest, evaluator="gpt")["matrix"]) == 1, "filled is not another scale"
    assert any("off the scale" in note for note in report.notes)


@pytest.fixture
def apart(owner):
    """Five items of which each is a cluster of its own."""
    study = with_judge([[1, 1, 1, 2, 2]], [1, 1, 2, 2, 2])
    study.items.update(recipient=None, content=None)
    study.memberships.create(user=owner, role="owner")
    return study


def test_shares_and_agreement_have_their_intervals_and_empty_rows_none(apart):
    """Wilson's 0 of 3 reaches to .5615, 0 of 2 to .6576."""
    row = row_of(build(apart, "confusion", draws=200), evaluator="gpt")
    assert row["shares"][0] == pytest.approx([2 / 3, 1 / 3, 0, 0, 0])
    assert row["shares_high"][0][2] == pytest.approx(0.5615, abs=5e-5)
    assert row["shares_high"][1][0] == pytest.approx(0.6576, abs=5e-5)
    assert 0 <= row["shares_low"][0][0] < 2 / 3 < row["shares_high"][0][0] <= 1
    assert row["shares"][2] == row["shares_low"][2] == [None] * 5
    assert (row["agreement"], row["n"]) == (0.8, 5)
    assert row["agreement_low"] < 0.8 < row["agreement_high"] <= 1


def test_the_page_has_the_intervals_and_leaves_empty_rows_open(apart, as_owner):
    page = as_owner.get(f"/studies/{apart.slug}/analysis/confusion/", {"draws": 200})
    matrix = page.context["layout"].matrices[0]
    first, second, third = (cells for _, cells, _ in matrix.lines[:3])
    assert first[2][1].interval == "[.00, .56]"
    assert second[1][1].interval == "[.34, 1.00]"
    assert third[0][1].interval == ""
    assert "[.34, 1.00]" in page.text and matrix.agreement.interval in page.text
    assert page.context["layout"].figures[0].plot["data"][0]["z"][2] == [None] * 5


def test_a_judge_of_one_cluster_keeps_its_matrix_and_says_why_there_is_no_interval(owner, as_owner):
    study = with_judge([[1, 1, 2]], [1, 2, 2])
    study.memberships.create(user=owner, role="owner")
    page = as_owner.get(f"/studies/{study.slug}/analysis/confusion/", {"draws": 50})
    row = row_of(page.context["report"], evaluator="gpt")
    assert row["matrix"][0][:2] == [1, 1] and np.isnan(row["agreement_low"])
    assert "all observations are in one cluster" in page.text
    assert page.context["layout"].figures


def test_lists_of_numbers_are_short_in_text_and_latex(apart):
    report = build(apart, "confusion")
    assert "[0.66667, 0.33333, 0.00000, 0.00000, 0.00000]" in as_text(report)
    assert "{[}.67, .33, .00, .00, .00{]}, {[}.00, 1.00," in as_latex(report)
    assert "{[}--, --, --, --, --{]}" in as_latex(report)
