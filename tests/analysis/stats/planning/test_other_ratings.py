"""Other numbers of ratings an item, by a pilot's variances: PLANNING.md, sections 4 and 5."""

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest

from analysis.stats.planning.other_ratings import PilotVariances, items_by_ratings

# rho .3, r .3, 3 ratings, k 2/3: v_theta .375304, v_rho .418133 by the table of section 4.
AS_PLANNED = PilotVariances(
    rho=0.3,
    r=0.3,
    m=3,
    agreement=0.418133,
    retention=0.375304,
    level=nan,
    k=2 / 3,
    floor=0.1,
    margin=0.25,
)


def test_a_pilot_as_noisy_as_planned_gives_the_planner_s_items():
    """Section 4: 374, 233 and 160 items with 2, 3 and 5 ratings."""
    assert list(items_by_ratings(AS_PLANNED, [2, 3, 5])) == pytest.approx([374, 233, 160], abs=1)


def test_a_noisier_pilot_needs_more_in_proportion():
    noisy = replace(AS_PLANNED, retention=2 * 0.375304)
    assert items_by_ratings(noisy, 3) == np.ceil(2 * 0.375304 * (2.486466 / 0.1) ** 2)


def test_the_level_counts_where_there_is_one():
    """ceil(1.4 (2.926404 / .25)^2) = 192 items, by section 4; with .3 / .6 it alone decides."""
    good = replace(AS_PLANNED, r=0.5, retention=0.2, level=1.4)
    assert items_by_ratings(good, 3) == 192


def test_thirty_items_are_the_least():
    assert items_by_ratings(replace(AS_PLANNED, retention=1e-6, agreement=1e-6), 3) == 30


def test_a_judge_that_keeps_too_little_needs_infinitely_many():
    assert items_by_ratings(replace(AS_PLANNED, r=0.2), 3) == inf
    assert items_by_ratings(replace(AS_PLANNED, rho=0.09, r=0.09), 3) == inf


def test_one_rating_an_item_is_refused():
    with pytest.raises(ValueError, match="^m: expected"):
        items_by_ratings(AS_PLANNED, 1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("rho", "r", "agreement", "retention", "items"),
    [
        (1, 0.9, 0, 0.375304, 43),
        (1 - 1e-16, 0.9, 0, 0.375304, 43),
        (1, 1, 0, 0, 30),  # the judge agrees too
        (1, 0.9, 0.1, 0.375304, nan),  # no multiple of 0
        (1, 0.9, nan, 0.375304, nan),
    ],
)
def test_raters_who_always_agree_need_no_item_for_it(rho, r, agreement, retention, items):
    agreed = replace(AS_PLANNED, rho=rho, r=r, agreement=agreement, retention=retention)
    assert items_by_ratings(agreed, 3) == pytest.approx(items, nan_ok=True)
