"""Gather what the judges of a question are compared with: people, groupings, lengths.

reference = gather_reference(values, items, raters, n_items, Scale(1, 5),
                             clusters=contents, groupings={"system": systems})
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Flags, Floats, Ints, as_codes
from analysis.stats.validation.beyond import (
    LENGTH,
    RATERS,
    Left,
    describe_items,
    raters_other_ratings,
    take_out,
)
from analysis.stats.validation.criteria import FEWEST_RATERS, LEVEL_SDS, Scale
from analysis.stats.validation.gather import gather_people
from analysis.stats.validation.held import RatingTable, tabulate_ratings
from analysis.stats.validation.people import People, effective_number
from analysis.stats.validation.rest import ends_of


@dataclass(frozen=True)
class Reference:
    """What judges of a question are compared with: its people, groupings and lengths.

    groupings: {name: codes (n_items,)}; lengths: (n_items,) or None; tables: {question: ratings}
    that a judge may hold, its own question's under "".
    """

    people: People
    scale: Scale
    groupings: dict[str, Ints] = field(default_factory=dict)
    lengths: Floats | None = None
    tables: dict[str, RatingTable] | None = None

    @cached_property
    def level_margin(self) -> float:
        """Return how far a judge's mean may be off: the scale's margin, or .2 SD of the ratings."""
        values = self.people.values
        spread = float(values.std()) if values.size and values.shape[1] == 1 else 0.0
        return max(self.scale.level_margin, LEVEL_SDS * spread)

    @cached_property
    def rated(self) -> dict[str, RatingTable]:
        """Return the tables of ratings that a judge may hold; of a choice none."""
        if self.people.values.shape[1] > 1 or not self.people.n:
            return {}
        own = self.tables
        return {"": tabulate_ratings(self.people, self.scale)} if own is None else own

    @cached_property
    def rests(self) -> list[tuple[Flags, "Reference"]]:
        """Return the items at either end of people's means, and the reference of the others."""
        return [
            (out, self.with_people(self.people.restrict(~out)))
            for out in ends_of(self.people.means[:, 0])
        ]

    @cached_property
    def left(self) -> Left:
        """Return the people beyond all that is known of their items."""
        people, rows = self.people, self.people.rows
        few = people.counts[~people.is_in_panel]
        # Fewer raters share most items, so that their other ratings tell this one's.
        is_crowd = effective_number(few) >= FEWEST_RATERS
        features = describe_items(
            people.n,
            None if self.lengths is None else self.lengths[rows],
            {name: codes[rows] for name, codes in self.groupings.items()},
            {RATERS: raters_other_ratings(people)} if is_crowd else None,
        )
        return take_out(people, features)

    def with_people(self, people: People) -> "Reference":
        """Return the reference of some of its people."""
        if people is self.people:
            return self
        return replace(self, people=people)


def gather_reference(
    values: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    n_items: int,
    scale: Scale,
    *,
    groupings: dict[str, Ints] | None = None,
    lengths: ArrayLike | None = None,
    **options: ArrayLike | bool | None,
) -> Reference:
    """Gather a question's people with what else may explain their ratings.

    values, items, raters, options: as in gather_people. scale: SHARES for indicators of labels.
    groupings: {name: codes (n_items,)}, checked in this order. lengths: (n_items,), characters or
    entries; NaN counts as 0. Raises ValueError for other shapes.
    """
    people = gather_people(values, items, raters, n_items, **options)  # type: ignore[arg-type]
    checked = {name: as_codes(c, name, n_items) for name, c in (groupings or {}).items()}
    if lengths is None:
        return Reference(people, scale, checked)
    long = np.nan_to_num(np.asarray(lengths, dtype=np.float64))
    if long.shape != (n_items,) or (long < 0).any():
        raise ValueError(f"{LENGTH}: expected {n_items} values of at least 0")
    return Reference(people, scale, checked, long)
