"""A rater whose answers the judge may have seen, and the worth of judgments beside ratings."""

import numpy as np

from analysis.stats.validation.familiarity import find_seen_raters
from analysis.stats.validation.gather import gather_people, indicators
from tests.analysis.stats.validation.worked import long_study


def crowd(seed=1):
    values, items, who, _ = long_study(seed, n=200)
    return gather_people(values, items, who + 100, 200)


def copied(people, rater):
    judge = np.random.default_rng(0).normal(3, 1, people.n)
    mine = people.rater == rater
    judge[people.item[mine]] = people.values[mine, 0]
    return judge[:, None]


def test_a_copy_of_one_rater_is_seen():
    people = crowd()
    assert find_seen_raters(people, copied(people, 4)).tolist() == [104]
    honest = np.random.default_rng(0).normal(3, 1, (people.n, 1))
    assert len(find_seen_raters(people, honest)) == 0


def test_a_judge_close_to_all_has_seen_nobody():
    people = crowd()
    assert len(find_seen_raters(people, people.means)) == 0


def test_close_to_two_raters_or_less_close_to_one_is_no_sign():
    people = crowd()
    both, other = copied(people, 4), copied(people, 7)
    inside = people.item[people.rater == 7]
    both[inside] = other[inside]
    shared = np.intersect1d(people.item[people.rater == 4], inside)
    assert len(shared) < 10
    assert len(find_seen_raters(people, both)) == 0
    noise = 0.6 * np.random.default_rng(1).normal(size=(people.n, 1))
    assert len(find_seen_raters(people, copied(people, 4) + noise)) == 0


def test_labels_are_compared_too():
    values, items, who, _ = long_study(2, n=200)
    people = gather_people(indicators(values.astype(int) - 1, 5), items, who, 200)
    judge = indicators(np.random.default_rng(1).integers(0, 5, people.n), 5)
    mine = people.rater == 7
    judge[people.item[mine]] = people.values[mine]
    assert find_seen_raters(people, judge).tolist() == [7]


def test_few_ratings_or_equal_ones_are_no_sign():
    people = gather_people([1, 2, 3, 3, 2, 1.0], np.repeat(range(3), 2), [0, 1] * 3, 3)
    assert len(find_seen_raters(people, np.array([[1], [3], [2.0]]))) == 0
    flat = gather_people([3.0] * 60, np.repeat(range(30), 2), [0, 1] * 30, 30)
    assert len(find_seen_raters(flat, np.arange(30.0)[:, None])) == 0
