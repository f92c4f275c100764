"""Scott's pi against a value by hand and Fleiss' kappa of two raters."""

import numpy as np
import pytest

from analysis.stats.agreement.fleiss_kappa import fleiss_kappa
from analysis.stats.agreement.scott_pi import scott_pi

# Two coders, 100 texts: both yes 20, first alone 15, second alone 10, both no 55.
FIRST = [1] * 35 + [0] * 65
SECOND = [1] * 20 + [0] * 15 + [1] * 10 + [0] * 55


def test_pi_by_hand():
    """Observed .75; yes (35 + 30)/200 = .325, so chance is .325² + .675² = .56125."""
    found = scott_pi(np.column_stack([FIRST, SECOND]), [0, 1])
    assert found.value == pytest.approx((0.75 - 0.56125) / (1 - 0.56125), abs=1e-12)
    assert (found.n, found.groups) == (100, 1)


def test_pi_of_two_raters_is_fleiss_kappa():
    rng = np.random.default_rng(3)
    ratings = rng.integers(1, 5, (60, 2))
    expected = fleiss_kappa(ratings, [1, 2, 3, 4]).value
    assert scott_pi(ratings, [1, 2, 3, 4]).value == pytest.approx(expected, abs=1e-12)


def test_pi_of_three_raters_is_the_mean_over_pairs_in_any_order():
    rng = np.random.default_rng(4)
    ratings = rng.integers(1, 4, (40, 3)).astype(float)
    pairs = [scott_pi(ratings[:, pair], [1, 2, 3]).value for pair in ([0, 1], [0, 2], [1, 2])]
    assert scott_pi(ratings, [1, 2, 3]).value == pytest.approx(np.mean(pairs), abs=1e-12)
    again = scott_pi(ratings[::-1, ::-1], [1, 2, 3]).value
    assert again == pytest.approx(np.mean(pairs), abs=1e-12)


def test_a_judge_is_compared_with_each_rater():
    judge = np.array(SECOND, dtype=float)
    found = scott_pi(np.array(FIRST, dtype=float)[:, None], [0, 1], judge=judge)
    assert found.value == pytest.approx((0.75 - 0.56125) / (1 - 0.56125), abs=1e-12)


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        (np.full((5, 2), 1.0), "one and the same label"),
        (np.array([[1.0, np.nan], [np.nan, 2.0]]), "no two raters have two units in common"),
        (np.array([[1.0, 2.0]]), "no two raters have two units in common"),
    ],
)
def test_pi_is_undefined_with_its_reason(ratings, reason):
    found = scott_pi(ratings, [1, 2])
    assert np.isnan(found.value) and reason in found.reason
