"""The correction over judges and questions."""

import numpy as np
import pytest

from analysis.stats.validation.decision import correct_family


def test_judges_by_benjamini_and_hochberg_at_half_the_level():
    # .025 x 1/4 .. 4/4: .00625, .0125, .01875, .025
    family = correct_family([0.006, 0.0120, 0.0190, 0.9], [0.0], [0, 0, 0, 0])
    assert family.passes.tolist() == [True, True, False, False]
    # x 4/1, 4/2, 4/3 and in units of .05
    assert family.p_adjusted == pytest.approx([0.048, 0.048, 0.0190 * 4 / 3 * 2, 1.0])


def test_questions_by_holm_at_half_the_level():
    # .025 / 2 for the smallest of two
    assert correct_family([0, 0], [0.012, 0.5], [0, 1]).passes.tolist() == [True, False]
    assert correct_family([0, 0], [0.013, 0.5], [0, 1]).passes.tolist() == [False, False]


def test_peoples_p_is_not_repeated_for_each_judge():
    many = correct_family(np.zeros(50), [0.02], np.zeros(50, int))
    assert many.passes.all()


def test_the_judge_named_before_is_tested_alone():
    named = [True, False, False]
    family = correct_family([0.04, 0.04, 0.001], [0.04], [0, 0, 0], named=named)
    assert family.passes.tolist() == [True, False, False]  # .04 of people is above .025
    assert family.p_adjusted[0] == 0.04
    assert family.size == 3
    # the other two at .025, as if they were alone: .02 x 2 / 2
    assert correct_family([0.04, 0.02, 0.02], [0.0], [0, 0, 0], named=named).passes.all()
    # people have to agree for it too
    assert not correct_family([0.001], [0.06], [0], named=[True]).passes.any()


def test_what_is_no_candidate_does_not_count():
    family = correct_family([0.02, np.nan, np.nan], [0.0], [0, 0, 0])
    assert family.passes.tolist() == [True, False, False]
    assert family.size == 1
    assert np.isnan(family.p_adjusted[1])
    failed = correct_family([0.02, 1.0, 1.0], [0.0], [0, 0, 0])  # losers do
    assert not failed.passes.any()


def test_an_empty_family():
    assert correct_family([], [], np.empty(0, int)).size == 0


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0.1], [0.1], [1]), {}, "below 1, found 1"),
        (([0.1], [0.1], [0, 0]), {}, "expected 1 codes"),
        (([0.1], [0.1], [0]), {"named": [True, False]}, "expected 1 flags"),
        (([1.2], [0.1], [0]), {}, "between 0 and 1"),
    ],
)
def test_bad_input_is_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        correct_family(*arguments, **options)
