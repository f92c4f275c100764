"""Compute the quantities of a verdict for many studies at once that are drawn from a pilot.

A drawn study holds each cluster of the pilot 0, 1, 2 or more times; its quantities are those of
validation/agreement.py and validation/level.py with these counts. Every copy of a cluster counts
as another cluster. Ten raters or more are a sample: each copy of a cluster has raters of its own.
Fewer are a panel: the same raters rate all copies.
Shapes: B drawn studies, G clusters, n items, N ratings, K columns (1, or one for each label).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import stdtr, stdtrit

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.validation.criteria import FEWEST_OF_A_PANEL
from analysis.stats.validation.errors import FLAT, TINY
from analysis.stats.validation.people import People
from analysis.stats.validation.small_groups import PeopleWithinGroups


@dataclass(frozen=True)
class Estimates:
    """One quantity of every drawn study: values, errors and degrees of freedom, each (B,)."""

    value: Floats
    error: Floats
    df: Floats

    def reach(self, alpha: float) -> Floats:
        """Return t_{1 - alpha, df} standard errors, (B,)."""
        return stdtrit(self.df, 1 - alpha) * self.error

    def is_above(self, bound: float, alpha: float) -> Flags:
        """Say of each study whether "above the bound" is significant; False where undefined."""
        return self._tail(self.value - bound) < alpha

    def is_within(self, margin: float, alpha: float) -> Flags:
        """Say of each study whether "within -margin..margin" is significant (TOST)."""
        return self.is_above(-margin, alpha) & (self._tail(margin - self.value) < alpha)

    def _tail(self, distance: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            p = stdtr(self.df, -distance / self.error)
        return np.where(self.error <= TINY, np.where(distance > TINY, 0.0, 1.0), p)


@dataclass(frozen=True)
class Agreements:
    """Agreement of raters (rho) and retention (theta) of every drawn study; is_constant (B,)."""

    rho: Estimates
    theta: Estimates
    is_constant: Flags


@dataclass(frozen=True)
class Drawn:
    """Studies drawn from a pilot. people: of the pilot; counts (B, G): copies of each cluster."""

    people: People
    counts: Floats

    @cached_property
    def weight(self) -> Floats:
        """Return the copies of each item, (B, n)."""
        return self.counts[:, self.people.cluster]

    @cached_property
    def n_items(self) -> Floats:
        """Return the items of each drawn study, (B,)."""
        return self.weight.sum(axis=1)

    @cached_property
    def n_clusters(self) -> Floats:
        """Return the clusters of each drawn study, (B,)."""
        return self.counts.sum(axis=1)

    def average(self, values: Floats) -> Floats:
        """Return the mean over the drawn items, (B,), of values (n,) or (B, n)."""
        return np.einsum("bn,bn->b", self.weight, np.broadcast_to(values, self.weight.shape)) / (
            self.n_items
        )

    def fit_columns(self, values: Floats, table: Floats) -> Floats:
        """Return the least-squares fit (B, n) of values (B, n) by the columns of table (n, C)."""
        left = np.einsum("bn,nc,nd->bcd", self.weight, table, table, optimize=True)
        right = (self.weight * values) @ table
        return np.einsum("bcd,bd,nc->bn", np.linalg.pinv(left, hermitian=True), right, table)

    def restrict(self, kept: PeopleWithinGroups, keep: Flags) -> "Drawn":
        """Return the drawn studies of some of the pilot's items, flags (n,)."""
        return Drawn(kept, self.counts[:, np.unique(self.people.cluster[keep])])

    def others(self, values: Floats) -> Floats:
        """Return each item's mean over the others of its group and copy (B, n); 0 without groups.

        values: (B, n). A group lies in one cluster, so that its items have as many copies.
        """
        if not isinstance(self.people, PeopleWithinGroups):
            return np.zeros((1, 1))
        member = np.eye(int(self.people.group.max()) + 1)[self.people.group]
        sizes = member.sum(axis=0)[self.people.group]
        return ((values @ member)[:, self.people.group] - values) / (sizes - 1)

    def sum_by_item(self, values: Floats) -> Floats:
        """Return the sums (B, n) of values (B, N) over the ratings of an item."""
        return np.add.reduceat(values, self.people.m.cumsum() - self.people.m, axis=1)

    def centre(self, values: Floats) -> Floats:
        """Return ratings (B, N) less what their rater is centred on, as People.z."""
        people = self.people
        ratings = self.weight[:, people.item]
        counts = self._sum_by_rater(ratings)  # the same few raters rate all copies
        if people.adds_raters:
            counts = np.bincount(people.rater, minlength=people.n_raters).astype(np.float64)
        in_panel = np.broadcast_to(counts >= FEWEST_OF_A_PANEL, (len(values), people.n_raters))
        common = self.average(self.sum_by_item(values) / people.m)[:, None]
        if not in_panel.any():
            return values - common
        sums, sizes = self._sum_by_rater(ratings * values), self._sum_by_rater(ratings)
        others = np.where(in_panel, 0.0, sums).sum(axis=1, keepdims=True)
        rest = others / np.maximum(np.where(in_panel, 0.0, sizes).sum(1, keepdims=True), 1e-300)
        own = np.where(in_panel, sums / np.maximum(sizes, 1e-300), rest)
        own = np.where(in_panel.any(axis=1, keepdims=True), own, common)
        return values - own[:, people.rater]

    @cached_property
    def _by_rater(self) -> tuple[Ints, Ints]:
        """Return the order of the ratings by rater, and where each rater begins."""
        order = np.argsort(self.people.rater, kind="stable")
        return order, np.searchsorted(self.people.rater[order], np.arange(self.people.n_raters))

    def _sum_by_rater(self, values: Floats) -> Floats:
        order, starts = self._by_rater
        return np.add.reduceat(values[:, order], starts, axis=1)

    @cached_property
    def _copies(self) -> list[Flags]:
        """Return for the first copy, the second and so on which ratings, by rater, have one."""
        ratings = self.weight[:, self.people.item[self._by_rater[0]]]
        return [ratings >= copy for copy in range(1, int(ratings.max()) + 1)]

    @cached_property
    def n_raters(self) -> Floats:
        """Return the raters of each drawn study, (B,): each copy has its own."""
        starts = self._by_rater[1]
        counts = [np.logical_or.reduceat(has, starts, axis=1).sum(axis=1) for has in self._copies]
        return np.sum(counts, axis=0)

    def estimate(self, value: Floats, psi: Floats, u: Floats) -> Estimates:
        """Return a quantity by its influence: psi (B, n) of items, u (B, N) of ratings."""
        order = np.argsort(self.people.cluster, kind="stable")
        starts = np.searchsorted(self.people.cluster[order], np.arange(self.people.n_clusters))
        sums = np.add.reduceat(psi[:, order], starts, axis=1)
        groups = self.n_clusters
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = groups / (groups - 1) * (self.counts * sums**2).sum(axis=1)
        df = groups - 1
        if self.people.adds_raters:
            addition = self._addition(u)
            variance = variance + np.maximum(addition, 0.0)
            df = np.where(addition > 0, np.minimum(groups, self.n_raters) - 1, df)
        return Estimates(value, np.sqrt(variance) / self.n_items, df)

    def _addition(self, u: Floats) -> Floats:
        """Return what raters as a sample add, times the squared number of items, (B,)."""
        order, starts = self._by_rater
        parts = u[:, order]
        sums = np.zeros(len(u))
        for has in self._copies:
            sums += (np.add.reduceat(parts * has, starts, axis=1) ** 2).sum(axis=1)
        cells = (self.weight[:, self.people.item] * u**2).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.n_raters / (self.n_raters - 1) * sums - cells

    def compare(
        self, values: list[Floats], judge: list[Floats], k: float, floor: Floats
    ) -> Agreements:
        """Compare a judge with the raters: rho, and theta_k = r - k rho, with their errors.

        values: K times (B, N) ratings; judge: K times (B, n); floor (B,): a variance of the judge
        up to it is none.
        """
        people, m = self.people, self.people.m
        item, m_of = people.item, people.m[people.item]
        z = [self.centre(column) for column in values]
        z_means = [self.sum_by_item(column) / m for column in z]
        centred = [column - self.average(column)[:, None] for column in judge]
        squares = np.sum([column**2 for column in z], axis=0)
        z_others = [self.others(column) for column in z_means]
        centred_others = [self.others(column) for column in centred]
        own = self.sum_by_item(squares) / m
        shared = _sum_of_products(z_means, z_others)
        a = own - shared
        c = (m * _sum_of_products(z_means, z_means) - own) / (m - 1) - shared
        g = _sum_of_products(centred, centred) - _sum_of_products(centred, centred_others)
        crossed = _sum_of_products(centred, z_others) + _sum_of_products(z_means, centred_others)
        f = _sum_of_products(centred, z_means) - crossed / 2
        v_h, c_hh, v_f, c_fh = (self.average(part) for part in (a, c, g, f))
        v_h = np.where(v_h > people.floor, v_h, np.nan)
        is_constant = v_f <= floor
        scale = np.where(is_constant, np.nan, np.sqrt(v_f * v_h))
        rho, r = c_hh / v_h, c_fh / scale

        def down(array: Floats) -> Floats:
            return array[:, None]

        psi_h = (c - down(rho) * a) / down(v_h)
        with np.errstate(divide="ignore", invalid="ignore"):
            psi_r = f / down(scale) - down(r) / 2 * (g / down(v_f) + a / down(v_h))
        u_h = u_r = np.zeros((1, 1))
        if people.adds_raters:
            others = [(m_of * y[:, item] - x) / (m_of - 1) for x, y in zip(z, z_means, strict=True)]
            of_group = [np.broadcast_to(x, x.shape[:1] + m.shape)[:, item] for x in z_others]
            with_group = _sum_of_products(z, of_group)
            products = _sum_of_products(z, others) - with_group
            parts = squares - 2 * with_group
            deviations = parts - down(self.average(self.sum_by_item(parts) / m))
            u_h = 2 * (products - down(c_hh)) - down(rho) * deviations
            u_h = u_h / (m_of * down(v_h))
            left = [x - y for x, y in zip(centred, centred_others, strict=True)]
            scored = _sum_of_products([x[:, item] for x in left], z)
            u_r = (scored - down(c_fh)) / down(scale) - down(r) / 2 * deviations / down(v_h)
            u_r = u_r / m_of
        theta = self.estimate(r - k * rho, psi_r - k * psi_h, u_r - k * u_h)
        return Agreements(self.estimate(rho, psi_h, u_h), theta, is_constant)

    def measure_level(self, values: Floats, judge: Floats) -> Estimates:
        """Return the mean of judge less people of one column: values (B, N), judge (B, n)."""
        people = self.people
        means = self.sum_by_item(values) / people.m
        b = self.average(judge - means)
        u = (self.average(means)[:, None] - values) / people.m[people.item]
        return self.estimate(b, judge - means - b[:, None], u)

    def flat_floor(self, judge: list[Floats]) -> Floats:
        """Return the variance of the judge that is rounding, (B,)."""
        squares = np.sum([column**2 for column in judge], axis=0) / len(judge)
        return FLAT * self.average(squares)


def _sum_of_products(first: list[Floats], second: list[Floats]) -> Floats:
    """Return the sum over columns of products (B, n) or (B, N)."""
    return np.sum([x * y for x, y in zip(first, second, strict=True)], axis=0)
