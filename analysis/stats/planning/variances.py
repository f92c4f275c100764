"""Predict how much an item tells about raters and judge, before anything is rated.

retention_effect(rho, r)          what the judge keeps of raters' agreement
agreement_variance(rho, m)        variance of the agreement of two raters
retention_variance(rho, r, m)     of the retention
level_variance(rho, r, m)         of judge less people's mean
usual_variance(scale)             of one rating on a scale
design_factor(items)              loss by items that come in clusters

The variances are those of one item: divided by the number of items they are squared standard
errors. They hold for normal scores and exchangeable raters, and are close for 5-point scales.
"""

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats
from analysis.stats.planning.grids import as_grid
from analysis.stats.validation.criteria import USUAL, Scale

SAME = 1e-12  # an effect below this is rounding
RETENTION = USUAL.retention  # share of a rater's agreement that a judge has to keep
ASSUMED_ICC = 0.1  # of items of one cluster, without a pilot
LENIENCY = 0.1  # of raters, as a share of what they do not agree on before they round
ROUNDING = 2.3  # over squared points: variance of a normal score cut at points that cutting adds
RELIABILITIES = {"poor": 0.1, "fair": 0.2, "usual": 0.3, "good": 0.5}
FIVE = 5
RATING_VARIANCES = {2: 0.25, FIVE: 1.5, 7: 3.0}  # of one rating, by the points of its scale


def judge_agreement(rho: ArrayLike, quality: ArrayLike | None = None) -> Floats:
    """Return the correlation of the judge with one rating, from its quality.

    rho: agreement of two raters, 0..1; quality: correlation of the judge with what raters share,
    -1..1, or None for a judge that is as good as one rater. The shapes broadcast.
    Raises ValueError for other values.
    Source: Spearman (1904), American Journal of Psychology 15.
    """
    agreement = as_grid(rho, "rho", 0, 1)
    if quality is None:
        return agreement
    return as_grid(quality, "quality", -1, 1) * np.sqrt(agreement)


def retention_effect(rho: ArrayLike, r: ArrayLike, k: ArrayLike = RETENTION) -> Floats:
    """Return the retention r - k rho: above 0, the judge keeps more than the share k.

    rho: agreement of two raters, r: of judge and rater, -1..1; k: at least 0; the shapes
    broadcast. Exactly 0 where only rounding parts them. Raises ValueError for other values.
    """
    agreement, judge = as_grid(rho, "rho", -1, 1), as_grid(r, "r", -1, 1)
    effect = judge - as_grid(k, "k", 0) * agreement
    return np.where(np.abs(effect) < SAME, 0.0, effect)


def mean_variance(rho: ArrayLike, m: ArrayLike) -> Floats:
    """Return the variance of an item's mean of m ratings, in variances of one rating."""
    agreement, ratings = as_grid(rho, "rho", -1, 1), as_grid(m, "m", 1)
    return agreement + (1 - agreement) / ratings


def agreement_variance(rho: ArrayLike, m: ArrayLike) -> Floats:
    """Return the variance that one item adds to the agreement rho of two raters.

    rho: -1..1; m: ratings per item, at least 1; the shapes broadcast. inf at m = 1, which tells
    nothing. Raises ValueError for other values.
    Source: delta method on the mean and the spread of m normal ratings with intraclass
    correlation rho.
    """
    agreement, ratings = as_grid(rho, "rho", -1, 1), as_grid(m, "m", 1)
    between = 2 * (1 - agreement) ** 2 * mean_variance(agreement, ratings) ** 2
    return between + _within(agreement, ratings, agreement, np.ones(()))


def retention_variance(
    rho: ArrayLike, r: ArrayLike, m: ArrayLike, k: ArrayLike = RETENTION
) -> Floats:
    """Return the variance that one item adds to the retention r - k rho.

    rho: agreement of two raters, -1..1; r: of judge and rater, -1..1; m: ratings per item, at
    least 1; k: share to be kept; the shapes broadcast. inf at m = 1. NaN where no judge can
    follow raters so closely: r² above the variance of the mean of m ratings.
    Raises ValueError for other values.
    Source: delta method, as agreement_variance, with the judge as a third normal score:
    2 tr(QSQS) + 2 (m - 1) (1 - rho)² (beta/m - k/(m (m - 1)))², Q the quadratic form of theta.
    """
    agreement, judge = as_grid(rho, "rho", -1, 1), as_grid(r, "r", -1, 1)
    ratings, share = as_grid(m, "m", 1), as_grid(k, "k", 0)
    variance = mean_variance(agreement, ratings)
    beta = judge / 2 - share * agreement
    weight = -(beta + share)
    left = variance - judge**2
    # tr(QSQS) written out: the upper left cell of QS is -r/2 + r/2 = 0.
    trace = left * (0.5 + weight * judge) + (judge / 2 + weight * variance) ** 2
    total = 2 * trace + _within(agreement, ratings, beta, -share)
    return np.where(left < 0, np.nan, total)


def _within(rho: Floats, m: Floats, of_mean: Floats, of_spread: Floats) -> Floats:
    """Return the part of the variance that is due to the spread of an item's m ratings."""
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = of_mean / m + of_spread / (m * (m - 1))
        part = 2 * (m - 1) * (1 - rho) ** 2 * weight**2
    return np.where(m == 1, np.where(np.isnan(rho), np.nan, inf), part)


def level_variance(
    rho: ArrayLike,
    r: ArrayLike,
    m: ArrayLike,
    rating_variance: ArrayLike = 1.0,
    session_items: float = 1.0,
    points: float = inf,
) -> Floats:
    """Return the variance of the judge less the mean of an item's m ratings.

    rho, r, m: as in retention_variance; rating_variance: of one rating, in squared points;
    session_items: ratings of each rater, who is lenient or strict in all of them, so that the items
    vary together; points: of the scale: the fewer, the more of what is not shared is rounding. The
    judge is taken to spread as one rating does. Raises ValueError for other values.
    """
    judge, spread = as_grid(r, "r", -1, 1), as_grid(rating_variance, "rating_variance", 0)
    unshared = np.maximum(1 / (1 + ROUNDING / points**2) - as_grid(rho, "rho", -1, 1), 0)
    own = LENIENCY * unshared * (session_items - 1) / as_grid(m, "m", 1)
    return spread * (1 + mean_variance(rho, m) - 2 * judge + own)


def usual_variance(scale: Scale) -> float:
    """Return the variance of one rating that is usual on a scale, in squared points.

    Of 2, 5 and 7 points what studies show; of other ranges that of 5 points, in proportion.
    """
    points = scale.range + 1
    if scale.step == 1 and points in RATING_VARIANCES:
        return RATING_VARIANCES[int(points)]
    return RATING_VARIANCES[FIVE] * (scale.range / (FIVE - 1)) ** 2


def design_factor(items: ArrayLike, icc: ArrayLike = ASSUMED_ICC) -> Floats:
    """Return by how much clusters of items raise the variance, compared with single items.

    items: of one cluster, at least 1; icc: intraclass correlation of what items add to the
    estimate, from a pilot, -1..1; the shapes broadcast. Raises ValueError for other values.
    Source: Kish (1965), Survey Sampling, ch. 5.
    """
    return 1 + (as_grid(items, "items", 1) - 1) * as_grid(icc, "icc", -1, 1)
