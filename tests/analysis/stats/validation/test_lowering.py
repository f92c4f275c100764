"""Raters without whom rho rises: against loops over permutations, and in simulated studies."""

from itertools import permutations

import numpy as np
import pytest
from scipy.special import gammaincc

from analysis.stats.validation.checks import MOST_RATERS, adjusted_p, find_lowering_raters
from analysis.stats.validation.people import gather_people


def crowd(seed, n_raters=12, each=45, m=3, rho=0.3, random_raters=()):
    """Items with m ratings by raters drawn in rounds, on five points; some raters guess."""
    rng = np.random.default_rng(seed)
    n = n_raters * each // m
    raters = np.concatenate([rng.permutation(n_raters) for _ in range(each)])
    items = np.repeat(np.arange(n), m)
    quality = rng.normal(size=n)[items]
    values = np.sqrt(rho) * quality + np.sqrt(1 - rho) * rng.normal(size=n * m)
    guessed = np.isin(raters, random_raters)
    values[guessed] = rng.normal(size=guessed.sum())
    return gather_people(np.clip(np.round(3 + values), 1, 5), items, raters, n)


def moments_by_loops(people, rater):
    """The sum of u − mean u over a rater's items, with moments over every permutation of each."""
    total, variance, third = 0.0, 0.0, 0.0
    for item in set(people.item[people.rater == rater]):
        places = np.flatnonzero(people.item == item)
        z = people.z[places, 0]
        m = len(places)
        parts = []
        for mine in range(m):
            others = np.mean([z[other] for other in range(m) if other != mine])
            part = 2 * (z[mine] * others - people.c_hh)
            part -= people.rho * (z[mine] ** 2 - people.v_h)
            parts.append(part / (m * people.v_h))
        own = list(people.rater[places]).index(rater)
        drawn = [np.mean(parts) - order[own] for order in permutations(parts)]
        total += np.mean(parts) - parts[own]
        variance += np.mean(np.square(drawn))
        third += np.mean(np.power(drawn, 3))
    return total, variance, third


def test_p_is_of_the_moments_over_all_permutations_of_each_item():
    people = crowd(1, n_raters=4, each=15)
    p = []
    for rater in range(4):
        total, variance, third = moments_by_loops(people, rater)
        t, skewness = total / np.sqrt(variance), third / variance**1.5
        shape = 4 / skewness**2
        upper = gammaincc(shape, max(0.0, shape + np.sign(skewness) * t * np.sqrt(shape)))
        p.append(upper if skewness > 0 else 1 - upper)
    order = np.argsort(p)
    by_holm = np.empty(4)
    running = 0.0
    for rank, place in enumerate(order):
        running = max(running, min(1.0, (4 - rank) * p[place]))
        by_holm[place] = running
    assert adjusted_p(people) == pytest.approx(by_holm, abs=1e-12)


def test_a_tail_of_the_gamma_is_near_the_share_of_all_permutations():
    """Three to five ratings of ten items: 6^10 orders, of which 20,000 are drawn."""
    people = crowd(5, n_raters=3, each=10)
    rng = np.random.default_rng(0)
    u = people.u.reshape(10, 3)
    own = people.rater.reshape(10, 3)
    for rater in range(3):
        observed = sum(u[i].mean() - u[i][own[i] == rater][0] for i in range(10))
        drawn = sum(u[i].mean() - u[i][rng.integers(0, 3, 20_000)] for i in range(10))
        share = np.mean(drawn >= observed - 1e-12)
        single = _adjusted_p_of(people, rater)
        assert single == pytest.approx(share, abs=0.03)


def _adjusted_p_of(people, rater):
    total, variance, third = moments_by_loops(people, rater)
    t, skewness = total / np.sqrt(variance), third / variance**1.5
    shape = 4 / skewness**2
    upper = gammaincc(shape, max(0.0, shape + np.sign(skewness) * t * np.sqrt(shape)))
    return upper if skewness > 0 else 1 - upper


def test_a_rater_who_guesses_is_named_with_the_agreement_of_the_others():
    people = crowd(2, n_raters=4, each=300, rho=0.6, random_raters=[2])
    result = find_lowering_raters(people)
    assert list(result) == [2]
    kept = people.rater != 2
    again = gather_people(
        people.values[kept], people.item[kept], people.rater[kept], int(people.item.max()) + 1
    )
    assert result[2] == pytest.approx(again.rho, abs=1e-12)
    assert result[2] > people.rho


def test_several_are_in_the_order_of_how_much_rho_rises():
    people = crowd(3, n_raters=8, each=300, m=4, rho=0.6, random_raters=[1, 6])
    result = find_lowering_raters(people)
    assert result.keys() == {1, 6}
    assert list(result.values()) == sorted(result.values(), reverse=True)


def test_of_two_raters_an_item_nobody_is_named():
    people = crowd(4, n_raters=6, each=200, m=2, rho=0.8, random_raters=[0])
    assert np.isnan(adjusted_p(people)).all()
    assert find_lowering_raters(people) == {}


def test_of_more_than_ten_raters_nobody_is_named():
    for n_raters in (MOST_RATERS, MOST_RATERS + 1):
        people = crowd(2, n_raters=n_raters, each=300, rho=0.6, random_raters=[2])
        assert list(find_lowering_raters(people)) == [2][: MOST_RATERS + 1 - n_raters]


def test_ratings_that_are_all_equal_name_nobody():
    people = gather_people(
        np.full(60, 3.0), np.repeat(np.arange(20), 3), np.tile([0, 1, 2], 20), 20
    )
    assert find_lowering_raters(people) == {}


def test_the_order_of_ratings_changes_nothing():
    rng = np.random.default_rng(8)
    people = crowd(2, n_raters=4, each=60, rho=0.6, random_raters=[2])
    order = rng.permutation(len(people.item))
    shuffled = gather_people(
        people.values[order], people.item[order], people.rater[order], int(people.item.max()) + 1
    )
    assert adjusted_p(shuffled) == pytest.approx(adjusted_p(people), abs=1e-12)


@pytest.mark.parametrize(("n_raters", "each", "m"), [(10, 45, 3), (8, 20, 5), (3, 60, 3)])
def test_honest_raters_are_named_in_at_most_one_study_of_twenty(n_raters, each, m):
    """200 studies: a share above .09 has a chance below .01 at a true .05."""
    named = [len(find_lowering_raters(crowd(s, n_raters, each, m))) for s in range(200)]
    assert np.mean(np.array(named) > 0) <= 0.09


def test_a_guessing_rater_of_a_small_panel_is_mostly_named():
    named = [2 in find_lowering_raters(crowd(s, 3, 300, 3, 0.3, [2])) for s in range(40)]
    assert np.mean(named) >= 0.8
