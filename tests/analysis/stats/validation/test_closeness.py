"""The published test on a long table: its worked example, and its own implementation."""

import numpy as np
import pytest

from analysis.stats.replacement.substitution import (
    alternative_annotator_test,
    compare_with_raters,
)
from analysis.stats.validation.people import gather_people
from tests.analysis.stats.replacement.test_substitution import HUMANS, JUDGE, random_case


def test_without_items_there_is_no_test():
    people = gather_people([3.0], [0], [0], 1)
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
