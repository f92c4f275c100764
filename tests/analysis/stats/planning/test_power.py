"""Power of single checks and the items that they need: worked values and limits."""

import numpy as np
import pytest

from analysis.stats.planning.power import (
    agreement_power,
    equivalence_power,
    items_for_agreement,
    items_for_equivalence,
    items_for_superiority,
    joint_power,
    superiority_power,
)

SIZES = np.array([50, 100, 200])


def test_the_worked_powers():
    # rho .3, r .4, 3 ratings, k 2/3: theta .2
    theta = superiority_power(0.2, 0.24681481, SIZES)
    assert theta == pytest.approx([0.885273, 0.991364, 0.999974], abs=5e-7)
    rho = agreement_power(0.3, 0.41813333, SIZES)
    assert rho == pytest.approx([0.949050, 0.998626, 1.000000], abs=5e-7)


@pytest.mark.parametrize(
    ("effect", "variance", "items"),
    [(0.2, 0.246815, 39), (0.1, 0.375304, 233), (0.5 / 3, 0.170833, 39), (0.14, 0.688164, 218)],
)
def test_the_worked_items_of_retention(effect, variance, items):
    assert items_for_superiority(effect, variance) == items


@pytest.mark.parametrize(
    ("rho", "variance", "items"), [(0.3, 0.418133, 29), (0.5, 0.225, 6), (0.2, 0.9216, 143)]
)
def test_the_worked_items_of_agreement(rho, variance, items):
    assert items_for_agreement(rho, variance) == items


def test_the_worked_items_of_a_level():
    assert items_for_equivalence(0.25, 1.4) == 192


def test_the_items_are_the_fewest_that_have_the_power():
    for power in (0.5, 0.8, 0.95):
        items = items_for_superiority(0.1, 0.4, power)
        assert superiority_power(0.1, 0.4, [items - 1, items]) == pytest.approx(power, abs=0.01)
        assert superiority_power(0.1, 0.4, items - 1) < power <= superiority_power(0.1, 0.4, items)
        items = items_for_equivalence(0.2, 0.7, power)
        assert equivalence_power(0.2, 0.7, items - 1) < power <= equivalence_power(0.2, 0.7, items)
        items = items_for_agreement(0.13, 0.7, power, floor=0.1)
        now = agreement_power(0.13, 0.7, [items - 1, items], floor=0.1)
        assert now[0] < power <= now[1]


def test_another_unit_changes_nothing():
    assert equivalence_power(25, 14000, 60) == pytest.approx(float(equivalence_power(2.5, 140, 60)))
    assert items_for_superiority(20, 4000) == items_for_superiority(0.2, 0.4)


def test_what_does_not_exist_no_number_of_items_can_show():
    assert items_for_superiority([0.0, -0.1], 0.3).tolist() == [np.inf, np.inf]
    assert items_for_superiority([0.0, 0.1], [0.0, np.inf]).tolist() == [np.inf, np.inf]
    assert items_for_agreement(0.0, 0.3) == np.inf
    assert items_for_equivalence(0.0, 0.3) == np.inf
    assert superiority_power(0.0, 0.3, 10**9) == pytest.approx(0.05)
    assert superiority_power(-0.2, 0.3, 10**9) == 0


def test_at_the_floor_the_power_stays_at_one_half():
    assert agreement_power(0.1, 0.5, 10**6, floor=0.1) == pytest.approx(0.5)
    assert agreement_power(0.09, 0.5, 10**6, floor=0.1) == pytest.approx(0)
    assert items_for_agreement([0.1, 0.05], 0.5, floor=0.1).tolist() == [np.inf, np.inf]
    # Without a floor a low agreement only needs many items: .5 (2.486475 / .05)² = 1,236.5
    assert items_for_agreement(0.05, 0.5) == 1237
    # Far above the floor the test against 0 decides.
    assert items_for_agreement(0.3, 0.418133, floor=0.1) == 29


def test_without_variance_a_single_item_shows_it():
    assert superiority_power([0.1, 0.0, -0.1], 0.0, 1).tolist() == [1, 0, 0]
    assert items_for_superiority(0.1, 0.0) == 1


def test_with_infinite_variance_nothing_is_shown():
    assert superiority_power(0.3, np.inf, 100) == 0
    assert equivalence_power(0.3, np.inf, 100) == 0


def test_too_few_items_never_show_equivalence():
    assert equivalence_power(0.25, 1.4, 10) == 0


def test_missing_numbers_stay_missing():
    assert np.isnan(superiority_power(np.nan, 0.3, 10))
    assert np.isnan(superiority_power(0.1, np.nan, 10))
    assert np.isnan(items_for_superiority(np.nan, 0.3))
    assert np.isnan(items_for_superiority(-0.1, np.nan))
    assert np.isnan(joint_power([0.9, np.nan]))


def test_all_checks_together():
    assert joint_power([0.9, 0.95, 0.8]) == pytest.approx(0.65)
    assert joint_power([0.4, 0.5]) == 0
    assert joint_power(np.array([[0.9, 1.0], [0.8, 1.0]])).tolist() == pytest.approx([0.7, 1.0])


@pytest.mark.parametrize("power", [0.4, 1.0, np.nan])
def test_a_power_is_at_least_one_half(power):
    with pytest.raises(ValueError, match="power: expected"):
        items_for_superiority(0.1, 0.3, power)


def test_impossible_numbers_are_refused():
    with pytest.raises(ValueError, match="alpha: expected a number between 0 and 0.5"):
        superiority_power(0.1, 0.3, 10, alpha=0.5)
    with pytest.raises(ValueError, match="variance: expected"):
        superiority_power(0.1, -0.3, 10)
    with pytest.raises(ValueError, match="items: expected"):
        superiority_power(0.1, 0.3, 0)
    with pytest.raises(ValueError, match="rho: expected"):
        items_for_agreement(1.001, 0.3)
    with pytest.raises(ValueError, match="rho: expected"):
        agreement_power(-1.001, 0.3, 10)
    with pytest.raises(ValueError, match="margin: expected"):
        items_for_equivalence(-0.1, 0.3)
    with pytest.raises(ValueError, match="powers: expected"):
        joint_power([1.1])
