"""Inputs of statistics: means over what is defined."""

import numpy as np

from analysis.stats.inputs import mean_of_defined

NAN = np.nan


def test_a_mean_leaves_out_what_is_missing_and_is_missing_without_any():
    values = np.array([[1.0, NAN, 4.0], [NAN, NAN, NAN]])
    np.testing.assert_array_equal(mean_of_defined(values), [2.5, NAN])
    np.testing.assert_array_equal(mean_of_defined(values, axis=0), [1.0, NAN, 4.0])
