"""Pair the ratings that different raters gave to the same unit, to measure agreement."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats, Ints, as_floats


@dataclass(frozen=True)
class RatingPairs:
    """Pairs (P,) of ratings of one unit by raters first < second.

    unit, first, second: index of the unit and of the two raters; first_value, second_value: what
    they said; n_ratings: how many ratings the unit has in all.
    """

    unit: Ints
    first: Ints
    second: Ints
    first_value: Floats
    second_value: Floats
    n_ratings: Ints

    @property
    def n_units(self) -> int:
        """Count the units with at least two ratings."""
        return n_different(self.unit)

    @property
    def values(self) -> Floats:
        """Return both values of every pair (2P,), all first values before all second values."""
        return np.concatenate([self.first_value, self.second_value])


def n_different(units: Ints) -> int:
    """Count the different units among sorted units."""
    return int(np.count_nonzero(np.diff(units, prepend=-1)))


def rating_pairs(
    ratings: ArrayLike, judge: ArrayLike | None = None, raters: Ints | None = None
) -> RatingPairs:
    """Pair the ratings within each unit.

    ratings: (units, raters), NaN = missing. With judge (units,), only the pairs of the judge
    (first) with a rater (second) count. raters: whose each rating is, as codes of the same shape
    and rising in each unit, where a column has ratings by several; None = a column a rater.
    Raises ValueError for other shapes or infinite values.
    """
    array = as_floats(ratings, "ratings", ndim=2)
    if judge is not None:
        column = as_floats(judge, "judge")
        if len(column) != len(array):
            raise ValueError(f"judge: expected {len(array)} values, found {len(column)}")
        array = np.column_stack([column, array])
        if raters is not None:
            raters = np.column_stack([np.zeros(len(column), np.int64), raters + 1])
    unit, place = np.nonzero(~np.isnan(array))
    rater = place if raters is None else raters[unit, place]
    later = _later_ratings_of_unit(unit)
    first = np.repeat(np.arange(len(unit)), later)
    step = np.arange(len(first)) - np.repeat(np.cumsum(later) - later, later)
    second = first + 1 + step
    if judge is not None:
        keep = place[first] == 0
        first, second = first[keep], second[keep]
    values = array[unit, place]
    n_ratings = np.bincount(unit, minlength=len(array))
    units = unit[first]
    return RatingPairs(
        units, rater[first], rater[second], values[first], values[second], n_ratings[units]
    )


def _later_ratings_of_unit(unit: Ints) -> Ints:
    """Count the ratings of the same unit that follow each rating; unit is sorted."""
    ends = np.cumsum(np.bincount(unit))
    later: Ints = ends[unit] - np.arange(len(unit)) - 1
    return later
