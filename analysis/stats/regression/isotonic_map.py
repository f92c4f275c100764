"""Map a judge's scale to people's scale in the same order, and predict people with the map.

isotonic_map(judge, human)                      the map, fitted on all pairs
cross_fitted(judge, human, folds, n_folds)      each value mapped by a map that never saw it
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from analysis.stats.inputs import Floats, Ints, as_codes, as_floats, complete_pairs


class Map(NamedTuple):
    """Knots of a map that never falls: judge values (K,) in order, people's values there (K,)."""

    judge: Floats
    human: Floats

    def __call__(self, values: Floats) -> Floats:
        """Return people's values at these; straight between two knots, level beyond the ends."""
        mapped = np.interp(values, self.judge, self.human)
        return np.where(np.isnan(values), np.nan, mapped)


def isotonic_map(judge: ArrayLike, human: ArrayLike) -> Map:
    """Fit the least-squares map of the judge's values onto people's that never falls.

    judge, human: (N,); pairs with NaN are dropped. Raises ValueError for unequal lengths, and
    where no pair is left.
    Source: pool adjacent violators, Barlow et al. (1972); scipy.optimize.isotonic_regression.
    """
    x, y = complete_pairs(judge, human)
    if len(x) == 0:
        raise ValueError("isotonic_map: expected at least one complete pair, found none")
    knots, place, sizes = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(place, y) / sizes
    fitted = isotonic_regression(means, weights=sizes.astype(np.float64)).x
    return Map(knots, np.asarray(fitted, dtype=np.float64))


def cross_fitted(judge: ArrayLike, human: ArrayLike, folds: Ints, n_folds: int) -> Floats:
    """Predict people's values (N,) by maps fitted on the other folds only.

    judge, human, folds: (N,). NaN where a side is missing, or where no other fold has a pair.
    Raises ValueError for unequal lengths.
    Source: cross-fitting as in Chernozhukov et al. (2018), Econometrics Journal 21.
    """
    x, y = as_floats(judge, "judge"), as_floats(human, "human")
    codes = as_codes(folds, "folds", len(x))
    complete = ~(np.isnan(x) | np.isnan(y))
    mapped = np.full(len(x), np.nan)
    for fold in range(n_folds):
        inside, others = complete & (codes == fold), complete & (codes != fold)
        if inside.any() and others.any():
            mapped[inside] = isotonic_map(x[others], y[others])(x[inside])
    return mapped
