"""Bands, precision and recall, calibration and thresholds against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve as sklearn_calibration

from analysis.stats.classification.calibration import (
    bins_of,
    calibration_curve,
    expected_calibration_error,
)
from analysis.stats.classification.curves import average_precision, precision_recall_curve, roc_band
from analysis.stats.classification.operating_point import at_threshold, best_threshold
from analysis.stats.intervals.bootstrap import draw_counts
from tests.analysis.stats.classification.test_classification import scored
from tests.analysis.stats.intervals.test_bootstrap import check_draws

GRID = np.linspace(0, 1, 21)


def clustered(seed, digits=0, n=120):
    scores, reference = scored(seed, n, digits)
    clusters = np.random.default_rng(seed).integers(0, 9, n)
    return scores, (reference >= 4).astype(float), clusters


@pytest.mark.parametrize("digits", [0, 6])
def test_the_band_is_that_of_scikit_learns_curves_on_the_repeated_rows(digits):
    scores, positive, clusters = clustered(1, digits)
    counts = draw_counts(9, 60, np.random.default_rng(2))
    band = roc_band(scores, positive, GRID, clusters=clusters, counts=counts)
    curves = []
    for count in counts:
        rows = np.repeat(np.arange(120), count[clusters])
        x, y, _ = metrics.roc_curve(positive[rows], scores[rows], drop_intermediate=False)
        # at a steep rise numpy takes the upper end, once what is equal but for rounding is equal
        curves.append(np.interp(np.round(GRID, 9), np.round(x, 9), y))
    low, high = np.percentile(curves, [2.5, 97.5], axis=0)
    np.testing.assert_allclose(band.low, low, atol=1e-7)
    np.testing.assert_allclose(band.high, high, atol=1e-7)
    assert band.undefined_draws == 0


def test_the_band_ends_where_every_curve_ends():
    scores, positive, clusters = clustered(3)
    counts = draw_counts(9, 40, np.random.default_rng(2))
    band = roc_band(scores, positive, GRID, clusters=clusters, counts=counts)
    assert (band.low[-1], band.high[-1]) == (1, 1)
    assert all(low <= high for low, high in zip(band.low, band.high, strict=True))


def test_the_band_does_not_depend_on_the_order_of_the_items():
    scores, positive, clusters = clustered(4, 6)
    counts = draw_counts(9, 40, np.random.default_rng(2))
    order = np.random.default_rng(5).permutation(120)
    first = roc_band(scores, positive, GRID, clusters=clusters, counts=counts)
    again = roc_band(scores[order], positive[order], GRID, clusters=clusters[order], counts=counts)
    assert first == again


def test_draws_without_a_class_are_left_out_of_the_band_and_counted():
    clusters = np.arange(4)
    counts = np.array([[4, 0, 0, 0], [0, 0, 3, 1], [1, 1, 1, 1], [0, 2, 1, 1]], dtype=np.uint8)
    counts[3] = [0, 1, 2, 1]
    band = roc_band([1, 3, 2, 4], [0, 0, 1, 1], [0, 1], clusters=clusters, counts=counts)
    assert band.undefined_draws == 2
    assert band.low == pytest.approx([1 / 3 + 0.025 * (1 / 2 - 1 / 3), 1])


@pytest.mark.parametrize("positive", [[0, 0, 0, 1], [1, 1, 1, 0]])
def test_a_class_in_one_cluster_has_no_band(positive):
    counts = draw_counts(4, 20, np.random.default_rng(1))
    band = roc_band([1, 2, 3, 4], positive, [0, 1], clusters=np.arange(4), counts=counts)
    assert (band.low, band.reason) == ([], "no band: all items of one class are in one cluster")


@pytest.mark.parametrize(
    ("positive", "clusters", "reason"),
    [
        ([1, 1, 1], [0, 1, 2], "all 3 values of the reference are equal to 1"),
        ([np.nan] * 3, [0, 1, 2], "no complete pairs"),
        ([0, 1, 1], [0, 0, 0], "no band: all observations are in one cluster"),
    ],
)
def test_without_two_classes_and_clusters_there_is_no_band(positive, clusters, reason):
    counts = draw_counts(3, 10, np.random.default_rng(1))
    band = roc_band([1, 2, 3], positive, GRID, clusters=np.array(clusters), counts=counts)
    assert (band.grid, band.low, band.high, band.reason) == ([], [], [], reason)


@pytest.mark.parametrize("digits", [0, 6])
def test_average_precision_equals_scikit_learn(digits):
    scores, positive, _ = clustered(6, digits)
    expected = metrics.average_precision_score(positive, scores)
    assert average_precision(scores, positive).value == pytest.approx(expected, abs=1e-12)
    curve = precision_recall_curve(scores, positive)
    precision, recall, thresholds = metrics.precision_recall_curve(positive, scores)
    np.testing.assert_allclose(curve.precision, precision[-2::-1])
    np.testing.assert_allclose(curve.recall, recall[-2::-1])
    np.testing.assert_allclose(curve.thresholds, thresholds[::-1])


def test_average_precision_by_hand():
    # called one by one: hit, miss, hit: precision 1 and 2/3 at the two steps of recall
    found = average_precision([3, 2, 1], [1, 0, 1])
    assert (found.value, found.n) == (pytest.approx(5 / 6), 3)


@pytest.mark.parametrize("digits", [0, 6])
def test_each_draw_of_average_precision_equals_the_repeated_rows(digits):
    scores, positive, clusters = clustered(7, digits)
    check_draws(average_precision, [scores, positive], clusters)


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_has_no_precision(label):
    found = average_precision([1, 2], [label, label])
    assert np.isnan(found.value)
    assert found.reason == f"all 2 values of the reference are equal to {label}"
    assert precision_recall_curve([1, 2], [label, label]).recall == []


def test_shares_per_decile_equal_scikit_learn():
    rng = np.random.default_rng(8)
    probability = rng.random(300)
    positive = (rng.random(300) < probability).astype(float)
    found = calibration_curve(probability, positive)
    shares, means = sklearn_calibration(positive, probability, n_bins=10, strategy="quantile")
    np.testing.assert_allclose([each.share.value for each in found], shares)
    np.testing.assert_allclose([each.mean for each in found], means)
    assert sum(each.share.n for each in found) == 300


def test_few_values_are_bins_of_their_own():
    found = calibration_curve([1, 1, 2, 5, 5, 5, np.nan], [0, 1, 1, 1, 0, 1, 1])
    assert [(each.least, each.most, each.share.n) for each in found] == [
        (1, 1, 2),
        (2, 2, 1),
        (5, 5, 3),
    ]
    assert [each.share.value for each in found] == pytest.approx([1 / 2, 1, 2 / 3])
    assert calibration_curve([np.nan], [1]) == []


def test_equal_values_share_a_bin():
    values = np.concatenate([np.zeros(50), np.arange(1, 31)])
    codes = bins_of(values)
    assert len(set(codes[:50])) == 1
    assert sorted(set(codes)) == list(range(codes.max() + 1))
    with pytest.raises(ValueError, match="no missing value"):
        bins_of([1, np.nan])


def test_the_calibration_error_by_hand():
    # .5: two items, none positive, gap .5; .8: two items, both positive, gap .2
    found = expected_calibration_error([0.5, 0.5, 0.8, 0.8], [0, 0, 1, 1])
    assert (found.value, found.n) == (pytest.approx(0.35), 4)


def test_each_draw_of_the_calibration_error_equals_the_repeated_rows():
    scores, positive, clusters = clustered(9)
    check_draws(expected_calibration_error, [(scores - 1) / 4, positive], clusters)


def test_a_calibration_error_needs_probabilities():
    with pytest.raises(ValueError, match=r"expected 0..1, found 1 to 2"):
        expected_calibration_error([1, 2], [0, 1])
    assert expected_calibration_error([np.nan], [1]).reason == "no complete pairs"


@pytest.mark.parametrize("digits", [0, 6])
def test_the_threshold_is_the_best_of_scikit_learns_curves(digits):
    scores, positive, _ = clustered(10, digits)
    fpr, tpr, cuts = metrics.roc_curve(positive, scores, drop_intermediate=False)
    assert best_threshold(scores, positive) == cuts[np.argmax(tpr - fpr)]
    worth = {cut: metrics.f1_score(positive, scores >= cut) for cut in np.unique(scores)}
    chosen = best_threshold(scores, positive, "f1")
    assert worth[chosen] == max(worth.values())


def test_of_equally_good_thresholds_the_highest_is_taken():
    # J is 1/2 at 3 and at 1
    assert best_threshold([3, 2, 1, 0], [1, 0, 1, 0]) == 3
    assert np.isnan(best_threshold([1, 2], [1, 1]))
    with pytest.raises(ValueError, match="'gini' is not one of youden, f1"):
        best_threshold([1, 2], [0, 1], "gini")


def test_a_threshold_is_measured_as_by_scikit_learn():
    scores, positive, clusters = clustered(11)
    found = at_threshold(scores, positive, 4)
    called = scores >= 4
    assert found.sensitivity.value == pytest.approx(metrics.recall_score(positive, called))
    specificity = metrics.recall_score(positive, called, pos_label=0)
    assert found.specificity.value == pytest.approx(specificity)
    assert found.f1.value == pytest.approx(metrics.f1_score(positive, called))
    sizes = found.sensitivity.n, found.specificity.n, found.f1.n
    assert sizes == (positive.sum(), 120 - positive.sum(), 120)


@pytest.mark.parametrize("name", ["sensitivity", "specificity", "f1"])
def test_each_draw_of_a_threshold_equals_the_repeated_rows(name):
    scores, positive, clusters = clustered(12)
    counts = draw_counts(9, 25, np.random.default_rng(2))
    found = getattr(at_threshold(scores, positive, 4, clusters=clusters, counts=counts), name)
    for draw, count in zip(found.draws, counts, strict=True):
        rows = np.repeat(np.arange(120), count[clusters])
        again = getattr(at_threshold(scores[rows], positive[rows], 4), name)
        assert draw == pytest.approx(again.value, nan_ok=True)
    assert found.low < found.value < found.high


def test_without_a_class_a_threshold_has_no_worth():
    found = at_threshold([1, 2], [0, 0], 3)
    assert (found.sensitivity.reason, found.specificity.value) == ("no positive item", 1)
    assert found.f1.reason == "no item is positive or called so"


def test_of_thresholds_with_the_same_j_the_highest_is_taken_whatever_the_rounding() -> None:
    """Ten of each class: 3/10 − 1/10 and 4/10 − 2/10 are .2 both, but not as floats."""
    good = [3] * 3 + [2] * 1 + [1] * 6
    bad = [3] * 1 + [2] * 1 + [1] * 8
    assert 3 / 10 - 1 / 10 < 4 / 10 - 2 / 10
    assert best_threshold([*good, *bad], [1] * 10 + [0] * 10) == 3
