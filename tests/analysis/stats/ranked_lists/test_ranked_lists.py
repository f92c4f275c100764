"""Measures of two ranked lists: by hand, as published, and whatever the lists are."""

import string
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.stats.ranked_lists.ranked_lists import (
    as_codes_of_lists,
    has_repeats,
    overlap,
    rbo,
    tau_common,
    tau_topk,
)


def of(measure, one, other, *more, **options):
    return float(measure(*as_codes_of_lists([(one, other)]), *more, **options)[0])


def all_of(one, other, k=5):
    return (
        of(tau_topk, one, other, k),
        of(tau_common, one, other),
        of(rbo, one, other),
        of(overlap, one, other, k),
    )


def test_the_same_list_has_one_in_every_measure():
    assert all_of("abcde", "abcde") == pytest.approx((1, 1, 1, 1))
    assert of(tau_topk, "abcde", "abcde", 5, 0.0) == 1


def test_the_truncated_sum_would_give_the_same_list_less_than_one():
    """Why RBO is extrapolated: cut off at its end the sum is 1 - p^5 of two equal lists of 5."""
    truncated = 0.1 * sum(0.9**depth for depth in range(5))
    assert truncated == pytest.approx(0.41, abs=0.005)
    assert of(rbo, "abcde", "abcde") == pytest.approx(1)


def test_a_reversed_list_by_hand():
    """K = 10 of 25 + 10: 1 - 20 / 35. Agreement by depth is 0, 0, 1/3, 3/4, 1."""
    by_depth = [0, 0, 1 / 3, 3 / 4, 1]  # abc and edc share c; abcd and edcb all but a and e
    hand = 0.1 / 0.9 * sum(a * 0.9**d for d, a in enumerate(by_depth, 1)) + 0.9**5
    found = all_of("abcde", "edcba")
    assert found == pytest.approx((15 / 35, -1, hand, 1))
    assert found[0] == pytest.approx(0.43, abs=0.005)


def test_disjoint_lists_by_hand():
    """Neutral: K = 25 + 2 · 10 · ½ = 35, all that there is. Optimistic: 25, over the same 35."""
    found = all_of("abcde", "vwxyz")
    assert (found[0], found[2], found[3]) == pytest.approx((-1, 0, 0))
    assert isnan(found[1])
    assert of(tau_topk, "abcde", "vwxyz", 5, 0.0) == pytest.approx(1 - 50 / 35)


def test_one_swap_by_hand():
    """K = 1: 1 - 2/35, and 1 - 2/10. At depth 1 nothing is shared: RBO lacks the weight 1 - p."""
    assert all_of("abcde", "bacde") == pytest.approx((33 / 35, 0.8, 0.9, 1))


def test_another_last_entry_by_hand():
    """e and x: each list puts its own ahead of the other's, K = 1; four of five are shared."""
    rest = 0.1 / 0.9 * (sum(0.9**d for d in range(1, 5)) + 0.8 * 0.9**5) + 0.8 * 0.9**5
    assert all_of("abcde", "abcdx") == pytest.approx((33 / 35, 1, rest, 0.8))


def test_two_entries_that_the_other_list_lacks_are_half_a_disagreement():
    """ab, cd of two lists of 2: 4 cross pairs, and ½ each for ab and cd; K^(0) leaves these out."""
    assert of(tau_topk, "ab", "cd", 2) == pytest.approx(1 - 2 * 5 / 5)
    assert of(tau_topk, "ab", "cd", 2, 0.0) == pytest.approx(1 - 2 * 4 / 5)
    # abx and aby: x against y, once; and nothing else, for both put a and b ahead.
    assert of(tau_topk, "abx", "aby", 3) == pytest.approx(1 - 2 / 12)
    # xab and yab: x against y, and of each list its first ahead of a and of b: 1 + 4.
    assert of(tau_topk, "xab", "yab", 3) == pytest.approx(1 - 10 / 12)


@pytest.mark.parametrize(
    ("one", "other", "p", "published"),
    [
        # Figure 5 of Webber et al. (2010): agreement by depth 0, 0, 2/3, 1/2, 2/5, 1/3, 2/7,
        # whose mean they print as 0.312; p = .9, the sum by hand.
        (
            "abcdefg",
            "zcavwxy",
            0.9,
            0.1
            / 0.9
            * sum(a * 0.9**d for d, a in enumerate([0, 0, 2 / 3, 1 / 2, 2 / 5, 1 / 3, 2 / 7], 1))
            + 2 / 7 * 0.9**7,
        ),
        # The worked example of github.com/b4ny4n/rankmeasures, printed with three decimals.
        ("12345", "23415", 0.9, 0.828),
        # The tests of github.com/knightjdr/cmgo, the last three uneven.
        ("abcde", "bacde", 0.9, 0.9),
        ("abcde", "bdace", 0.9, 0.828),
        ("abcde", "bacdef", 0.9, 0.9),
        ("abcde", "baxdyf", 0.9, 0.592335),
        ("abcdefghijklmnopqrst", "ab", 0.9, 1),
        # Made with Webber's own program: github.com/mpetri/rbo, test_data/uneven_abc_sp.json.
        (string.ascii_lowercase, "kuvszwyrnifhgo", 0.99, 0.639968),
        (string.ascii_lowercase, "wvz", 0.99, 0.092104),
        (string.ascii_lowercase, "lzou", 0.99, 0.132849),
        (string.ascii_lowercase, "mrcag", 0.99, 0.503190),
        (string.ascii_lowercase, "f", 0.99, 0.043516),
        (string.ascii_lowercase, "pkruzxiaqmdgjvbthcoylwsf", 0.99, 0.862479),
    ],
)
def test_rbo_as_published_for_even_and_uneven_lists(one, other, p, published):
    digits = 5e-4 if published == 0.828 else 6e-7
    assert of(rbo, one, other, p) == pytest.approx(published, abs=digits)
    assert of(rbo, other, one, p) == pytest.approx(published, abs=digits)


def test_what_is_undefined():
    assert isnan(of(tau_topk, "abcd", "abcde", 5))  # short
    assert isnan(of(tau_topk, "abcdea", "abcdeb", 5))  # long
    assert isnan(of(tau_topk, "abcda", "abcde", 5))  # repeated
    assert isnan(of(tau_common, "abc", "axy")) and isnan(of(tau_common, "", ""))
    assert isnan(of(rbo, "", "abc")) and isnan(of(rbo, "", ""))
    assert of(overlap, "", "abcde", 5) == 0
    assert of(overlap, "abc", "abcde", 5) == pytest.approx(0.6)  # k stays the denominator
    assert len(rbo(*as_codes_of_lists([]))) == 0


def test_a_repeat_counts_where_it_first_stands():
    assert of(overlap, "aabb", "abcd", 4) == 0.5
    assert of(rbo, "aab", "ab") == pytest.approx(1)
    assert of(tau_common, "abab", "ba") == -1
    assert has_repeats(as_codes_of_lists([("aa", "ab")])[0]).tolist() == [True]
    assert has_repeats(as_codes_of_lists([("a", "abc")])[0]).tolist() == [False]


@pytest.mark.parametrize("p", [0, 1, nan, -1])
def test_a_persistence_without_meaning_is_refused(p):
    with pytest.raises(ValueError, match="between 0 and 1"):
        of(rbo, "a", "a", p)


def test_other_input_is_refused():
    one = np.array([[1, 2]])
    for strange in (one.astype(float), np.array([1, 2]), np.array([[1, 2, 3]])):
        with pytest.raises(ValueError, match="expected"):
            rbo(one, strange)
    for k, p in ((0, 0.5), (2, 1.5)):
        with pytest.raises(ValueError, match="expected k"):
            tau_topk(one, one, k, p)
    with pytest.raises(ValueError, match="k: expected"):
        overlap(one, one, 0)


tops = st.permutations(range(9)).map(lambda order: list(order[:5]))


def fagin_by_pairs(one, other, p):
    """K^(p) in Fagin's four cases, pair by pair."""
    union, total = sorted({*one, *other}), 0.0
    for at, i in enumerate(union):
        for j in union[at + 1 :]:
            sides = [(i in each, j in each) for each in (one, other)]
            if all(both == (True, True) for both in sides):
                total += (one.index(i) < one.index(j)) != (other.index(i) < other.index(j))
            elif (True, True) in sides and (False, False) in sides:
                total += p
            elif (True, True) in sides:
                whole, part = (one, other) if sides[0] == (True, True) else (other, one)
                present, absent = (i, j) if i in part else (j, i)
                total += whole.index(absent) < whole.index(present)
            else:
                total += 1
    return total


@given(tops, tops, st.sampled_from([0.0, 0.5, 0.3]))
def test_tau_topk_is_fagins_count_of_pairs(one, other, p):
    expected = 1 - 2 * fagin_by_pairs(one, other, p) / 35
    assert of(tau_topk, one, other, 5, p) == pytest.approx(expected)


@given(tops, tops)
def test_tau_common_is_scipys_on_the_ranks(one, other):
    both = [entry for entry in one if entry in other]
    found = of(tau_common, one, other)
    if len(both) < 2:
        assert isnan(found)
    else:
        ranks = [other.index(entry) for entry in both]
        assert found == pytest.approx(stats.kendalltau(range(len(both)), ranks).statistic)


lists = st.lists(st.integers(0, 9), max_size=8, unique=True)


@given(st.lists(st.tuples(lists, lists), min_size=1, max_size=6), st.permutations(range(10)))
def test_names_and_the_order_of_the_two_do_not_matter(pairs, names):
    def named(entries):
        return [f"title {names[entry]}" for entry in entries]

    first, second = as_codes_of_lists(pairs)
    renamed = as_codes_of_lists([(named(one), named(other)) for one, other in pairs])
    for measure, more in ((tau_topk, [5]), (tau_common, []), (rbo, []), (overlap, [5])):
        values = measure(first, second, *more)
        assert values == pytest.approx(measure(*renamed, *more), nan_ok=True)
        assert values == pytest.approx(measure(second, first, *more), nan_ok=True)
        single = [of(measure, one, other, *more) for one, other in pairs]
        assert values == pytest.approx(single, nan_ok=True)  # beside others, or alone


@given(lists, lists, st.sampled_from([0.1, 0.5, 0.9, 0.98]))
def test_rbo_lies_within_its_range_and_is_one_of_a_list_with_itself(one, other, p):
    found = of(rbo, one, other, p)
    assert isnan(found) == (not one or not other)
    if one and other:
        assert 0 <= found <= 1
        assert of(rbo, one, one, p) == pytest.approx(1)
