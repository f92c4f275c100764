"""Compare judge and raters within groups of few items, such as the four texts about one content.

within_groups(people, codes)      the people of groups with two items or more

A group's mean over few items holds much of each item's own error, so that residuals on it would
understate how raters agree. The products of different items of a group have the group's share
alone: taken from the products of one item, they leave what is within groups, without a bias.
Source: the unbiased estimate of a component of variance; Searle, Casella & McCulloch (1992),
Variance Components, ch. 3.
"""

from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.validation.people import People, compact_codes


@dataclass(frozen=True)
class PeopleWithinGroups(People):
    """The ratings of n items whose products count within groups.

    group: codes (n,), 0..; each group has two items or more.
    """

    group: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def products(self, first: Floats, second: Floats) -> Floats:
        """Return each item's product (n,) of values (n, K), less that with its group's others."""
        own = np.einsum("nk,nk->n", first, second)
        crossed = np.einsum("nk,nk->n", first, self._means_of_others(second))
        back = np.einsum("nk,nk->n", second, self._means_of_others(first))
        return own - (crossed + back) / 2

    def less_others(self, values: Floats) -> Floats:
        """Return the values (n, K) less the means of the other items of their groups."""
        return values - self._means_of_others(values)

    def _means_of_others(self, values: Floats) -> Floats:
        """Return the mean (n, K) of the other items of each item's group."""
        others = np.bincount(self.group)[self.group, None] - 1
        return (self._sum_by_group(values) - values) / others

    def _sum_by_group(self, values: Floats) -> Floats:
        sums = np.zeros((int(self.group.max(initial=-1)) + 1, values.shape[1]))
        np.add.at(sums, self.group, values)
        return sums[self.group]

    @cached_property
    def a(self) -> Floats:
        """Return each item's mean square, less the product with the others, (n,)."""
        return self.own_squares - self._shared

    @cached_property
    def c(self) -> Floats:
        """Return each item's mean product of two raters, less that with the others, (n,)."""
        return self.own_pairs - self._shared

    @cached_property
    def _shared(self) -> Floats:
        return np.einsum("nk,nk->n", self.z_means, self._means_of_others(self.z_means))

    @cached_property
    def square_parts(self) -> Floats:
        """Return the part of each rating in V_H, (N,): a product of two items counts for both."""
        return self.squares - 2 * self._with_others

    @cached_property
    def pair_parts(self) -> Floats:
        """Return the part of each rating in C_HH, (N,), half of what it counts."""
        return np.einsum("nk,nk->n", self.z, self.z_others) - self._with_others

    @cached_property
    def _with_others(self) -> Floats:
        return np.einsum("nk,nk->n", self.z, self._means_of_others(self.z_means)[self.item])


def within_groups(people: People, codes: Ints) -> tuple[PeopleWithinGroups | None, Flags]:
    """Return the people of the items (flags (n,)) that share their group with another.

    codes: (n,), the group of each item of `people`, from 0. None where most items are alone in
    their group, or a group's items are of several clusters, so that no errors can be given. Half
    of the items are enough: a few missing judgments leave items alone, and must not spare a judge
    the check.
    """
    keep = np.bincount(codes, minlength=1)[codes] >= 2 if len(codes) else np.zeros(0, dtype=bool)
    if not keep.any() or 2 * keep.sum() < len(codes) or not _are_nested(codes, people.cluster):
        return None, keep
    kept = people.restrict(keep)
    columns = {own.name: getattr(kept, own.name) for own in fields(People)}
    return PeopleWithinGroups(**columns, group=compact_codes(codes[keep])[1]), keep


def _are_nested(inner: Ints, outer: Ints) -> bool:
    """Say whether the items of each inner group are of one outer group."""
    pairs = np.unique(np.stack([inner, outer]), axis=1)
    return pairs.shape[1] == len(np.unique(inner))
