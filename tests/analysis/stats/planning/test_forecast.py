"""Plans from a pilot: its own errors in the planner's formula, and a band that holds the truth."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtri

from analysis.stats.planning.planning import (
    Expected,
    Order,
    Targets,
    expect,
    expect_as_in,
    forecast,
)
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.evidence import gather_evidence
from tests.calibration.planner import HOLDS, PILOTS, Design, make_study, try_pilot

# Retention alone can fail: a variance of 1 an item, so that of 100 items the error is .1.
SURE = Order(0.9, 0.9, 0.5, 1e-9, 1e-9)


def pilot_of(theta, **others):
    """An Expected whose retention is theta, with an error of 1 an item, and nothing else open."""
    order = Order(0.5, theta + 0.25, 0.5, 1e-9, 1.0)
    fields = {"clusters": 1.0, "raters": 1.0, "floor": 0.0, "alpha": 0.05} | others
    return Expected(3.0, order, (SURE,), has_rest=False, widens=False, **fields)


def evidence_of(design, seed):
    reference, judge = make_study(design, np.random.default_rng([11, seed]))
    scale = reference.scale
    return gather_evidence(reference, np.clip(judge, scale.low, scale.high))


def test_the_band_is_the_error_of_the_pilot_in_standard_errors_of_the_study():
    """Of 400 items the error is .05; a pilot of 100 errs by .1: two of them, times 1.2816."""
    at = forecast(pilot_of(0.12), 100, [400])
    # (.12 / .05 - t) with t = 1.6487 of 399 degrees of freedom; the same judge's larger error at
    # r = .5 .5 + .082 is in the test, so that the chance is somewhat lower than without.
    assert at.power.joint[0] == pytest.approx(0.74, abs=0.02)
    low, mid, high = (ndtri(p[0]) for p in (at.low, at.power.joint, at.high))
    assert (high - mid, mid - low) == pytest.approx((2 * 1.2816, 2 * 1.2816), rel=0.2)
    assert at.low[0] < at.assurance[0] < at.high[0]


def test_a_level_that_is_off_by_more_than_the_margin_never_passes():
    pilot = replace(pilot_of(0.5), bias=0.3, margin=0.25, spread=1.0)
    assert pilot.items() == np.inf
    assert np.isfinite(replace(pilot, bias=0.1).items())


def test_a_pilot_of_a_large_study_expects_what_the_planner_does():
    """3,000 items, so that the pilot's errors are near those of the formula without data."""
    design = Design(items=3000)
    evidence = evidence_of(design, 1)
    pilot = expect_as_in(evidence, Criteria(), 3)
    rho, r = evidence.agreement.rho_value, evidence.agreement.r_value
    targets = Targets(rating_variance=1.018, known=0.16, groups=20)
    planned = expect(rho, r, 3, targets)
    assert pilot.order.of_theta == pytest.approx(planned.order.of_theta, rel=0.15)
    assert pilot.order.of_rho == pytest.approx(planned.order.of_rho, rel=0.15)
    assert pilot.spread == pytest.approx(planned.spread, rel=0.15)
    assert pilot.power(300).joint == pytest.approx(planned.power(300).joint, abs=0.08)


def test_more_ratings_an_item_need_fewer_items():
    evidence = evidence_of(Design(), 3)
    needs = [expect_as_in(evidence, Criteria(), 3, m).items() for m in (2, 3, 5)]
    assert needs == sorted(needs, reverse=True) and np.isfinite(needs[-1])


@pytest.mark.parametrize(("design", "items", "chance"), PILOTS)
def test_four_of_five_bands_hold_the_chance(design, items, chance):
    """100 pilots of each world; two Monte Carlo errors beside .75 to .85."""
    drawn = (np.random.default_rng([11, seed]) for seed in range(100))
    held = sum(try_pilot(design, items, chance, rng)[HOLDS] for rng in drawn)
    assert 0.67 <= held / 100 <= 0.92
