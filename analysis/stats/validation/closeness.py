"""Measure whether the raters or the judge are closer to an item's other raters; it decides nothing.

compare_with_raters(people, judge)      the alternative annotator test
"""

import numpy as np

from analysis.stats.inputs import Floats
from analysis.stats.replacement.substitution import FEWEST_ITEMS, RaterTests, tests_of_wins
from analysis.stats.validation.people import People

TIE = 1e-9  # relative: sums of squares this close are equal


def compare_with_raters(people: People, judge: Floats) -> RaterTests:
    """Test the judge against each rater with 30 items, with errors by cluster.

    judge: (n, K), a row for each item of `people`, taken as it is.
    Source: Calderon, Reichart & Dror (2025), ACL, "The Alternative Annotator Test".
    """
    counts = np.bincount(people.rater, minlength=people.n_raters)
    tested = (counts >= FEWEST_ITEMS)[people.rater]
    d_ij = compare_closeness(people, judge)[tested]
    item, rater = people.item[tested], people.rater[tested]
    return tests_of_wins(item, rater, d_ij <= 0, d_ij >= 0, people.cluster)


def compare_closeness(people: People, judge: Floats) -> Floats:
    """Return who is closer to the item's other ratings (N,): 1 the rater, -1 the judge, 0 both.

    judge: (n, K), taken as it is.
    """
    compare = _by_labels if _has_labels(people) else _by_squares
    advantage = compare(people, judge)
    step = TIE * max(float(np.abs(advantage).max(initial=0.0)), 1.0)
    return np.sign(np.where(np.abs(advantage) <= step, 0.0, advantage))


def _has_labels(people: People) -> bool:
    return people.values.shape[1] > 1


def _by_squares(people: People, judge: Floats) -> Floats:
    """Return by how much the judge's squared distances from the others exceed the rater's, (N,)."""
    m, mean = people.m[people.item], people.means[people.item, 0]
    rating, score = people.values[:, 0], judge[people.item, 0]
    # Both sums share sum_k (y_k - mean)^2, which drops out.
    rater_far = m * (rating - mean) ** 2
    return m * (score - mean) ** 2 - (score - rating) ** 2 - rater_far


def _by_labels(people: People, judge: Floats) -> Floats:
    """Return how many more of the others give the rater's label than the judge's, (N,)."""
    m = people.m[people.item][:, None]
    others = m * people.means[people.item] - people.values
    return np.einsum("nk,nk->n", people.values - judge[people.item], others)
