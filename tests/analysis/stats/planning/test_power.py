"""Power of checks and the items that they need: worked values and limits."""

import numpy as np
import pytest

from analysis.stats.planning.power import (
    equivalence_power,
    fewest_that_reach,
    items_for_equivalence,
    pass_together,
)


def test_the_worked_items_of_a_level():
    assert items_for_equivalence(0.25, 1.4) == 192


def test_the_items_are_the_fewest_that_have_the_power():
    for power in (0.5, 0.8, 0.95):
        items = items_for_equivalence(0.2, 0.7, power)
        assert equivalence_power(0.2, 0.7, items - 1) < power <= equivalence_power(0.2, 0.7, items)


def test_another_unit_changes_nothing():
    assert equivalence_power(25, 14000, 60) == pytest.approx(float(equivalence_power(2.5, 140, 60)))


def test_what_cannot_be_shown_takes_infinitely_many_items():
    assert items_for_equivalence(0.0, 0.3) == np.inf
    assert equivalence_power(0.3, np.inf, 100) == 0
    assert equivalence_power(0.25, 1.4, 10) == 0  # too few ever to show it


def test_missing_numbers_stay_missing():
    assert np.isnan(equivalence_power(np.nan, 0.3, 10))
    assert np.isnan(items_for_equivalence(0.1, np.nan))


@pytest.mark.parametrize("power", [0.4, 1.0, np.nan])
def test_a_power_is_at_least_one_half(power):
    with pytest.raises(ValueError, match="power: expected"):
        items_for_equivalence(0.1, 0.3, power)


def test_impossible_numbers_are_refused():
    with pytest.raises(ValueError, match="alpha: expected a number between 0 and 0.5"):
        equivalence_power(0.1, 0.3, 10, alpha=0.5)
    with pytest.raises(ValueError, match="variance: expected"):
        equivalence_power(0.1, -0.3, 10)
    with pytest.raises(ValueError, match="items: expected"):
        equivalence_power(0.1, 0.3, 0)
    with pytest.raises(ValueError, match="margin: expected"):
        items_for_equivalence(-0.1, 0.3)


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
