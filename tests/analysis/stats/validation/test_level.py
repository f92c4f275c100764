"""The judge's level: example D, plain loops, labels, bounds."""

import numpy as np
import pytest

from analysis.stats.validation.checks import Level, measure_level
from analysis.stats.validation.people import Quantity, gather_people
from tests.analysis.stats.validation.worked import CONTENTS_JUDGE, contents, labels, long_study


def test_the_worked_contents():
    level = measure_level(contents(), CONTENTS_JUDGE)
    (b,) = level.offsets
    assert (b.value, b.error) == pytest.approx((0.125, 0.079786), abs=5e-7)
    assert level.p_within(0.25) == pytest.approx(0.107585, abs=5e-7)
    higher = measure_level(contents(), CONTENTS_JUDGE + 0.75).largest
    assert (higher.value, higher.error) == pytest.approx((0.875, 0.079786), abs=5e-7)


def test_raters_as_a_sample_add_their_leniency():
    values, items, who, judge = long_study(6, n=80)
    values = values + np.linspace(-1, 1, 12)[who]
    people = gather_people(values, items, who, 80)
    (b,) = measure_level(people, judge[people.rows, None]).offsets
    mean = people.means.mean()
    sums, cells, n = np.zeros(12), 0.0, people.n
    for y, i, j in zip(people.values[:, 0], people.item, people.rater, strict=True):
        part = -(y - mean) / people.m[i]
        sums[j] += part
        cells += part**2
    psi = judge[people.rows] - people.means[:, 0] - b.value
    share = np.bincount(people.rater) / len(people.rater)
    second = (share**2).sum()
    more = second / (second - 2 * (share**3).sum() + second**2)
    added = (more * (sums**2).sum() - cells) / n**2
    assert added > 0
    variance = n / (n - 1) * (psi**2).sum() / n**2 + added
    assert b.error == pytest.approx(np.sqrt(variance))


def test_a_level_is_off_only_beyond_the_margin():
    level = Level((Quantity(0.0, 0.02, 20), Quantity(-0.4, 0.05, 20)))
    assert level.largest.value == -0.4
    assert level.is_off(0.3)  # .4 - 1.7247 x .05 = .3138
    assert not level.is_off(0.32)
    assert level.p_within(0.45) == pytest.approx(Quantity(0.05, 0.05, 20).p_above())


def test_a_choice_has_a_level_for_each_label():
    people, judge = labels()
    shares = [offset.value for offset in measure_level(people, judge).offsets]
    assert shares == pytest.approx([0, 0, 0], abs=1e-12)
    always = np.tile([1.0, 0, 0], (6, 1))
    shares = [offset.value for offset in measure_level(people, always).offsets]
    assert shares == pytest.approx([12 / 18, -6 / 18, -6 / 18])


def test_without_items_there_is_no_level():
    people = gather_people([3.0], [0], [0], 1)
    assert np.isnan(measure_level(people, np.empty((0, 1))).p_within(0.25))
