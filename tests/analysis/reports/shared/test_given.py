"""Ratings of many raters, a few an item: nothing may depend on how the table is kept."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from analysis.reports.shared.given import Given
from tests.analysis.reports.raters.test_agreement import make_table
from tests.analysis.small import add_judge, build, row_of

# Seven raters, three ratings per item at most, whose columns differ; 0 is missing.
SPARSE = np.zeros((7, 12), dtype=int)
for place in range(12):
    for step in range(3 - (place == 5)):
        SPARSE[(place + step * (1 + place % 2)) % 7, place] = (place * 3 + step * step) % 5 + 1
VERDICTS = [3, 1, 2, 5, 4, 1, 2, 2, 3, 5, 4, 1]


def mean_kappa(rows):
    """Light's kappa: every pair of raters with two items in common."""
    found = []
    for first, second in combinations(rows, 2):
        both = (first > 0) & (second > 0)
        if both.sum() > 1:
            labels = [1, 2, 3, 4, 5]
            found.append(cohen_kappa_score(first[both], second[both], labels=labels))
    return np.nanmean(found)


@pytest.mark.django_db
def test_a_kappa_of_many_raters_is_the_mean_over_their_pairs():
    study = make_table(SPARSE)
    keys = list(study.items.order_by("pk"))
    add_judge(study, "gpt", lambda item: VERDICTS[keys.index(item)])
    report = build(study, "agreement")
    people = row_of(report, raters="humans", measure="kappa")
    assert people["value"] == pytest.approx(mean_kappa(SPARSE))
    assert (people["n_units"], people["n_raters"]) == (12, 7)
    joined = row_of(report, raters="humans + gpt", measure="kappa")
    assert joined["value"] == pytest.approx(mean_kappa(np.vstack([SPARSE, VERDICTS])))
    assert joined["n_raters"] == 8
    whole = row_of(report, raters="humans", measure="icc_a_1")
    assert np.isnan(whole["value"])
    assert whole["n_units"] == 0


def given():
    units = np.array([2, 0, 0, 2, 2])
    raters = np.array([0, 1, 1, 1, 4])
    return Given.from_ratings(units, raters, np.array([5.0, 1.0, 2.0, 3.0, 4.0]), 3)


def test_of_two_ratings_of_one_item_by_one_rater_the_last_is_kept():
    assert given().values.tolist()[0][0] == 2
    assert np.isnan(given().values[0, 1:]).all()
    assert given().values[2].tolist() == [5, 3, 4]
    assert given().raters[2].tolist() == [0, 1, 4]


def test_raters_are_counted_by_who_they_are():
    assert given().n_raters == 3
    assert Given.nothing(4, 0).n_raters == 0


def test_the_complete_items_are_those_that_everybody_rated():
    units, ratings = given().complete()
    assert (units.tolist(), ratings.tolist()) == ([2], [[5, 3, 4]])
    judged = given().beside(np.array([1.0, 1.0, 2.0]))
    units, ratings = judged.complete()
    assert (units.tolist(), ratings.tolist()) == ([2], [[5, 3, 4, 2]])


def test_items_stand_below_each_other_whatever_their_widths():
    narrow = Given.from_ratings(np.array([0]), np.array([4]), np.array([1.0]), 1)
    joined = Given.below([narrow, given()])
    assert joined.values.shape == (4, 3)
    assert joined.n_raters == 3
    assert joined.values[3].tolist() == [5, 3, 4]
