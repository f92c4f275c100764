"""May the judge compare systems: example D, paired t tests, loops, and each answer."""

import numpy as np
import pytest
from scipy import stats

from analysis.stats.validation.criteria import Criteria, Scale
from analysis.stats.validation.people import Quantity, gather_people
from analysis.stats.validation.systems import (
    SystemPair,
    compare_systems,
    correct_comparison,
)
from tests.analysis.stats.validation.worked import CONTENTS_JUDGE, SYSTEMS, contents

FIVE = Scale(1, 5)


THREE = (0.0, 0.3, 0.6)


def study(seed, n=60, systems=(0.0, 0.6), noise=0.7):
    """Complete contents: people of two raters per item, a quality by item, and the systems."""
    rng = np.random.default_rng(seed)
    system = np.tile(np.arange(len(systems)), n)
    content = np.repeat(np.arange(n), len(systems))
    quality = 3 + np.array(systems)[system] + rng.normal(size=len(system))
    values = np.repeat(quality, 2) + noise * rng.normal(size=2 * len(system))
    items, raters = np.repeat(np.arange(len(system)), 2), np.tile([0, 1], len(system))
    people = gather_people(values, items, raters, len(system), clusters=content)
    return people, quality, system


def test_the_worked_contents():
    comparison = compare_systems(contents(), CONTENTS_JUDGE[:, 0], SYSTEMS, FIVE)
    rows = {(pair.first, pair.second): pair for pair in comparison.pairs}
    # printed are e_ba = mean_b - mean_a and so on
    for (first, second), printed in {
        (0, 1): (0.25, 0.433013, 0.457684),
        (0, 2): (0.5, 0.353553, 0.694423),
        (1, 2): (0.25, 0.520416, 0.464759),
    }.items():
        pair = rows[first, second]
        values = pair.offset.value, pair.offset.error, pair.p_within
        assert values == pytest.approx(printed, abs=5e-7)
    assert comparison.max_p == pytest.approx(0.694423, abs=5e-7)
    assert (comparison.answer, comparison.reason) == ("not_yet", "too_few")


def test_complete_contents_give_the_paired_t_test():
    people, judge, system = study(1)
    (pair,) = compare_systems(people, judge, system, FIVE).pairs
    differences = judge - people.means[:, 0]
    expected = stats.ttest_rel(differences[1::2], differences[::2])
    assert pair.offset.p_two_sided() == pytest.approx(expected.pvalue)
    seen = stats.ttest_rel(people.means[1::2, 0], people.means[::2, 0])
    assert pair.people.p_two_sided() == pytest.approx(seen.pvalue)


def test_incomplete_contents_count_the_clusters_of_both_systems():
    people, judge, system = study(2, systems=(0, 0.3, 0.6))
    keep = np.random.default_rng(0).random(people.n) < 0.7
    people, judge, system = people.restrict(keep), judge[keep], system[keep]
    pair = compare_systems(people, judge, system, FIVE).pairs[0]
    d, sums = judge - people.means[:, 0], {}
    for value, code, cluster in zip(d, system, people.cluster, strict=True):
        if code < 2:
            inside = d[system == code]
            part = (value - inside.mean()) / len(inside) * (1 if code else -1)
            sums[cluster] = sums.get(cluster, 0) + part
    g = len(sums)
    assert pair.offset.df == g - 1
    error = np.sqrt(g / (g - 1) * sum(x**2 for x in sums.values()))
    assert pair.offset.error == pytest.approx(error)


def test_a_judge_like_people_may_compare_systems():
    people, judge, system = study(3, n=300, systems=THREE)
    comparison = compare_systems(people, judge, system, FIVE)
    assert (comparison.answer, comparison.reason) == ("yes", "may")
    assert comparison.n_systems == 3
    assert not comparison.favoured


def test_of_two_systems_one_difference_is_no_yes():
    comparison = compare_systems(*study(3, n=300), FIVE)
    assert (comparison.answer, comparison.reason) == ("not_yet", "few_systems")


def test_max_t_of_one_pair_is_its_t_test_and_of_three_is_between_that_and_bonferroni():
    people, judge, system = study(3, n=80, systems=(0.0, 0.3))
    (pair,) = compare_systems(people, judge, system, FIVE).pairs
    assert pair.p_winner == pytest.approx(pair.judge.p_two_sided(), abs=0.02)
    people, judge, system = study(8, n=80, systems=(0.0, 0.25, 0.3))
    for pair in compare_systems(people, judge, system, FIVE).pairs:
        alone = pair.judge.p_two_sided()
        assert alone - 0.02 <= pair.p_winner <= min(1, 3 * alone + 0.02)


def test_a_judge_that_favours_a_system():
    people, judge, system = study(3, n=300, systems=THREE)
    comparison = compare_systems(people, judge + 0.3 * system, system, FIVE)
    assert (comparison.answer, comparison.reason) == ("no", "favours")
    assert comparison.favoured
    slight = compare_systems(people, judge + 0.1 * system, system, FIVE)
    assert (slight.answer, slight.favoured) == ("yes", True)


def test_people_who_see_no_difference_leave_nothing_to_check():
    people, judge, system = study(4, n=100, systems=(0.0, 0.0))
    assert compare_systems(people, judge, system, FIVE).reason == "no_difference"


def test_a_constant_judge_and_one_of_a_single_system():
    people, judge, system = study(4, n=100, systems=(0.0, 0.1))
    assert compare_systems(people, 0 * judge + 3, system, FIVE).reason == "says_nothing"
    alone = compare_systems(people, judge, 0 * system, FIVE)
    assert (alone.answer, alone.pairs) == ("not_testable", ())
    each_item = compare_systems(people, judge, np.arange(people.n), FIVE)
    assert (each_item.answer, each_item.reason) == ("not_testable", "not_comparable")


def test_a_judge_of_the_opposite_order_is_not_let_through():
    people, judge, system = study(5, n=4000, systems=(0.0, 0.12))
    other = judge - people.means[:, 0]
    turned = people.means[:, 0] - 0.24 * (system == 1) + other
    comparison = compare_systems(people, turned, system, FIVE)
    assert comparison.max_p < 0.05
    assert (comparison.reason, comparison.missing) == ("undecided", "order")


def test_a_judge_that_sees_no_system_is_not_let_through():
    people, _, system = study(5, n=4000, systems=(0.0, 0.12))
    blind = 3 + np.random.default_rng(1).normal(size=people.n)
    blind[system == 1] += blind[system == 0].mean() + 0.01 - blind[system == 1].mean()
    comparison = compare_systems(people, blind, system, FIVE)
    assert comparison.max_p < 0.05
    assert (comparison.answer, comparison.missing) == ("not_yet", "widest")


def test_a_yes_that_does_not_hold_among_all_judges_is_not_one_yet():
    comparison = compare_systems(*study(3, n=300, systems=THREE), FIVE)
    assert correct_comparison(comparison, passes=True) == comparison
    failed = correct_comparison(comparison, passes=False)
    assert (failed.answer, failed.reason, failed.missing) == ("not_yet", "undecided", "correction")
    assert failed.pairs == comparison.pairs
    people, judge, system = study(3, n=300)
    off = compare_systems(people, judge + 0.6 * system, system, FIVE)
    assert correct_comparison(off, passes=False) == off


def test_the_p_of_a_judge_is_the_largest_of_all_that_it_has_to_show():
    people, judge, system = study(5, n=4000, systems=(0.0, 0.12))
    (pair,) = (comparison := compare_systems(people, judge, system, FIVE)).pairs
    apart = stats.ttest_rel(judge[1::2], judge[::2])
    assert comparison.judge_p == pytest.approx(max(apart.pvalue, pair.p_within))
    blind = 3 + np.random.default_rng(1).normal(size=people.n)
    blind[system == 1] += blind[system == 0].mean() + 0.01 - blind[system == 1].mean()
    unseen = stats.ttest_rel(blind[1::2], blind[::2]).pvalue
    assert compare_systems(people, blind, system, FIVE).judge_p == pytest.approx(unseen)
    assert compare_systems(people, 0 * judge + 3, system, FIVE).judge_p == 1
    assert np.isnan(compare_systems(people, judge, 0 * system, FIVE).judge_p)


def test_a_single_pair_is_corrected_by_holm():
    pairs = compare_systems(*study(7, systems=(0, 0.3, 0.6)), FIVE).pairs
    smallest, middle, largest = sorted(pairs, key=lambda pair: pair.p_within)
    assert smallest.p_pair == pytest.approx(3 * smallest.p_within, abs=0)
    assert middle.p_pair == pytest.approx(max(2 * middle.p_within, smallest.p_pair), abs=0)
    assert largest.p_pair >= middle.p_pair


def test_the_spread_of_eight_systems():
    people, judge, system = study(6, n=40, systems=np.linspace(0, 1, 8))
    bias = np.array([0.3, -0.1, 0.2, 0, 0, -0.4, 0.1, 0.2])
    comparison = compare_systems(people, judge + bias[system], system, FIVE)
    d = judge + bias[system] - people.means[:, 0]
    expected = np.std([d[system == code].mean() for code in range(8)], ddof=1)
    assert comparison.spread == pytest.approx(expected)
    low, high = comparison.spread_interval
    assert low < expected < high
    assert np.isnan(compare_systems(*study(3), FIVE).spread)


def test_the_margin_is_the_scales_or_the_option():
    people, judge, system = study(3, n=300, systems=THREE)
    judge = judge + 0.22 * system
    assert compare_systems(people, judge, system, FIVE).answer == "no"
    assert compare_systems(people, judge, system, Scale(0, 10)).answer == "yes"  # .6 points
    wide = compare_systems(people, judge, system, FIVE, Criteria(system_margin=0.6))
    assert wide.answer == "yes"


def test_names_and_order_of_systems_change_nothing():
    people, judge, system = study(7, systems=(0, 0.3, 0.6))
    there = compare_systems(people, judge, system, FIVE)
    back = compare_systems(people, judge, 9 - system, FIVE)
    assert back.max_p == pytest.approx(there.max_p)
    assert back.pairs[0].offset.value == pytest.approx(-there.pairs[2].offset.value)


def test_another_shape_is_refused():
    with pytest.raises(ValueError, match="expected 12 numbers"):
        compare_systems(contents(), CONTENTS_JUDGE, SYSTEMS, FIVE)


@pytest.mark.parametrize(
    ("people", "judge", "is_off", "p_pair", "answer"),
    [
        ((0.8, 0.1), 0.7, False, 0.01, ("yes", "may")),
        ((0.05, 0.1), -0.05, False, 0.01, ("not_yet", "no_difference")),  # no winner to be called
        ((0.8, 0.1), -0.1, False, 0.01, ("no", "favours")),
        ((0.8, 0.1), 0.7, False, 0.2, ("not_yet", "undecided")),
        ((0.8, 0.1), 1.9, True, 0.9, ("no", "favours")),
    ],
)
def test_a_pair_gets_a_yes_only_where_people_see_a_difference(
    people, judge, is_off, p_pair, answer
):
    seen = Quantity(*people, df=50)
    of_judge = Quantity(judge, 0.1, 50)
    pair = SystemPair(0, 1, seen, seen, of_judge, 0.01, p_pair, 0.01, is_off)
    assert pair.decide(0.05, 3) == answer
