"""Means over iterations, Welch's test and the permutation test, beside scipy and by hand."""

from math import isnan, nan

import numpy as np
import pytest
from scipy import stats

from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.ranked_lists.iterations import mean_of_iterations, sign_flip, welch


def rng():
    return np.random.default_rng(3)


def test_a_mean_of_iterations_by_hand():
    """Iterations have means .5 and .8 (one person is missing): mean .65, sd .3 / √2."""
    found = mean_of_iterations([[0.4, 0.8], [0.6, nan]])
    assert found.mean.value == pytest.approx(0.65)
    assert found.sd == pytest.approx(0.3 / np.sqrt(2))
    assert found.means == pytest.approx([0.5, 0.8])
    assert (found.mean.n, found.mean.groups, found.mean.skipped) == (2, 2, 0)


def test_an_iteration_that_nobody_has_is_skipped():
    found = mean_of_iterations([[0.4, nan], [0.6, nan], [nan, nan]])
    assert found.mean.value == pytest.approx(0.5)
    assert (found.mean.n, found.mean.skipped) == (2, 1)
    assert isnan(found.sd)
    nothing = mean_of_iterations([[nan, nan]])
    assert isnan(nothing.mean.value) and nothing.mean.reason


def test_its_interval_is_that_of_people_drawn_again():
    values = rng().random((8, 4))
    values[0, 1] = values[5, :2] = nan
    counts = draw_counts(8, 60, rng())
    found = mean_of_iterations(values, counts=counts)
    drawn = [np.nanmean(np.repeat(values, row, axis=0), axis=0).mean() for row in counts]
    assert found.mean.draws == pytest.approx(drawn)
    assert (found.mean.low, found.mean.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]))
    with pytest.raises(ValueError, match="people"):
        mean_of_iterations(values, counts=counts[:, :3])


def test_one_person_has_no_interval():
    found = mean_of_iterations([[0.2, 0.4], [nan, nan]], counts=draw_counts(2, 20, rng()))
    assert isnan(found.mean.low) and "one cluster" in found.mean.reason


def test_welch_equals_scipy():
    one, other = rng().normal(0.9, 0.01, 10), rng().normal(0.5, 0.1, 7)
    expected = stats.ttest_ind(one, other, equal_var=False)
    found = welch([*one, nan], other)
    assert (found.t, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert found.df == pytest.approx(expected.df)


def test_welch_by_hand():
    """Means 2 and 5, variances 1 and 1 of three each: t = -3 / √(2/3), four degrees of freedom."""
    found = welch([1, 2, 3], [4, 5, 6])
    t = 3 / np.sqrt(2 / 3)
    x = t / np.sqrt(t * t + 4)  # the tail with four degrees of freedom, in closed form
    assert (found.t, found.df) == pytest.approx((-t, 4))
    assert found.p == pytest.approx(1 - x * (1 + (1 - x * x) / 2))


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ([0.5], [0.1, 0.2], "fewer than two iterations"),
        ([], [], "fewer than two iterations"),
        ([1, 1, 1], [0.5, 0.5], "all iterations are equal, so that t is undefined"),
        ([0.1 + 0.2, 0.3], [0.3, 0.3], "all iterations are equal, so that t is undefined"),
    ],
)
def test_an_undefined_t_says_why(one, other, reason):
    found = welch(one, other)
    assert isnan(found.t) and isnan(found.p) and found.reason == reason


def test_all_signs_of_few_people_by_hand():
    """Of 1, 2, 3 only +++ and --- are as far as 6: 2 of 8. Of 1, 1, -1 all 8 are as far as 1."""
    found = sign_flip([1, 2, 3], rng())
    assert (found.mean, found.n, found.p, found.exact) == (2, 3, 0.25, True)
    assert sign_flip([1, 1, -1], rng()).p == 1
    assert sign_flip([0.1, 0.2, 0.3, nan], rng()).p == 0.25  # rounding makes no sum smaller
    assert sign_flip([0, 0], rng()).p == 1


def test_the_exact_test_is_scipys():
    values = rng().normal(0.3, 1, 9)
    expected = stats.permutation_test(
        (values,),
        lambda x, axis: x.mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert sign_flip(values, rng()).p == pytest.approx(expected.pvalue)


def test_random_signs_of_many_people_are_seeded_and_never_zero():
    found = sign_flip(np.ones(40), rng(), draws=999)
    assert (found.exact, found.n) == (False, 40)
    assert found.p == 1 / 1000
    values = rng().normal(0.2, 1, 30)
    again = [sign_flip(values, np.random.default_rng(7), draws=500).p for _ in range(2)]
    assert again[0] == again[1]
    exact = stats.ttest_1samp(values, 0).pvalue
    assert sign_flip(values, rng()).p == pytest.approx(exact, abs=0.03)


def test_nobody_has_no_p():
    found = sign_flip([nan], rng())
    assert isnan(found.p) and isnan(found.mean) and found.n == 0


def test_many_people_need_no_more_memory_and_have_the_same_draws(monkeypatch):
    values = np.random.default_rng(3).normal(0.1, 1, 40)
    signs = np.random.default_rng(7).integers(0, 2, (500, 40)) * 2 - 1
    as_far = (np.abs((signs * values).sum(axis=1)) >= abs(values.sum())).sum()
    # Four draws at a time.
    monkeypatch.setattr("analysis.stats.ranked_lists.iterations.BLOCK_CELLS", 160)
    found = sign_flip(values, np.random.default_rng(7), draws=500)
    assert found.p == (as_far + 1) / 501
