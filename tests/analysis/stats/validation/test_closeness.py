"""Closeness of judge and raters: example A, and the definition by loops."""

import numpy as np
import pytest

from analysis.stats.replacement.substitution import alternative_annotator_test
from analysis.stats.validation.closeness import compare_with_raters, measure_closeness
from analysis.stats.validation.criteria import SHARES, Scale
from analysis.stats.validation.gather import gather_people, indicators
from tests.analysis.stats.replacement.test_substitution import HUMANS, JUDGE, random_case
from tests.analysis.stats.validation.worked import CROWD_JUDGE, crowd, labels, long_study

FIVE = Scale(1, 5)


def d_by_loops(values, items, judge, closeness):
    rows = {}
    for value, item in zip(values, items, strict=True):
        rows.setdefault(item, []).append(value)
    means = []
    for item, row in rows.items():
        if len(row) < 2:
            continue
        wins = []
        for place, own in enumerate(row):
            others = np.delete(row, place)
            rater, machine = closeness(own, others), closeness(judge[item], others)
            wins.append(float(rater >= machine) - float(machine >= rater))
        means.append(np.mean(wins))
    return np.mean(means)


def test_the_worked_crowd():
    d = measure_closeness(crowd(), CROWD_JUDGE, FIVE)
    assert (d.value, d.error) == pytest.approx((-0.1875, 0.096761), abs=5e-7)
    assert (d.p_below(0.15), d.p_below(0.1)) == pytest.approx((0.005078, 0.010385), abs=5e-7)
    always = measure_closeness(crowd(), np.full((8, 1), 2.0), FIVE)
    assert (always.value, always.error) == pytest.approx((0.229167, 0.272659), abs=5e-7)


@pytest.mark.parametrize("seed", range(3))
def test_numbers_are_compared_as_the_test_defines_it(seed):
    values, items, who, judge = long_study(seed)
    people = gather_people(values, items, who, 60)
    expected = d_by_loops(
        values, items, judge, lambda a, others: -round(np.sqrt(np.mean((a - others) ** 2)), 9)
    )
    assert measure_closeness(people, judge[people.rows, None], FIVE).value == pytest.approx(
        expected
    )


def test_labels_are_compared_as_the_test_defines_it():
    values, items, who, judge = long_study(9)
    people = gather_people(indicators(values.astype(int) - 1, 5), items, who, 60)
    expected = d_by_loops(values, items, judge, lambda a, others: np.mean(others == a))
    marked = indicators(judge[people.rows].astype(int) - 1, 5)
    assert measure_closeness(people, marked, SHARES).value == pytest.approx(expected)


def test_a_judge_between_two_points_is_rounded_first():
    between = measure_closeness(crowd(), CROWD_JUDGE + 0.4, FIVE)
    assert between.value == pytest.approx(-0.1875)
    finer = measure_closeness(crowd(), CROWD_JUDGE + 0.4, Scale(1, 5, step=None))
    assert finer.value != pytest.approx(-0.1875)


def test_a_copy_of_a_rater_is_never_farther():
    people, _ = labels()
    copy = people.values[::3]
    assert measure_closeness(people, copy, SHARES).value <= 0


def test_without_items_there_is_no_closeness():
    people = gather_people([3.0], [0], [0], 1)
    assert measure_closeness(people, np.empty((0, 1)), FIVE).reason
    assert compare_with_raters(people, np.empty((0, 1))).reason


def long_form(table):
    """Return (values, items, raters) of a table (items, raters)."""
    items, raters = np.nonzero(~np.isnan(table))
    return table[items, raters], items, raters


def test_the_worked_example_of_the_published_test():
    table = np.array([[float(digit) for digit in text] for text in HUMANS]).T
    people = gather_people(*long_form(table), len(table))
    judge = np.array([float(digit) for digit in JUDGE])
    tests = compare_with_raters(people, judge[people.rows, None])
    np.testing.assert_allclose(tests.p_values([0.1])[0], [0.08507, 0.00842, 0.03927], atol=5e-6)


@pytest.mark.parametrize("seed", range(3))
def test_raters_with_few_items_and_clusters_are_treated_as_on_a_table(seed):
    ratings, judge, clusters = random_case(seed)
    ratings[25:, 4] = np.nan
    expected = alternative_annotator_test(ratings, judge, "likert", robust=clusters)
    people = gather_people(*long_form(ratings), len(ratings), clusters=clusters)
    keep = ~np.isnan(judge[people.rows])
    tests = compare_with_raters(people.restrict(keep), judge[people.rows][keep, None])
    assert 4 not in expected.rater and len(expected.rater)
    np.testing.assert_allclose(tests.p_values([0.1, 0.2]), expected.p_values([0.1, 0.2]))
