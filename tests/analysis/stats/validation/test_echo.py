"""Raters who paste a judge's answers: size, power, and what cannot be tested."""

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


def test_t_is_the_distance_from_the_permutations_exact_mean():
    people, judge = study(4, echoers=2)
    echo = find_echoes(people, judge[None], n_draws=3000, seed=2)
    f, o = judge[people.item], people.z_others[:, 0]
    w = people.z[:, 0] * ((f - f.mean()) / f.std() - (o - o.mean()) / o.std())
    for rater in (0, 5):
        mine = np.flatnonzero(people.rater == rater)
        means = [w[people.item == people.item[k]].mean() for k in mine]
        spread = [w[people.item == people.item[k]].var() for k in mine]
        t = (w[mine].sum() - sum(means)) / np.sqrt(sum(spread))
        assert echo.t[0, rater] == pytest.approx(t, abs=0.15)


def test_judges_share_the_permutations_and_a_seed_repeats_them():
    people, judge = study(5)
    both = find_echoes(people, np.stack([judge, -judge]), n_draws=99, seed=7)
    alone = find_echoes(people, judge[None], n_draws=99, seed=7)
    assert both.study_p[0] == alone.study_p[0]
    np.testing.assert_array_equal(both.t[0], alone.t[0])


def test_a_constant_judge_has_no_echo():
    people, judge = study(6)
    echo = find_echoes(people, 0 * judge[None], n_draws=9)
    assert np.isnan(echo.study_p).all()
    assert np.isnan(echo.rater_p).all()


def test_judgments_of_other_items_are_refused():
    people, judge = study(6)
    with pytest.raises(ValueError, match="judges: expected"):
        find_echoes(people, judge[None, :5])
