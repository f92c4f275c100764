"""Fleiss' kappa, Gwet's AC1 and AC2 and Kendall's W against published values and scipy."""

import numpy as np
import pytest
from scipy import stats

from analysis.stats.agreement.cohen_kappa import cohen_kappa
from analysis.stats.agreement.fleiss_kappa import fleiss_kappa
from analysis.stats.agreement.gwet_ac import gwet_ac
from analysis.stats.agreement.icc import icc
from analysis.stats.agreement.kendall_w import kendall_w
from analysis.stats.agreement.krippendorff_alpha import krippendorff_alpha
from analysis.stats.intervals.bootstrap import draw_counts
from tests.analysis.stats.published import ANXIETY, CANONICAL, DIAGNOSES

LIKERT = [1, 2, 3, 4, 5]


def test_fleiss_kappa_of_the_diagnoses():
    # Fleiss (1971), p. 381: .430
    found = fleiss_kappa(DIAGNOSES, LIKERT)
    assert found.value == pytest.approx(0.430, abs=5e-4)
    assert found.n == 30


# The canonical data in the documentation of R's irrCAC, by Gwet himself (cac.raw4raters).
def test_fleiss_kappa_of_the_canonical_data():
    found = fleiss_kappa(CANONICAL, LIKERT)
    assert found.value == pytest.approx(0.76117, abs=5e-6)
    assert found.n == 11


@pytest.mark.parametrize(
    ("weights", "published"), [("plain", 0.77544), ("ordinal", 0.89894), ("quadratic", 0.91400)]
)
def test_gwet_ac_of_the_canonical_data(weights, published):
    found = gwet_ac(CANONICAL, LIKERT, weights=weights)
    assert found.value == pytest.approx(published, abs=5e-6)
    assert found.n == 11


def test_ac1_stays_high_where_a_skewed_scale_makes_kappa_low():
    # 95 % agreement: kappa -.016, AC1 .947
    ratings = np.array([[1, 1]] * 95 + [[1, 2]] * 4 + [[2, 1]], dtype=float)
    assert cohen_kappa(ratings, [1, 2]).value == pytest.approx(-0.016, abs=5e-4)
    assert gwet_ac(ratings, [1, 2]).value == pytest.approx(0.947, abs=5e-4)


@pytest.mark.parametrize(
    ("weights", "value", "low"), [("plain", 0.966, 0.898), ("quadratic", 0.998, 0.993)]
)
def test_draws_in_which_all_ratings_are_equal_count_in_the_interval_of_ac(weights, value, low):
    """30 units, all rated 4 but for one 4 and 3: in 36 % of the draws every rating is 4."""
    ratings = np.full((30, 2), 4)
    ratings[0, 1] = 3
    counts = draw_counts(30, 2000, np.random.default_rng(1))
    found = gwet_ac(ratings, LIKERT, weights=weights, clusters=np.arange(30), counts=counts)
    assert found.value == pytest.approx(value, abs=5e-4)
    assert (found.low, found.high) == (pytest.approx(low, abs=5e-4), 1)
    assert found.undefined_draws == 0


def test_the_length_of_the_scale_counts_in_ac1_and_not_in_fleiss_kappa():
    ratings = np.array([[1, 1], [1, 2], [2, 2]], dtype=float)
    assert gwet_ac(ratings, LIKERT).value > gwet_ac(ratings, [1, 2]).value
    assert fleiss_kappa(ratings, LIKERT).value == fleiss_kappa(ratings, [1, 2]).value


def test_fleiss_kappa_comes_near_alpha_where_units_are_many():
    # Krippendorff (2011): alpha differs by 1 / N of chance only
    ratings = np.tile(DIAGNOSES, (50, 1))
    alpha = krippendorff_alpha(ratings, "nominal").value
    assert fleiss_kappa(ratings, LIKERT).value == pytest.approx(alpha, abs=1e-4)


def test_kendall_w_of_the_applicants():
    # Siegel (1956), Nonparametric Statistics, ch. 9: three interviewers, six applicants, W = .16
    ranks = np.array([[1, 6, 3, 2, 5, 4], [1, 5, 6, 4, 2, 3], [6, 3, 2, 5, 4, 1]], dtype=float).T
    found = kendall_w(ranks)
    assert found.value == pytest.approx(0.16, abs=5e-3)
    assert found.n == 6


@pytest.mark.parametrize("ratings", [ANXIETY, DIAGNOSES, CANONICAL[1:5]])
def test_kendall_w_is_friedmans_statistic_over_its_maximum(ratings):
    # scipy's is corrected for ties as well; units in the place of its treatments
    units, raters = ratings[~np.isnan(ratings).any(axis=1)].shape
    expected = stats.friedmanchisquare(*ratings[~np.isnan(ratings).any(axis=1)]).statistic
    assert kendall_w(ratings).value == pytest.approx(expected / raters / (units - 1), abs=1e-12)


def test_kendall_w_takes_units_that_all_raters_rated():
    with_gap = np.vstack([ANXIETY, [np.nan, 1, 6]])
    assert kendall_w(with_gap) == kendall_w(ANXIETY)


def test_kendall_w_of_one_order_is_one_and_of_a_reversed_pair_zero():
    up = np.arange(6.0)
    assert kendall_w(np.column_stack([up, up**3])).value == pytest.approx(1)
    assert kendall_w(np.column_stack([up, -up])).value == pytest.approx(0)


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([[1], [2]], "fewer than two raters (1)"),
        ([[1, 2], [np.nan, 1]], "fewer than two units are rated by all 2 raters (1)"),
        ([[1, 2], [1, 2], [1, 2]], "all ratings of each rater are equal"),
    ],
)
def test_kendall_w_without_an_order_is_undefined(ratings, reason):
    found = kendall_w(ratings)
    assert np.isnan(found.value)
    assert found.reason == reason


# McGraw & Wong's forms of the anxiety data of R's irr package, to the printed digits.
@pytest.mark.parametrize(
    ("form", "published"),
    [
        ("1,1", 0.1750),
        ("A,1", 0.1980),
        ("C,1", 0.2160),
        ("1,k", 0.3889),
        ("A,k", 0.4255),
        ("C,k", 0.4526),
    ],
)
def test_icc_of_the_anxiety_data(form, published):
    assert icc(ANXIETY, form).value == pytest.approx(published, abs=5e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fleiss_kappa([[1, 6]], LIKERT), "6.0 is not one of the labels"),
        (lambda: gwet_ac([[1, 1]], LIKERT, weights="linear"), "'linear' is not one of plain"),
        (lambda: gwet_ac([[1, 1]], [1, 1]), "at least two different"),
        (lambda: kendall_w([1, 2]), "ratings: expected 2 dimension"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
