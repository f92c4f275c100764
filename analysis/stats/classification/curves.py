"""Draw curves of a judge's scores against a binary reference, with bootstrap bands.

roc_band(scores, positive, grid, clusters=, counts=)    pointwise band of the ROC curve
precision_recall_curve(scores, positive)                points of the curve, JSON-safe
average_precision(scores, positive)                     the area under it, with interval

scores: the judge (N,), larger = more positive; positive: 1 or 0; NaN on either side drops the pair.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.classification.classification import (
    ONE_CLUSTER,
    is_class_in_one,
    of_two_classes,
)
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, as_floats, complete_pairs, scale_codes
from analysis.stats.intervals.bootstrap import (
    LEVEL,
    are_alike,
    blocks,
    cluster_table,
    fitting_clusters,
    with_interval,
)

SAME = 1e-9  # a share of the grid that misses a step of the curve by this much stands on it


@dataclass(frozen=True)
class Band:
    """A pointwise 95 % percentile band of the true positive rate at each false positive rate.

    grid, low, high: of the same length, empty (and `reason` says why) where there is no curve.
    undefined_draws: draws without one of the two classes, which are left out.
    """

    grid: list[float]
    low: list[float]
    high: list[float]
    undefined_draws: int = 0
    reason: str = ""


def roc_band(
    scores: ArrayLike,
    positive: ArrayLike,
    grid: ArrayLike,
    *,
    clusters: Ints,
    counts: NDArray[Any],
) -> Band:
    """Compute a ROC curve's band from the draws' true positive rates at a grid of false ones.

    scores, positive, clusters: (N,); grid: (G,) in 0..1. Between two points the curve is straight;
    where it rises steeply its upper end counts. Each point has an interval of its own: the whole
    curve lies within the band less often than in 95 %.
    Raises ValueError for unequal lengths and counts that do not fit.
    Source: Macskassy, Provost & Rosset (2005), ROC confidence bands, vertical averaging.
    """
    xs, ys, units = complete_pairs(scores, positive, clusters)
    units = fitting_clusters(units, counts)
    if reason := _why_no_curve(ys):
        return Band([], [], [], reason=reason)
    if units.min() == units.max():
        return Band([], [], [], reason="no band: all observations are in one cluster")
    if is_class_in_one(ys, units):
        return Band([], [], [], reason=f"no band: {ONE_CLUSTER}")
    points = as_floats(grid, "grid")
    rates = np.concatenate([_rates_at(points, *pair) for pair in _by_class(xs, ys, units, counts)])
    if not len(rates):
        return Band([], [], [], len(counts), "no band: undefined in every draw")
    low, high = np.quantile(rates, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    if are_alike(low, high).all():
        return Band([], [], [], len(counts) - len(rates), "no band: it has no width")
    return Band(points.tolist(), low.tolist(), high.tolist(), len(counts) - len(rates))


def _why_no_curve(positive: Floats) -> str:
    if len(positive) == 0:
        return "no complete pairs"
    if positive.min() == positive.max():
        return f"all {len(positive)} values of the reference are equal to {positive[0]:g}"
    return ""


def _by_class(
    xs: Floats, ys: Floats, units: Ints, counts: NDArray[Any]
) -> Iterator[tuple[Floats, Floats]]:
    """Yield blocks of draws as counts (D, K) of negatives and of positives, the top score first."""
    scale, codes = scale_codes(xs)
    size = len(scale)
    codes = size - 1 - codes
    tables = [
        cluster_table(units[ys == side], counts.shape[1], codes[ys == side], size)
        for side in (0, 1)
    ]
    for block in blocks(counts, 4 * size):
        yield block @ tables[0], block @ tables[1]


def _rates_at(grid: Floats, negatives: Floats, positives: Floats) -> Floats:
    """Return true positive rates (D', G) of the draws (D, K) that have both classes."""
    both = (negatives.sum(axis=1) > 0) & (positives.sum(axis=1) > 0)
    x, y = _cumulated(negatives[both]), _cumulated(positives[both])
    draws, points = x.shape
    if not draws:
        return np.empty((0, len(grid)))
    # All draws in one sorted array: draw d takes the numbers from 2d to 2d + 1.
    start = 2.0 * np.arange(draws)[:, None]
    indices = np.searchsorted((x + start).ravel(), (grid + SAME + start).ravel(), side="right")
    here = indices.reshape(draws, len(grid)) - 1 - points * np.arange(draws)[:, None]
    after = np.minimum(here + 1, points - 1)
    x0, x1, y0, y1 = (np.take_along_axis(v, p, 1) for v in (x, y) for p in (here, after))
    width = x1 - x0
    part = np.divide(grid - x0, width, out=np.zeros_like(width), where=width > 0)
    return y0 + np.clip(part, 0, 1) * (y1 - y0)


def _cumulated(counts: Floats) -> Floats:
    """Return the shares (D, K + 1) of the class called positive, from none to all."""
    sums = np.cumsum(counts, axis=1)
    return np.concatenate([np.zeros((len(sums), 1)), sums / sums[:, -1:]], axis=1)


@dataclass(frozen=True)
class PrecisionRecall:
    """Points of a precision-recall curve, from the highest threshold down, all of one length.

    At each threshold (score >= threshold is called positive) the share of the called that are
    positive, and of the positive that are called. Empty, and `reason` says why, with one class.
    """

    precision: list[float]
    recall: list[float]
    thresholds: list[float]
    positives: int
    n: int
    reason: str = ""


def precision_recall_curve(scores: ArrayLike, positive: ArrayLike) -> PrecisionRecall:
    """Return the precision-recall curve with one point per different score.

    scores, positive: (N,). Raises ValueError for unequal lengths.
    """
    xs, ys = complete_pairs(scores, positive)
    positives, n = int((ys == 1).sum()), len(ys)
    if reason := _why_no_curve(ys):
        return PrecisionRecall([], [], [], positives, n, reason)
    scale, codes = np.unique(xs, return_inverse=True)
    called = np.bincount(codes, minlength=len(scale))[::-1].cumsum()
    hits = np.bincount(codes, ys == 1, minlength=len(scale))[::-1].cumsum()
    precision, recall = (hits / called).tolist(), (hits / positives).tolist()
    return PrecisionRecall(precision, recall, scale[::-1].tolist(), positives, n)


def average_precision(
    scores: ArrayLike,
    positive: ArrayLike,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Average precision over the steps of recall, without interpolation: 0..1.

    A judge without any skill has the share of positives. scores, positive, clusters: (N,).
    Estimate.n: complete pairs. NaN when one class is empty: with positives alone every judge
    would have 1. Raises ValueError for unequal lengths.
    Source: sum of (R_k - R_k-1) P_k, as in scikit-learn's average_precision_score.
    """
    xs, ys, units = complete_pairs(scores, positive, clusters)
    reason = _why_no_curve(ys)
    value = np.nan
    if not reason:
        curve = precision_recall_curve(xs, ys)
        value = float(np.diff(curve.recall, prepend=0.0) @ np.array(curve.precision))

    def draws(units: Ints, counts: NDArray[Any]) -> Floats:
        return np.concatenate([_precisions(*pair) for pair in _by_class(xs, ys, units, counts)])

    estimate = with_interval(Estimate(value, n=len(xs), reason=reason), units, counts, draws)
    return of_two_classes(estimate, ys, units)


def _precisions(negatives: Floats, positives: Floats) -> Floats:
    """Return average precision (D,) from counts (D, K) of both classes; NaN if a class is empty."""
    hits, total = np.cumsum(positives, axis=1), np.cumsum(negatives + positives, axis=1)
    precision = np.divide(hits, total, out=np.zeros_like(hits), where=total > 0)
    both = (negatives.sum(axis=1) > 0) & (hits[:, -1] > 0)
    return np.where(both, np.einsum("dk,dk->d", positives, precision) / hits[:, -1], np.nan)
