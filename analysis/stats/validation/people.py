"""Describe how the raters of a question agree, once for all judges of that question.

people = gather_people(values, items, raters, n_items, clusters=contents)
people = gather_people(indicators(labels, 3), items, raters, n_items)      of a choice
people.agreement                    rho with its error
people.restrict(rows)               only items that a judge has answered
people.replace_values(residuals)    the same ratings beyond a grouping
within_groups(people, codes)        products within groups of few items
"""

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import LARGEST, Flags, Floats, Ints, as_codes
from analysis.stats.validation.criteria import FEWEST_OF_A_PANEL, FEWEST_RATERS
from analysis.stats.validation.errors import (
    FLAT,
    Errors,
    Quantity,
    bounded,
    covariance_by_cluster,
    covariance_by_rater,
)

ALL_EQUAL = "all ratings are equal"
NO_ITEM = "no item has two ratings and a judgment"


@dataclass(frozen=True)
class People:
    """The ratings of n items with at least two ratings, sorted by item.

    rows (n,): which items of the study.
    values (N, K): K = 1 for numbers, else an indicator for each label; item (N,): 0..n-1;
    rater (N,): 0..R-1; raters (R,): their codes as given; m (n,): ratings of each item; cluster
    (n,): 0..G-1. is_sample: whether the raters count as a sample (None: where they are worth ten).
    floor: a variance below it is rounding.
    """

    rows: Ints
    values: Floats
    item: Ints
    rater: Ints
    raters: Ints
    m: Ints
    cluster: Ints
    is_sample: bool | None
    floor: float

    @property
    def n(self) -> int:
        """Return the number of items."""
        return len(self.rows)

    @cached_property
    def n_clusters(self) -> int:
        """Return G, the number of clusters."""
        return int(self.cluster.max(initial=-1)) + 1

    @cached_property
    def n_raters(self) -> int:
        """Return R, the number of raters."""
        return len(self.raters)

    @cached_property
    def effective_raters(self) -> float:
        """Return as many raters as equally busy ones would be worth."""
        return effective_number(self.counts)

    @property
    def adds_raters(self) -> bool:
        """Say whether standard errors count the raters as a sample."""
        is_sample = self.effective_raters >= FEWEST_RATERS
        return is_sample if self.is_sample is None else self.is_sample

    @cached_property
    def means(self) -> Floats:
        """Return the mean rating of each item, (n, K)."""
        return self.sum_by_item(self.values) / self.m[:, None]

    @cached_property
    def z(self) -> Floats:
        """Return the centred ratings (N, K).

        Raters with 30 ratings are centred on their own mean, for leniency is no disagreement; the
        others on their common mean; all on the mean of the items' means if nobody has 30.
        """
        in_panel, counts = self.is_in_panel, self.counts[:, None]
        if not in_panel.any():
            return self.values - self.average(self.means)
        sums = self.sum_by_rater(self.values)
        rest = sums[~in_panel].sum(axis=0) / max(counts[~in_panel].sum(), 1)
        return self.values - np.where(in_panel[:, None], sums / counts, rest)[self.rater]

    @cached_property
    def counts(self) -> Ints:
        """Return how many ratings each rater gave, (R,)."""
        return np.bincount(self.rater, minlength=self.n_raters)

    @property
    def is_in_panel(self) -> Flags:
        """Say which raters (R,) have so many ratings that they are centred on their own mean."""
        flags: Flags = self.counts >= FEWEST_OF_A_PANEL
        return flags

    def sum_by_rater(self, values: Floats) -> Floats:
        """Return the sums by rater (R, K) of values (N, K)."""
        columns = [np.bincount(self.rater, v, minlength=self.n_raters) for v in values.T]
        return np.stack(columns, axis=1)

    @cached_property
    def z_means(self) -> Floats:
        """Return the mean centred rating of each item, (n, K)."""
        return self.sum_by_item(self.z) / self.m[:, None]

    @cached_property
    def z_others(self) -> Floats:
        """Return o_ij, the mean centred rating of the item's other raters, (N, K)."""
        m = self.m[self.item][:, None]
        return (m * self.z_means[self.item] - self.z) / (m - 1)

    @cached_property
    def squares(self) -> Floats:
        """Return the squared length of each centred rating, (N,)."""
        return np.einsum("nk,nk->n", self.z, self.z)

    @cached_property
    def own_squares(self) -> Floats:
        """Return the mean square of each item's centred ratings, (n,)."""
        return self.sum_by_item(self.squares) / self.m

    @property
    def a(self) -> Floats:
        """Return each item's part in V_H, (n,)."""
        return self.own_squares

    @cached_property
    def c(self) -> Floats:
        """Return each item's part in C_HH, the mean product of its raters' pairs, (n,)."""
        lengths = np.einsum("nk,nk->n", self.z_means, self.z_means)
        return (self.m * lengths - self.own_squares) / (self.m - 1)

    @cached_property
    def v_h(self) -> float:
        """Return V_H, the variance of one rating."""
        return float(self.average(self.a))

    @cached_property
    def c_hh(self) -> float:
        """Return C_HH, the covariance of two ratings of one item."""
        return float(self.average(self.c))

    @property
    def is_flat(self) -> bool:
        """Say whether all ratings are equal but for rounding (also where there is none)."""
        return not self.n or self.v_h <= self.floor

    @cached_property
    def rho(self) -> float:
        """Return the correlation of two ratings of one item; NaN where all ratings are equal."""
        return nan if self.is_flat else bounded(self.c_hh / self.v_h)

    @cached_property
    def psi(self) -> Floats:
        """Return the influence of each item on rho, (n,)."""
        return (self.c - self.rho * self.a) / self.v_h

    @cached_property
    def u(self) -> Floats:
        """Return the part of each rating in the influence on rho, (N,)."""
        parts = 2 * (self.pair_parts - self.c_hh) - self.rho * self.square_deviations
        return parts / (self.m[self.item] * self.v_h)

    @cached_property
    def square_deviations(self) -> Floats:
        """Return the part of each rating in V_H, less its mean over items, (N,)."""
        mean = self.average(self.sum_by_item(self.square_parts) / self.m)
        return self.square_parts - mean

    @property
    def square_parts(self) -> Floats:
        """Return the part of each rating in V_H, (N,)."""
        return self.squares

    @cached_property
    def pair_parts(self) -> Floats:
        """Return half the part of each rating in C_HH, (N,): a pair's other half is the other's."""
        return np.einsum("nk,nk->n", self.z, self.z_others)

    def products(self, first: Floats, second: Floats) -> Floats:
        """Return the product (n,) of each item's values (n, K)."""
        return np.einsum("nk,nk->n", first, second)

    def less_others(self, values: Floats) -> Floats:
        """Return what a rating of each item is multiplied with, of values (n, K)."""
        return values

    @cached_property
    def agreement(self) -> Quantity:
        """Return rho, the agreement of two raters of one item, with its error."""
        if self.is_flat:
            return Quantity(nan, reason=ALL_EQUAL if self.n else NO_ITEM)
        errors = self.errors(self.psi[None], self.u[None] if self.adds_raters else None)
        return errors.quantity(self.rho, np.ones(1))

    def errors(self, psi: Floats, u: Floats | None) -> Errors:
        """Return the covariances of quantities with influence psi (q, n), by rating u (q, N)."""
        items = covariance_by_cluster(psi, self.cluster, self.n_clusters)
        raters = np.zeros_like(items)
        if u is not None and self.adds_raters:
            by_rater, cells = self.rater_covariances(u)
            raters = by_rater - cells
        return Errors(items, raters, self.n_clusters, self.effective_raters)

    def rater_covariances(self, u: Floats) -> tuple[Floats, Floats]:
        """Return V_rater and V_cell (q, q) of the parts u (q, N) of each rating."""
        return covariance_by_rater(u, self.rater, self.n_raters, self.n)

    def average(self, values: Floats) -> Floats:
        """Return the mean over items of values (n,) or (n, K); 0 without items."""
        return values.sum(axis=0) / max(self.n, 1)

    def sum_by_item(self, values: Floats) -> Floats:
        """Return the sums by item (n,) or (n, K) of values (N,) or (N, K)."""
        if not self.n:
            return np.zeros((0, *values.shape[1:]))
        return np.add.reduceat(values, self.m.cumsum() - self.m, axis=0)

    def restrict(self, keep: Flags) -> "People":
        """Return the people of the items kept, flags (n,); the same object if all are kept."""
        if keep.all():
            return self
        return self._keep_ratings(keep[self.item])

    def drop_raters(self, flags: Flags) -> "People":
        """Return the people without the raters flagged (R,), and items left with one rating."""
        return self.drop_ratings(flags[self.rater])

    def drop_ratings(self, flags: Flags) -> "People":
        """Return the people without the ratings flagged (N,), and items left with one rating."""
        m = np.bincount(self.item[~flags], minlength=self.n)
        return self._keep_ratings(~flags & (m >= 2)[self.item])

    def _keep_ratings(self, inside: Flags) -> "People":
        rows, item = compact_codes(self.item[inside])
        raters, rater = compact_codes(self.rater[inside])
        return replace(
            self,
            rows=self.rows[rows],
            values=self.values[inside],
            item=item,
            rater=rater,
            raters=self.raters[raters],
            m=np.bincount(item, minlength=len(rows)),
            cluster=compact_codes(self.cluster[rows])[1],
        )

    def replace_clusters(self, clusters: Ints) -> "People":
        """Return the same people with other clusters, codes (n,)."""
        return replace(self, cluster=compact_codes(clusters)[1])

    def replace_values(self, values: Floats) -> "People":
        """Return the same people with other ratings (N, K), such as residuals."""
        return replace(self, values=values)


def effective_number(counts: Ints) -> float:
    """Return (sum n)^2 / sum n^2, as many raters as equally busy ones would be worth; 0 for none.

    Source: Kish (1965), Survey Sampling, section 8.2.
    """
    return float(counts.sum()) ** 2 / max(float((counts.astype(float) ** 2).sum()), 1.0)


def compact_codes(codes: Ints) -> tuple[Ints, Ints]:
    """Return the codes that occur, in order, and the place of each code among them."""
    present = np.bincount(codes) > 0
    return np.flatnonzero(present), (np.cumsum(present) - 1)[codes]


def gather_people(
    values: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    n_items: int,
    *,
    clusters: ArrayLike | None = None,
    is_sample: bool | None = None,
) -> People:
    """Gather the items that have two ratings from a long table of ratings.

    values: (N,) numbers, or (N, K) indicators of labels; a row with NaN is no rating. items,
    raters: codes (N,); ratings of one item by one rater are averaged first. clusters: codes
    (n_items,), each item its own by default. is_sample: None counts raters who are worth ten or
    more as a sample of raters. Raises ValueError for other shapes or codes.
    """
    table = np.asarray(values, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or (np.abs(table) > LARGEST).any():
        raise ValueError("values: expected (ratings,) or (ratings, labels) within 1e100")
    item, rater = (
        as_codes(c, name, len(table)) for c, name in ((items, "items"), (raters, "raters"))
    )
    if len(item) and item.max() >= n_items:
        raise ValueError(f"items: expected codes below {n_items}, found {item.max()}")
    cluster = np.arange(n_items) if clusters is None else as_codes(clusters, "clusters", n_items)
    table, item, rater = _average_repeats(table, item, rater)
    m = np.bincount(item, minlength=n_items)
    inside = m[item] >= 2
    rows, item = compact_codes(item[inside])
    codes, rater = compact_codes(rater[inside])
    return People(
        rows=rows,
        values=table[inside],
        item=item,
        rater=rater,
        raters=codes,
        m=m[rows],
        cluster=compact_codes(cluster[rows])[1],
        is_sample=is_sample,
        floor=FLAT * float(np.mean(table[inside] ** 2)) if inside.any() else 0.0,
    )


def indicators(codes: Ints, n_labels: int) -> Floats:
    """Return the indicator of each label (N, K) for label codes (N,); a code below 0 gives NaN."""
    table = np.zeros((len(codes), n_labels))
    table[np.arange(len(codes)), codes] = 1.0
    table[codes < 0] = nan
    return table


def _average_repeats(table: Floats, item: Ints, rater: Ints) -> tuple[Floats, Ints, Ints]:
    """Return ratings sorted by item and rater, NaN dropped, one for each item and rater."""
    present = ~np.isnan(table).any(axis=1)
    table, item, rater = table[present], item[present], rater[present]
    width = int(rater.max(initial=0)) + 1
    cell = item * width + rater
    order = np.argsort(cell, kind="stable")
    cell, table = cell[order], table[order]
    starts = np.flatnonzero(np.diff(cell, prepend=-1))
    if len(starts) < len(cell):
        sizes = np.diff(starts, append=len(cell))
        table = np.add.reduceat(table, starts, axis=0) / sizes[:, None]
        cell = cell[starts]
    return table, cell // width, cell % width


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
        return super().c - self._shared

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
