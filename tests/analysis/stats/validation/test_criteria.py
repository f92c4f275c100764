"""Margins by scale, and conventions that cannot be."""

import numpy as np
import pytest

from analysis.stats.validation.criteria import SHARES, Criteria, Scale


@pytest.mark.parametrize(
    ("scale", "level", "system"),
    [
        (Scale(1, 5), 0.25, 0.3),
        (Scale(0, 4), 0.25, 0.3),
        (Scale(1, 7), 0.3, 0.36),
        (Scale(0, 1), 0.05, 0.06),
        (Scale(0, 100), 5, 6),
        (Scale(1, 5, step=None), 0.2, 0.24),
        (Scale(1, 5, step=0.5), 0.2, 0.24),
        (SHARES, 0.05, 0.06),
    ],
)
def test_margins_are_a_share_of_the_range_but_on_five_points(scale, level, system):
    assert (scale.level_margin, scale.system_margin) == pytest.approx((level, system))


def test_values_are_rounded_to_points_and_kept_inside():
    assert Scale(1, 5).round(np.array([1.4, 2.5, 3.6])).tolist() == [1, 2, 4]
    assert Scale(0, 10, step=2).round(np.array([2.9, 3.1])).tolist() == [2, 4]
    inside = Scale(1, 5).keep_inside(np.array([0.9, 1, 5, 5.1, np.nan]))
    np.testing.assert_array_equal(inside, [np.nan, 1, 5, np.nan, np.nan])


@pytest.mark.parametrize(
    "make", [lambda: Scale(5, 1), lambda: Scale(1, 5, step=0), lambda: Criteria(alpha=1.5)]
)
def test_conventions_that_cannot_be_are_refused(make):
    with pytest.raises(ValueError, match="expected"):
        make()
