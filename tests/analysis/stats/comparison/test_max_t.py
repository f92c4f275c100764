"""Step-down max-T: the worked value, a literal second computation, what is left out, its size."""

from itertools import combinations

import numpy as np
import pytest

from analysis.stats.comparison.differences import holm
from analysis.stats.comparison.max_t import max_t, paired_max_t, step_down
from analysis.stats.estimate import Estimate

T = [3.1, 2.2, 0.4]
DRAWS = [
    [0.5, -1.2, 0.3],
    [-2.4, 0.2, 1.1],
    [1.0, 0.9, -0.6],
    [0.1, -0.3, 2.5],
    [-0.7, 1.6, 0.2],
    [1.9, -0.4, -1.0],
    [0.2, 0.8, 0.1],
    [-1.1, -2.3, 0.5],
    [0.6, 0.1, -1.4],
]


def example(pairs=8, draws=199, seed=1):
    """Estimates that depend on each other, with their draws."""
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(pairs, pairs))
    values = rng.normal(size=pairs) * 3
    return values, values + rng.normal(size=(draws, pairs)) @ mixing


def literally(values, draws):
    """The definition, word by word: sets of pairs from the largest |t| down."""
    error = draws.std(axis=0, ddof=1)
    t, null = np.abs(values / error), np.abs((draws - values) / error)
    order = sorted(range(len(t)), key=lambda place: -t[place])
    p, last = np.empty(len(t)), 0.0
    for rank, place in enumerate(order):
        count = sum(max(row[other] for other in order[rank:]) >= t[place] for row in null)
        last = max(last, (1 + count) / (len(null) + 1))
        p[place] = last
    return p


def adjusted(t, draws):
    """The adjusted and the single p-values of ready t-values by a table of centred ones."""
    return step_down(np.array(t), len(draws), lambda place: np.array(draws)[:, place])


def test_the_worked_value():
    p, single = adjusted(T, DRAWS)
    assert p == pytest.approx([0.1, 0.3, 0.7])
    assert single == pytest.approx([0.1, 0.2, 0.7])


def test_the_definition_word_by_word():
    for seed in range(5):
        values, draws = example(seed=seed)
        np.testing.assert_allclose(max_t(values, draws).p, literally(values, draws))


def test_estimates_by_hand():
    # SD of the draws 1 and 2: t = 2 and 1; centred draws in SDs: -1 0 1 and 1 0 -1
    tested = max_t([2.0, 2.0], [[1.0, 4.0], [2.0, 2.0], [3.0, 0.0]])
    assert tested.errors.tolist() == [1, 2]
    assert tested.p.tolist() == [0.25, 0.75]
    assert tested.single.tolist() == [0.25, 0.75]
    assert (tested.n_draws, tested.reasons, tested.undefined.tolist()) == (3, ("", ""), [0, 0])


def test_the_smallest_p_does_not_depend_on_the_number_of_pairs():
    # 210 pairs and 2,000 draws: Holm cannot go below 210 * 2 / 2,001
    rng = np.random.default_rng(2)
    values = np.full(210, 50.0)
    tested = max_t(values, values + rng.normal(size=(2000, 210)))
    assert set(tested.p) == {1 / 2001}
    assert min(holm(np.full(210, 2 / 2001))) == pytest.approx(0.21, abs=0.005)


@pytest.mark.parametrize(("tails", "draws"), [(1, 4199), (2, 8399)])
def test_holm_of_210_pairs_needs_so_many_draws(tails, draws):
    """PLANNING, section 10: 210 / .05 - 1 draws for one-tail counts, twice as many for doubled."""
    smallest = [min(holm(np.full(210, tails / (n + 1)))) for n in (draws, draws - 1)]
    assert smallest[0] == pytest.approx(0.05, abs=1e-12) and smallest[1] > 0.05


def test_adjusted_values_lie_between_the_single_ones_and_their_bonferroni():
    values, draws = example()
    tested = max_t(values, draws)
    assert (tested.single <= tested.p).all()
    assert (tested.p <= len(values) * tested.single).all()
    order = np.argsort(-np.abs(values / tested.errors))
    assert (np.diff(tested.p[order]) >= 0).all()


def test_order_direction_and_unit_change_nothing():
    values, draws = example()
    p = max_t(values, draws).p
    shuffled = np.random.default_rng(3).permutation(len(values))
    np.testing.assert_array_equal(max_t(values[shuffled], draws[:, shuffled]).p, p[shuffled])
    units = np.array([1, -1, 7, -0.001, 1000, 1, -3, 11])
    np.testing.assert_array_equal(max_t(values * units, draws * units).p, p)
    np.testing.assert_array_equal(max_t(values, draws[::-1]).p, p)


def test_equal_estimates_have_equal_p():
    values, draws = example(pairs=3)
    twice = max_t(values[[0, 0, 1, 2, 0]], draws[:, [0, 0, 1, 2, 0]]).p
    np.testing.assert_array_equal(twice[[0, 1, 2, 3]], max_t(values, draws).p[[0, 0, 1, 2]])
    assert twice[4] == twice[0]


def test_draws_that_reach_it_but_for_rounding_count():
    draws = [[0.1 + 0.2 - 1e-16], [0.0], [-0.3 + 1e-16]]
    assert adjusted([0.3], draws)[0] == pytest.approx(0.75)


def test_an_undefined_draw_counts_against_its_estimate():
    values, draws = np.array([9.0, 5.0]), np.random.default_rng(4).normal(size=(99, 2))
    draws += values
    draws[:10, 1] = np.nan
    tested = max_t(values, draws)
    assert tested.undefined.tolist() == [0, 10]
    assert tested.single.tolist() == [0.01, 0.11]
    # It exceeds in the maximum of every set that has this estimate, so above it too.
    assert tested.p.tolist() == [0.11, 0.11]
    draws[:10] = draws[:10, ::-1]
    assert max_t(values, draws).p.tolist() == [0.11, 0.11]


def test_undefined_draws_of_a_larger_estimate_do_not_touch_the_smaller():
    values, draws = np.array([9.0, 5.0]), np.random.default_rng(4).normal(size=(99, 2))
    draws += values
    draws[:10, 0] = np.nan
    tested = max_t(values, draws)
    assert tested.single.tolist() == [0.11, 0.01]
    assert tested.p.tolist() == [0.11, 0.11]  # the running maximum


def test_what_cannot_be_tested_is_left_out_with_a_reason():
    values, draws = example(pairs=5)
    alone = max_t(values[[0, 3]], draws[:, [0, 3]])
    draws[:, 1] = 0.25
    values[2] = np.nan
    draws[1:, 4] = np.nan
    tested = max_t(values, draws)
    assert np.isnan(tested.p).tolist() == [False, True, True, False, True]
    np.testing.assert_array_equal(tested.p[[0, 3]], alone.p)
    assert tested.reasons[0] == tested.reasons[3] == ""
    assert "no standard error" in tested.reasons[1]
    assert "undefined" in tested.reasons[2]
    assert "fewer than two draws" in tested.reasons[4]


def test_two_draws_are_enough():
    # SD of 1 and 3 is 1.414: t = 1.414, centred draws -.707 and .707
    tested = max_t([2.0], [[1.0], [3.0]])
    assert tested.errors[0] == pytest.approx(2**0.5)
    assert tested.p[0] == pytest.approx(1 / 3)


def test_draws_that_differ_by_rounding_have_no_standard_error():
    draws = np.array([[0.3], [0.1 + 0.2], [0.3]])
    assert np.isnan(max_t([0.3], draws).p[0])


def test_without_draws_or_estimates_nothing_is_tested():
    tested = max_t([0.3], np.empty((0, 1)))
    assert np.isnan(tested.p[0]) and "fewer than two draws" in tested.reasons[0]
    assert max_t([], np.empty((9, 0))).p.shape == (0,)


def estimates(draws, values):
    return [
        Estimate(value, n=10, draws=column) for value, column in zip(values, draws.T, strict=True)
    ]


def test_pairs_are_the_table_of_their_differences():
    values, draws = example(pairs=5)
    pairs = list(combinations(range(5), 2))
    first, second = np.array(pairs).T
    expected = max_t(values[first] - values[second], draws[:, first] - draws[:, second])
    tested = paired_max_t(estimates(draws, values), pairs)
    np.testing.assert_array_equal(tested.p, expected.p)
    np.testing.assert_array_equal(tested.single, expected.single)
    swapped = paired_max_t(estimates(draws, values), [pair[::-1] for pair in pairs])
    np.testing.assert_array_equal(swapped.p, expected.p)


def test_pairs_with_a_side_that_has_nothing_are_left_out():
    values, draws = example(pairs=3)
    own = [
        *estimates(draws, values),
        Estimate(np.nan, n=10, draws=np.full(199, np.nan), reason="constant"),
        Estimate(0.3, n=10),
    ]
    tested = paired_max_t(own, [(0, 1), (0, 3), (1, 4), (0, 0)])
    assert np.isnan(tested.p).tolist() == [False, True, True, True]
    assert "undefined" in tested.reasons[1]
    assert "fewer than two draws" in tested.reasons[2]
    assert "no standard error" in tested.reasons[3]
    assert paired_max_t([], []).p.shape == (0,)


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match="draws: expected 2 columns, got 3"):
        max_t([1, 2], np.ones((4, 3)))
    with pytest.raises(ValueError, match="share their draws"):
        paired_max_t([Estimate(1, draws=np.ones(3)), Estimate(1, draws=np.ones(4))], [(0, 1)])


def simulated_study(rng, means, clusters=100, draws=299):
    """The p-values by max-T and by Holm of all pairs of judges in one simulated study."""
    judges = len(means)
    scores = means + 0.8 * rng.normal(size=(clusters, 1)) + rng.normal(size=(clusters, judges))
    counts = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=draws)
    own = estimates(counts @ scores / clusters, scores.mean(axis=0))
    tested = paired_max_t(own, list(combinations(range(judges), 2)))
    return tested.p, holm(tested.single)


def familywise_error(clusters, studies, seed):
    rng = np.random.default_rng(seed)
    smallest = [simulated_study(rng, np.zeros(10), clusters)[0].min() for _ in range(studies)]
    return np.mean(np.array(smallest) <= 0.05)


def test_its_familywise_error_is_near_five_percent():
    # Two Monte Carlo errors of .05 in 400 studies are .022.
    assert familywise_error(400, 400, seed=7) == pytest.approx(0.05, abs=0.022)


def test_with_a_hundred_clusters_the_error_is_a_little_larger():
    # .075 in 3,000 studies: the draws are compared with one standard error, not with their own.
    assert 0.05 < familywise_error(100, 600, seed=9) < 0.075 + 0.022


def test_it_rejects_where_holm_on_the_same_draws_cannot():
    rng = np.random.default_rng(8)
    means = np.r_[0.8, np.zeros(9)]
    both = [simulated_study(rng, means) for _ in range(40)]
    power = np.mean([(p[:9] <= 0.05).mean() for p, _ in both])
    assert power > 0.8
    assert max((p_holm <= 0.05).sum() for _, p_holm in both) == 0  # 45 / 300 > .05
