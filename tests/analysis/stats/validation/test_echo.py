"""Raters who paste a judge's answers: size, power, and what cannot be tested."""

import tracemalloc
from itertools import permutations, product

import numpy as np
import pytest

from analysis.stats.validation.echo import find_echoes
from analysis.stats.validation.gather import gather_people


def study(seed, echoers=0, n=300, raters=90, items_each=10):
    """A crowd of three ratings an item at reliability .3; the first raters paste the judge's."""
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
    study_flags, rater_flags = 0, 0
    for seed in range(20):
        people, judge = study(seed)
        echo = find_echoes(people, judge[None], n_draws=99, seed=seed)
        study_flags += echo.study_p[0] < 0.05
        rater_flags += echo.flag_raters().any()
    assert study_flags <= 5
    assert rater_flags <= 4


def test_thirty_per_cent_of_echoes_are_seen():
    flags = [
        find_echoes(people, judge[None], n_draws=99, seed=1).study_p[0] < 0.05
        for people, judge in (study(seed, echoers=27) for seed in range(8))
    ]
    assert sum(flags) >= 6


def test_an_echo_with_many_items_is_named():
    people, judge = study(3, echoers=1, n=300, raters=9, items_each=100)
    echo = find_echoes(people, judge[None], n_draws=199, seed=1)
    assert np.flatnonzero(echo.flag_raters()[0]).tolist() == [0]
    assert echo.rater_p[0, 0] == pytest.approx(1 / 200)  # the smallest that 199 draws can give


def products_of(people, judge):
    f, o = judge[people.item], people.z_others[:, 0]
    return people.z[:, 0] * ((f - f.mean()) / f.std() - (o - o.mean()) / o.std())


def distances(people, w, orders):
    """Return t of each rater in each order of the ratings, by the definition."""
    of_items = [w[people.item == item] for item in people.item]
    means, variances = (np.array([f(own) for own in of_items]) for f in (np.mean, np.var))
    sums = [np.bincount(people.rater, w[order] - means) for order in orders]
    return np.array(sums) / np.sqrt(np.bincount(people.rater, variances))


def test_t_is_the_distance_from_the_permutations_exact_mean():
    people, judge = study(4, echoers=2)
    echo = find_echoes(people, judge[None], n_draws=1)
    w = products_of(people, judge)
    np.testing.assert_allclose(echo.t, distances(people, w, [np.arange(len(w))]))


@pytest.mark.parametrize(("n", "fewest", "most"), [(2, 5, 5), (9, 2, 4), (9, 13, 14)])
def test_p_is_the_share_of_permutations_that_go_as_far(n, fewest, most):
    """Compare with numpy's permutations of the ratings of one item at a time."""
    rng = np.random.default_rng(most)
    sizes = rng.integers(fewest, most + 1, n)
    raters = np.concatenate([rng.permutation(most)[:size] for size in sizes])
    values = rng.integers(1, 6, sizes.sum())
    people = gather_people(values, np.repeat(np.arange(n), sizes), raters, n)
    judges = rng.normal(size=(2, n))
    rows = [np.flatnonzero(people.item == item) for item in range(n)]
    orders = [np.concatenate([rng.permutation(own) for own in rows]) for _ in range(3000)]
    echo = find_echoes(people, judges, n_draws=3000, alpha=2)
    for place, judge in enumerate(judges):
        w = products_of(people, judge)
        t, *drawn = distances(people, w, [np.arange(len(raters)), *orders])
        totals, largest = (np.array(drawn) ** 2).sum(axis=1), np.max(drawn, axis=1)
        study_p = (totals >= (t**2).sum() - 1e-9).mean()
        rater_p = (largest[:, None] >= t - 1e-9).mean(axis=0)
        assert echo.study_p[place] == pytest.approx(study_p, abs=0.04)
        np.testing.assert_allclose(echo.rater_p[place], rater_p, atol=0.04)


@pytest.mark.parametrize("seed", [1, 28])
def test_permutations_that_differ_by_rounding_go_as_far_as_the_data(seed):
    """Each of three raters rates three items, so that all permutations can be counted."""
    rng = np.random.default_rng(seed)
    values, judge = rng.integers(1, 6, 9), rng.integers(1, 6, 3)
    people = gather_people(values, np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3), 3)
    rows = [permutations(range(first, first + 3)) for first in (0, 3, 6)]
    orders = [np.concatenate(parts) for parts in product(*rows)]
    t, *_ = drawn = distances(people, products_of(people, judge), orders)
    totals, largest = (drawn**2).sum(axis=1), drawn.max(axis=1)
    echo = find_echoes(people, judge[None].astype(float), n_draws=9000, seed=1, alpha=2)
    study_p = (totals >= (t**2).sum() - 1e-9).mean()
    rater_p = (largest[:, None] >= t - 1e-9).mean(axis=0)
    assert echo.study_p[0] == pytest.approx(study_p, abs=0.015)
    np.testing.assert_allclose(echo.rater_p[0], rater_p, atol=0.015)


def test_draws_end_once_a_p_can_no_longer_fall_below_the_level(monkeypatch):
    """With 39 draws (1 + #) / 40 is below .05 only if no draw goes as far as the data."""
    monkeypatch.setattr("analysis.stats.validation.echo.MOST_AT_ONCE", 1)
    people, judge = study(7, echoers=12)
    judges = np.stack([judge, np.random.default_rng(1).normal(size=len(judge))])
    below = 0
    for seed in range(30):
        ended = find_echoes(people, judges, n_draws=39, seed=seed).study_p
        whole = find_echoes(people, judges, n_draws=39, seed=seed, alpha=2).study_p
        np.testing.assert_array_equal(ended < 0.05, whole < 0.05)
        draws = 2 / ended[whole >= 0.05] - 1
        np.testing.assert_allclose(draws, np.round(draws))
        assert draws.max(initial=0) <= 39
        below += (ended < 0.05).sum()
    assert 0 < below < 60


def test_judges_share_the_permutations_and_a_seed_repeats_them():
    people, judge = study(5)
    both = find_echoes(people, np.stack([judge, -judge]), n_draws=99, seed=7)
    alone = find_echoes(people, judge[None], n_draws=99, seed=7)
    assert both.study_p[0] == alone.study_p[0]
    np.testing.assert_array_equal(both.t[0], alone.t[0])


def test_many_judges_take_little_memory_and_get_what_few_get():
    """900 ratings by 111 permutations and 100 judges are 80 MB at once."""
    people, judge = study(5)
    judges = judge + np.random.default_rng(1).normal(size=(100, len(judge)))
    tracemalloc.start()
    try:
        many = find_echoes(people, judges, n_draws=111, seed=7, alpha=2)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 40e6
    few = find_echoes(people, judges[60:62], n_draws=111, seed=7, alpha=2)
    np.testing.assert_array_equal(many.study_p[60:62], few.study_p)
    np.testing.assert_array_equal(many.rater_p[60:62], few.rater_p)


def test_a_constant_judge_has_no_echo():
    people, judge = study(6)
    echo = find_echoes(people, 0 * judge[None], n_draws=9)
    assert np.isnan(echo.study_p).all()
    assert np.isnan(echo.rater_p).all()


def test_judgments_of_other_items_are_refused():
    people, judge = study(6)
    with pytest.raises(ValueError, match="judges: expected"):
        find_echoes(people, judge[None, :5])
