"""Variances where most answers are at one end, against answers that are drawn."""

import numpy as np
import pytest

from analysis.stats.planning.planning import (
    agreement_variance,
    retention_variance,
    skewed_shares,
    skewed_variances,
)


@pytest.mark.parametrize("points", [2, 5])
def test_they_are_those_of_drawn_answers(points):
    """400,000 items of three raters, and one more as judge; the definition of the influences."""
    rng = np.random.default_rng(3)
    cuts = {2: [-0.6744898], 5: np.quantile(rng.normal(size=10**6), np.cumsum([1, 2, 4, 8]) / 31)}
    quality, noise = rng.normal(size=(400_000, 1)), rng.normal(size=(400_000, 4))
    answers = np.searchsorted(cuts[points], 0.6 * quality + 0.8 * noise).astype(float)
    z = answers - answers.mean()
    spread = (z**2).mean()
    pairs = np.mean([z[:, i] * z[:, j] for i in range(3) for j in range(i)], axis=0)
    rho, squares = pairs.mean() / spread, (z[:, :3] ** 2).mean(axis=1)
    psi = (pairs - rho * squares) / spread
    of_judge = z[:, 3] * z[:, :3].mean(axis=1) / spread
    of_judge -= rho / 2 * (z[:, 3] ** 2 + squares) / spread
    expected = psi.var(), (of_judge - 2 / 3 * psi).var()
    assert skewed_variances(points, rho, rho, 3) == pytest.approx(expected, rel=0.03)


def test_shares_rise_to_the_end():
    assert skewed_shares(2).tolist() == [0.25, 0.75]
    assert skewed_shares(5) == pytest.approx(np.array([1, 2, 4, 8, 16]) / 31)


@pytest.mark.parametrize(("rho", "r", "m"), [(0.0, 0.0, 3), (0.3, -0.1, 3), (0.3, 0.7, 3)])
def test_what_such_answers_cannot_reach_has_the_usual_variances(rho, r, m):
    usual = float(agreement_variance(rho, m)), float(retention_variance(rho, r, m))
    assert skewed_variances(5, rho, r, m) == pytest.approx(usual)
