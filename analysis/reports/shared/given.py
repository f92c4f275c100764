"""Hold ratings of many raters, a few per item: a column per rating, not a column per rater."""

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Given:
    """Ratings of units, each with the code of its rater.

    values (units, ratings), NaN where there are fewer; raters: codes of the same shape. The codes
    rise within a unit, so that its ratings stand in the order of a table of all raters.
    """

    values: np.ndarray
    raters: np.ndarray

    @classmethod
    def from_ratings(cls, units, raters, values, n_units):
        """Build from ratings (N,) sorted by rater.

        Of two ratings of one unit by one rater the last is kept.
        """
        order = np.argsort(units, kind="stable")
        units, raters, values = units[order], raters[order], values[order]
        last = np.append((np.diff(units) != 0) | (np.diff(raters) != 0), True)[: len(units)]
        units, raters, values = units[last], raters[last], values[last]
        sizes = np.bincount(units, minlength=n_units)
        place = np.arange(len(units)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        given = cls.nothing(n_units, sizes.max(initial=0))
        given.values[units, place] = values
        given.raters[units, place] = raters
        return given

    @classmethod
    def nothing(cls, n_units, width):
        """Build a Given without ratings."""
        shape = n_units, width
        return cls(np.full(shape, np.nan), np.zeros(shape, dtype=np.int64))

    @classmethod
    def below(cls, parts):
        """Stack the units of several Givens below each other."""
        width = max(part.values.shape[1] for part in parts)
        joined = cls.nothing(sum(len(part.values) for part in parts), width)
        start = 0
        for part in parts:
            rows = slice(start, start := start + len(part.values))
            joined.values[rows, : part.values.shape[1]] = part.values
            joined.raters[rows, : part.values.shape[1]] = part.raters
        return joined

    def beside(self, values):
        """Return a copy with these values (units,) as one more rater's."""
        another = np.full(len(values), self.raters.max(initial=0) + 1)
        return Given(
            np.column_stack([self.values, values]), np.column_stack([self.raters, another])
        )

    def of_units(self, units):
        """Return the ratings of some units only."""
        return Given(self.values[units], self.raters[units])

    def with_values(self, values):
        """Return a copy with other values by the same raters."""
        return replace(self, values=values)

    @property
    def n_raters(self):
        """Return how many raters have given a rating at all."""
        return len(np.unique(self.raters[~np.isnan(self.values)]))

    def complete(self):
        """Return the units (U,) that every rater rated, and their ratings (U, raters)."""
        is_rated, n_raters = ~np.isnan(self.values), self.n_raters
        units = np.flatnonzero(is_rated.sum(axis=1) == n_raters)
        return units, self.values[units][is_rated[units]].reshape(len(units), n_raters)
