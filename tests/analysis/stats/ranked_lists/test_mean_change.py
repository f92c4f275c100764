"""The paired t interval, against a published example and its degenerate cases."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from analysis.stats.ranked_lists.mean_change import mean_change

# Student (1908), Biometrika 6, p. 20: additional hours of sleep by two drugs, ten patients.
ONE = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
OTHER = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])


def test_students_sleep_data():
    """R prints for t.test(paired = TRUE): mean 1.58, 95 % interval .7001142 to 2.4598858."""
    found = mean_change(ONE, OTHER)
    assert found.value == pytest.approx(1.58, abs=1e-9)
    assert (found.low, found.high) == pytest.approx((0.7001142, 2.4598858), abs=1e-7)
    assert found.n == 10
    other = ttest_rel(OTHER, ONE).confidence_interval()
    assert (found.low, found.high) == pytest.approx(other)


def test_what_is_missing_on_one_side_is_left_out():
    before, after = np.append(ONE, [np.nan, 3]), np.append(OTHER, [2, np.nan])
    assert mean_change(before, after) == mean_change(ONE, OTHER)


def test_the_order_of_items_changes_nothing_and_turning_round_the_sign():
    found, turned = mean_change(ONE, OTHER), mean_change(OTHER[::-1], ONE[::-1])
    assert (turned.value, turned.low) == pytest.approx((-found.value, -found.high))


def test_degenerate_cases():
    same = mean_change(ONE, ONE)
    assert (same.value, same.low, same.high) == (0, 0, 0)
    one = mean_change(ONE[:1], OTHER[:1])
    assert (one.value, one.reason) == (pytest.approx(1.2), "one item has no interval")
    assert np.isnan([one.low, one.high]).all()
    none = mean_change(np.array([np.nan]), np.array([1.0]))
    assert np.isnan(none.value) and none.reason == "no item has both values"
    with pytest.raises(ValueError, match="other lengths"):
        mean_change(ONE, OTHER[:-1])
