"""The ROC report: areas equal scikit-learn's, thresholds by the scale or as given."""

from math import isnan

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from annotate.models import Rating
from tests import factories
from tests.analysis.reports.closeness.test_correlation import pairs
from tests.analysis.reports.raters.test_agreement import make_table
from tests.analysis.small import add_judge, build, make_rated_study, row_of

pytestmark = pytest.mark.django_db


def main_row(report, evaluator, question):
    """The first row of an evaluator and question: at the threshold of the options."""
    wanted = {"evaluator": evaluator, "question": question}
    return next(row for row in report.rows if wanted.items() <= row.items())


def test_every_point_of_the_scale_has_its_area_and_the_ordinal_one_stands_last():
    study = make_rated_study()
    x, y = pairs(study, "close")
    report = build(study, "roc")
    rows = [r for r in report.rows if (r["evaluator"], r["question"]) == ("close", "accuracy")]
    assert [row["threshold"] for row in rows[:-1]] == [4, 2, 3, 5]  # the chosen one first
    for row in rows[:-1]:
        positive = y >= row["threshold"]
        if 0 < positive.sum() < len(y):
            assert row["auc"] == pytest.approx(roc_auc_score(positive, x))
        assert (row["positives"], row["negatives"]) == (positive.sum(), (~positive).sum())
    assert isnan(rows[-1]["threshold"])
    assert rows[-1]["auc"] == pytest.approx((stats.somersd(y, x).statistic + 1) / 2)
    assert (rows[-1]["positives"], rows[-1]["n"]) == (None, 24)


def test_a_yes_no_question_has_one_area():
    study = make_table(np.array([[1, 1, 0, 1]]) + 0, "binary")
    add_judge(study, "gpt", lambda item: item.pk % 2)
    assert len(build(study, "roc").rows) == 1


def test_undefined_draws_are_counted_in_a_note():
    """One positive item of three: a draw without it, or of it alone, has no AUC."""
    study = make_table(np.array([[1, 1, 5]]))
    study.items.update(recipient=None, content=None)
    add_judge(study, "gpt", lambda item: item.pk % 5)
    notes = build(study, "roc", draws=200).notes
    note = next(note for note in notes if "draws undefined" in note)
    lost = int(note.split(" of 200 draws undefined in 5 rows;")[0])
    assert 200 * (8 + 1) / 27 * 0.6 < lost < 200 * (8 + 1) / 27 * 1.4


@pytest.mark.parametrize(("options", "threshold"), [({}, 4), ({"threshold": "2.5"}, 2.5)])
def test_the_area_equals_scikit_learn_at_the_threshold(options, threshold):
    study = make_rated_study()
    x, y = pairs(study, "close")
    row = main_row(build(study, "roc", **options), "close", "accuracy")
    assert row["auc"] == pytest.approx(roc_auc_score(y >= threshold, x))
    assert row["threshold"] == threshold
    assert (row["positives"], row["negatives"]) == ((y >= threshold).sum(), (y < threshold).sum())


@pytest.mark.parametrize(
    ("scale", "threshold"),
    [("likert5", 4), ("likert7", 5), ("binary", 0.5), ({"min": 1, "max": 4}, 3)],
)
def test_the_usual_threshold_is_the_upper_part_of_the_scale(scale, threshold):
    study = make_table(np.array([[1, 1, 1]]), scale)
    add_judge(study, "gpt", lambda item: 1)
    assert build(study, "roc").rows[0]["threshold"] == threshold


def test_half_of_the_raters_make_a_yes_positive():
    study = make_table(np.array([[1, 1, 1], [1, 1, 1]]), "binary")
    for rating in Rating.objects.filter(session__rater__key="rater-1").order_by("item")[:2]:
        Rating.objects.filter(pk=rating.pk).update(value=0)
    first = Rating.objects.filter(session__rater__key="rater-0").order_by("item").first()
    Rating.objects.filter(pk=first.pk).update(value=0)  # means are now 0, .5 and 1
    add_judge(study, "gpt", lambda item: item.pk % 2)
    row = row_of(build(study, "roc"), evaluator="gpt")
    assert (row["positives"], row["negatives"]) == (2, 1)


def test_one_class_alone_is_undefined_with_the_reason():
    study = make_rated_study()
    report = build(study, "roc", threshold="1")
    assert isnan(main_row(report, "close", "accuracy")["auc"])
    assert any("of the reference are equal" in note for note in report.notes)


def test_text_metrics_have_an_area_although_they_are_on_another_scale():
    study = make_rated_study()
    x, y = pairs(study, "close")
    keys = list(study.items.order_by("pk"))
    add_judge(study, "BLEU", lambda item: x[keys.index(item)] / 100)
    report = build(study, "roc")
    areas = [main_row(report, name, "accuracy")["auc"] for name in ("BLEU", "close")]
    assert areas[0] == pytest.approx(areas[1])


def test_a_number_without_ends_needs_a_threshold_and_a_choice_has_no_curve():
    study = make_table(np.array([[10, 20, 30]]), "number")
    add_judge(study, "gpt", lambda item: item.pk)
    report = build(study, "roc")
    assert report.rows == []
    assert "No ROC for q: a number without ends needs a threshold." in report.notes
    main, ordinal = build(study, "roc", threshold="15").rows
    assert main["threshold"] == 15
    assert ordinal["n"] == 3
    choice = factories.make_study("choice", questions={})
    factories.make_question(choice, "which", {"choice": ["A", "B"]})
    assert build(choice, "roc").rows == []


def test_curves_run_from_nothing_to_everything():
    report = build(make_rated_study(), "roc")
    curve = report.curves["close", "accuracy"]
    assert (curve.false_positive_rate[0], curve.true_positive_rate[0]) == (0, 0)
    assert (curve.false_positive_rate[-1], curve.true_positive_rate[-1]) == (1, 1)
