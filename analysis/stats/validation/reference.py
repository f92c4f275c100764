"""Gather what the judges of a question are compared with: people, groupings, lengths.

reference = gather_reference(values, items, raters, n_items, Scale(1, 5),
                             clusters=contents, groupings={"system": systems})
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats, Ints, as_codes
from analysis.stats.validation.beyond import LENGTH, Within, take_out_groups, take_out_length
from analysis.stats.validation.criteria import Scale
from analysis.stats.validation.gather import gather_people
from analysis.stats.validation.people import People

SAME_GROUPS = "its groups are those of another check"


@dataclass(frozen=True)
class Reference:
    """What judges of a question are compared with: its people, groupings and lengths.

    groupings: {name: codes (n_items,)}; lengths: (n_items,) or None.
    """

    people: People
    scale: Scale
    groupings: dict[str, Ints] = field(default_factory=dict)
    lengths: Floats | None = None

    @cached_property
    def within(self) -> tuple[Within, ...]:
        """Return the people beyond the length and beyond each grouping, in this order."""
        rows, checks = self.people.rows, []
        if self.lengths is not None:
            checks.append(take_out_length(self.people, self.lengths[rows]))
        used: list[Ints] = []
        for name, codes in self.groupings.items():
            inside = codes[rows]
            if any(_are_same_groups(inside, other) for other in used):
                checks.append(Within(name, skipped=SAME_GROUPS))
                continue
            used.append(inside)
            checks.append(take_out_groups(self.people, name, inside))
        return tuple(checks)

    def with_people(self, people: People) -> "Reference":
        """Return the reference of some of its people."""
        if people is self.people:
            return self
        return Reference(people, self.scale, self.groupings, self.lengths)


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


def _are_same_groups(first: Ints, second: Ints) -> bool:
    """Say whether two codes (n,) divide the items into the same groups."""
    n_pairs = len(np.unique(first * (int(second.max(initial=0)) + 1) + second))
    return n_pairs == len(np.unique(first)) == len(np.unique(second))
