"""Paired t-tests, errors of lines over random splits, means by person, beside other libraries."""

from math import atan, isnan, nan, pi, sqrt

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_error

from analysis.stats.comparison.means_of_people import EQUAL, ONE, means_of_people
from analysis.stats.comparison.paired_t import upper_paired_t
from analysis.stats.regression.linear_prediction import random_splits, split_error

# By hand: differences 2, 0, 2, 1, mean 1.25, squares about it 2.75, so sd = √(2.75 / 3).
FIRST, SECOND = [5, 4, 4, 3], [3, 4, 2, 2]
T = 1.25 / (sqrt(2.75 / 3) / 2)


def p_of_three_degrees(t):
    """The upper tail of Student's t with three degrees of freedom, in closed form."""
    a = t / sqrt(3)
    return 0.5 - (a / (1 + a * a) + atan(a)) / pi


def test_t_by_hand():
    found = upper_paired_t(FIRST, SECOND)
    assert found.t == pytest.approx(T)
    assert found.t == pytest.approx(2.6112, abs=5e-5)
    assert found.p == pytest.approx(p_of_three_degrees(T))
    assert (found.mean, found.other_mean, found.difference.value) == (4, 2.75, 1.25)
    assert found.sd == pytest.approx(sqrt(2 / 3))
    assert found.difference.n == 4


def test_t_is_one_tailed_and_pairs_people():
    up, down = upper_paired_t(FIRST, SECOND), upper_paired_t(SECOND, FIRST)
    assert down.p == pytest.approx(1 - up.p)
    turned = upper_paired_t(FIRST[::-1], SECOND[::-1])
    assert turned.t == pytest.approx(up.t)
    unpaired = upper_paired_t(FIRST, SECOND[::-1])
    assert unpaired.t != pytest.approx(up.t)


def test_t_equals_scipy_and_leaves_out_who_lacks_one():
    rng = np.random.default_rng(4)
    a, b = rng.integers(1, 6, 40).astype(float), rng.integers(1, 6, 40).astype(float)
    expected = stats.ttest_rel(a, b, alternative="greater")
    ends = stats.ttest_rel(a, b).confidence_interval(0.95)
    found = upper_paired_t([*a, 5, nan], [*b, nan, 1])
    assert (found.t, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert (found.difference.low, found.difference.high) == pytest.approx((ends.low, ends.high))
    assert found.difference.n == 40


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([], [], "nobody rated both"),
        ([5, nan], [nan, 2], "nobody rated both"),
        ([5], [2], "only one person rated both"),
        ([5, 4, 3], [4, 3, 2], "all differences are equal, so that t is undefined"),
        ([4.1, 3.1], [4.0, 3.0], "all differences are equal, so that t is undefined"),
        ([5, 4], [5, 4], "all differences are equal, so that t is undefined"),
    ],
)
def test_undefined_t_says_why(first, second, reason):
    found = upper_paired_t(first, second)
    assert isnan(found.t) and isnan(found.p) and isnan(found.difference.low)
    assert found.difference.reason == reason


def test_a_line_by_hand():
    """Trained on (0, 1), (1, 2), (2, 3) it says 1 + x: 4 and 5 where people say 5 and 5."""
    x, y = [0, 1, 2, 3, 4], [1, 2, 3, 5, 5]
    train = np.array([[True, True, True, False, False]])
    found = split_error(x, y, train)
    assert found.error.value == pytest.approx(0.5)
    assert found.of_mean.value == pytest.approx(9.0)  # 3² twice: the mean of training is 2
    assert isnan(found.sd) and found.splits == 1


def test_errors_equal_those_of_scikit_learn():
    rng = np.random.default_rng(8)
    x = 1e3 + rng.normal(size=33)  # far from 0: sums of squares must not lose it
    y = 2 + 0.8 * x + rng.normal(size=33)
    train = random_splits(33, 25, np.random.default_rng(2))
    errors, plain = [], []
    for rows in train:
        line = LinearRegression().fit(x[rows, None], y[rows])
        errors.append(mean_squared_error(y[~rows], line.predict(x[~rows, None])))
        plain.append(np.mean((y[~rows] - y[rows].mean()) ** 2))
    found = split_error(x, y, train)
    assert found.error.value == pytest.approx(np.mean(errors))
    assert found.sd == pytest.approx(np.std(errors, ddof=1))
    assert found.of_mean_sd == pytest.approx(np.std(plain, ddof=1))
    for estimate, own in ((found.error, errors), (found.of_mean, plain)):
        assert estimate.value == pytest.approx(np.mean(own))
        ends = np.percentile(own, [2.5, 97.5])
        assert (estimate.low, estimate.high) == pytest.approx(tuple(ends))


def test_splits_are_seventy_to_thirty_seeded_and_differ():
    train = random_splits(40, 50, np.random.default_rng(3))
    assert set(train.sum(axis=1)) == {28}
    assert len({row.tobytes() for row in train}) == 50
    assert (train == random_splits(40, 50, np.random.default_rng(3))).all()
    assert train.mean(axis=0).min() > 0.5 and train.mean(axis=0).max() < 0.9


def test_undefined_errors_say_why():
    few = split_error([1, 2, 3, 4], [1, 2, 3, 4], random_splits(4, 3, np.random.default_rng(1)))
    assert isnan(few.error.value) and few.error.reason == "fewer than 5 items with both (4)"
    train = random_splits(10, 20, np.random.default_rng(1))
    constant = split_error([2.5] * 10, range(10), train)
    assert isnan(constant.error.value) and "two different values" in constant.error.reason
    x = [0.0] * 9 + [1.0]  # a line only where the last one is trained on
    found = split_error(x, list(range(10)), train)
    assert found.error.undefined_draws == int((~train[:, 9]).sum()) > 0
    assert found.splits + found.error.undefined_draws == 20


def test_means_of_one_rating_a_person_are_those_of_a_plain_t_interval():
    values = [5, 4, 2, 4, 3, 3]
    found = means_of_people(values, np.array([0, 0, 0, 0, 1, 1]), np.array([0, 1, 2, 3, 0, 1]), 3)
    first = values[:4]
    ends = stats.t.interval(0.95, 3, np.mean(first), stats.sem(first))
    assert (found.mean[0], found.low[0], found.high[0]) == pytest.approx((3.75, *ends))
    assert found.reason(0) == "" and found.reason(1) == EQUAL and found.n.tolist() == [4, 2, 0]
    assert isnan(found.mean[2])


def test_who_rates_twice_counts_as_one_person():
    """By hand: mean 3; deviations sum to 2 and −2 by person: se = √(2 · 8) / 4 = 1."""
    found = means_of_people([4, 4, 2, 2], np.zeros(4, dtype=int), np.array([0, 0, 1, 1]), 1)
    reach = stats.t.ppf(0.975, 1)
    assert (found.low[0], found.high[0]) == pytest.approx((3 - reach, 3 + reach))
    alone = means_of_people([4, 2], np.zeros(2, dtype=int), np.zeros(2, dtype=int), 1)
    assert isnan(alone.low[0]) and alone.reason(0) == ONE
