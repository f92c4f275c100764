"""Check what r and rho alone do not tell: level, known features, plain items, held ratings, echoes.

level = measure_level(people, judge)       how far a judge's mean is from people's
left = take_out(people, describe_items(people.n, lengths, {"system": systems}))
compare_beyond(left, judge)                rho', r', theta' beyond all that is known of an item
outs = ends_of(values)                     the items at either end, which are taken out in turn
find_held(tabulate_ratings(people, scale), judge, scale)
find_rare_class(means, scores, scale, .2)  how often a judge finds a rare class
find_echoes(people, judges)                raters who paste a judge's answers
find_lowering_raters(people)               raters without whom the others of a panel agree more
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np
from scipy import sparse
from scipy.special import gammainc, gammaincc, ndtr

from analysis.stats.comparison.differences import holm
from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.validation.criteria import FEWEST_ITEMS_A_GROUP, Criteria, Scale
from analysis.stats.validation.people import (
    NO_ITEM,
    TINY,
    Agreement,
    People,
    Quantity,
    compare_judge,
    within_groups,
)

LENGTH, SYSTEM, RATERS = "length", "system", "raters"
JOINT = "all that is known"  # the part of a check on residuals, over all items
SAME_WITHIN = 1e-6  # share of a judge's variance below which nothing is left of it
RANK = 1e-10  # relative size of an eigenvalue that is rounding
ONE_GROUP = "there are not two groups"
FEW_A_GROUP = "there are too few rated items a group"
ONE_LENGTH = "all texts are equally long"
ITEMS_A_GROUP = {SYSTEM: 2}  # items a group, before its mean is taken out; of other groupings five
FEWEST_OF_REST = 30  # items, of which the rest has to consist
TIMES = 5  # p of the rest of people's ends counts so often: .01 where the judge's has .05
CLOSER = 1e-4  # p of r^2 > rho, from which a judge follows people closer than people can
FINE = 20  # points of a scale, from which sums of ratings seldom tie
MAJORITY = 0.5
NO_SKEWNESS = 1e-4
PROBES = 100  # vectors of random signs, each as long as there are raters
MOST_RATERS = 10  # of a panel: among more, one changes no answer
FEWEST_RATINGS = 10  # of items with three ratings, before a rater is tested
FEWEST_OF_AN_ITEM = 3  # of two raters it cannot be told which is off


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
    fewest: dict[str, int] = ITEMS_A_GROUP,
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


LEAST_END, LARGEST_END = 0.1, 0.35  # of the items: an end is at least, and at most


@dataclass(frozen=True)
class Rest:
    """The largest p of "judge and raters agree among the other items"; share: taken out there."""

    p: float
    share: float


def ends_of(values: Floats) -> list[Flags]:
    """Return flags (n,) of the items of the low end and of the high end, where there is one.

    Whole values are taken from the end until a tenth of the items is out, before more than .35 is.
    Where the first value alone is more, that end is not tested.
    """
    values = np.round(values, 9)
    ends = []
    for sign in (1, -1):
        points, counts = np.unique(sign * values, return_counts=True)
        out = np.cumsum(counts)
        taken = min(
            int((out < LEAST_END * len(values)).sum()) + 1,
            int((out <= LARGEST_END * out[-1]).sum()),
        )
        if taken:
            ends.append(sign * values <= points[taken - 1])
    return ends


RATING, MEAN, CLOSE = "rating", "mean", "close"  # what is held; close: r^2 > rho
SURE, LIKELY = (1e-4, 0.2), (0.01, 0.8)  # (p below, share of the possible excess at least)
NEAR, ALMOST_ALL, FEWEST_APART = (
    0.006,
    0.9,
    20,
)  # of a mean: points, share of items, items that differ


@dataclass(frozen=True)
class Held:
    """What a judge holds: one of the ratings of n_equal of n items, where chance gives `expected`.

    question: whose ratings; blank for the judge's own question.
    """

    kind: str
    n_equal: int
    n: int
    expected: float
    question: str = ""


@dataclass(frozen=True)
class RatingTable:
    """The ratings of n items: rows (n,) of the study, item and value (P,) of distinct ratings.

    stratum (n,): items with the same number and sum of ratings; mean (n,); differs (n,): whether
    raters gave several answers.
    """

    rows: Ints
    stratum: Ints
    item: Ints
    value: Floats
    mean: Floats
    differs: Flags


def tabulate_ratings(people: People, scale: Scale) -> RatingTable:
    """Tabulate the distinct ratings of each item, on a scale of numbers.

    On a scale of more than twenty points, or without any, items whose means are within a twentieth
    of its range are of one stratum.
    """
    values, mean = np.round(people.values[:, 0], 9), people.means[:, 0]
    is_fine = scale.step is None or scale.range > FINE * scale.step
    sums = np.round(mean * FINE / scale.range) if is_fine else np.round(mean * people.m, 6)
    level = np.unique(sums, return_inverse=True)[1]
    stratum = np.unique(people.m * (level.max(initial=0) + 1) + level, return_inverse=True)[1]
    order = np.lexsort((values, people.item))
    item, value = people.item[order], values[order]
    is_new = np.ones(len(item), dtype=bool)
    is_new[1:] = (np.diff(item) != 0) | (np.diff(value) != 0)
    item, value = item[is_new], value[is_new]
    differs = np.bincount(item, minlength=people.n) > 1
    return RatingTable(people.rows, stratum, item, value, mean, differs)


def find_held(table: RatingTable, judge: Floats, scale: Scale) -> Held | None:
    """Say what a judge holds of a question's ratings; None where that is not shown.

    judge: (n_items,), NaN = none; scale: the judge's, to whose points it is rounded.
    """
    scores = judge[table.rows]
    given = ~np.isnan(scores)
    n = int(given.sum())
    if n < FEWEST_APART:
        return None
    near = np.abs(scores - table.mean)[given] < NEAR
    differs = table.differs[given]
    if differs.sum() >= FEWEST_APART and _mostly(near[differs]) and _mostly(near[~differs]):
        return Held(MEAN, int(near.sum()), n, 0.0)
    n_equal, expected, variance = count_equal(table, np.round(scale.round(scores), 9))
    if variance <= 0:
        return None
    p = float(ndtr((expected - n_equal) / sqrt(variance)))
    excess = (n_equal - expected) / (n - expected) if n > expected else 0.0
    is_held = any(p < most and excess >= least for most, least in (SURE, LIKELY))
    return Held(RATING, n_equal, n, expected) if is_held else None


def follows_too_closely(agreement: Agreement, criteria: Criteria) -> Held | None:
    """Say whether a judge follows people closer than people can, which a mean of ratings does."""
    rho = agreement.rho
    agree = rho.value >= criteria.floor and rho.p_above() < criteria.alpha
    if agree and agreement.excess.p_above() < CLOSER:
        return Held(CLOSE, 0, agreement.n, np.nan)
    return None


def count_equal(table: RatingTable, rounded: Floats) -> tuple[int, float, float]:
    """Return on how many items a judge equals a rating, and what chance gives: mean and variance.

    rounded: (n,), NaN = none. Chance deals a stratum's judgments out among its items at random:
    who knows an item well knows the sum of its ratings, and gains nothing within a stratum.
    Source: Hoeffding (1951), A combinatorial central limit theorem, Ann. Math. Statist. 22.
    """
    given = ~np.isnan(rounded)
    inside = given[table.item]
    item, n_items = table.item[inside], len(given)
    both = np.concatenate([table.value[inside], rounded[given]])
    values, codes = np.unique(both, return_inverse=True)
    strata = np.concatenate([table.stratum[item], table.stratum[given]])
    keys = np.unique(strata * len(values) + codes, return_inverse=True)[1]
    of_rating, of_judgment = keys[: len(item)], keys[len(item) :]
    n_keys = int(keys.max(initial=-1)) + 1
    ratings = np.bincount(of_rating, minlength=n_keys)
    judgments = np.bincount(of_judgment, minlength=n_keys)
    size = np.bincount(table.stratum[given], minlength=int(table.stratum.max()) + 1)
    # The table a_ij (judgment j equals a rating of item i) of a stratum: its rows and columns.
    own = np.bincount(item, judgments[of_rating], minlength=n_items)[given]
    stratum = table.stratum[given]
    row, column = own / size[stratum], ratings[of_judgment] / size[stratum]
    total = np.bincount(stratum, row, minlength=len(size))
    squares = (
        size * total
        - size * (np.bincount(stratum, row**2 + column**2, minlength=len(size)))
        + total**2
    )
    n_equal = int((of_judgment[np.searchsorted(np.flatnonzero(given), item)] == of_rating).sum())
    variance = float((np.maximum(squares, 0) / np.maximum(size - 1, 1)).sum())
    return n_equal, float(total.sum()), variance


def _mostly(flags: Flags) -> bool:
    return not len(flags) or bool(flags.mean() >= ALMOST_ALL)


@dataclass(frozen=True)
class RareClass:
    """How often a judge finds a label.

    n_majority: items that more than half of their raters give it; n_marked: items to which the
    judge gives it; n_hits: items of both.
    """

    n_majority: int
    n_marked: int
    n_hits: int


def find_rare_class(
    means: Floats, scores: Floats, scale: Scale, rare_share: float
) -> RareClass | None:
    """Count how often a judge finds the rarest label of a binary question or a choice.

    means, scores: of people and judge, (n, K). Of two labels the rarer counts however frequent it
    is, of more only one that people use with at most `rare_share`. None where there is no such.
    """
    if means.shape[1] == 1 and scale.step is not None and scale.step == scale.range:
        means, scores = (
            np.hstack([scale.high - values, values - scale.low]) / scale.range
            for values in (means, scores)
        )
    shares = means.sum(axis=0) / max(len(means), 1)
    used = np.flatnonzero(shares > 0)
    if len(shares) < 2 or not len(used):
        return None
    rarest = used[np.argmin(shares[used])]
    if len(shares) > 2 and shares[rarest] > rare_share:
        return None
    is_majority, is_marked = means[:, rarest] > MAJORITY, scores[:, rarest] > MAJORITY
    both = is_majority & is_marked
    return RareClass(int(is_majority.sum()), int(is_marked.sum()), int(both.sum()))


@dataclass(frozen=True)
class Echo:
    """What was found of J judges and R raters.

    study_p: (J,), whether raters differ in how far they follow the judge; rater_p: (J, R), that a
    rater follows it, corrected for the number of raters by Bonferroni's sum; t: (J, R). NaN: the
    judge is constant, or a rater's ratings are the same as the others' of each item.
    """

    study_p: Floats
    rater_p: Floats
    t: Floats

    def flag_raters(self, alpha: float = 0.05) -> Flags:
        """Return which raters (J, R) follow a judge more than people, at the family level."""
        return self.rater_p < alpha


def find_echoes(people: People, judges: Floats) -> Echo:
    """Test who follows a judge beyond people, as if each item's raters had changed places.

    judges: (J, n) or, for labels, (J, n, K), of the items of `people`, without NaN. T_j = sum_i
    z_ij (F_i - o_ij), F and the others' mean o standardised over ratings; t_j is its distance from
    its mean over all permutations of each item's products among its raters, in standard deviations,
    both exact. Of a rater p is Pearson's type III with the exact skewness, of the study (sum t_j^2)
    with the exact mean and variance and the skewness that normal T_j have. Raises ValueError for
    another shape or NaN.
    Source: Mielke & Berry (2007), Permutation Methods, ch. 2.
    """
    values = judges[:, :, None] if judges.ndim == 2 else judges
    if values.shape[1:] != people.means.shape or np.isnan(values).any():
        raise ValueError(f"judges: expected (J, n) without NaN, found {judges.shape}")
    tests = [_test(people, _products(people, answers)) for answers in values]
    study_p, rater_p, t = (np.array(part) for part in zip(*tests, strict=True))
    return Echo(study_p, rater_p, t)


def permutation_moments(people: People, values: Floats, counts: Flags) -> tuple[Floats, Floats]:
    """Return (t, skewness) (R,) of each rater's sum of values (N,), less that of permutations.

    Permutations are of each item's values among its raters; their moments are exact. counts (N,):
    which ratings count. NaN: all permutations give the same sum.
    """
    apart = values - (people.sum_by_item(values) / people.m)[people.item]
    moments = [(people.sum_by_item(apart**k) / people.m)[people.item] for k in (2, 3)]
    sums, variances, thirds = (
        np.bincount(people.rater, np.where(counts, column, 0.0), minlength=people.n_raters)
        for column in (apart, *moments)
    )
    root = np.sqrt(np.where(variances > TINY**2, variances, np.nan))
    return sums / root, thirds / root**3


def upper_tail(t: Floats, skewness: Floats) -> Floats:
    """Return P(T > t) of a shifted gamma variable with mean 0, variance 1 and this skewness."""
    size = np.where(np.abs(skewness) < NO_SKEWNESS, 1.0, np.abs(skewness))
    shape = 4 / size**2
    place = np.maximum(0.0, shape + np.sign(skewness) * t * np.sqrt(shape))
    tail = np.where(skewness > 0, gammaincc(shape, place), gammainc(shape, place))
    return np.where(np.abs(skewness) < NO_SKEWNESS, ndtr(-t), tail)


def _products(people: People, judge: Floats) -> Floats:
    """Return z_ij (F_i - o_ij) of each rating (N,), F and o standardised over ratings."""
    scores, others = (_standardise(v) for v in (judge[people.item], people.z_others))
    return np.einsum("nk,nk->n", people.z, scores - others)


def _standardise(values: Floats) -> Floats:
    centred = values - values.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=1).mean())
    return centred / spread if spread > TINY else np.full_like(centred, np.nan)


def _test(people: People, products: Floats) -> tuple[float, Floats, Floats]:
    """Return (p of the study, p of each rater (R,), t (R,)) of the products (N,) of a judge."""
    t, skewness = permutation_moments(people, products, np.ones(len(products), dtype=bool))
    if np.isnan(t).all():
        return np.nan, t, t
    variance, of_normal = moments_of_study(people, products, ~np.isnan(t))
    excess, p = float(np.nansum(t**2)) - float((~np.isnan(t)).sum()), 1.0
    if variance > TINY:
        p = float(upper_tail(np.array(excess / sqrt(variance)), np.array(of_normal)))
    return p, _p_of_largest(t, skewness), t


def _trace_of_cube(matrix: sparse.csr_array) -> float:
    """Return the trace of a symmetric matrix's cube, of a large one by random signs.

    The square of a large sparse matrix need not be sparse.
    Source: Hutchinson (1990), Communications in Statistics 19.
    """
    n = matrix.shape[0]
    signs = np.eye(n)
    if n > PROBES:
        signs = np.random.default_rng(0).choice([-1.0, 1.0], (n, PROBES)) / sqrt(PROBES)
    once = matrix @ signs
    return float((once * (matrix @ once)).sum())


def _p_of_largest(t: Floats, skewness: Floats) -> Floats:
    """Return the most that the p (R,) of "some rater's t is as large" may be: the sum over raters.

    Raters change places, so that one is low where another is high: as if they were independent, p
    would be too low. t and skewness are rounded, as few differ then.
    """
    values, place = np.unique(np.round(t, 3), return_inverse=True)
    own, counts = np.unique(np.round(skewness[~np.isnan(t)], 2), return_counts=True)
    tails = upper_tail(values[:, None], own[None])
    p: Floats = np.minimum(1.0, tails @ counts)
    return p[place]


def moments_of_study(people: People, products: Floats, tested: Flags) -> tuple[float, float]:
    """Return the exact variance of sum t_j^2, and the skewness that it has for normal T_j.

    With S the covariance of all T, S_i that of item i's part, and A = diag(1 / var T_j): the parts
    of two items are uncorrelated, so that the variance is sum_i var(sum_j A_j Y_ij^2) + 2 (|A S|^2
    - sum_i |A S_i|^2).
    """
    m = people.m

    def total(values: Floats) -> Floats:
        return people.sum_by_item(values)

    apart = products - (total(products) / m)[people.item]
    squares = total(apart**2)
    own, crossed = squares / m, squares / m / (m - 1)  # S_i: own on its diagonal, else -crossed
    shape = people.n, people.n_raters
    has = sparse.csr_array((np.ones(len(apart)), (people.item, people.rater)), shape=shape)
    variances = has.T @ own
    weight = np.where(tested, 1 / np.where(tested, variances, 1.0), 0.0)
    a = weight[people.rater]
    roots, diagonal = sparse.diags_array(np.sqrt(weight)), sparse.diags_array(crossed)
    scaled = sparse.csr_array(
        sparse.diags_array(weight * (variances + has.T @ crossed))
        - roots @ (has.T @ diagonal @ has) @ roots
    )
    second, third = float((scaled.data**2).sum()), _trace_of_cube(scaled)
    both, sums = total(a**2), total(a)
    within = (both - sums**2 / m) * (total(apart**4) - squares**2 / m) / (m - 1)
    of_items = own**2 * both + crossed**2 * (sums**2 - both)
    return float((within - 2 * of_items).sum()) + 2 * second, 8 * third / (2 * second) ** 1.5


def find_lowering_raters(people: People, alpha: float = 0.05) -> dict[int, float]:
    """Return {rater: rho of the others}, that which rises most first, of raters who lower rho.

    Their ratings agree less with the others than their items' ratings do: the part u_ij of each
    rating in the influence on rho is compared with the mean part of its item's ratings, which it is
    on average if raters are exchangeable; Holm over raters. Items with two ratings take no part; a
    rater needs ten others. Nobody is named of more than ten raters.
    """
    if people.is_flat or people.n_raters > MOST_RATERS:
        return {}
    places = np.flatnonzero(adjusted_p(people) < alpha)
    rho = [people.drop_raters(np.arange(people.n_raters) == place).rho for place in places]
    without = zip(people.raters[places].tolist(), rho, strict=True)
    rising = [(rater, own) for rater, own in without if own > people.rho]
    return dict(sorted(rising, key=lambda pair: -pair[1]))


def adjusted_p(people: People) -> Floats:
    """Return the p of each rater (R,) by Holm over those who are tested; NaN for the others."""
    counts = people.m[people.item] >= FEWEST_OF_AN_ITEM
    t, skewness = permutation_moments(people, -people.u, counts)
    enough = np.bincount(people.rater, counts, minlength=people.n_raters) >= FEWEST_RATINGS
    return np.asarray(holm(np.where(enough, upper_tail(t, skewness), np.nan)))
