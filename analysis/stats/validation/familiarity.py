"""Ask whether a judge may have seen one rater's answers.

find_seen_raters(people, judge)      raters whom the judge follows closer than all others
"""

import numpy as np

from analysis.stats.inputs import Floats, Ints
from analysis.stats.validation.people import People

FEWEST_RATINGS = 10  # before a correlation with one rater is looked at
VERY_CLOSE, AHEAD = 0.95, 0.3


def find_seen_raters(people: People, judge: Floats) -> Ints:
    """Return the codes of raters who correlate above .95 with the judge, .3 above all others.

    judge: (n, K), a row for each item of `people`. Raters with ten ratings are compared; at
    least two of them are needed.
    """
    r = _correlations(people, judge) if people.n else np.empty(0)
    order = np.flatnonzero(~np.isnan(r))
    if len(order) < 2:
        return np.empty(0, dtype=np.int64)
    order = order[np.argsort(r[order])]
    first, second = r[order[-1]], r[order[-2]]
    is_seen = first > VERY_CLOSE and first - second > AHEAD
    return people.raters[order[-1:]] if is_seen else np.empty(0, dtype=np.int64)


def _correlations(people: People, judge: Floats) -> Floats:
    """Return the judge's correlation with each rater (R,); NaN for few or equal values."""
    own, other = people.values, judge[people.item]
    own, other = own - own.mean(axis=0), other - other.mean(axis=0)
    counts = np.bincount(people.rater, minlength=people.n_raters)

    def sums(values: Floats) -> Floats:
        return np.bincount(people.rater, values, people.n_raters).astype(np.float64)

    products, squares, others = (np.zeros(people.n_raters) for _ in range(3))
    for x, y in zip(own.T, other.T, strict=True):
        products += sums(x * y) - sums(x) * sums(y) / counts
        squares += sums(x * x) - sums(x) ** 2 / counts
        others += sums(y * y) - sums(y) ** 2 / counts
    scale = np.sqrt(np.maximum(squares, 0) * np.maximum(others, 0))
    usable = (counts >= FEWEST_RATINGS) & (scale > 1e-9)
    return np.where(usable, products / np.where(usable, scale, 1.0), np.nan)
