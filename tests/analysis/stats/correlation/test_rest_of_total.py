"""The total of what was not drawn, against a published example and its degenerate cases."""

import numpy as np
import pytest

from analysis.stats.correlation.rest_of_total import rest_of_total

# Cochran (1977), Sampling Techniques, 3rd ed., p. 28: signatures on 50 of 676 sheets of petitions,
# as (signatures, sheets).
SHEETS = [
    (42, 23),
    (41, 4),
    (36, 1),
    (32, 1),
    (29, 1),
    (27, 2),
    (23, 1),
    (19, 1),
    (16, 2),
    (15, 2),
    (14, 1),
    (11, 1),
    (10, 1),
    (9, 1),
    (7, 1),
    (6, 3),
    (5, 2),
    (4, 1),
    (3, 1),
]
SAMPLE = np.repeat([float(y) for y, _ in SHEETS], [f for _, f in SHEETS])


def test_cochrans_petition():
    """He estimates 19,888 signatures, with limits of 18,107 and 21,669 at t = 1.28 (80 %)."""
    found = rest_of_total(SAMPLE, 676 - 50)
    assert SAMPLE.sum() == 1471
    assert SAMPLE.sum() + found.value == pytest.approx(19_888, abs=1)
    half = found.high - found.value
    # t(49; .975) is 2.0096, from a table
    assert half / 2.0096 * 1.28 == pytest.approx((21_669 - 18_107) / 2, abs=2)
    assert found.n == 50 and found.value - found.low == pytest.approx(half)


def test_the_order_changes_nothing_and_equal_units_leave_no_doubt():
    assert rest_of_total(SAMPLE[::-1], 7).value == pytest.approx(rest_of_total(SAMPLE, 7).value)
    same = rest_of_total(np.full(20, 3.0), 80)
    assert (same.value, same.low, same.high) == (240, 240, 240)


def test_nothing_goes_below_zero_and_nothing_left_is_nothing():
    assert rest_of_total(np.array([0.0, 0.0, 9.0]), 100).low == 0
    assert rest_of_total(np.array([np.nan]), 0).value == 0


def test_what_is_unknown_is_undefined_with_its_reason():
    none, some = rest_of_total(np.array([]), 5), rest_of_total(np.array([1.0, np.nan]), 5)
    one = rest_of_total(np.array([2.0]), 5)
    assert np.isnan(none.value) and none.reason == "no unit was drawn"
    assert np.isnan(some.value) and "unknown" in some.reason
    assert (one.value, one.reason) == (10, "one unit has no interval") and np.isnan(one.low)
    with pytest.raises(ValueError, match="below 0"):
        rest_of_total(SAMPLE, -1)
