"""How often a judge finds a rare class, against counts."""

import numpy as np
import pytest

from analysis.stats.validation.checks import choose_rare_label, measure_rare_class


def test_items_with_a_majority_and_items_marked_are_counted():
    shares = np.repeat([1.0, 2 / 3, 1 / 3, 0.0], [10, 10, 10, 70])
    marks = np.zeros(100)
    marks[[0, 1, 2, 10, 11, 20, 40, 41]] = 1
    rare = measure_rare_class(shares, marks)
    assert (rare.n_majority, rare.n_marked, rare.n_hits) == (20, 8, 5)


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
