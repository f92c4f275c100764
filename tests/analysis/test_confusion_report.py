"""The confusion report: counts by hand, rounding, thresholds, majorities."""

import numpy as np
import pytest

from tests.analysis.small import add_judge, build, row_of
from tests.analysis.test_agreement_report import make_table

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


def test_scales_of_many_points_have_a_matrix_with_a_threshold_only():
    study = with_judge([[10, 50, 90]], [20, 50, 80], {"min": 0, "max": 100})
    report = build(study, "confusion")
    assert report.rows == []
    assert (
        "No matrix for q: more than 11 points; with a threshold it has two labels." in report.notes
    )
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
