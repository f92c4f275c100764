"""Inputs of statistics: means over what is defined, and without the rounding of their sums."""

import numpy as np
import pytest

from analysis.stats.inputs import mean_of_defined, without_rounding

NAN = np.nan


def test_a_mean_leaves_out_what_is_missing_and_is_missing_without_any():
    values = np.array([[1.0, NAN, 4.0], [NAN, NAN, NAN]])
    np.testing.assert_array_equal(mean_of_defined(values), [2.5, NAN])
    np.testing.assert_array_equal(mean_of_defined(values, axis=0), [1.0, NAN, 4.0])


THIRD, SMALL = 5 / 3, 1e-310


def test_one_large_value_makes_no_small_means_tie():
    sums, counts = np.array([0.00006, 0.00012, 2e9, 0.1 + 0.2]), np.array([2, 2, 2, 2])
    of = np.array([0.00003, 0.00006, 1e9, 0.1, 0.2])
    expected = [0.00003, 0.00006, 1e9, 0.15]
    assert without_rounding(sums / counts, of, counts).tolist() == expected


def test_means_of_sums_of_different_size_tie():
    of = np.array([0.6, 0.7, 0.8])
    means = np.array([(0.6 + 0.7 + 0.8) / 3, (0.6 + 0.8) / 2, np.nan])
    assert without_rounding(means, of, np.array([3, 2, 0])).tolist()[:2] == [0.7, 0.7]


@pytest.mark.parametrize(
    ("means", "of", "expected"),
    [
        # (.6 + .7 + .8) / 3 and (.8 + .7 + .6) / 3 as a computer adds them
        ([(0.6 + 0.7 + 0.8) / 3, (0.8 + 0.7 + 0.6) / 3], [0.6, 0.7, 0.8], [0.7, 0.7]),
        ([(0.1 + 0.2 - 0.3) / 3, 0.0], [0.1, 0.2, -0.3], [0.0, 0.0]),
        ([(1e8 + 0.1 + 0.2) / 3], [1e8, 0.1, 0.2], [33333333.4333]),
        ([THIRD, NAN], [1.0, 2.0, 2.0, NAN], [THIRD, NAN]),  # whole numbers have exact sums
        ([0.0, NAN], [0.0], [0.0, NAN]),
        ([SMALL], [SMALL], [0.0]),
        ([0.1 + 0.2, NAN], None, [0.3, NAN]),
        ([], [], []),
    ],
)
def test_means_are_rounded_by_the_size_of_what_they_are_made_of(means, of, expected):
    of = None if of is None else np.array(of)
    np.testing.assert_array_equal(without_rounding(np.array(means), of), expected)
