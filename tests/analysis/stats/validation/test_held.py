"""Ratings that a judge holds, by enumeration and simulated; the ends whose rest is asked about."""

from itertools import permutations

import numpy as np
import pytest

from analysis.stats.validation.checks import count_equal, ends_of, find_held, tabulate_ratings
from analysis.stats.validation.criteria import Scale
from analysis.stats.validation.evidence import Reference, gather_evidence, gather_reference
from analysis.stats.validation.people import gather_people
from tests.analysis.stats.validation.simulated import FIVE, simulate


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_missing", [0, 2])
def test_chance_is_that_of_all_orders_of_a_stratums_judgments(seed, n_missing):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 4, (12, 2)).astype(float)
    people = gather_people(ratings.ravel(), np.repeat(range(12), 2), np.tile([0, 1], 12), 12)
    judge = rng.integers(1, 4, 12).astype(float)
    judge[:n_missing] = np.nan
    found, expected, variance = count_equal(tabulate_ratings(people, Scale(1, 3)), judge)
    means = variances = 0.0
    for total in np.unique(ratings.sum(axis=1)):
        own = [i for i in range(12) if ratings[i].sum() == total and not np.isnan(judge[i])]
        counts = [
            sum(judge[k] in ratings[i] for i, k in zip(own, order, strict=True))
            for order in permutations(own)
        ]
        means, variances = means + np.mean(counts), variances + np.var(counts)
    assert found == sum(judge[i] in ratings[i] for i in range(12))
    assert (expected, variance) == pytest.approx((means, variances))


def judges_of(study):
    """Copies of people's ratings, and judges that know as much as can be known."""
    people = study.reference.people
    first = people.values[people.m.cumsum() - people.m, 0]
    sums = people.means[:, 0] * people.m
    return {
        "rating": first,
        "half of the ratings": np.where(np.arange(people.n) % 2, first, study.draw_rating(0.3)),
        "mean": people.means[:, 0],
        "knows the quality": np.clip(3 + study.quality, 1, 5),
        "rounded sums": np.clip(np.floor(sums / people.m), 1, 5),
        "a rater": study.draw_rating(0.3),
    }


@pytest.mark.parametrize("seed", range(3))
def test_copies_and_means_are_told_and_honest_judges_are_not(seed):
    study = simulate(seed, 0.3)
    table = tabulate_ratings(study.reference.people, FIVE)
    kinds = {name: find_held(table, judge, FIVE) for name, judge in judges_of(study).items()}
    assert {name: own and own.kind for name, own in kinds.items()} == {
        "rating": "rating",
        "half of the ratings": "rating",
        "mean": "mean",
        "knows the quality": None,
        "rounded sums": None,
        "a rater": None,
    }
    assert kinds["rating"].n_equal == kinds["rating"].n == 300 > kinds["rating"].expected


def test_on_a_fine_scale_a_copy_is_told_too():
    rng = np.random.default_rng(2)
    scale, quality = Scale(0, 100), 50 + 15 * rng.normal(size=200)
    ratings = np.clip(np.round(quality + 15 * rng.normal(size=(3, 200))), 0, 100)
    items, raters = np.tile(range(200), 3), np.repeat(range(3), 200)
    table = tabulate_ratings(gather_people(ratings.ravel(), items, raters, 200), scale)
    assert find_held(table, ratings[0], scale).kind == "rating"
    assert find_held(table, np.clip(quality, 0, 100), scale) is None


def test_few_items_and_flat_ratings_tell_nothing():
    flat = gather_people(np.full(60, 3.0), np.repeat(range(30), 2), np.tile([0, 1], 30), 30)
    assert find_held(tabulate_ratings(flat, FIVE), np.full(30, 3.0), FIVE) is None
    few = simulate(1, 0.3, contents=4)
    table = tabulate_ratings(few.reference.people, FIVE)
    assert find_held(table, few.reference.people.means[:, 0], FIVE) is None


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        ({1: 5, 2: 30, 3: 60, 4: 5}, {1, 2}, {4}),  # 60 more would be too many
        ({1: 10, 2: 80, 3: 10}, {1}, {3}),
        ({1: 36, 2: 54, 3: 10}, None, {3}),  # the first value alone is more than .35
        ({1: 35, 2: 30, 3: 35}, {1}, {3}),
        ({1: 9, 2: 27, 3: 64}, {1}, None),  # with the second it would be .36
        ({3: 100}, None, None),
    ],
)
def test_whole_values_go_until_a_tenth_is_out(counts, low, high):
    values = np.repeat(list(counts), list(counts.values())).astype(float)
    expected = [end for end in (low, high) if end]
    assert [set(values[out]) for out in ends_of(values)] == expected


def test_of_different_values_it_is_a_tenth():
    values = np.random.default_rng(1).normal(size=203)
    low, high = ends_of(values)
    assert low.sum() == high.sum() == 21
    assert values[low].max() < values[~low].min() and values[high].min() > values[~high].max()


@pytest.mark.parametrize("n", [33, 34])
def test_the_rest_has_to_be_of_thirty_items(n):
    quality = np.random.default_rng(2).normal(size=n)
    values = np.r_[quality, quality] + 0.3 * np.random.default_rng(3).normal(size=2 * n)
    items, raters = np.tile(range(n), 2), np.repeat([0, 1], n)
    reference = gather_reference(values, items, raters, n, Scale(-9, 9, None))
    rest = gather_evidence(reference, quality).rest
    assert rest.p < 1e-6 if n == 34 else rest.p == 1, "a tenth is four of either"


def test_it_is_asked_only_where_the_other_checks_pass_and_more_than_two_points_are_there():
    study = simulate(2, 0.5, 0.0)
    people = study.reference.people
    assert gather_evidence(study.reference, study.rng.normal(3, 1, 300).clip(1, 5)).rest is None
    two = Reference(people.replace_values((people.values > 3) * 1.0), Scale(0, 1))
    assert gather_evidence(two, (study.quality > 0) * 1.0).rest is None
    assert gather_evidence(study.reference, study.follow(0.9).clip(1, 5)).rest.p < 0.05
