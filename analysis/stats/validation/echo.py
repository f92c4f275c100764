"""Look for raters who agree with a judge more than with people, as if they pasted its answers.

echo = find_echoes(people, judges, seed=1)      for all judges on the same items
echo.study_p, echo.rater_p
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.validation.people import People

DRAWS = 999
MOST_AT_ONCE = 100_000  # ratings of permutations in memory
MOST_PRODUCTS = 1_000_000  # of permuted ratings and judges in memory
MOST_BY_NEIGHBOURS = 12  # ratings of an item; from there on numpy's own sort is quicker
TINY = 1e-12

Codes = NDArray[np.int32]  # scipy.sparse would copy others


@dataclass(frozen=True)
class Echo:
    """What was found of J judges and R raters.

    study_p: (J,), whether raters differ in how far they follow the judge; rater_p: (J, R), that a
    rater follows it, corrected for the number of raters by their maximum; t: (J, R). NaN: the
    judge is constant, or a rater's ratings are the same as the others' of each item.
    """

    study_p: Floats
    rater_p: Floats
    t: Floats

    def flag_raters(self, alpha: float = 0.05) -> Flags:
        """Return which raters (J, R) follow a judge more than people, at the family level."""
        return self.rater_p < alpha


def find_echoes(
    people: People,
    judges: Floats,
    *,
    n_draws: int = DRAWS,
    seed: int | np.random.Generator = 0,
    alpha: float = 0.05,
) -> Echo:
    """Permute each item's ratings among its raters to test who follows a judge beyond people.

    judges: (J, n) or, for labels, (J, n, K), of the items of `people`, without NaN; they share the
    permutations, which are what takes time: n_draws sorts of all ratings. T_j = sum_i z_ij (F_i -
    o_ij), F and the others' mean o standardised over ratings; t_j is its distance from its mean
    over all permutations in standard deviations, both exact. p = (1 + #) / (draws + 1). A judge
    gets no more draws once its study_p can no longer fall below `alpha`, so that whether it does
    is as after n_draws. Raises ValueError for another shape or NaN.
    Source: max-T, Westfall & Young (1993), Resampling-Based Multiple Testing; the end of draws,
    Besag & Clifford (1991), Biometrika 78.
    """
    values = judges[:, :, None] if judges.ndim == 2 else judges
    if values.shape[1:] != people.means.shape or np.isnan(values).any():
        raise ValueError(f"judges: expected (J, n) without NaN, found {judges.shape}")
    order, sizes = _order_by_size(people)
    rater, n_raters = people.rater[order].astype(np.int32), people.n_raters
    products = np.stack([_products(people, answers) for answers in values], axis=1)
    mean, spread = _moments(people, products)
    products = products[order]
    t = ((_sums_by_rater(products, rater[None], n_raters) - mean) / spread)[0]
    # As far is what differs by rounding alone.
    total, least = np.nansum(t**2, axis=1) * (1 - TINY), t - TINY * np.abs(t)
    most = alpha * (n_draws + 1) - 1
    studies, raters, made = np.zeros(len(t), int), np.zeros(t.shape, int), np.zeros(len(t), int)
    undecided = np.flatnonzero(~np.isnan(t).all(axis=1))
    at_once = max(1, min(n_draws, MOST_AT_ONCE // max(1, len(rater))))
    rng = np.random.default_rng(seed)
    for permuted in _permute_within_items(rater, sizes, (n_draws, at_once), rng):
        if not len(undecided):
            break
        for some in _slices(undecided, max(1, MOST_PRODUCTS // permuted.size)):
            of_these = np.tile(products[:, some], (len(permuted), 1))
            drawn = (_sums_by_rater(of_these, permuted, n_raters) - mean[some]) / spread[some]
            largest = np.nan_to_num(drawn, nan=-np.inf).max(axis=2, keepdims=True)
            studies[some] += (np.nansum(drawn**2, axis=2) >= total[some]).sum(axis=0)
            raters[some] += (largest >= least[some]).sum(axis=0)
        made[undecided] += len(permuted)
        undecided = undecided[studies[undecided] < most]
    defined = ~np.isnan(t)
    study_p, rater_p = (1 + studies) / (made + 1), (1 + raters) / (made + 1)[:, None]
    return Echo(
        np.where(defined.any(axis=1), study_p, np.nan), np.where(defined, rater_p, np.nan), t
    )


def _slices(codes: Ints, size: int) -> Iterator[Ints]:
    """Yield the codes, at most so many at once."""
    yield from (codes[start : start + size] for start in range(0, len(codes), size))


def _products(people: People, judge: Floats) -> Floats:
    """Return z_ij (F_i - o_ij) of each rating (N,), F and o standardised over ratings."""
    scores, others = (_standardise(v) for v in (judge[people.item], people.z_others))
    return np.einsum("nk,nk->n", people.z, scores - others)


def _standardise(values: Floats) -> Floats:
    centred = values - values.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=1).mean())
    return centred / spread if spread > TINY else np.full_like(centred, np.nan)


def _moments(people: People, products: Floats) -> tuple[Floats, Floats]:
    """Return T's mean and SD over all permutations (J, R); NaN where all give the same T."""
    m, rater = people.m[:, None], people.rater[None].astype(np.int32)
    means = (people.sum_by_item(products) / m)[people.item]
    variances = (people.sum_by_item((products - means) ** 2) / m)[people.item]
    mean = _sums_by_rater(means, rater, people.n_raters)[0]
    spread = np.sqrt(_sums_by_rater(variances, rater, people.n_raters)[0])
    return mean, np.where(spread > TINY, spread, np.nan)


def _sums_by_rater(products: Floats, rater: Codes, n_raters: int) -> Floats:
    """Return T (D, J, R): sums of products (D * N, J) by the rater (D, N) who is given each."""
    n_draws, n = rater.shape
    places = rater + n_raters * np.arange(n_draws, dtype=np.int32)[:, None]
    ends = np.arange(rater.size + 1, dtype=np.int32)
    shape = n_draws * n_raters, rater.size
    sums = csc_array((np.ones(rater.size), places.ravel(), ends), shape=shape) @ products
    return sums.reshape(n_draws, n_raters, -1).transpose(0, 2, 1)


def _order_by_size(people: People) -> tuple[Ints, list[tuple[int, int]]]:
    """Return an order (N,) of the ratings, and [(ratings of an item, such items)].

    Of items of one size come all first ratings, then all second ones, and so on.
    """
    place = np.arange(len(people.item)) - (people.m.cumsum() - people.m)[people.item]
    order = np.lexsort((people.item, place, people.m[people.item]))
    sizes, counts = np.unique(people.m, return_counts=True)
    return order, list(zip(sizes.tolist(), counts.tolist(), strict=True))


def _permute_within_items(
    rater: Codes, sizes: list[tuple[int, int]], draws: tuple[int, int], rng: np.random.Generator
) -> Iterator[Codes]:
    """Yield random orders (D, N) of each item's raters.

    rater (N,), sizes: in the order of `_order_by_size`; draws: how many, and how many at once.
    Random numbers are sorted within items; their last bits are the rater's code.
    """
    code = (1 << int(rater.max()).bit_length()) - 1
    n_draws, at_once = draws
    for start in range(0, n_draws, at_once):
        shape = min(at_once, n_draws - start), len(rater)
        keys = rng.integers(1 << 64, size=shape, dtype=np.uint64).view(np.int64) & ~code | rater
        begin = 0
        for m, n_items in sizes:
            end = begin + m * n_items
            _sort_rows(keys[:, begin:end].reshape(-1, m, n_items))
            begin = end
        yield (keys & code).astype(np.int32)


def _sort_rows(keys: Ints) -> None:
    """Sort (D, m, n) along m in place: few rows by comparing neighbours, all items at once."""
    m = keys.shape[1]
    if m > MOST_BY_NEIGHBOURS:
        keys.sort(axis=1)
        return
    for turn in range(m):
        first, second = keys[:, turn % 2 : m - 1 : 2], keys[:, turn % 2 + 1 :: 2]
        smaller = np.minimum(first, second)
        np.maximum(first, second, out=second)
        first[...] = smaller
