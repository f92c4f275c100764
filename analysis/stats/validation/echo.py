"""Look for raters who agree with a judge more than with people, as if they pasted its answers.

echo = find_echoes(people, judges, seed=1)      for all judges on the same items
echo.study_p, echo.rater_p
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.validation.people import People

DRAWS = 999
MOST_AT_ONCE = 500_000  # ratings of permutations in memory
TINY = 1e-12


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
) -> Echo:
    """Permute each item's ratings among its raters to test who follows a judge beyond people.

    judges: (J, n) or, for labels, (J, n, K), of the items of `people`, without NaN; they share the
    permutations, which are what takes time: n_draws sorts of all ratings. T_j = sum_i z_ij (F_i -
    o_ij) / sqrt(n_j), F and the others' mean o standardised over ratings. p = (1 + #) / (draws +
    1). Raises ValueError for another shape or NaN.
    Source: max-T, Westfall & Young (1993), Resampling-Based Multiple Testing.
    """
    values = judges[:, :, None] if judges.ndim == 2 else judges
    if values.shape[1:] != people.means.shape or np.isnan(values).any():
        raise ValueError(f"judges: expected (J, n) without NaN, found {judges.shape}")
    rng = np.random.default_rng(seed)
    products = np.stack([_products(people, answers) for answers in values])
    rows, by_rater = np.ascontiguousarray(products.T), np.argsort(people.rater, kind="stable")
    observed = _sums_by_rater(people, rows, by_rater[None])
    drawn = [
        _sums_by_rater(people, rows, orders) for orders in _permuted(people, by_rater, n_draws, rng)
    ]
    # The data are one of the permutations: left out, they would look farther away than a draw does.
    pooled = np.concatenate([observed, *drawn])
    spread = pooled.std(axis=0, ddof=1)
    usable = spread > TINY
    scale = np.where(usable, spread, 1.0)
    mean = pooled.mean(axis=0)
    t = np.where(usable, (pooled - mean) / scale, np.nan)
    return _test(t[0], t[1:])


def _products(people: People, judge: Floats) -> Floats:
    """Return z_ij (F_i - o_ij) of each rating (N,), F and o standardised over ratings."""
    scores, others = (_standardise(v) for v in (judge[people.item], people.z_others))
    return np.einsum("nk,nk->n", people.z, scores - others)


def _standardise(values: Floats) -> Floats:
    centred = values - values.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=1).mean())
    return centred / spread if spread > TINY else np.full_like(centred, np.nan)


def _sums_by_rater(people: People, products: Floats, orders: Ints) -> Floats:
    """Return T (D, J, R): sums of (N, J) by rater over the root of the rater's ratings.

    orders: (D, N), each the rows of the first rater's ratings, then of the second's, and so on.
    """
    sizes, (n_orders, n) = np.bincount(people.rater, minlength=people.n_raters), orders.shape
    ends = np.concatenate([[0], np.cumsum(np.tile(sizes, n_orders))])
    shape = n_orders * people.n_raters, n
    sums = csr_array((np.ones(orders.size), orders.ravel(), ends), shape=shape) @ products
    by_order = sums.reshape(n_orders, people.n_raters, -1)
    return (by_order / np.sqrt(sizes)[:, None]).transpose(0, 2, 1)


def _permuted(
    people: People, by_rater: Ints, n_draws: int, rng: np.random.Generator
) -> Iterator[Ints]:
    """Yield n_draws permuted orders of the ratings, as many (D, N) at once as memory is for."""
    at_once = max(1, MOST_AT_ONCE // max(1, len(by_rater)))
    for start in range(0, n_draws, at_once):
        n_orders = min(at_once, n_draws - start)
        yield np.stack([_permute_within_items(people, rng)[by_rater] for _ in range(n_orders)])


def _permute_within_items(people: People, rng: np.random.Generator) -> Ints:
    """Return an order (N,) of the ratings that is random within each item."""
    return np.argsort(people.item + rng.random(len(people.item)))


def _test(t: Floats, drawn: Floats) -> Echo:
    """Return the p-values of t (J, R) by its permutations (D, J, R)."""
    n_draws = len(drawn)
    largest = np.nan_to_num(drawn, nan=-np.inf).max(axis=2, initial=-np.inf)
    rater_p = (1 + (largest[:, :, None] >= t).sum(axis=0)) / (n_draws + 1)
    total, totals = np.nansum(t**2, axis=1), np.nansum(drawn**2, axis=2)
    study_p = (1 + (totals >= total).sum(axis=0)) / (n_draws + 1)
    defined = ~np.isnan(t)
    return Echo(
        np.where(defined.any(axis=1), study_p, np.nan), np.where(defined, rater_p, np.nan), t
    )
