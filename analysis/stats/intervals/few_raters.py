"""Measure what the mean of k raters is worth: its correlation with the mean of the others.

few_raters(ratings, k, rng)     r averaged over random choices of k raters for each unit
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, as_codes, as_floats
from analysis.stats.intervals.bootstrap import cluster_sums, weighted_sums, with_interval

SPLITS = 50
NOISE = 1e-12  # a variance this small beside the mean square is rounding


def few_raters(
    ratings: ArrayLike,
    k: int,
    rng: np.random.Generator,
    *,
    splits: int = SPLITS,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Average, over `splits`, Pearson's r between the mean of k raters and the others' mean.

    ratings: (units, raters), NaN = missing; clusters: (units,). In each split k of a unit's raters
    are drawn at random, unit by unit; units with k ratings or fewer are left out. Estimate.n:
    units; groups: splits; skipped: those with a constant side. NaN where all are, or below two
    units. rng is the only source of chance. Raises ValueError for k or splits below 1.
    Source: the split of raters of leave-one-out reliability; Snow et al. (2008), EMNLP, figure 1,
    draw k annotators in the same way.
    """
    if k < 1 or splits < 1:
        raise ValueError(f"few_raters: found k = {k}, splits = {splits}; expected 1 or more")
    packed, kept = _packed(as_floats(ratings, "ratings", ndim=2), k)
    x, y = _split(packed, k, rng, splits)
    if clusters is not None:
        clusters = as_codes(clusters, "clusters", len(kept))[kept]

    def draws(clusters: Ints, counts: NDArray[Any]) -> Floats:
        table = cluster_sums(clusters, counts.shape[1], *_columns(x, y).T)
        r = _r_of(weighted_sums(counts, table).reshape(len(counts), 6, splits))
        defined = ~np.isnan(r)
        return np.asarray(np.where(defined, r, 0.0).sum(axis=1) / defined.sum(axis=1))

    return with_interval(_mean_of_splits(x, y, k, splits), clusters, counts, draws)


def _mean_of_splits(x: Floats, y: Floats, k: int, splits: int) -> Estimate:
    """Average r over the splits in which it is defined; x and y: (units, splits)."""
    r = _r_of(_columns(x, y).sum(axis=0).reshape(1, 6, splits))[0]
    defined = r[~np.isnan(r)]
    reason = f"fewer than two units have more than {k} ratings" if len(x) < 2 else ""
    return Estimate(
        float(defined.mean()) if len(defined) else np.nan,
        n=len(x),
        groups=splits,
        skipped=splits - len(defined),
        reason="" if len(defined) else reason or "all means of a side are equal in every split",
    )


def _packed(ratings: Floats, k: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Return ratings of the units with more than k, moved to the left; and which units."""
    n_ratings = (~np.isnan(ratings)).sum(axis=1)
    kept = n_ratings > k
    width = int(n_ratings.max(initial=0))
    order = np.argsort(np.isnan(ratings[kept]), axis=1, kind="stable")[:, :width]
    return np.take_along_axis(ratings[kept], order, axis=1), kept


def _split(ratings: Floats, k: int, rng: np.random.Generator, splits: int) -> tuple[Floats, Floats]:
    """Return means of k random ratings of each unit, and of the rest: (units, splits), centred."""
    there = ~np.isnan(ratings)
    n, total = there.sum(axis=1), np.where(there, ratings, 0.0).sum(axis=1)
    x = np.empty((len(ratings), splits))
    for place in range(splits):
        keys = np.where(there, rng.random(ratings.shape), np.inf)
        chosen = np.argsort(keys, axis=1)[:, :k]
        x[:, place] = np.take_along_axis(ratings, chosen, axis=1).sum(axis=1)
    y = (total[:, None] - x) / (n - k)[:, None]
    x = x / k
    return (x - x.mean(axis=0), y - y.mean(axis=0)) if len(x) else (x, y)


def _columns(x: Floats, y: Floats) -> Floats:
    """Return per unit 1, x, y, x², y², xy of every split: (units, 6 · splits)."""
    return np.concatenate([np.ones_like(x), x, y, x**2, y**2, x * y], axis=1)


def _r_of(sums: Floats) -> Floats:
    """Compute Pearson's r (D, S) of sums (D, 6, S); NaN where a side is constant."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, 1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        across, down = xx - x**2 / n, yy - y**2 / n
        r = (xy - x * y / n) / np.sqrt(across * down)
    constant = (across <= NOISE * (xx + 1)) | (down <= NOISE * (yy + 1)) | (n < 2)
    return np.where(constant, np.nan, np.clip(r, -1, 1))
