"""AUC, ROC curves and confusion matrices against scikit-learn and scipy."""

import json

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from analysis.stats.classification.classification import (
    at_least,
    auc,
    confusion_matrix,
    ordinal_auc,
    roc_curve,
)
from analysis.stats.inputs import round_half_down


def scored(seed, n=200, digits=0):
    rng = np.random.default_rng(seed)
    quality = rng.normal(3, 1, n)
    reference = np.clip(np.round(quality + rng.normal(0, 0.7, n)), 1, 5)
    return np.clip(np.round(quality + rng.normal(0, 0.7, n), digits), 1, 5), reference


@pytest.mark.parametrize("digits", [0, 6])
def test_auc_equals_scikit_learn(digits):
    scores, reference = scored(1, digits=digits)
    found = auc(scores, reference >= 4)
    assert found.value == pytest.approx(metrics.roc_auc_score(reference >= 4, scores), abs=1e-12)
    assert found.n == 200


def test_auc_by_hand():
    # positives 3, 2; negatives 2, 1: three wins and a tie of four
    assert auc([3, 2, 2, 1], [1, 1, 0, 0]).value == 0.875


@pytest.mark.parametrize("digits", [0, 6])
def test_ordinal_auc_is_somers_d_of_scipy(digits):
    scores, reference = scored(2, digits=digits)
    expected = (stats.somersd(reference, scores).statistic + 1) / 2
    assert ordinal_auc(scores, reference).value == pytest.approx(expected, abs=1e-12)


def test_each_threshold_has_its_auc():
    scores, reference = scored(3)
    for cut in (2, 3, 4, 5):
        expected = metrics.roc_auc_score(reference >= cut, scores)
        value = auc(scores, at_least(reference, cut)).value
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "labels", "reason"),
    [
        ([1.0, 2.0], [1, 1], "all 2 values of the reference are equal to 1"),
        ([], [], "no complete pairs"),
        ([np.nan, 2.0], [1, np.nan], "no complete pairs"),
    ],
)
def test_one_class_alone_is_undefined(scores, labels, reason):
    found = auc(scores, labels)
    assert np.isnan(found.value)
    assert found.reason == reason
    curve = roc_curve(scores, labels)
    assert curve.false_positive_rate == []
    assert curve.reason == reason


def test_a_constant_judge_is_no_better_than_chance():
    assert auc([3, 3, 3, 3], [1, 1, 0, 0]).value == 0.5


def test_the_roc_curve_equals_scikit_learn_and_is_json():
    scores, reference = scored(4)
    curve = roc_curve(scores, reference >= 4)
    false_rate, true_rate, thresholds = metrics.roc_curve(
        reference >= 4, scores, drop_intermediate=False
    )
    np.testing.assert_allclose(curve.false_positive_rate, false_rate, atol=1e-12)
    np.testing.assert_allclose(curve.true_positive_rate, true_rate, atol=1e-12)
    assert curve.thresholds[0] is None
    np.testing.assert_allclose(curve.thresholds[1:], thresholds[1:])
    json.dumps(vars(curve), allow_nan=False)
    assert curve.positives + curve.negatives == 200


def test_the_area_under_the_curve_is_the_auc():
    scores, reference = scored(5, digits=1)
    curve = roc_curve(scores, reference >= 3)
    area = np.trapezoid(curve.true_positive_rate, curve.false_positive_rate)
    assert area == pytest.approx(auc(scores, reference >= 3).value, abs=1e-12)


def test_the_confusion_matrix_keeps_the_order_of_the_scale():
    human = np.array([1, 0, 1, 2, np.nan, 2])
    judge = np.array([1, 1, 2, 2, 1, np.nan])
    labels = [2, 1, 0]  # such as yes, unsure, no: not the sorted order
    expected = metrics.confusion_matrix(human[:4], judge[:4], labels=labels)
    found = confusion_matrix(human, judge, labels)
    assert found.tolist() == expected.tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 0]]


def test_halves_are_rounded_down():
    values = [1.5, 2.5, 3.4999, 3.5001, 4.0, np.nan, (4 + 3 + 3 + 4) / 4, 10.5 / 3]
    np.testing.assert_array_equal(round_half_down(values), [1, 2, 3, 4, 4, np.nan, 3, 3])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: auc([1.0, 2.0], [1, 2]), "expected 0 or 1, found 2.0"),
        (lambda: auc([1.0, 2.0], [1]), "differ in length"),
        (lambda: confusion_matrix([1.0], [3.5], [1, 2, 3, 4]), "judge: 3.5 is not one of"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_mean_reaches_the_cut_that_it_misses_by_rounding_alone():
    reference = [0.7, (0.6 + 0.7 + 0.8) / 3, 0.1 + 0.6, 0.699, np.nan]
    np.testing.assert_array_equal(at_least(reference, 0.7), [1, 1, 1, 0, np.nan])
