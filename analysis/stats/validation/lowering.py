"""Look for raters without whom the others agree significantly more.

lowering = find_lowering_raters(people)
lowering.raters                     their codes, those without whom rho rises most first
lowering.without                    rho without each of them
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammainc, gammaincc, ndtr

from analysis.stats.comparison.differences import holm
from analysis.stats.inputs import Floats, Ints
from analysis.stats.validation.errors import TINY
from analysis.stats.validation.people import People

FEWEST_RATINGS = 10  # of items with three ratings, before a rater is tested
NO_SKEWNESS = 1e-4
FEWEST_OF_AN_ITEM = 3  # of two raters it cannot be told which is off


@dataclass(frozen=True)
class Lowering:
    """The raters who lower rho.

    raters: (k,) codes as given; without: (k,), rho of the others; p: (k,), by Holm over all raters
    who were tested. rho: of all raters.
    """

    rho: float
    raters: Ints
    without: Floats
    p: Floats


def find_lowering_raters(people: People, alpha: float = 0.05) -> Lowering:
    """Find the raters whose ratings agree less with the others than their items' ratings do.

    The part u_ij of each rating in the influence on rho is compared with the mean part of its
    item's ratings. If raters are exchangeable, the sum over a rater's items has mean 0 and, over
    permutations of each item's ratings, a known variance and skewness: one-sided p of Pearson's
    type III with these moments, Holm over raters. Items with two ratings take no part; a rater
    needs ten others. Nobody is excluded.
    Source: Mielke & Berry (2007), Permutation Methods, ch. 2, for three exact moments.
    """
    p = _adjusted_p(people)
    places = np.flatnonzero(p < alpha)
    without = np.array([_rho_without(people, int(place)) for place in places])
    rises = without > people.rho if len(places) else np.zeros(0, dtype=bool)
    order = np.argsort(-without[rises], kind="stable")
    chosen = places[rises][order]
    return Lowering(people.rho, people.raters[chosen], without[rises][order], p[chosen])


def _rho_without(people: People, place: int) -> float:
    return people.drop_raters(np.arange(people.n_raters) == place).rho


def _adjusted_p(people: People) -> Floats:
    """Return the p of each rater (R,) by Holm over those who are tested; NaN for the others."""
    if people.is_flat:
        return np.full(people.n_raters, np.nan)
    u = people.u
    apart = (people.sum_by_item(u) / people.m)[people.item] - u
    counts = people.m[people.item] >= FEWEST_OF_AN_ITEM
    moments = [(people.sum_by_item(apart**k) / people.m)[people.item] for k in (2, 3)]
    sums, variances, thirds, sizes = (
        np.bincount(people.rater, np.where(counts, values, 0.0), minlength=people.n_raters)
        for values in (apart, *moments, np.ones(len(u)))
    )
    tested = (sizes >= FEWEST_RATINGS) & (variances > TINY)
    root = np.sqrt(np.where(tested, variances, 1.0))
    p = _upper_tail(sums / root, np.where(tested, thirds / root**3, 0.0))
    return np.asarray(holm(np.where(tested, p, np.nan)))


def _upper_tail(t: Floats, skewness: Floats) -> Floats:
    """Return P(T > t) of a shifted gamma variable with mean 0, variance 1 and this skewness."""
    size = np.where(np.abs(skewness) < NO_SKEWNESS, 1.0, np.abs(skewness))
    shape = 4 / size**2
    place = np.maximum(0.0, shape + np.sign(skewness) * t * np.sqrt(shape))
    tail = np.where(skewness > 0, gammaincc(shape, place), gammainc(shape, place))
    return np.where(np.abs(skewness) < NO_SKEWNESS, ndtr(-t), tail)
