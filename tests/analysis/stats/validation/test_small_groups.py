"""Groups of few items: products over all pairs by loops, errors by weights of clusters, size."""

from itertools import permutations

import numpy as np
import pytest

from analysis.stats.validation.people import compare_judge, gather_people, within_groups
from tests.analysis.stats.validation.simulated import simulate

GROUPS = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 4, 4])  # the item of group 3 is alone
PAIRED = GROUPS != 3


def ratings(n_raters=3, seed=4):
    """Return (values, items, raters) of twelve items, some rated twice and some three times."""
    rng = np.random.default_rng(seed)
    rows = [(item, rater) for item in range(12) for rater in range(n_raters - item % 2)]
    values = rng.integers(1, 6, len(rows)).astype(float)
    return values, *np.array(rows).T


def within_and_judge(**options):
    values, items, raters = ratings()
    people = gather_people(values, items, raters, 12, clusters=GROUPS, **options)
    judge = np.random.default_rng(5).normal(3, 1, 12)
    return within_groups(people, GROUPS)[0], judge[PAIRED, None]


def spread_out(judge):
    """The answers (11, 1) as those of all twelve items; of the one that is alone it is 0."""
    return np.insert(judge[:, 0], 9, 0.0)


def by_loops(weights, judge):
    """Return (r', rho') by all pairs of ratings, each group with a weight."""
    values, items, _ = ratings()
    own = {item: values[items == item] for item in range(12)}
    v_h = c_hh = v_f = c_fh = 0.0
    for group in (0, 1, 2, 4):
        members = np.flatnonzero(group == GROUPS)
        others = list(permutations(members, 2))
        n, w = len(members), weights[group]

        def shared(left, right, others=others, n=n):
            return sum(left[i] * right[k] for i, k in others) / len(others) * n

        mean = {item: own[item].mean() for item in members}
        score = dict(enumerate(judge))
        between = shared(mean, mean)
        v_h += w * (sum(np.mean(own[item] ** 2) for item in members) - between)
        pairs = [np.mean([a * b for a, b in permutations(own[item], 2)]) for item in members]
        c_hh += w * (sum(pairs) - between)
        v_f += w * (sum(score[item] ** 2 for item in members) - shared(score, score))
        c_fh += w * (sum(score[item] * mean[item] for item in members) - shared(score, mean))
    return np.array([c_fh / np.sqrt(v_f * v_h), c_hh / v_h])


def test_products_of_different_items_are_taken_off():
    within, judge = within_and_judge()
    beyond = compare_judge(within, judge)
    assert within.n == 11
    expected = by_loops(np.ones(5), spread_out(judge))
    assert (beyond.r.value, beyond.rho.value) == pytest.approx(tuple(expected))


def test_errors_are_those_of_weights_of_the_groups():
    within, judge = within_and_judge(is_sample=False)
    beyond, judge = compare_judge(within, judge), spread_out(judge)
    step, slopes = 1e-6, []
    for group in (0, 1, 2, 4):
        more, less = np.ones(5), np.ones(5)
        more[group] += step
        less[group] -= step
        slopes.append((by_loops(more, judge) - by_loops(less, judge)) / (2 * step))
    r, rho = np.transpose(slopes)
    errors = [np.sqrt(4 / 3 * (own**2).sum()) for own in (r, rho, r - rho / 2)]
    computed = beyond.r.error, beyond.rho.error, beyond.retention(0.5).error
    assert computed == pytest.approx(tuple(errors), rel=1e-5)


def test_raters_as_a_sample_count_by_their_weights():
    """A rater's part: how the estimate moves with the weight of all his ratings."""
    values, items, raters = ratings()
    people = gather_people(values, items, raters, 12, clusters=GROUPS, is_sample=True)
    within = within_groups(people, GROUPS)[0]
    z, step = within.z[:, 0], 1e-6
    n, m, group = within.n, within.m, within.group

    def rho_weighted(weight):
        """Weigh the ratings of one rater within products, the numbers of ratings kept."""
        w = weight[within.rater]
        means = np.bincount(within.item, w * z) / m
        squares = np.bincount(within.item, w * z**2) / m
        pairs = (np.bincount(within.item, w * z) ** 2 - np.bincount(within.item, (w * z) ** 2)) / (
            m * (m - 1)
        )
        sizes = np.bincount(group)[group]
        others = (np.bincount(group, means)[group] - means) / (sizes - 1)
        between = (means * others).mean()
        return pairs.mean() - between, squares.mean() - between

    c, v = rho_weighted(np.ones(3))
    assert c / v == pytest.approx(within.rho)
    for rater in range(3):
        weight = np.ones(3)
        weight[rater] += step
        moved_c, moved_v = rho_weighted(weight)
        slope = ((moved_c - c) - within.rho * (moved_v - v)) / step / v
        share = np.bincount(within.rater, 1 / m[within.item])[rater]
        square_mean = np.mean(np.bincount(within.item, within.square_parts) / m)
        constant = (2 * within.c_hh - within.rho * square_mean) / v * share / n
        assert within.u[within.rater == rater].sum() / n == pytest.approx(
            slope - constant, abs=1e-5
        )


def test_groups_of_one_item_or_across_clusters_are_no_check():
    values, items, raters = ratings()
    people = gather_people(values, items, raters, 12)
    assert within_groups(people, np.arange(12))[0] is None
    mostly_alone = np.r_[np.arange(11), 10]
    assert within_groups(people, mostly_alone)[0] is None
    assert within_groups(people.restrict(np.zeros(12, dtype=bool)), GROUPS[:0])[0] is None
    crossed = gather_people(values, items, raters, 12, clusters=np.arange(12) % 5)
    assert within_groups(crossed, GROUPS)[0] is None


@pytest.mark.parametrize(("alone", "n_checked"), [(1, 10), (6, 6), (8, None)])
def test_half_of_the_items_with_a_companion_are_enough(alone, n_checked):
    """Contents of two items, some of which have lost one to a missing judgment."""
    groups = np.r_[np.arange(alone), np.repeat(np.arange(alone, 12), 2)][:12]
    values, items, raters = ratings()
    people = gather_people(values, items, raters, 12, clusters=groups)
    within, _ = within_groups(people, groups)
    assert (within.n if within else None) == n_checked


def test_a_judge_that_knows_only_the_group_has_nothing_left():
    within, judge = within_and_judge()
    beyond = compare_judge(within, GROUPS[PAIRED, None] * 1.0, floor=1e-6)
    assert np.isnan(beyond.r.value)
    assert beyond.rho.value == pytest.approx(by_loops(np.ones(5), spread_out(judge))[1])


def test_agreement_within_contents_of_four_is_not_understated():
    """Within contents that carry .4 of quality, at .5, two ratings correlate .3 / .8 = .375."""
    values = []
    for seed in range(40):
        study = simulate(seed, 0.5, 0.0, 0.4, contents=75, systems=4, are_contents_drawn=True)
        within, _ = within_groups(study.reference.people, study.content)
        values.append(within.rho)
    assert 0.32 < np.mean(values) < 0.38, "on five points it reads somewhat less"
