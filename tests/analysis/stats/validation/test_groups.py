"""Blind spots: a judge that fails in one declared group."""

import numpy as np
import pytest

from analysis.stats.validation.criteria import Scale
from analysis.stats.validation.decision import Answer, Reason, compare_groups
from analysis.stats.validation.evidence import gather_reference

WIDE = Scale(-50, 50, step=None)


def study(seed, n=900):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    values = np.repeat(quality, 3) + 1.5 * rng.normal(size=3 * n)
    raters = rng.integers(0, 40, 3 * n)
    reference = gather_reference(values, np.repeat(np.arange(n), 3), raters, n, WIDE)
    return reference, quality, rng


def test_a_group_in_which_the_judge_is_reversed():
    reference, judge, _ = study(1)
    codes = np.repeat([0, 1, 2], [500, 380, 20])
    judge = np.where(codes == 1, -judge, judge)
    good, reversed_, small = compare_groups(reference, judge, codes, 3)
    assert (good.answer, good.reason) == (Answer.YES, Reason.MAY)
    assert (reversed_.answer, reversed_.reason) == (Answer.NO, Reason.MAY_NOT)
    assert (small.answer, small.reason) == (Answer.NOT_YET, Reason.TOO_FEW)
    assert small.evidence.n <= 20


def test_failing_is_corrected_for_the_number_of_groups():
    reference, judge, rng = study(2)
    codes = rng.integers(0, 4, 900)
    results = compare_groups(reference, 0.2 * judge + rng.normal(size=900), codes, 4)
    singly = [result.retention.p_below() for result in results]
    smallest = min(result.fails_p for result in results)
    assert smallest == pytest.approx(min(1, 4 * min(singly)), abs=0)
    assert min(singly) < 0.25


def test_an_empty_group_is_neither_shown_nor_failing():
    reference, judge, _ = study(3)
    _, empty = compare_groups(reference, judge, np.zeros(900, int), 2)
    assert (empty.evidence.n, empty.reason) == (0, Reason.TOO_FEW)
    assert np.isnan(empty.fails_p)


def test_more_than_five_groups_are_refused():
    reference, judge, _ = study(3)
    with pytest.raises(ValueError, match="at most 5"):
        compare_groups(reference, judge, np.zeros(900, int), 6)
    with pytest.raises(ValueError, match="below n_groups"):
        compare_groups(reference, judge, np.full(900, 2), 2)
