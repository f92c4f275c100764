"""Choose a judge's threshold on some items, and measure what it is worth on others.

best_threshold(scores, positive, "youden")      the threshold with the largest J, or F1
at_threshold(scores, positive, threshold)       sensitivity, specificity and F1, with intervals

scores: the judge (N,); a score >= threshold calls an item positive; NaN drops the item.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, choose, complete_pairs
from analysis.stats.intervals.bootstrap import cluster_sums, weighted_sums, with_interval
from analysis.stats.replacement.selection import share


def _youden(hits: Floats, alarms: Floats, positives: int, negatives: int) -> Floats:
    # Whole numbers: shares that are equal could differ by a rounding error.
    return hits * negatives - alarms * positives


def _f1(hits: Floats, alarms: Floats, positives: int, negatives: int) -> Floats:
    return 2 * hits / (hits + alarms + positives)


CRITERIA = {"youden": _youden, "f1": _f1}


def best_threshold(scores: ArrayLike, positive: ArrayLike, criterion: str = "youden") -> float:
    """Return the score with the largest criterion; among equal criteria the highest score.

    scores, positive: (N,). "youden": J = sensitivity + specificity - 1; "f1": the harmonic mean of
    precision and recall. NaN when one class is empty. Raises ValueError for another criterion.
    Source: Youden (1950), Cancer 3.
    """
    worth = choose(CRITERIA, criterion, "criterion")
    xs, ys = complete_pairs(scores, positive)
    positives, negatives = int((ys == 1).sum()), int((ys != 1).sum())
    if not positives or not negatives:
        return np.nan
    scale, codes = np.unique(xs, return_inverse=True)
    hits, alarms = (
        np.bincount(codes, side, minlength=len(scale))[::-1].cumsum() for side in (ys == 1, ys != 1)
    )
    return float(scale[::-1][np.argmax(worth(hits, alarms, positives, negatives))])


@dataclass(frozen=True)
class OperatingPoint:
    """What a threshold is worth: sensitivity, specificity and F1, each with its n."""

    sensitivity: Estimate
    specificity: Estimate
    f1: Estimate


def at_threshold(
    scores: ArrayLike,
    positive: ArrayLike,
    threshold: float,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> OperatingPoint:
    """Measure the items called positive, those with scores >= threshold.

    scores, positive, clusters: (N,). Estimate.n: positives, negatives, all complete pairs.
    Sensitivity is NaN without positives, specificity without negatives, F1 where nothing is
    positive and nothing called so. Raises ValueError for unequal lengths.
    """
    xs, ys, units = complete_pairs(scores, positive, clusters)
    called, good = xs >= threshold, ys == 1
    return OperatingPoint(
        share(called & good, good, "no positive item", units, counts),
        share(~called & ~good, ~good, "no negative item", units, counts),
        _f1_estimate(called, good, units, counts),
    )


def _f1_estimate(
    called: NDArray[np.bool_],
    good: NDArray[np.bool_],
    units: Ints | None,
    counts: NDArray[Any] | None,
) -> Estimate:
    both, either = (called & good).astype(np.float64), called.astype(np.float64) + good
    defined = either.sum() > 0
    value = float(2 * both.sum() / either.sum()) if defined else np.nan
    reason = "" if defined else "no item is positive or called so"

    def draws(units: Ints, counts: NDArray[Any]) -> Floats:
        sums = weighted_sums(counts, cluster_sums(units, counts.shape[1], both, either))
        return 2 * sums[:, 0] / sums[:, 1]

    return with_interval(Estimate(value, n=len(good), reason=reason), units, counts, draws)
