"""Describe how the raters of a question agree, and how a judge agrees with one of them.

people = gather_people(values, items, raters, n_items, clusters=contents)
people = gather_people(indicators(labels, 3), items, raters, n_items)      of a choice
people.agreement                    rho with its error
people.restrict(rows)               only items that a judge has answered
people.replace_values(residuals)    the same ratings beyond a grouping
within_groups(people, codes)        products within groups of few items
agreement = compare_judge(people, judge)    of the n items of `people`, all with a judgment
agreement.r, agreement.rho          quantities with errors, t tests and bounds
agreement.retention(2 / 3)          theta_k = r - k rho
agreement.worth, agreement.least_worth(), agreement.share_proven()      K, K_low, k_low
Source: errors: Cameron, Gelbach & Miller (2011), Journal of Business & Economic Statistics 29;
Spearman (1904), American Journal of Psychology 15; Spearman (1910), Brown (1910), British Journal
of Psychology 3; retention of effect: Pigeot et al. (2003), Statistics in Medicine 22; Fieller
(1954), JRSS B 16.
"""

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import copysign, exp, inf, log, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from analysis.stats.inputs import LARGEST, Flags, Floats, Ints, as_codes
from analysis.stats.validation.criteria import FEWEST_OF_A_PANEL, FEWEST_RATERS

FLAT = 1e-15  # a variance below this share of the mean square is rounding
TINY = 1e-12  # a standard error, or a distance from a bound, that is rounding


def bounded(r: float) -> float:
    """Return a correlation, or its square, as ±1 where rounding alone carries it beyond."""
    return copysign(1.0, r) if 1 < abs(r) < 1 + TINY else r


@dataclass(frozen=True)
class Quantity:
    """An estimate with its standard error and degrees of freedom.

    NaN is undefined, and `reason` says why. Without a test (one cluster) the error is NaN.
    """

    value: float
    error: float = nan
    df: float = 0
    reason: str = ""

    def p_above(self, bound: float = 0.0) -> float:
        """Return the one-sided p of "above the bound"; without error 0 or 1; NaN untestable."""
        return self._upper_tail(self.value - bound)

    def p_below(self, bound: float = 0.0) -> float:
        """Return the one-sided p of "below the bound"; without error 0 or 1; NaN untestable."""
        return self._upper_tail(bound - self.value)

    def p_two_sided(self) -> float:
        """Return the two-sided p of "other than 0"."""
        return float(np.minimum(1.0, 2 * self._upper_tail(abs(self.value))))

    def p_within(self, margin: float) -> float:
        """Return the p of "within -margin..margin": the larger of two one-sided tests (TOST)."""
        return float(np.maximum(self.p_above(-margin), self.p_below(margin)))

    def lower(self, alpha: float = 0.05) -> float:
        """Return the lower one-sided 1 - alpha bound."""
        return self.value - self.reach(alpha)

    def upper(self, alpha: float = 0.05) -> float:
        """Return the upper one-sided 1 - alpha bound."""
        return self.value + self.reach(alpha)

    def interval(self) -> tuple[float, float]:
        """Return the two-sided 95 % interval."""
        reach = self.reach(0.025)
        return self.value - reach, self.value + reach

    def reach(self, alpha: float) -> float:
        """Return t_{1 - alpha, df} standard errors; NaN untestable."""
        if self.df < 1:
            return nan
        return float(stdtrit(self.df, 1 - alpha)) * self.error

    def _upper_tail(self, distance: float) -> float:
        if np.isnan(distance) or np.isnan(self.error) or self.df < 1:
            return nan
        if self.error <= TINY:
            return 0.0 if distance > TINY else 1.0
        return float(stdtr(self.df, -distance / self.error))


@dataclass(frozen=True)
class Errors:
    """Covariances of q quantities: from items in clusters, and what raters as a sample add.

    items: (q, q); raters: (q, q), V_rater - V_cell, zeros where raters are not a sample. Of a
    linear combination the addition counts only where it is above 0. n_raters: R, as many as equally
    busy raters would be worth.
    """

    items: Floats
    raters: Floats
    n_clusters: int
    n_raters: float

    def variance(self, combination: Floats) -> float:
        """Return the variance of a linear combination (q,) of the quantities."""
        return float(combination @ self.items @ combination) + self.addition(combination)

    def addition(self, combination: Floats) -> float:
        """Return what raters as a sample add to the variance: at least 0."""
        return max(0.0, float(combination @ self.raters @ combination))

    def df(self, combination: Floats) -> float:
        """Return G - 1, or min(G, R) - 1 where raters add to the variance."""
        groups: float = self.n_clusters
        if self.addition(combination) > 0:
            groups = min(groups, self.n_raters)
        return groups - 1

    def quantity(self, value: float, combination: Floats) -> Quantity:
        """Return the value of a combination with its error."""
        if self.n_clusters < 2:
            return Quantity(value, reason="all items are of one cluster, so nothing is tested")
        error = sqrt(max(0.0, self.variance(combination)))
        return Quantity(value, error, self.df(combination))


def covariance_by_cluster(
    psi: Floats, cluster: Ints, n_clusters: int, n_counted: int | None = None
) -> Floats:
    """Return G/(G-1) sum_g (sum_{i in g} psi_i)(...)' / n^2 as (q, q); NaN for one cluster.

    psi: (q, n), weighted influence values; cluster: (n,), codes 0..n_clusters-1, all of them used.
    n_counted: G where a quantity rests on fewer of the clusters; by default all of them.
    """
    counted = n_clusters if n_counted is None else n_counted
    if counted < 2:
        return np.full((len(psi), len(psi)), nan)
    sums = _sums_by_code(psi, cluster, n_clusters)
    return counted / (counted - 1) * (sums @ sums.T) / psi.shape[1] ** 2


def covariance_by_rater(u: Floats, rater: Ints, n_raters: int, n: int) -> tuple[Floats, Floats]:
    """Return V_rater = c sum_j (sum_i u_ij)^2 / n^2, V_cell = sum_ij u_ij^2 / n^2: (q, q).

    u: (q, N), the weighted part of each rating; rater: (N,), codes 0..R-1; n: items. A rater who
    has most ratings pulls the mean, from which the parts are, to his or her own: with p_j the
    share of ratings, c = sum p^2 / (sum p^2 - 2 sum p^3 + (sum p^2)^2) makes up for it where
    raters differ by a constant; R / (R - 1) where all are equally busy.
    """
    cells = u @ u.T / n**2
    if n_raters < 2:
        return np.full_like(cells, nan), cells
    sums = _sums_by_code(u, rater, n_raters)
    share = np.bincount(rater, minlength=n_raters) / len(rater)
    second, third = float((share**2).sum()), float((share**3).sum())
    return second / (second - 2 * third + second**2) * (sums @ sums.T) / n**2, cells


def _sums_by_code(rows: Floats, codes: Ints, n_codes: int) -> Floats:
    """Return the sums (q, C) of each row's values by code."""
    return np.array([np.bincount(codes, row, minlength=n_codes) for row in rows])


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
        sums = np.zeros((int(self.group.max(initial=-1)) + 1, values.shape[1]))
        np.add.at(sums, self.group, values)
        return (sums[self.group] - values) / (np.bincount(self.group)[self.group, None] - 1)

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


CONSTANT = "the judge gives the same answer to every item"


@dataclass(frozen=True)
class Agreement:
    """How a judge agrees with one rater (r), and two raters with each other (rho).

    errors: of (r, rho). n: items; v_f: variance of the judge. reason: why r is NaN. psi: (2, n),
    the influence of each item on r and rho; None where r is NaN.
    """

    r_value: float
    rho_value: float
    errors: Errors
    n: int
    v_f: float
    reason: str = ""
    psi: Floats | None = field(default=None, compare=False, repr=False)

    @property
    def is_constant(self) -> bool:
        """Say whether r is undefined because the judge gives one answer."""
        return self.reason == CONSTANT

    @cached_property
    def r(self) -> Quantity:
        """Return the agreement of judge and rater, a correlation."""
        return self._quantity(self.r_value, 1.0, 0.0)

    @cached_property
    def rho(self) -> Quantity:
        """Return the agreement of two raters, a correlation."""
        return self._quantity(self.rho_value, 0.0, 1.0)

    def retention(self, k: float) -> Quantity:
        """Return theta_k = r - k rho: above 0 if the judge keeps more than the share k."""
        return self._quantity(self.r_value - k * self.rho_value, 1.0, -k)

    @cached_property
    def excess(self) -> Quantity:
        """Return r^2 - rho: above 0 if the judge follows people closer than people can."""
        value = self.r_value**2 - self.rho_value
        return self._quantity(value, 2 * self.r_value, -1.0)

    def _quantity(self, value: float, of_r: float, of_rho: float) -> Quantity:
        if np.isnan(value):
            return Quantity(nan, reason=self.reason)
        return self.errors.quantity(value, np.array([of_r, of_rho]))

    @property
    def worth(self) -> float:
        """Return K: as many raters' mean follows the shared opinion as well as the judge.

        NaN where rho <= 0 or r is undefined; 0 for r <= 0; inf where q^2 >= 1: more than can be
        measured.
        """
        return worth_in_raters(self.r_value, self.rho_value)

    def least_worth(self, alpha: float = 0.05) -> float:
        """Return K_low, the largest K that is significantly reached: 0 is nothing, 1000 the most.

        NaN where r is undefined, nothing can be tested, or raters always agree, so that one says
        as much as a thousand.
        """
        if np.isnan(self.r_value) or self.errors.n_clusters < 2 or self.rho_value > 1 - TINY:
            return nan
        if not self.rho_value > 0:
            return 0.0
        return largest_worth(self.r_value, self.rho_value, self.t_of(alpha), self.joint_variances)

    def most_worth(self, alpha: float = 0.05) -> float:
        """Return the largest K that is not excluded; NaN as least_worth, and where rho <= 0."""
        if np.isnan(self.least_worth(alpha)) or not self.rho_value > 0:
            return nan
        return largest_worth(self.r_value, self.rho_value, -self.t_of(alpha), self.joint_variances)

    def t_of(self, alpha: float) -> float:
        """Return t_{1 - alpha} with the degrees of freedom of r, rho and theta_1 together."""
        return float(stdtrit(self.joint_df, 1 - alpha))

    def share_proven(self, alpha: float = 0.05) -> float:
        """Return k_low, the largest k at which theta_k > 0 is significant (Fieller).

        Below 0 where r itself is not significant; NaN where it has no such bound.
        """
        if np.isnan(self.r_value) or self.errors.n_clusters < 2:
            return nan
        return smaller_root(self.r_value, self.rho_value, self.t_of(alpha), self.joint_variances)

    @cached_property
    def joint_variances(self) -> tuple[float, float, float]:
        """Return v_FF, v_HH and v_FH = (v_FF + v_HH - SE^2(theta_1)) / 2."""
        v_ff, v_hh, v_theta = (self.errors.variance(c) for c in COMBINATIONS)
        return v_ff, v_hh, (v_ff + v_hh - v_theta) / 2

    @cached_property
    def joint_df(self) -> float:
        """Return the smallest degrees of freedom of r, rho and theta_1."""
        return min(self.errors.df(c) for c in COMBINATIONS)


COMBINATIONS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]])


def compare_judge(people: People, judge: Floats, floor: float | None = None) -> Agreement:
    """Compare a judge with the raters of the same items.

    judge: (n, K), a row for each item of `people`, none missing. floor: a variance of the judge up
    to it is none; by default what rounding leaves. r is NaN for a constant judge, rho for constant
    ratings.
    """
    if judge.shape != people.means.shape or np.isnan(judge).any():
        raise ValueError(f"judge: expected {people.means.shape} values without NaN")
    centred = judge - people.average(judge)
    g = people.products(centred, centred)
    v_f = float(people.average(g))
    least = FLAT * float(np.mean(judge**2)) if floor is None and people.n else floor or 0.0
    if people.is_flat or v_f <= least:
        return _without_judge(people, v_f, is_constant=people.n > 0 and v_f <= least)
    f = people.products(centred, people.z_means)
    scale = sqrt(v_f * people.v_h)
    c_fh = float(people.average(f))
    r = bounded(c_fh / scale)
    psi = f / scale - r / 2 * (g / v_f + people.a / people.v_h)
    u = None
    if people.adds_raters:
        u = np.stack([_parts_of_ratings(people, centred, (r, c_fh, scale)), people.u])
    both = np.stack([psi, people.psi])
    return Agreement(r, people.rho, people.errors(both, u), people.n, v_f, psi=both)


def _parts_of_ratings(
    people: People, centred: Floats, values: tuple[float, float, float]
) -> Floats:
    """Return the part of each rating in the influence on r, (N,)."""
    r, c_fh, scale = values
    products = np.einsum("nk,nk->n", people.less_others(centred)[people.item], people.z)
    parts = (products - c_fh) / scale - r / 2 * people.square_deviations / people.v_h
    return parts / people.m[people.item]


def _without_judge(people: People, v_f: float, *, is_constant: bool) -> Agreement:
    rho, none = people.agreement, np.zeros((2, 2))
    errors = Errors(none, none, 1, people.effective_raters)
    if not np.isnan(rho.value):
        u = np.stack([0 * people.u, people.u]) if people.adds_raters else None
        errors = people.errors(np.stack([0 * people.psi, people.psi]), u)
    return Agreement(nan, rho.value, errors, people.n, v_f, CONSTANT if is_constant else rho.reason)


LEAST, MOST = 1e-4, 1e3  # of K_low
STEPS = 60  # halvings of log K


def worth_in_raters(r: float, rho: float) -> float:
    """Return K = q^2 (1 - rho) / (rho (1 - q^2)), q = r / sqrt(rho).

    NaN where rho <= 0; 0 where r <= 0; inf where q^2 >= 1.
    """
    if np.isnan(r) or not rho > 0:
        return nan
    if r <= 0:
        return 0.0
    squared = r**2 / rho
    return inf if squared >= 1 else squared * (1 - rho) / (rho * (1 - squared))


def agreement_of_mean(k: float, rho: float) -> tuple[float, float]:
    """Return h, a rater's correlation with the mean of k others, and its derivative in rho."""
    size = 1 + (k - 1) * rho
    return rho * sqrt(k / size), sqrt(k) * (1 + (k - 1) * rho / 2) / size**1.5


def largest_worth(r: float, rho: float, t: float, variances: tuple[float, float, float]) -> float:
    """Return the largest K in .0001..1000 with r - h(K) - t SE > 0 by bisection; 0 for none.

    variances: v_FF, v_HH, v_FH of r and rho.
    """
    v_ff, v_hh, v_fh = variances

    def is_proven(k: float) -> bool:
        h, slope = agreement_of_mean(k, rho)
        variance = v_ff + slope**2 * v_hh - 2 * slope * v_fh
        return r - h - t * sqrt(max(0.0, variance)) > 0

    if not is_proven(LEAST):
        return 0.0
    if is_proven(MOST):
        return MOST
    low, high = log(LEAST), log(MOST)
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_proven(exp(middle)) else (low, middle)
    return exp(low)


def smaller_root(r: float, rho: float, t: float, variances: tuple[float, float, float]) -> float:
    """Return the smaller root k of k^2 (rho^2 - t^2 v_HH) - 2k (r rho - t^2 v_FH) + r^2 - t^2 v_FF.

    NaN where rho is not significant (the quadratic then opens downwards) or there is no root.
    """
    v_ff, v_hh, v_fh = variances
    square, half, rest = rho**2 - t**2 * v_hh, r * rho - t**2 * v_fh, r**2 - t**2 * v_ff
    inside = half**2 - square * rest
    if np.isnan(rho) or rho <= 0 or square <= 0 or inside < 0:
        return nan
    return (half - sqrt(inside)) / square
