"""Look for raters of a small panel without whom the others agree significantly more.

lowering = find_lowering_raters(people)
lowering.raters                     their codes, those without whom rho rises most first
lowering.without                    rho without each of them
"""

from dataclasses import dataclass

import numpy as np

from analysis.stats.comparison.differences import holm
from analysis.stats.inputs import Floats, Ints
from analysis.stats.validation.echo import permutation_moments, upper_tail
from analysis.stats.validation.people import People

MOST_RATERS = 10  # of a panel: among more, one changes no answer
FEWEST_RATINGS = 10  # of items with three ratings, before a rater is tested
FEWEST_OF_AN_ITEM = 3  # of two raters it cannot be told which is off


@dataclass(frozen=True)
class Lowering:
    """The raters who lower rho.

    raters: (k,) codes as given; without: (k,), rho of the others.
    """

    raters: Ints
    without: Floats


def find_lowering_raters(people: People, alpha: float = 0.05) -> Lowering:
    """Find the raters whose ratings agree less with the others than their items' ratings do.

    The part u_ij of each rating in the influence on rho is compared with the mean part of its
    item's ratings, which it is on average if raters are exchangeable; Holm over raters. Items with
    two ratings take no part; a rater needs ten others. Nobody is named of more than ten raters.
    """
    if people.is_flat or people.n_raters > MOST_RATERS:
        return Lowering(people.raters[:0], np.empty(0))
    places = np.flatnonzero(adjusted_p(people) < alpha)
    rho = [people.drop_raters(np.arange(people.n_raters) == place).rho for place in places]
    without = np.array(rho, dtype=float)
    order = [k for k in np.argsort(-without, kind="stable") if without[k] > people.rho]
    return Lowering(people.raters[places[order]], without[order])


def adjusted_p(people: People) -> Floats:
    """Return the p of each rater (R,) by Holm over those who are tested; NaN for the others."""
    counts = people.m[people.item] >= FEWEST_OF_AN_ITEM
    t, skewness = permutation_moments(people, -people.u, counts)
    enough = np.bincount(people.rater, counts, minlength=people.n_raters) >= FEWEST_RATINGS
    return np.asarray(holm(np.where(enough, upper_tail(t, skewness), np.nan)))
