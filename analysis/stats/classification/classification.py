"""Measure how well a judge's scores tell good from bad: AUC, ROC curve, confusion matrix.

auc(scores, positive)                       binary reference, with interval
ordinal_auc(scores, reference)              (Somers' D + 1) / 2, with interval
roc_curve(scores, positive)                 points of the curve, JSON-safe
confusion_matrix(human, judge, labels)      rows human, columns judge

scores: the judge (N,), larger = more positive; NaN on either side drops the pair.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.correlation.coefficients import Concordance, concordance
from analysis.stats.correlation.correlation_draws import concordance_draws
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import (
    ROUNDING,
    Floats,
    Ints,
    as_floats,
    complete_pairs,
    label_codes,
    scale_codes,
)
from analysis.stats.intervals.bootstrap import blocks, cluster_table, with_interval

ONE_CLUSTER = "all items of one class are in one cluster"


def auc(
    scores: Floats,
    positive: Floats,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Estimate the probability that a positive scores above a negative, ties counting half: 0..1.

    scores, positive, clusters: (N,); positive is 1 or 0 (or a boolean), NaN = missing.
    Estimate.n: complete pairs. NaN when one of the two classes is empty.
    Raises ValueError for other labels and unequal lengths.
    Source: Mann & Whitney (1947), U / (n1 n0).
    """
    labels = as_floats(positive, "positive")
    strange = labels[~np.isnan(labels) & (labels != 0) & (labels != 1)]
    if len(strange):
        raise ValueError(f"positive: expected 0 or 1, found {strange[0]}")
    return ordinal_auc(scores, labels, clusters=clusters, counts=counts)


def ordinal_auc(
    scores: Floats,
    reference: Floats,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Estimate the probability that the item with the higher reference scores higher: 0..1.

    (Somers' D + 1) / 2, the reference as independent variable; pairs tied in the reference do not
    count, ties of the judge count half. With a binary reference it is the AUC.
    scores, reference, clusters: (N,). NaN when the reference is constant.
    Raises ValueError for unequal lengths.
    Source: Somers (1962), American Sociological Review 27.
    """
    xs, ys, units = complete_pairs(scores, reference, clusters)
    everything = np.zeros(len(xs), dtype=np.int64)
    value = float(_share_won(concordance(xs, ys, everything, 1))[0])
    estimate = with_interval(
        Estimate(value, n=len(xs), reason=_why_undefined(value, ys)),
        units,
        counts,
        lambda units, counts: _draws(xs, ys, units, counts),
    )
    return of_two_classes(estimate, ys, units)


def of_two_classes(estimate: Estimate, classes: Floats, units: Ints | None) -> Estimate:
    """Return the estimate, without its interval if one of two classes (N,) is in one cluster.

    Each draw that has the class at all then has the same of it, so that nothing tells how far
    other items of the class would move the number.
    """
    if units is None or np.isnan(estimate.low) or not is_class_in_one(classes, units):
        return estimate
    return replace(estimate, low=np.nan, high=np.nan, reason=f"no interval: {ONE_CLUSTER}")


def is_class_in_one(classes: Floats, units: Ints) -> bool:
    """Return whether one of two classes (N,) lies in one cluster (N,); False for more classes."""
    labels = np.unique(classes)
    return len(labels) == 2 and any(
        len(np.unique(units[classes == label])) == 1 for label in labels
    )


def _draws(xs: Floats, ys: Floats, units: Ints, counts: NDArray[Any]) -> Floats:
    """Return the share won (D,) in each draw; a binary reference is counted by class and score."""
    classes, which = np.unique(ys, return_inverse=True)
    if len(classes) != 2:
        return _share_won(concordance_draws(xs, ys, units, counts))
    _, codes = scale_codes(xs)
    size = int(codes.max()) + 1
    low, high = (
        cluster_table(units[which == side], counts.shape[1], codes[which == side], size)
        for side in (0, 1)
    )
    return np.concatenate(
        [_won_by_class(block @ low, block @ high) for block in blocks(counts, 4 * size)]
    )


def _won_by_class(low: Floats, high: Floats) -> Floats:
    """Return the share won (D,) by the higher class, from both classes' counts (D, K) by score."""
    beaten = np.cumsum(low, axis=1) - low / 2
    pairs = low.sum(axis=1) * high.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(pairs > 0, np.einsum("dk,dk->d", high, beaten) / pairs, np.nan)


def _share_won(pairs: Concordance) -> Floats:
    """Return the share (D,) of pairs with different references that the scores order alike."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(pairs.untied_y > 0, (pairs.balance / pairs.untied_y + 1) / 2, np.nan)


def _why_undefined(value: float, reference: Floats) -> str:
    if not np.isnan(value):
        return ""
    if len(reference) == 0:
        return "no complete pairs"
    return f"all {len(reference)} values of the reference are equal to {reference[0]:g}"


def at_least(reference: ArrayLike, cut: float) -> Floats:
    """Return 1 where the reference (N,) reaches the cut but for rounding, else 0; NaN stays NaN."""
    values = as_floats(reference, "reference")
    return np.where(np.isnan(values), np.nan, (values >= cut - ROUNDING).astype(np.float64))


@dataclass(frozen=True)
class RocCurve:
    """Points of a ROC curve from (0, 0) to (1, 1), all of the same length.

    At each threshold (score >= threshold is called positive) the shares of false and true
    positives; the first point's threshold is None, as no score reaches it (JSON has no infinity).
    All lists are empty, and `reason` says why, when one class is empty.
    """

    false_positive_rate: list[float]
    true_positive_rate: list[float]
    thresholds: list[float | None]
    positives: int
    negatives: int
    reason: str = ""


def roc_curve(scores: Floats, positive: Floats) -> RocCurve:
    """Return the ROC curve with one point per different score.

    scores, positive: (N,), as for `auc`. Raises ValueError for unequal lengths.
    """
    xs, ys = complete_pairs(scores, positive)
    scale, codes = np.unique(xs, return_inverse=True)
    hits = np.bincount(codes, ys == 1, minlength=len(scale))[::-1].cumsum()
    alarms = np.bincount(codes, ys != 1, minlength=len(scale))[::-1].cumsum()
    positives, negatives = int((ys == 1).sum()), int((ys != 1).sum())
    if positives == 0 or negatives == 0:
        reason = _why_undefined(np.nan, ys)
        return RocCurve([], [], [], positives, negatives, reason)
    return RocCurve(
        [0.0, *(alarms / negatives).tolist()],
        [0.0, *(hits / positives).tolist()],
        [None, *scale[::-1].tolist()],
        positives,
        negatives,
    )


def confusion_matrix(human: Floats, judge: Floats, labels: ArrayLike) -> Ints:
    """Count the pairs of labels: (K, K), rows human, columns judge, in the order of `labels`.

    human, judge: (N,); a pair with a missing side is left out.
    Raises ValueError for values off the scale (round means first) and unequal lengths.
    """
    rows, columns = complete_pairs(human, judge)
    size = len(np.asarray(labels))
    cells = label_codes(rows, labels, "human") * size + label_codes(columns, labels, "judge")
    return np.bincount(cells, minlength=size**2).astype(np.int64).reshape(size, size)
