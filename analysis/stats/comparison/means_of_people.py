"""Average many groups of ratings, where a person may have given several of a group.

means_of_people(values, groups, people, n_groups)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from analysis.stats.inputs import Floats, Ints, as_codes, as_floats

LEVEL = 0.95
SAME = 1e-12  # a standard error below this is rounding
ONE, EQUAL = "no interval: one person rated it", "no interval: people do not differ"


@dataclass(frozen=True)
class Means:
    """Means of groups with 95 % intervals.

    mean, low, high (G,): NaN where undefined; n: ratings, people: who gave them (G,).
    """

    mean: Floats
    low: Floats
    high: Floats
    n: Ints
    people: Ints

    def reason(self, group: int) -> str:
        """Say why a group has no interval; blank where it has an interval."""
        if not np.isnan(self.low[group]):
            return ""
        return ONE if self.people[group] < 2 else EQUAL


def means_of_people(values: ArrayLike, groups: Ints, people: Ints, n_groups: int) -> Means:
    """Average each group's ratings, with a 95 % t interval that takes people for independent.

    values, groups, people: (N,). se = √(P/(P−1) · Σ_p (Σ_{i∈p} (v_i − v̄))²) / n over the P people
    of a group, with P − 1 degrees of freedom; with one rating a person this is s/√n. NaN without
    ratings; no interval below two people or where people do not differ.
    Raises ValueError for other shapes.
    Source: Liang & Zeger (1986), of a mean.
    """
    array = as_floats(values, "values")
    codes = as_codes(groups, "groups", len(array))
    who = as_codes(people, "people", len(array))
    n = np.bincount(codes, minlength=n_groups).astype(np.int64)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(codes, array, minlength=n_groups) / n
    width = int(who.max(initial=0)) + 1
    cells, place = np.unique(codes * width + who, return_inverse=True)
    sums = np.bincount(place, array - mean[codes], minlength=len(cells))
    n_people = np.bincount(cells // width, minlength=n_groups).astype(np.int64)
    squares = np.bincount(cells // width, sums**2, minlength=n_groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(n_people / (n_people - 1) * squares) / n
        reach = stats.t.ppf((1 + LEVEL) / 2, np.maximum(n_people - 1, 1)) * error
    reach = np.where((n_people > 1) & (error > SAME), reach, np.nan)
    return Means(mean, mean - reach, mean + reach, n, n_people)
