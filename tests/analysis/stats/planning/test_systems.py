"""Plans for comparing two systems."""

import numpy as np
import pytest

from analysis.stats.planning.planning import items_a_system, systems_power


def test_the_worked_items_a_system():
    assert items_a_system(1.4) == 267
    assert items_a_system([1.4, 2.8], [0.3, 0.3 * 2**0.5]).tolist() == [267, 267]


def test_the_items_are_the_fewest_that_have_the_power():
    for power in (0.5, 0.8, 0.95):
        items = items_a_system(1.4, power=power)
        assert systems_power(1.4, items - 1) < power <= systems_power(1.4, items)


def test_another_unit_changes_nothing():
    assert systems_power(14000, 160, 30) == pytest.approx(float(systems_power(140, 160, 3)))


def test_seventy_five_items_decide_nothing():
    assert systems_power(1.4, 75) == 0


def test_a_system_needs_thirty_items():
    assert items_a_system(0.01) == 30
    assert systems_power(0.01, [29, 30]).tolist() == [0, 1]


def test_without_a_margin_no_number_of_items_can_show_it():
    assert items_a_system(1.4, 0) == np.inf
    assert np.isnan(items_a_system(np.nan)) and np.isnan(systems_power(1.4, 100, np.nan))
    assert systems_power(np.inf, 100) == 0
    with pytest.raises(ValueError, match="difference_variance: expected"):
        items_a_system(-1)
    with pytest.raises(ValueError, match="items: expected"):
        systems_power(1.4, 0)
    with pytest.raises(ValueError, match="margin: expected"):
        items_a_system(1.4, -1)
    with pytest.raises(ValueError, match="alpha: expected a number between 0 and 0.5"):
        systems_power(1.4, 100, alpha=0.5)


@pytest.mark.parametrize("power", [0.4, 1.0, np.nan])
def test_a_power_is_at_least_one_half(power):
    with pytest.raises(ValueError, match="power: expected"):
        items_a_system(1.4, power=power)
