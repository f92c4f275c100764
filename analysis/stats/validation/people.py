"""Describe how the raters of a question agree, once for all judges of that question.

people.agreement                    rho with its error
people.restrict(rows)               only items that a judge has answered
people.replace_values(residuals)    the same ratings beyond a grouping
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import nan

import numpy as np

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.validation.criteria import FEWEST_OF_A_PANEL, FEWEST_RATERS
from analysis.stats.validation.errors import (
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

    rows (n,): which items of the study; n_single: items left out for having one rating.
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
    n_single: int
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

    @cached_property
    def own_pairs(self) -> Floats:
        """Return the mean product of each item's pairs of different raters, (n,)."""
        lengths = np.einsum("nk,nk->n", self.z_means, self.z_means)
        return (self.m * lengths - self.own_squares) / (self.m - 1)

    @property
    def a(self) -> Floats:
        """Return each item's part in V_H, (n,)."""
        return self.own_squares

    @property
    def c(self) -> Floats:
        """Return each item's part in C_HH, (n,)."""
        return self.own_pairs

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
