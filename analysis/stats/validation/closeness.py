"""Make the published test on a long table: is a rater or the judge closer to the other raters?

compare_with_raters(people, judge)      the alternative annotator test, which decides nothing
"""

import numpy as np

from analysis.stats.inputs import Floats
from analysis.stats.replacement.substitution import FEWEST_ITEMS, TIE, RaterTests, tests_of_wins
from analysis.stats.validation.people import People


def compare_with_raters(people: People, judge: Floats) -> RaterTests:
    """Test the judge against each rater with 30 items, with errors by cluster.

    judge: (n, K), a row for each item of `people`, taken as it is.
    Source: Calderon, Reichart & Dror (2025), ACL, "The Alternative Annotator Test".
    """
    tested = (people.counts >= FEWEST_ITEMS)[people.rater]
    compare = _by_labels if people.values.shape[1] > 1 else _by_squares
    ahead = compare(people, judge)
    step = TIE * max(float(np.abs(ahead).max(initial=0.0)), 1.0)
    wins = (ahead <= step)[tested], (ahead >= -step)[tested]
    return tests_of_wins(people.item[tested], people.rater[tested], *wins, people.cluster)


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
