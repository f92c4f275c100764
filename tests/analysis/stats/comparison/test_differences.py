"""Paired differences, adjusted p-values and preferences: by hand, and against scipy."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.comparison.differences import holm, paired_difference, paired_differences
from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.ensembles.average import average
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.replacement.preference import system_preference
from analysis.stats.replacement.selection import misfit_recall


def estimate(value, draws, n=10):
    return Estimate(value, n=n, draws=np.array(draws, dtype=float))


def test_the_difference_by_hand():
    # of four differences one is at or below 0: p = 2 * (1 + 1) / (4 + 1)
    found = paired_difference(estimate(0.5, [0.5, 0.6, 0.4, 0.5]), estimate(0.3, [0.2] * 3 + [0.6]))
    assert found.estimate.value == pytest.approx(0.2)
    assert found.p == pytest.approx(0.8)
    assert found.estimate.n == 10


def test_draws_that_all_agree_leave_the_smallest_p_above_zero():
    found = paired_difference(estimate(0.9, np.full(999, 0.9)), estimate(0.1, np.full(999, 0.1)))
    assert found.p == pytest.approx(2 / 1000)
    swapped = paired_difference(estimate(0.1, np.full(999, 0.1)), estimate(0.9, np.full(999, 0.9)))
    assert (swapped.p, swapped.estimate.value) == (found.p, -found.estimate.value)


def test_a_judge_does_not_differ_from_itself():
    same = estimate(0.4, [0.3, 0.5, 0.4])
    assert paired_difference(same, same).p == 1


def test_the_interval_is_that_of_scipys_r_on_the_repeated_rows():
    rng = np.random.default_rng(1)
    y = rng.normal(size=80)
    first, second = y + rng.normal(size=80), y + 2 * rng.normal(size=80)
    clusters, counts = rng.integers(0, 8, 80), draw_counts(8, 50, rng)
    resampling = {"clusters": clusters, "counts": counts}
    found = paired_difference(
        dataset_correlation(first, y, "pearson", **resampling),
        dataset_correlation(second, y, "pearson", **resampling),
    )
    rows = [np.repeat(np.arange(80), count[clusters]) for count in counts]
    expected = [
        stats.pearsonr(first[r], y[r]).statistic - stats.pearsonr(second[r], y[r]).statistic
        for r in rows
    ]
    low, high = np.percentile(expected, [2.5, 97.5])
    assert (found.estimate.low, found.estimate.high) == pytest.approx((low, high))
    below, above = (np.array(expected) <= 0).sum(), (np.array(expected) >= 0).sum()
    assert found.p == pytest.approx(min(1, 2 * (min(below, above) + 1) / 51))


def test_an_average_over_questions_keeps_its_draws():
    both = average([estimate(0.2, [0.1, 0.3]), estimate(0.6, [0.5, 0.9])])
    assert both.draws.tolist() == pytest.approx([0.3, 0.6])


def test_undefined_draws_are_left_out_and_counted():
    found = paired_difference(estimate(0.5, [0.5, np.nan, 0.4]), estimate(0.1, [0.1, 0.1, 0.1]))
    assert found.estimate.undefined_draws == 1
    assert found.p == pytest.approx(2 / 3)


def test_an_undefined_side_makes_an_undefined_difference_with_its_reason():
    found = paired_difference(estimate(0.5, [0.5]), Estimate(np.nan, n=10, reason="constant"))
    assert np.isnan(found.estimate.value) and np.isnan(found.p)
    assert found.estimate.reason == "constant"
    plain = paired_difference(Estimate(0.5, n=3), Estimate(0.25, n=3))
    assert plain.estimate.value == 0.25
    assert np.isnan(plain.p)


def test_other_items_cannot_be_compared():
    with pytest.raises(ValueError, match="found 10 and 9"):
        paired_difference(estimate(0.5, [1]), estimate(0.5, [1], n=9))
    with pytest.raises(ValueError, match="share their draws"):
        paired_difference(estimate(0.5, [1]), estimate(0.5, [1, 2]))


def test_many_pairs_at_once_are_as_one_by_one(monkeypatch):
    # Blocks of two pairs.
    monkeypatch.setattr("analysis.stats.comparison.differences.BLOCK_CELLS", 400)
    rng = np.random.default_rng(4)
    found = [estimate(rng.random(), rng.normal(size=200)) for _ in range(4)]
    holed = estimate(0.3, np.where(np.arange(200) % 7, rng.normal(size=200), np.nan))
    found += [holed, Estimate(np.nan, n=10, reason="constant"), Estimate(0.2, n=10)]
    pairs = list(combinations(range(7), 2))
    for (one, other), many in zip(pairs, paired_differences(found, pairs), strict=True):
        alone = paired_difference(found[one], found[other])
        assert repr(many) == repr(alone), (one, other)
    assert paired_differences([], []) == []
    with pytest.raises(ValueError, match="found 10 and 9"):
        paired_differences([estimate(0.5, [1]), estimate(0.5, [1], n=9)], [(0, 1)])


def test_holm_by_hand():
    # sorted .005 .01 .03 .04: times 4 3 2 1 = .02 .03 .06 .04, the last raised to .06
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]).tolist() == [1, 1]


def test_what_is_no_test_does_not_count():
    found = holm([0.01, np.nan, 0.04])
    assert found[[0, 2]] == pytest.approx([0.02, 0.04])
    assert np.isnan(found[1])
    assert len(holm([])) == 0
    with pytest.raises(ValueError, match=r"0..1"):
        holm([1.2])


A, TIE, B = 1.0, 2.0, 3.0
SYSTEMS = np.array([[0, 1], [1, 0], [0, 1], [0, 2], [0, 0], [0, -1]])


def test_preferences_by_hand():
    # system 0 stands in four pairs of two systems: won, won, tied, lost
    verdicts = [A, B, TIE, B, A, A]
    found = system_preference(verdicts, SYSTEMS, 0, (A, B))
    assert (found.won.value, found.tied.value) == (0.5, 0.25)
    assert (found.preferred.value, found.preferred.n) == (0.625, 4)
    other = system_preference(verdicts, SYSTEMS, 1, (A, B))
    assert (other.preferred.value, other.won.n) == (pytest.approx(0.5 / 3), 3)


def test_two_systems_share_all_preference():
    rng = np.random.default_rng(3)
    verdicts = rng.choice([A, TIE, B], 50)
    systems = np.where(rng.random((50, 1)) < 0.5, [[0, 1]], [[1, 0]])
    clusters, counts = rng.integers(0, 9, 50), draw_counts(9, 100, rng)
    first, second = (
        system_preference(verdicts, systems, at, (A, B), clusters=clusters, counts=counts)
        for at in (0, 1)
    )
    assert first.preferred.value + second.preferred.value == pytest.approx(1)
    np.testing.assert_allclose(first.preferred.draws + second.preferred.draws, 1)
    assert first.preferred.low < first.preferred.value < first.preferred.high
    # the sides of a pair may be swapped with its verdict
    swapped = system_preference(4 - verdicts, systems[:, ::-1], 0, (A, B))
    assert swapped.preferred.value == first.preferred.value


def test_a_system_without_a_pair_has_no_preference():
    found = system_preference([A, np.nan], np.array([[0, 0], [0, 1]]), 0, (A, B))
    assert np.isnan(found.preferred.value)
    assert "no pair of lists" in found.preferred.reason
    with pytest.raises(ValueError, match="systems: expected"):
        system_preference([A], SYSTEMS, 0, (A, B))


def test_strong_misfits_may_begin_at_two():
    assert misfit_recall([1, 2, 2, 3], [1, 1, 0, 1], strongly=2).value == pytest.approx(2 / 3)
