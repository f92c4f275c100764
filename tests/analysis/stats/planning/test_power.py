"""Power of checks and the items that they need: worked values and limits."""

import numpy as np
import pytest

from analysis.stats.planning.planning import fewest, fewest_that_reach, pass_together


def test_checks_that_share_something_are_passed_together_more_often():
    # Sheppard (1899): two normal scores that correlate by .5 are both above 0 in a third
    assert pass_together((0.0, 0.5), (0.0, 0.5)) == pytest.approx(1 / 3, abs=1e-6)
    assert pass_together((0.0, 0.0), (0.0, 0.0)) == pytest.approx(0.25, abs=1e-12)
    grid = pass_together((np.array([0.5, 1.0]), 0.5), (8.0, 0.9))
    assert grid == pytest.approx([0.691462, 0.841345], abs=1e-4)
    assert np.isnan(pass_together((np.nan, 0.5)))


def test_the_fewest_that_reach_a_power_are_found():
    for wanted in (1, 2, 233, 4097, 10**8):
        assert fewest_that_reach(0.8, lambda n, w=wanted: (n >= w) * 1.0) == wanted
    assert fewest_that_reach(0.8, lambda n: n * 0.0) == np.inf
    with pytest.raises(ValueError, match="power: expected"):
        fewest_that_reach(0.4, lambda n: n)
    with pytest.raises(ValueError, match="power: expected"):
        fewest_that_reach(np.nan, lambda n: n)


def test_the_fewest_above_a_number_are_found():
    assert fewest(lambda n: n > 3, more_than=49) == 50
    assert fewest(lambda n: n >= 77, more_than=49) == 77
    assert fewest(lambda n: n < 0, more_than=49) == np.inf
