"""Plans for comparing two systems."""

import numpy as np
import pytest

from analysis.stats.planning.systems import items_a_system, systems_power


def test_the_worked_items_a_system():
    assert items_a_system(1.4) == 267
    assert items_a_system([1.4, 2.8], [0.3, 0.3 * 2**0.5]).tolist() == [267, 267]


def test_the_power_at_the_planned_items():
    assert systems_power(1.4, [266, 267])[0] < 0.8 <= systems_power(1.4, 267)


def test_seventy_five_items_decide_nothing():
    assert systems_power(1.4, 75) == 0


def test_a_system_needs_thirty_items():
    assert items_a_system(0.01) == 30
    assert systems_power(0.01, [29, 30]).tolist() == [0, 1]


def test_without_a_margin_no_number_of_items_can_show_it():
    assert items_a_system(1.4, 0) == np.inf
    assert np.isnan(items_a_system(np.nan))
    with pytest.raises(ValueError, match="difference_variance: expected"):
        items_a_system(-1)
    with pytest.raises(ValueError, match="items: expected"):
        systems_power(1.4, 0)
