"""Tell a judge that holds people's ratings: it equals one of an item's ratings, or their mean.

table = tabulate_ratings(people, scale)      once for each question
find_held(table, judge, scale)               for each judge
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import ndtr

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.validation.criteria import Scale
from analysis.stats.validation.people import People

RATING, MEAN, CLOSE = "rating", "mean", "close"  # what is held; close: r^2 > rho
SURE, LIKELY = (1e-4, 0.2), (0.01, 0.8)  # (p below, share of the possible excess at least)
NEAR, MOST, FEWEST = 0.006, 0.9, 20  # of a mean: points, share of items, items that differ
CLOSER = 1e-4  # p of r^2 > rho, from which a judge follows people closer than people can
FINE = 20  # points of a scale, from which sums of ratings seldom tie


@dataclass(frozen=True)
class Held:
    """What a judge holds: one of the ratings of n_equal of n items, where chance gives `expected`.

    question: whose ratings; blank for the judge's own question.
    """

    kind: str
    n_equal: int
    n: int
    expected: float
    question: str = ""


@dataclass(frozen=True)
class RatingTable:
    """The ratings of n items: rows (n,) of the study, item and value (P,) of distinct ratings.

    stratum (n,): items with the same number and sum of ratings; mean (n,); differs (n,): whether
    raters gave several answers.
    """

    rows: Ints
    stratum: Ints
    item: Ints
    value: Floats
    mean: Floats
    differs: Flags


def tabulate_ratings(people: People, scale: Scale) -> RatingTable:
    """Tabulate the distinct ratings of each item, on a scale of numbers.

    On a scale of more than twenty points, or without any, items whose means are within a twentieth
    of its range are of one stratum.
    """
    values, mean = np.round(people.values[:, 0], 9), people.means[:, 0]
    is_fine = scale.step is None or scale.range > FINE * scale.step
    sums = np.round(mean * FINE / scale.range) if is_fine else np.round(mean * people.m, 6)
    level = np.unique(sums, return_inverse=True)[1]
    stratum = np.unique(people.m * (level.max(initial=0) + 1) + level, return_inverse=True)[1]
    order = np.lexsort((values, people.item))
    item, value = people.item[order], values[order]
    is_new = np.ones(len(item), dtype=bool)
    is_new[1:] = (np.diff(item) != 0) | (np.diff(value) != 0)
    item, value = item[is_new], value[is_new]
    differs = np.bincount(item, minlength=people.n) > 1
    return RatingTable(people.rows, stratum, item, value, mean, differs)


def find_held(table: RatingTable, judge: Floats, scale: Scale) -> Held | None:
    """Say what a judge holds of a question's ratings; None where that is not shown.

    judge: (n_items,), NaN = none; scale: the judge's, to whose points it is rounded.
    """
    scores = judge[table.rows]
    given = ~np.isnan(scores)
    n = int(given.sum())
    if n < FEWEST:
        return None
    near = np.abs(scores - table.mean)[given] < NEAR
    differs = table.differs[given]
    if differs.sum() >= FEWEST and _mostly(near[differs]) and _mostly(near[~differs]):
        return Held(MEAN, int(near.sum()), n, 0.0)
    n_equal, expected, variance = count_equal(table, np.round(scale.round(scores), 9))
    if variance <= 0:
        return None
    p = float(ndtr((expected - n_equal) / sqrt(variance)))
    excess = (n_equal - expected) / (n - expected) if n > expected else 0.0
    is_held = any(p < most and excess >= least for most, least in (SURE, LIKELY))
    return Held(RATING, n_equal, n, expected) if is_held else None


def count_equal(table: RatingTable, rounded: Floats) -> tuple[int, float, float]:
    """Return on how many items a judge equals a rating, and what chance gives: mean and variance.

    rounded: (n,), NaN = none. Chance deals a stratum's judgments out among its items at random:
    who knows an item well knows the sum of its ratings, and gains nothing within a stratum.
    Source: Hoeffding (1951), A combinatorial central limit theorem, Ann. Math. Statist. 22.
    """
    given = ~np.isnan(rounded)
    inside = given[table.item]
    item, n_items = table.item[inside], len(given)
    both = np.concatenate([table.value[inside], rounded[given]])
    values, codes = np.unique(both, return_inverse=True)
    strata = np.concatenate([table.stratum[item], table.stratum[given]])
    keys = np.unique(strata * len(values) + codes, return_inverse=True)[1]
    of_rating, of_judgment = keys[: len(item)], keys[len(item) :]
    n_keys = int(keys.max(initial=-1)) + 1
    ratings = np.bincount(of_rating, minlength=n_keys)
    judgments = np.bincount(of_judgment, minlength=n_keys)
    size = np.bincount(table.stratum[given], minlength=int(table.stratum.max()) + 1)
    # The table a_ij (judgment j equals a rating of item i) of a stratum: its rows and columns.
    own = np.bincount(item, judgments[of_rating], minlength=n_items)[given]
    stratum = table.stratum[given]
    row, column = own / size[stratum], ratings[of_judgment] / size[stratum]
    total = np.bincount(stratum, row, minlength=len(size))
    squares = (
        size * total
        - size * (np.bincount(stratum, row**2 + column**2, minlength=len(size)))
        + total**2
    )
    n_equal = int((of_judgment[np.searchsorted(np.flatnonzero(given), item)] == of_rating).sum())
    variance = float((np.maximum(squares, 0) / np.maximum(size - 1, 1)).sum())
    return n_equal, float(total.sum()), variance


def _mostly(flags: Flags) -> bool:
    return not len(flags) or bool(flags.mean() >= MOST)
