"""Worth in raters: example C, Spearman and Brown, and what is undefined."""

import numpy as np
import pytest

from analysis.stats.validation.people import (
    agreement_of_mean,
    largest_worth,
    smaller_root,
    worth_in_raters,
)


def near(value):
    return pytest.approx(value, abs=5e-7)


def test_worth_is_the_length_of_spearman_and_brown():
    worth = worth_in_raters(0.4, 0.3)
    assert worth == near(2.666667)
    h, slope = agreement_of_mean(worth, 0.3)
    assert h == near(0.4)
    assert h / np.sqrt(0.3) == near(0.730297)
    step = (agreement_of_mean(worth, 0.3 + 1e-6)[0] - h) / 1e-6
    assert slope == pytest.approx(step, abs=1e-5)
    # theta at k = 2/3 is a low bar: .36 raters at rho .3
    assert worth_in_raters(0.2, 0.3) == pytest.approx(0.36, abs=5e-3)


def test_undefined_worth():
    assert np.isnan(worth_in_raters(0.4, 0.0))
    assert np.isnan(worth_in_raters(np.nan, 0.3))
    assert worth_in_raters(-0.1, 0.3) == 0
    assert worth_in_raters(0.6, 0.3) == np.inf


def test_a_share_without_a_bound_is_undefined():
    assert np.isnan(smaller_root(0.4, -0.3, 2, (0.01, 0.01, 0.0)))
    assert np.isnan(smaller_root(0.4, 0.1, 2, (0.01, 0.01, 0.0)))


@pytest.mark.parametrize(("r", "rho"), [(0.4, 0.3), (0.5, 0.6), (0.7, 0.5)])
def test_the_least_worth_is_that_of_a_grid(r, rho):
    v_ff, v_hh, v_fh, t = 0.002, 0.001, 0.0004, 1.7
    least = largest_worth(r, rho, t, (v_ff, v_hh, v_fh))
    grid = np.exp(np.arange(np.log(1e-4), np.log(1e3), 1e-4))
    size = 1 + (grid - 1) * rho
    h = rho * np.sqrt(grid / size)
    slope = np.sqrt(grid) * (1 + (grid - 1) * rho / 2) / size**1.5
    bound = r - h - t * np.sqrt(v_ff + slope**2 * v_hh - 2 * slope * v_fh)
    assert least == pytest.approx(grid[bound > 0].max(), rel=2e-4)
