"""Whatever the data: equal to scipy, scikit-learn and krippendorff, and undefined alike."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

from analysis.stats.agreement.cohen_kappa import cohen_kappa
from analysis.stats.agreement.krippendorff_alpha import METRICS, krippendorff_alpha
from analysis.stats.classification.classification import auc, confusion_matrix, ordinal_auc
from analysis.stats.classification.curves import average_precision
from analysis.stats.correlation.correlation import dataset_correlation, grouped_correlation

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
SCALE = [1, 2, 3, 4, 5]
labels = st.integers(1, 5).map(float)
scores = labels | st.integers(-40, 40).map(lambda n: n / 7)  # short scales, and long ones


def columns(*strategies, least=0, most=30):
    """Rows of values, as columns of one length."""
    rows = st.lists(st.tuples(*strategies), min_size=least, max_size=most)
    return rows.map(lambda found: np.array(found, dtype=float).reshape(-1, len(strategies)).T)


def gaps(strategy):
    return strategy | st.just(np.nan)


def constant(values):
    return len(values) < 2 or values.min() == values.max()


@given(columns(gaps(scores), gaps(scores)), st.sampled_from(sorted(SCIPY)))
def test_correlation_is_scipys_on_the_complete_pairs(data, coefficient):
    x, y = data
    known = ~np.isnan(x) & ~np.isnan(y)
    found = dataset_correlation(x, y, coefficient)
    assert found.n == known.sum()
    if constant(x[known]) or constant(y[known]):
        assert np.isnan(found.value) and found.reason
    else:
        expected = SCIPY[coefficient](x[known], y[known]).statistic
        assert found.value == pytest.approx(expected, abs=1e-12)


@given(columns(scores, scores, st.integers(0, 4), most=40), st.sampled_from(sorted(SCIPY)))
def test_a_mean_over_groups_is_that_of_scipys_values(data, coefficient):
    x, y, groups = data
    groups = groups.astype(int)
    inside = [groups == group for group in np.unique(groups)]
    defined = [one for one in inside if not constant(x[one]) and not constant(y[one])]
    found = grouped_correlation(x, y, groups, coefficient)
    assert (found.groups, found.skipped) == (len(inside), len(inside) - len(defined))
    if defined:
        expected = np.mean([SCIPY[coefficient](x[one], y[one]).statistic for one in defined])
        assert found.value == pytest.approx(expected, abs=1e-12)
    else:
        assert np.isnan(found.value) and found.reason


@given(columns(scores, st.integers(0, 1)))
def test_areas_are_scikit_learns(data):
    x, positive = data
    found, precision = auc(x, positive), average_precision(x, positive)
    if constant(positive):
        assert np.isnan(found.value) and found.reason
        assert np.isnan(precision.value) and precision.reason
    else:
        assert found.value == pytest.approx(metrics.roc_auc_score(positive, x), abs=1e-12)
        expected = metrics.average_precision_score(positive, x)
        assert precision.value == pytest.approx(expected, abs=1e-12)


@given(columns(scores, labels))
def test_the_ordinal_area_is_scipys_somers_d(data):
    x, y = data
    found = ordinal_auc(x, y)
    if constant(y):
        assert np.isnan(found.value) and found.reason
    else:
        expected = (stats.somersd(y, x).statistic + 1) / 2 if not constant(x) else 0.5
        assert found.value == pytest.approx(expected, abs=1e-12)


@given(columns(labels, labels, least=1))
def test_matrices_and_kappas_are_scikit_learns(data):
    human, judge = data
    expected = metrics.confusion_matrix(human, judge, labels=SCALE)
    assert confusion_matrix(human, judge, SCALE).tolist() == expected.tolist()
    for weights, name in (("plain", None), ("linear", "linear"), ("quadratic", "quadratic")):
        found = cohen_kappa(data.T, SCALE, weights=weights)
        if len(human) < 2 or len({*human, *judge}) == 1:
            assert np.isnan(found.value) and found.reason
        else:
            expected = metrics.cohen_kappa_score(human, judge, labels=SCALE, weights=name)
            assert found.value == pytest.approx(expected, abs=1e-12)


@given(columns(*[gaps(labels)] * 4), st.sampled_from(sorted(METRICS)))
def test_alpha_is_that_of_the_package(data, metric):
    ratings = data.T
    paired = ratings[(~np.isnan(ratings)).sum(axis=1) > 1]
    found = krippendorff_alpha(ratings, metric)
    assert found.n == len(paired)
    if constant(paired[~np.isnan(paired)]):
        assert np.isnan(found.value) and found.reason
    else:
        expected = krippendorff.alpha(paired.T, level_of_measurement=metric)
        assert found.value == pytest.approx(expected, abs=1e-12)
