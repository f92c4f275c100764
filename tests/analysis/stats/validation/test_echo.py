"""Raters who paste a judge's answers: size, power, and what cannot be tested."""

from itertools import permutations, product

import numpy as np
import pytest

from analysis.stats.validation.checks import find_echoes, moments_of_study, permutation_moments
from analysis.stats.validation.people import gather_people


def study(seed, echoers=0, n=300, raters=90, items_each=10):
    """A crowd of three ratings per item at reliability .3; the first raters paste the judge's."""
    rng = np.random.default_rng(seed)
    slots = np.concatenate([rng.permutation(n) for _ in range(3)])
    who = np.repeat(np.arange(raters), items_each)
    quality = rng.normal(size=n)
    judge = 0.7 * quality + np.sqrt(1 - 0.49) * rng.normal(size=n)
    values = np.sqrt(0.3) * quality[slots] + np.sqrt(0.7) * rng.normal(size=len(slots))
    values = np.where(who < echoers, judge[slots], values)
    people = gather_people(values, slots, who, n)
    return people, judge[people.rows]


def test_honest_raters_are_not_flagged_more_often_than_the_level():
    """400 studies: a share above .08 has a chance below .01 at a true .05."""
    found = [find_echoes(people, judge[None]) for people, judge in map(study, range(400))]
    assert np.mean([echo.study_p[0] < 0.05 for echo in found]) <= 0.08
    assert np.mean([echo.flag_raters().any() for echo in found]) <= 0.08


def test_thirty_per_cent_of_echoes_are_seen():
    flags = [
        find_echoes(people, judge[None]).study_p[0] < 0.05
        for people, judge in (study(seed, echoers=27) for seed in range(8))
    ]
    assert sum(flags) >= 6


def test_an_echo_with_many_items_is_named():
    people, judge = study(3, echoers=1, n=300, raters=9, items_each=100)
    echo = find_echoes(people, judge[None])
    assert np.flatnonzero(echo.flag_raters()[0]).tolist() == [0]
    assert echo.rater_p[0, 0] < 0.001


def products_of(people, judge):
    f, o = judge[people.item], people.z_others[:, 0]
    return people.z[:, 0] * ((f - f.mean()) / f.std() - (o - o.mean()) / o.std())


def distances(people, w, orders):
    """Return t of each rater in each order of the ratings, by the definition."""
    of_items = [w[people.item == item] for item in people.item]
    means, variances = (np.array([f(own) for own in of_items]) for f in (np.mean, np.var))
    sums = [np.bincount(people.rater, w[order] - means) for order in orders]
    return np.array(sums) / np.sqrt(np.bincount(people.rater, variances))


def skewness_of(values):
    centred = values - values.mean(axis=0)
    return (centred**3).mean(axis=0) / (centred**2).mean(axis=0) ** 1.5


def test_the_moments_are_those_of_all_permutations():
    """Four items of three, three, two and three of four raters: 432 orders."""
    rng = np.random.default_rng(3)
    items, raters = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3], [0, 1, 2, 0, 1, 3, 2, 3, 1, 2, 3]
    people = gather_people(rng.integers(1, 6, 11), items, raters, 4)
    judge = rng.normal(size=4)
    w = products_of(people, judge)
    rows = [permutations(np.flatnonzero(people.item == item)) for item in range(4)]
    t = distances(people, w, [np.concatenate(parts) for parts in product(*rows)])
    echo = find_echoes(people, judge[None])
    np.testing.assert_allclose(echo.t[0], t[0])
    own, skewness = permutation_moments(people, w, np.ones(11, dtype=bool))
    np.testing.assert_allclose((own, skewness), (t[0], skewness_of(t)), atol=1e-12)
    variance, _ = moments_of_study(people, w, np.ones(4, dtype=bool))
    assert variance == pytest.approx((t**2).sum(axis=1).var())


@pytest.mark.parametrize(("n", "fewest", "most"), [(40, 2, 4), (30, 5, 5), (20, 13, 14)])
def test_p_is_near_the_share_of_permutations_that_go_as_far(n, fewest, most):
    """Compare with numpy's permutations of the ratings of one item at a time."""
    rng = np.random.default_rng(most)
    sizes = rng.integers(fewest, most + 1, n)
    raters = np.concatenate([rng.permutation(most)[:size] for size in sizes])
    values = rng.integers(1, 6, sizes.sum())
    people = gather_people(values, np.repeat(np.arange(n), sizes), raters, n)
    judges = rng.normal(size=(2, n))
    rows = [np.flatnonzero(people.item == item) for item in range(n)]
    orders = [np.concatenate([rng.permutation(own) for own in rows]) for _ in range(3000)]
    echo = find_echoes(people, judges)
    for place, judge in enumerate(judges):
        w = products_of(people, judge)
        t, *drawn = distances(people, w, [np.arange(len(raters)), *orders])
        study_p = ((np.array(drawn) ** 2).sum(axis=1) >= (t**2).sum() - 1e-9).mean()
        assert echo.study_p[place] == pytest.approx(study_p, abs=0.04)
        largest = np.max(drawn, axis=1)[:, None]
        rater_p = (largest >= t - 1e-9).mean(axis=0)
        assert (echo.rater_p[place] >= rater_p - 0.03).all()
        decides = rater_p < 0.2
        np.testing.assert_allclose(echo.rater_p[place][decides], rater_p[decides], atol=0.03)


def test_where_all_permutations_are_alike_nothing_is_seen():
    """One item of two raters: whoever has which rating, t is 1 and −1."""
    people = gather_people([1, 5], [0, 0], [0, 1], 1)
    assert np.isnan(find_echoes(people, np.array([[3.0]])).study_p[0])
    people = gather_people([1, 5, 3, 3], [0, 0, 1, 1], [0, 1, 0, 1], 2)
    assert find_echoes(people, np.array([[5.0, 1.0]])).study_p[0] == 1


def test_a_judge_is_tested_alone():
    people, judge = study(5)
    both = find_echoes(people, np.stack([judge, -judge]))
    alone = find_echoes(people, judge[None])
    assert both.study_p[0] == alone.study_p[0]
    np.testing.assert_array_equal(both.rater_p[0], alone.rater_p[0])


def test_a_constant_judge_has_no_echo():
    people, judge = study(6)
    echo = find_echoes(people, 0 * judge[None])
    assert np.isnan(echo.study_p).all()
    assert np.isnan(echo.rater_p).all()


def test_judgments_of_other_items_are_refused():
    people, judge = study(6)
    with pytest.raises(ValueError, match="judges: expected"):
        find_echoes(people, judge[None, :5])
