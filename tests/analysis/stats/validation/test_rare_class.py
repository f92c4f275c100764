"""Recall and precision of a rare class, against counts."""

import numpy as np
import pytest
from scipy import stats

from analysis.stats.validation.checks import choose_rare_label, measure_rare_class


def wilson(hits, n):
    interval = stats.binomtest(hits, n).proportion_ci(method="wilson")
    return pytest.approx((interval.low, interval.high))


def test_recall_and_precision_are_those_of_counts():
    shares = np.repeat([1.0, 2 / 3, 1 / 3, 0.0], [10, 10, 10, 70])
    marks = np.zeros(100)
    marks[[0, 1, 2, 10, 11, 20, 40, 41]] = 1
    rare = measure_rare_class(shares, marks)
    # 3 + 4/3 + 1/3 of 10 + 20/3 + 10/3 raters' marks
    assert rare.recall == pytest.approx((3 + 4 / 3 + 1 / 3) / 20)
    assert rare.precision == pytest.approx((3 + 4 / 3 + 1 / 3) / 8)
    assert (rare.n_majority, rare.n_marked) == (20, 8)
    assert rare.recall_interval == wilson(5, 20)
    assert rare.precision_interval == wilson(5, 8)


def test_a_label_that_nobody_gives_has_no_recall():
    nobody = measure_rare_class(np.zeros(5), np.ones(5))
    assert np.isnan([nobody.recall, *nobody.recall_interval]).all()
    never = measure_rare_class(np.ones(5), np.zeros(5))
    assert np.isnan([never.precision, *never.precision_interval]).all()
    assert never.recall == 0


@pytest.mark.parametrize(
    ("shares", "label"),
    [
        ([0.7, 0.3], 1),
        ([0.45, 0.55], 0),
        ([0.5, 0.3, 0.2], 2),
        ([0.4, 0.35, 0.25], None),
        ([0.85, 0.15, 0.0], 1),  # an unused label is no class
        ([1.0], None),
    ],
)
def test_the_rare_label(shares, label):
    assert choose_rare_label(np.array([shares]), 0.2) == label
