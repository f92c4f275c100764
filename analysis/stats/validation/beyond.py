"""Compare judge and raters beyond all that may be known of an item without reading it, at once.

features = describe_items(people.n, lengths, {"system": systems, "content": contents})
left = take_out(people, features)        residuals of the ratings
compare_beyond(left, judge)           rho', r', theta' on them, then within small groups
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import sparse

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.validation.agreement import Agreement, compare_judge
from analysis.stats.validation.criteria import FEWEST_ITEMS_A_GROUP
from analysis.stats.validation.people import People
from analysis.stats.validation.small_groups import within_groups

LENGTH, SYSTEM, RATERS = "length", "system", "raters"
JOINT = "all that is known"  # the part of a check on residuals, over all items
SAME_WITHIN = 1e-6  # share of a judge's variance below which nothing is left of it
RANK = 1e-10  # relative size of an eigenvalue that is rounding
ONE_GROUP = "there are not two groups"
FEW_A_GROUP = "there are too few rated items a group"
ONE_LENGTH = "all texts are equally long"
FEWEST = {SYSTEM: 2}  # items a group, before its mean is taken out; of other groupings five


@dataclass(frozen=True)
class Known:
    """What is known of n items: a partition, and columns beside it.

    group: codes (n,) of the finest partition; table: (n, p), the other columns; inverse: the
    pseudo-inverse (p, p) of their products less the groups' means. rank: of all; names: what is
    taken out; small: {name: codes (n,)} of groupings with few items a group; skipped: {name: why}.
    """

    group: Ints
    table: sparse.csr_array
    inverse: Floats
    rank: int
    names: tuple[str, ...]
    small: dict[str, Ints]
    skipped: dict[str, str]

    @property
    def columns(self) -> Floats:
        """Return all columns (n, C), the groups' indicators first."""
        return np.hstack([_indicators(self.group).toarray(), self.table.toarray()])

    def fit(self, values: Floats) -> Floats:
        """Return the least-squares fit (n, K) of values (n, K) by all that is known."""
        means = _means_of_groups(self.group, values)
        fitted = self.table @ (self.inverse @ (self.table.T @ (values - means)))
        out: Floats = means + fitted - _means_of_groups(self.group, fitted)
        return out


@dataclass(frozen=True)
class Left:
    """The people of the same items without what is known of them.

    small: of each small grouping (name, the people within its groups, what is known of their items,
    which of the items (n,)). skipped: {name: why} of what could not be taken out.
    """

    people: People
    features: Known
    small: tuple[tuple[str, People, Known, Flags], ...]
    skipped: dict[str, str]


def describe_items(
    n: int,
    lengths: Floats | None,
    groupings: dict[str, Ints],
    columns: dict[str, Floats] | None = None,
    fewest: dict[str, int] = FEWEST,
) -> Known:
    """Gather the columns of what is known of n items.

    lengths: (n,) or None; groupings: {name: codes (n,)}; columns: {name: (n, K)}, other numbers;
    fewest: items a group, on average, of which a grouping is taken out by its means; others are
    small. Cells of two groupings count where they have five items.
    """
    compact = {name: np.unique(codes, return_inverse=True)[1] for name, codes in groupings.items()}
    names, tables = list(columns or {}), [*(columns or {}).values()]
    small: dict[str, Ints] = {}
    skipped: dict[str, str] = {}
    parts: list[Ints] = [np.zeros(n, dtype=np.int64)]
    if lengths is not None and n and np.ptp(lengths) > 0:
        names.append(LENGTH)
        tables.append(_length_columns(lengths))
    elif lengths is not None:
        skipped[LENGTH] = ONE_LENGTH
    for name, codes in compact.items():
        n_groups = int(codes.max(initial=-1)) + 1
        if n_groups < 2:
            skipped[name] = ONE_GROUP
        elif n < fewest.get(name, FEWEST_ITEMS_A_GROUP) * n_groups:
            small[name] = codes
        else:
            names.append(name)
            parts.append(codes)
    parts += _cells(compact)
    group = max(parts, key=lambda codes: codes.max(initial=0))
    indicators = [_indicators(codes) for codes in parts if codes is not group]
    tables.append(np.zeros((n, 1)))  # so that there is one
    table = sparse.csr_array(sparse.hstack([*map(sparse.csr_array, tables), *indicators]))
    inverse, rank = _invert(table, group)
    return Known(group, table, inverse, rank, tuple(names), small, skipped)


def take_out(people: People, features: Known) -> Left:
    """Take all that is known of the items out of their ratings.

    A fit of p columns takes p/n of the chance in the items' means with it, so that rho' would be
    too low; what is left of the means is multiplied by sqrt(n / (n - p)). Groupings with few items
    a group would take more: their products are compared within groups, and all else is fitted
    within groups too. (A fit over all items, of a judge that knows the group alone, would leave
    people's own chance within it.) There is no such check where most items are alone in their
    group, or groups cut across clusters.
    """
    rest = _replace_means(people, features, people.n, features.rank)
    small, skipped = [], dict(features.skipped)
    for name, codes in features.small.items():
        inside, keep = within_groups(people, codes)
        if inside is None:
            skipped[name] = FEW_A_GROUP
            continue
        own = _fit_within(features, inside.group, keep)
        n_free = inside.n - int(inside.group.max()) - 1
        n_columns = own.rank - (inside.n - n_free)
        small.append((name, _replace_means(inside, own, n_free, n_columns), own, keep))
    return Left(rest, features, tuple(small), skipped)


def _replace_means(people: People, features: Known, n_free: int, n_columns: int) -> People:
    """Return the people with what is left of the items' means, scaled up for p of n columns."""
    left = people.means - features.fit(people.means)
    scale = np.sqrt(n_free / max(n_free - n_columns, 1))
    own = people.values - people.means[people.item]
    return people.replace_values(own + scale * left[people.item])


def _fit_within(features: Known, group: Ints, keep: Flags) -> Known:
    """Return what is known of the items kept (flags), by their groups and all other columns."""
    both = sparse.csr_array(sparse.hstack([features.table, _indicators(features.group)]))[keep]
    sizes, sums = np.bincount(group), _indicators(group).T @ both
    squares = both.multiply(both).sum(axis=0)
    varies = squares - sums.multiply(sums).T @ (1 / sizes) > RANK * squares
    table = sparse.csr_array(both[:, np.flatnonzero(varies)])
    inverse, rank = _invert(table, group)
    return Known(group, table, inverse, rank, features.names, {}, {})


def compare_beyond(left: Left, judge: Floats) -> tuple[tuple[str, Agreement], ...]:
    """Return (name, r', rho', theta') of the joint check, then of each small grouping.

    judge: (n, K), a row for each item of the people that were given. r' is NaN where all but 1e-6
    of the judge's variance is explained.
    """
    floor = SAME_WITHIN * float(((judge - judge.mean(axis=0)) ** 2).sum(axis=1).mean())
    residuals = judge - left.features.fit(judge)
    joint = compare_judge(left.people, residuals, floor=floor)
    within = (
        (name, compare_judge(people, judge[keep] - own.fit(judge[keep]), floor=floor))
        for name, people, own, keep in left.small
    )
    return ((JOINT, joint), *within)


def raters_other_ratings(people: People) -> Floats:
    """Return the mean (n, K) of what an item's raters gave to their other items, less that of all.

    A rater who is centred on his or her own mean, or has no other rating, counts 0.
    """
    counts = people.counts[people.rater, None]
    others = people.sum_by_rater(people.values)[people.rater] - people.values
    others = others / np.maximum(counts - 1, 1) - people.values.mean(axis=0)
    is_spared = people.is_in_panel[people.rater, None] | (counts < 2)
    return people.sum_by_item(np.where(is_spared, 0.0, others)) / people.m[:, None]


def _cells(groupings: dict[str, Ints]) -> Iterator[Ints]:
    """Yield codes (n,) of the cells of two groupings with five items or more; 0 is all others."""
    for first, second in combinations(groupings.values(), 2):
        cell = np.unique(first * (second.max(initial=0) + 1) + second, return_inverse=True)[1]
        sizes = np.bincount(cell)
        is_large = sizes >= FEWEST_ITEMS_A_GROUP
        if is_large.any():
            yield np.where(is_large, np.cumsum(is_large), 0)[cell]


def _indicators(codes: Ints) -> sparse.csr_array:
    shape = len(codes), int(codes.max(initial=0)) + 1
    return sparse.csr_array((np.ones(len(codes)), (np.arange(len(codes)), codes)), shape=shape)


def _length_columns(lengths: Floats) -> Floats:
    """Return columns (n, 10): the standardised logarithm of the length, and its deciles."""
    log_length = np.log1p(lengths)
    deciles = np.quantile(log_length, np.arange(1, 10) / 10)
    spread = (log_length - log_length.mean()) / log_length.std()
    return np.column_stack([spread, log_length[:, None] > deciles])


def _invert(table: sparse.csr_array, group: Ints) -> tuple[Floats, int]:
    """Return the pseudo-inverse of the columns' products less groups' means, and the rank of all.

    Source: Frisch & Waugh (1933), Econometrica 1: the columns without what the groups explain.
    """
    own = (table.T @ table).toarray()
    by_group = _indicators(group)
    sizes = np.maximum(np.bincount(group), 1)
    sums = (by_group.T @ table).toarray()
    products = own - sums.T @ (sums / sizes[:, None])
    norm = np.sqrt(np.maximum(np.diag(own), 1e-300))
    values, vectors = np.linalg.eigh(products / norm / norm[:, None])
    keep = values > RANK
    scaled = vectors[:, keep] / norm[:, None]
    rank = int((np.bincount(group) > 0).sum() + keep.sum())
    return (scaled / values[keep]) @ scaled.T, rank


def _means_of_groups(group: Ints, values: Floats) -> Floats:
    sizes = np.maximum(np.bincount(group), 1)
    columns = [np.bincount(group, column) / sizes for column in values.T]
    return np.stack(columns, axis=1)[group]
