"""Measure how far a judge's mean is from the raters' mean, and test that it is near.

level = measure_level(people, judge)
level.p_within(0.25)                 that it is off by less than .25
"""

from dataclasses import dataclass

import numpy as np

from analysis.stats.inputs import Floats
from analysis.stats.validation.errors import Quantity
from analysis.stats.validation.people import NO_ITEM, People


@dataclass(frozen=True)
class Level:
    """The judge's mean less the raters': of a number, or of the share of each label."""

    offsets: tuple[Quantity, ...]

    @property
    def largest(self) -> Quantity:
        """Return the offset farthest from 0."""
        return max(self.offsets, key=lambda offset: abs(offset.value))

    def p_within(self, margin: float) -> float:
        """Return the p of "every offset is within the margin": the largest of two-sided TOSTs."""
        return float(np.max([offset.p_within(margin) for offset in self.offsets]))

    def is_off(self, margin: float, alpha: float = 0.05) -> bool:
        """Say whether an offset is significantly beyond the margin."""
        return any(abs(offset.value) - offset.reach(alpha) > margin for offset in self.offsets)


def measure_level(people: People, judge: Floats) -> Level:
    """Return b = mean (F_i - ybar_i), of unrounded judgments and raw ratings.

    judge: (n, K), a row for each item of `people`. NaN without items.
    Source: two one-sided tests, Schuirmann (1987), J. Pharmacokinetics and Biopharmaceutics 15.
    """
    if not people.n:
        return Level((Quantity(np.nan, reason=NO_ITEM),))
    differences = judge - people.means
    b = people.average(differences)
    u = None
    if people.adds_raters:
        u = (people.average(people.means) - people.values).T / people.m[people.item]
    errors = people.errors((differences - b).T, u)
    rows = zip(b.tolist(), np.eye(len(b)), strict=True)
    return Level(tuple(errors.quantity(value, row) for value, row in rows))
