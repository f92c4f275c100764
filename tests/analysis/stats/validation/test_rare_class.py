"""How often a judge finds a rare class, against counts."""

import numpy as np
import pytest

from analysis.stats.validation.checks import find_rare_class
from analysis.stats.validation.criteria import SHARES, Scale


def test_items_with_a_majority_and_items_marked_are_counted():
    shares = np.repeat([1.0, 2 / 3, 1 / 3, 0.0], [10, 10, 10, 70])
    marks = np.zeros(100)
    marks[[0, 1, 2, 10, 11, 20, 40, 41]] = 1
    rare = find_rare_class(shares[:, None], marks[:, None], Scale(0, 1), 0.2)
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
    """A judge that gives one label marks every item where that label is the rare one."""
    n = len(shares)
    marked = [find_rare_class(np.array([shares]), own[None], SHARES, 0.2) for own in np.eye(n)]
    found = [k for k, rare in enumerate(marked) if rare and rare.n_marked]
    assert found == ([] if label is None else [label])


def test_no_item_has_no_rare_label():
    nothing = np.empty((0, 2))
    assert find_rare_class(nothing, nothing, SHARES, 0.2) is None
