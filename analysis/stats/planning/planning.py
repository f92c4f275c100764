"""Plan how many items a verdict takes: before there are any data, and from a pilot.

predict_power(rho, r, m, items)             power of every check, and of all together
plan_items(rho, r, m)                       the items with which all together have a power
expect(rho, r, m)                           what both rest on: an Expected, by normal scores
expect_as_in(evidence, criteria, m)         an Expected by the errors that a pilot measured
forecast(pilot, evidence.n, items)          the chance of a yes with so many items, and its band
items_a_system, systems_power               of a verdict on two systems

The variances are those of one item: divided by the number of items they are squared standard
errors. They hold for normal scores and exchangeable raters, and are close for 5-point scales.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations_with_replacement
from math import inf, isnan, nan, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from analysis.stats.inputs import Flags, Floats
from analysis.stats.validation.criteria import (
    FEWEST_RATERS,
    LEVEL_MARGIN_OF_FIVE,
    LEVEL_SDS,
    SYSTEM_MARGIN_OF_FIVE,
    USUAL,
    Criteria,
    Scale,
)
from analysis.stats.validation.evidence import Evidence
from analysis.stats.validation.people import Agreement


def as_grid(values: ArrayLike, name: str, low: float = -inf, high: float = inf) -> Floats:
    """Return a number or an array of any shape as floats that all lie within low..high.

    NaN passes: what is computed from it is NaN. Raises ValueError for a value outside.
    """
    array = np.asarray(values, dtype=np.float64)
    outside = array[(array < low) | (array > high)]
    if outside.size:
        raise ValueError(f"{name}: expected values within {low:g}..{high:g}, got {outside[0]:g}")
    return array


def check_share(value: float, name: str, low: float, high: float) -> float:
    """Return a number that lies strictly between low and high; else raises ValueError."""
    if not low < value < high:
        raise ValueError(f"{name}: expected a number between {low:g} and {high:g}, got {value:g}")
    return value


TINY = 1e-12  # an effect, or a variance, below this is rounding
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
    return np.where(np.abs(effect) < TINY, 0.0, effect)


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


ALPHA = USUAL.alpha  # of each check, one-sided
POWER = 0.8
NODES, WEIGHTS = special.roots_hermitenorm(32)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
MOST = 1e9  # items, more than can be collected
STEPS = 64


def pass_together(*checks: tuple[ArrayLike, float]) -> Floats:
    """Return the probability that checks are all passed that share something.

    checks: (margin in standard errors, share of its variance that is common to all, below 1) of
    each. Given what they share, each is passed by itself.
    """
    given = [
        special.ndtr((np.asarray(margin)[..., None] + sqrt(shared) * NODES) / sqrt(1 - shared))
        for margin, shared in checks
    ]
    return np.asarray(np.prod(np.broadcast_arrays(*given), axis=0) @ WEIGHTS)


def fewest_that_reach(power: float, predict: Callable[[Floats], Floats]) -> float:
    """Return the smallest whole number whose predicted power is this; inf beyond a billion.

    predict: of numbers, at least 1, in rising order; its power is taken to rise with them.
    Raises ValueError for a power outside .5..1.
    """
    return fewest(lambda numbers: predict(numbers) >= check_power(power))


def fewest(is_enough: Callable[[Floats], Flags], more_than: float = 0) -> float:
    """Return the smallest whole number above more_than that is enough; inf beyond a billion.

    is_enough: of numbers in rising order; once true, it is taken to stay true.
    """
    low, high = float(more_than), MOST  # low is not enough, high is
    if not is_enough(np.array([high]))[0]:
        return inf
    while high - low > 1:
        tried = np.unique(np.geomspace(low + 1, high, STEPS).round())
        place = int(np.argmax(is_enough(tried)))
        low, high = (tried[place - 1] if place else low), tried[place]
        if high == low + 1 or not place:
            break
    return float(high)


def check_power(power: float) -> float:
    """Return a power within .5..1, below 1; else raises ValueError."""
    if not 0.5 <= power < 1:
        raise ValueError(f"power: expected a number in .5..1, below 1, got {power:g}")
    return power


CLOSEST = 0.999  # correlation of an answer, before it is cut, with quality


def skewed_shares(points: int) -> Floats:
    """Return shares of answers (points,) of which each is twice the one before; of two .75, .25."""
    weights = np.array([1.0, 3.0]) if points == 2 else 2.0 ** np.arange(points)
    return weights / weights.sum()


@cache
def skewed_variances(
    points: int, rho: float, r: float, m: int, k: float = RETENTION
) -> tuple[float, float]:
    """Return what an item adds to the variances of the agreement rho and the retention r - k rho.

    points: of the scale, 2 or more; the others as in retention_variance. The variances of normal
    scores where rho or r is not above 0, or higher than answers on these points can reach.
    """
    plain = float(agreement_variance(rho, m)), float(retention_variance(rho, r, m, k))
    shares = skewed_shares(points)
    values = np.arange(points) - shares @ np.arange(points)
    spread = float(shares @ values**2)
    cuts = special.ndtri(np.cumsum(shares)[:-1])

    def means(load: float) -> Floats:
        return _chances(cuts, load) @ values

    def excess(load: float, other: Floats, wanted: float) -> float:
        return float(WEIGHTS @ (means(load) * other)) / spread - wanted

    if m < 2 or not 0 < rho < excess(CLOSEST, means(CLOSEST), 0.0):
        return plain
    load = optimize.brentq(lambda own: excess(own, means(own), rho), 0, CLOSEST)
    if not 0 < r < excess(CLOSEST, means(load), 0.0):
        return plain
    of_judge = optimize.brentq(lambda own: excess(own, means(load), r), 0, CLOSEST)

    sets = np.array(list(combinations_with_replacement(range(points), m)))
    counts = (sets[:, :, None] == np.arange(points)).sum(axis=1)
    chances = np.array([stats.multinomial.pmf(counts, m, p) for p in _chances(cuts, load)])
    joint = (chances * WEIGHTS[:, None]).T @ _chances(cuts, of_judge)  # (sets, points)
    sums, squares = counts @ values, counts @ values**2
    of_people = ((sums**2 - squares) / (m * (m - 1)) - rho * squares / m) / spread
    with_judge = np.outer(sums / m, values) / spread
    with_judge -= r / 2 * (values**2 + (squares / m)[:, None]) / spread
    retention = with_judge - k * of_people[:, None]
    return float(joint.sum(axis=1) @ of_people**2), float((joint * retention**2).sum())


def _chances(cuts: Floats, load: float) -> Floats:
    """Return the probability (nodes, points) of each answer to items of each quality."""
    below = special.ndtr((cuts - load * NODES[:, None]) / sqrt(1 - load**2))
    return np.diff(below, prepend=0, append=1, axis=1)


FLOOR = USUAL.floor  # agreement of raters below which no judge is validated
FEWEST_ITEMS, FEWEST_CLUSTERS = USUAL.fewest_items, USUAL.fewest_clusters  # of a verdict
KNOWN_SHARE = 0.2  # of what raters agree on, as is usual: length and system
SAME, SIMILAR = 0.9, 0.5  # what a check beyond what is known, and the rest check, share with it
BINARY = 2  # points, on which there is no rest check
FIXED = 4  # steps to the error of a judge that looks just good enough
CHECKS = ("agreement", "retention", "known", "level")
LENGTH_COLUMNS = 12  # that the joint check takes out always: mean, length, raters' other ratings


@dataclass(frozen=True)
class Targets:
    """What a verdict asks for, and how the items will come.

    retention: share k of a rater's agreement that the judge has to keep; floor: least agreement
    of raters; level_margin: largest difference of level, in points; rating_variance: of one rating,
    in squared points, None where the level is not checked; cluster_items: items of a cluster;
    session_items: ratings of a rater; known: share of what raters agree on that the joint check
    takes out, below 1; groups: systems and other groups of items that it takes out; points: of
    the scale, 0 for no points; is_skewed: whether most answers are at one end; alpha: of every
    check, one-sided.
    """

    retention: float = RETENTION
    floor: float = FLOOR
    level_margin: float = LEVEL_MARGIN_OF_FIVE
    rating_variance: float | None = None
    cluster_items: float = 1.0
    session_items: float = 10.0
    known: float = KNOWN_SHARE
    groups: int = 0
    points: int = 5
    is_skewed: bool = False
    alpha: float = ALPHA


@dataclass(frozen=True)
class Power:
    """Power of the checks of a verdict, each of the shape of the items.

    agreement: that raters agree; retention: that the judge keeps enough of it; known: both beyond
    what is known of items, the joint check; level: that judge and people rate equally high, NaN
    where not checked; joint: of all together, 0 where there are too few items or clusters.
    """

    agreement: Floats
    retention: Floats
    known: Floats
    level: Floats
    joint: Floats

    @property
    def by_check(self) -> dict[str, float]:
        """Return the power of each check that is asked, for one number of items."""
        powers = {name: getattr(self, name).item() for name in CHECKS}
        return {name: power for name, power in powers.items() if not isnan(power)}

    @property
    def hardest(self) -> str:
        """Return the check that is most often failed, for one number of items."""
        return min(self.by_check, key=self.by_check.__getitem__)


@dataclass(frozen=True)
class Order:
    """How raters (rho) and judge (r) are expected to agree, and the share k to be kept.

    of_rho, of_theta: the variances that one item adds to rho and to the retention r - k rho.
    """

    rho: float
    r: float
    k: float
    of_rho: float
    of_theta: float

    @property
    def theta(self) -> float:
        """Return the retention."""
        return float(retention_effect(self.rho, self.r, self.k))

    def margins(self, counted: Floats, m: float, reach: Floats) -> tuple[Floats, Floats]:
        """Return by how many standard errors agreement and retention are above their tests.

        counted: items; reach: of a test, in standard errors. A judge that looks just good enough is
        tested with the larger error of a worse judge.
        """
        larger = np.ones(counted.shape)
        plain = retention_variance(self.rho, self.r, m, self.k)
        for _ in range(FIXED):
            with np.errstate(divide="ignore", invalid="ignore"):
                error = larger * np.sqrt(self.of_theta / counted)
                least = np.minimum(self.k * self.rho + reach * error, self.r)
                larger = np.sqrt(retention_variance(self.rho, least, m, self.k) / plain)
            larger = np.minimum(np.nan_to_num(larger, nan=1.0), 10.0)
        shown = _in_errors(self.theta, self.of_theta, counted)
        return _in_errors(self.rho, self.of_rho, counted) - reach, shown - reach * larger

    def rest_margin(self, n: Floats, left: Floats, m: float) -> Floats:
        """Return the rest check's agreement of judge and mean rating, in standard errors.

        In simulations a good fifth of the items is out there, with a quarter of the agreement.
        """
        spread = max(float(mean_variance(self.rho, m)), TINY)
        agreement = min(max(0.74 * self.r / sqrt(spread), 0.0), 0.999)
        return agreement / sqrt(1 - agreement**2) * np.sqrt(np.maximum(left - 0.22 * n, 0.0))


@dataclass(frozen=True)
class Expected:
    """What a verdict on items of m ratings is expected to measure.

    order: over all items; beyond: beyond what is known of them, first by the joint check; clusters,
    raters: a share of the items; fixed, by_item: numbers that the joint check takes out, in all and
    for each item; bias, margin, spread: of the level, and the variance of one item, NaN where it is
    not checked; own_spread: the same for these raters only; has_rest: whether the rest check is
    asked; widens: whether chance is to be added to the errors that raters add.
    """

    m: float
    order: Order
    beyond: tuple[Order, ...]
    clusters: float
    raters: float
    floor: float
    alpha: float
    fixed: float = 0.0
    by_item: float = 0.0
    bias: float = 0.0
    margin: float = nan
    spread: float = nan
    own_spread: float = nan
    has_rest: bool = True
    widens: bool = True

    def power(self, items: ArrayLike) -> Power:
        """Return the power of every check with these items, at least 1."""
        n = as_grid(items, "items", 1)
        raters, clusters = n * self.raters, n * self.clusters
        # Not exactly as many: raters are worth less than their number where one rates less.
        are_sample = raters > FEWEST_RATERS
        df = np.where(are_sample, np.minimum(raters, clusters), clusters) - 1
        quantile = special.stdtrit(np.maximum(df, 1), 1 - self.alpha)
        # An error adds what raters as a sample add where that is above 0, which chance makes it.
        wider = np.where(are_sample & self.widens, 1 / np.sqrt(pi * raters), 0.0)
        reach = quantile * np.sqrt(1 + wider)
        agreement, retention = self.order.margins(n, self.m, reach)
        if self.floor > 0:
            above = _in_errors(self.order.rho - self.floor, self.order.of_rho, n)
            agreement = np.minimum(agreement, above)
        left = np.maximum(n - self.fixed - n * self.by_item, 0.0)
        beyond = [order.margins(left, self.m, reach) for order in self.beyond]
        of_people = [(agreement, SAME), *((margin, SAME) for margin, _ in beyond)]
        of_judge = [(retention, SAME), *((margin, SAME) for _, margin in beyond)]
        of_known = np.prod([special.ndtr(margin) for both in beyond for margin in both], axis=0)
        if self.has_rest and self.beyond:
            rest = self.beyond[0].rest_margin(n, left, self.m) - quantile
            of_judge.append((rest, SIMILAR))
        joint = pass_together(*of_people) * pass_together(*of_judge)
        level = np.full(n.shape, nan)
        if not isnan(self.margin):
            # These raters' leniency moves the level, though its error alone does not count it.
            own_spread = self.spread if isnan(self.own_spread) else self.own_spread
            counted = np.where(are_sample, self.spread, own_spread)
            moved = np.sqrt(counted / self.spread) if self.spread > 0 else 1.0
            low, high = (
                special.ndtr(
                    moved * (_in_errors(self.margin + side * self.bias, counted, n) - quantile)
                )
                for side in (1, -1)
            )
            level = np.maximum(low + high - 1, 0.0)
            joint = joint * level
        is_enough = (n >= FEWEST_ITEMS) & (clusters >= FEWEST_CLUSTERS) & (left > 0)
        return Power(
            special.ndtr(agreement),
            special.ndtr(retention),
            np.broadcast_to(of_known, n.shape),
            level,
            np.where(is_enough, joint, 0.0),
        )

    def items(self, power: float = POWER) -> float:
        """Return the fewest items with which all checks together have this power, .5..1."""
        return fewest_that_reach(power, lambda n: self.power(n).joint)


def expect(rho: float, r: float, m: int, targets: Targets | None = None) -> Expected:
    """Say what a verdict is expected to measure, by the variances of normal scores.

    rho: agreement of two raters; r: of judge and rater (judge_agreement gives it from the judge's
    quality); m: ratings per item. Raises ValueError for values out of range.
    """
    aims = targets or Targets()
    check_share(aims.alpha, "alpha", 0, 0.5)
    factor = float(design_factor(aims.cluster_items))

    def order(agreement: float, judge: float, k: float) -> Order:
        of_rho = float(agreement_variance(agreement, m))
        of_theta = float(retention_variance(agreement, judge, m, k))
        if aims.is_skewed:
            of_rho, of_theta = skewed_variances(aims.points, agreement, judge, m, k)
        return Order(agreement, judge, k, of_rho * factor, of_theta * factor)

    spread = own_spread = nan
    if aims.rating_variance is not None:
        spread, own_spread = (
            factor * float(level_variance(rho, r, m, aims.rating_variance, together, aims.points))
            for together in (aims.session_items, 1)
        )
    return Expected(
        m,
        order(rho, r, aims.retention),
        (order(*beyond_known(rho, r, aims.known), USUAL.beyond_retention),),
        clusters=1 / aims.cluster_items,
        raters=m / aims.session_items,
        floor=aims.floor,
        alpha=aims.alpha,
        fixed=taken_out(0, aims).item(),
        by_item=taken_out(1, aims).item() - taken_out(0, aims).item(),
        margin=nan if aims.rating_variance is None else aims.level_margin,
        spread=spread,
        own_spread=own_spread,
        has_rest=aims.points != BINARY,
    )


def predict_power(
    rho: float, r: float, m: int, items: ArrayLike, targets: Targets | None = None
) -> Power:
    """Predict the power of the verdict's checks by the normal approximation.

    rho, r, m: as in expect; items: at least 1. NaN where the numbers contradict each other.
    Corrections for many judges are not predicted.
    """
    return expect(rho, r, m, targets).power(items)


def plan_items(
    rho: float, r: float, m: int, power: float = POWER, targets: Targets | None = None
) -> float:
    """Compute the fewest items with which all checks together have this power, .5..1.

    rho, r, m: as in expect. inf: no number has. Raises ValueError for values out of range.
    """
    return _search(float(rho), float(r), int(m), power, targets or Targets())


@cache
def _search(rho: float, r: float, m: int, power: float, aims: Targets) -> float:
    return expect(rho, r, m, aims).items(power)


def beyond_known(rho: float, r: float, known: float) -> tuple[float, float]:
    """Return what remains of rho and r without the known share of what raters agree on.

    The judge is taken to follow what is known as closely as the rest.
    """
    if not rho > 0:
        return rho, r
    left = 1 - as_grid(known, "known", 0, 1)
    quality = min(r**2 / rho, 1.0)
    of_people, of_judge = 1 - rho * known, 1 - quality * known
    return float(rho * left / of_people), float(r * left / np.sqrt(of_people * of_judge))


def taken_out(items: ArrayLike, targets: Targets) -> Floats:
    """Return how many items' worth of numbers the joint check takes out: of lengths and groups.

    A cluster of items costs one, as its mean is taken out or its items are compared within it.
    """
    n = as_grid(items, "items", 0)
    of_clusters = n / targets.cluster_items if targets.cluster_items > 1 else np.zeros(n.shape)
    return LENGTH_COLUMNS + targets.groups + of_clusters


def level_margin(scale: Scale, rating_variance: float) -> float:
    """Return how far a judge's mean may be off: the scale's margin, or .2 SD of the ratings."""
    return max(scale.level_margin, LEVEL_SDS * sqrt(rating_variance))


def fewest_items(targets: Targets) -> float:
    """Return the items below which a verdict says that there are too few."""
    clusters = as_grid(targets.cluster_items, "cluster_items", 1)
    return float(np.maximum(FEWEST_ITEMS, np.ceil(FEWEST_CLUSTERS * clusters)))


def _in_errors(effect: float, variance: float | Floats, counted: Floats) -> Floats:
    """Return an effect in standard errors; -inf where the error is infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(variance / counted)
        out = np.asarray(effect / error)
    out = np.where(np.isnan(out) & (effect == 0), 0.0, out)
    return np.where(np.isinf(error), -np.inf, out)


FEWEST_OF_A_SYSTEM = USUAL.fewest_items  # of a system; below, a verdict says "too few"


def items_a_system(
    difference_variance: ArrayLike,
    margin: ArrayLike = SYSTEM_MARGIN_OF_FIVE,
    power: float = POWER,
    alpha: float = ALPHA,
) -> Floats:
    """Return how many items of each system show that a judge has no bias between two systems.

    difference_variance: of judge less people's mean over items, in squared points; margin: the
    largest bias, in points; power: .5..1, of a judge without any bias, for one pair of systems.
    Items of the two systems are taken for independent. At least 30. inf where the margin is 0.
    Raises ValueError for other values.
    """
    check_share(alpha, "alpha", 0, 0.5)
    quantiles = special.ndtri(1 - alpha) + special.ndtri((1 + check_power(power)) / 2)
    reach = as_grid(margin, "margin", 0)
    spread = 2 * as_grid(difference_variance, "difference_variance", 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        items = np.maximum(np.ceil(spread * (quantiles / reach) ** 2), FEWEST_OF_A_SYSTEM)
    return np.where((reach == 0) & ~np.isnan(spread), inf, items)


def systems_power(
    difference_variance: ArrayLike,
    items: ArrayLike,
    margin: ArrayLike = SYSTEM_MARGIN_OF_FIVE,
    alpha: float = ALPHA,
) -> Floats:
    """Return the power for one pair of systems, of a judge that has no bias between them.

    items: of each system, at least 1; the power is 0 below 30. Otherwise as items_a_system. That
    people tell the systems apart, and the judge with them, is not part of it.
    """
    counts = as_grid(items, "items", 1)
    error = np.sqrt(2 * as_grid(difference_variance, "difference_variance", 0) / counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = as_grid(margin, "margin", 0) / error
    quantile = special.ndtri(1 - check_share(alpha, "alpha", 0, 0.5))
    # Both one-sided tests must succeed.
    power = np.maximum(2 * special.ndtr(reach - quantile) - 1, 0.0)
    return np.where(counts >= FEWEST_OF_A_SYSTEM, power, 0.0)


FEWEST_OF_A_PILOT, ROUGH_BELOW = 50, 100  # items with two ratings
BAND = float(special.ndtri(0.9))  # from the 10th to the 90th percentile
LEAST = 1e-12  # of a chance, so that it has a normal score


@dataclass(frozen=True)
class Forecast:
    """The chance of a yes, each of the shape of the items.

    power: of all checks, and of each, if the pilot's estimates are true; low, high: four of five
    such bands hold the true chance; assurance: the mean chance over what the pilot leaves open.
    """

    power: Power
    low: Floats
    high: Floats
    assurance: Floats


def expect_as_in(
    evidence: Evidence, criteria: Criteria, own: float, m: float | None = None
) -> Expected:
    """Say what a verdict on more items like a pilot's is expected to measure.

    own: ratings per item of the pilot, on average; m: of the items that are planned, by default as
    many. At another m the pilot's variances change as those of normal scores do.
    """
    n, m = evidence.n, own if m is None else m

    def order(part: Agreement, k: float) -> Order:
        rho, r = part.rho_value, part.r_value
        of_rho = part.n * part.rho.error**2
        of_theta = part.n * part.retention(k).error ** 2
        if m != own:
            of_rho *= _ratio(*(agreement_variance(rho, ratings) for ratings in (m, own)))
            of_theta *= _ratio(*(retention_variance(rho, r, ratings, k) for ratings in (m, own)))
        return Order(rho, r, k, of_rho, of_theta)

    whole = evidence.agreement
    level = evidence.level.largest if evidence.level else None
    spread = n * level.error**2 if level else nan
    if m != own:
        values = whole.rho_value, whole.r_value
        spread *= _ratio(*(level_variance(*values, ratings) for ratings in (m, own)))
    return Expected(
        m,
        order(whole, criteria.retention),
        tuple(order(part, criteria.beyond_retention) for _, part in evidence.beyond.parts),
        clusters=evidence.n_clusters / n,
        raters=evidence.n_raters / n * m / own,
        floor=criteria.floor,
        alpha=criteria.alpha,
        bias=level.value if level else 0.0,
        margin=evidence.level_margin if level else nan,
        spread=spread,
        has_rest=not evidence.is_binary,
        widens=False,
    )


def forecast(pilot: Expected, n: int, items: ArrayLike) -> Forecast:
    """Predict the chance of a yes with these items, and how far a pilot of n items leaves it open.

    Each estimate is moved by its standard error; the normal score of the chance is taken to move in
    proportion (the delta method). Agreement of raters overall and beyond what is known are taken to
    err together, and retention likewise; the level by itself.
    """
    power = pilot.power(items)

    def score(moved: Expected) -> Floats:
        return special.ndtri(np.clip(moved.power(items).joint, LEAST, 1 - LEAST))

    def slope(move: str) -> Floats:
        return (score(_move(pilot, move, n, 1)) - score(_move(pilot, move, n, -1))) / 2

    centre, error = score(pilot), np.sqrt(sum(slope(move) ** 2 for move in MOVES))
    return Forecast(
        power,
        special.ndtr(centre - BAND * error),
        special.ndtr(centre + BAND * error),
        special.ndtr(centre / np.sqrt(1 + error**2)),
    )


MOVES = ("agreement", "retention", "level")


def _move(pilot: Expected, move: str, n: int, side: int) -> Expected:
    """Return the pilot with one estimate, and those that err with it, a standard error off."""
    if move == "level":
        return replace(pilot, bias=pilot.bias + side * sqrt(pilot.spread / n))
    orders = [_move_order(order, move, n, side, pilot.m) for order in (pilot.order, *pilot.beyond)]
    return replace(pilot, order=orders[0], beyond=tuple(orders[1:]))


def _move_order(order: Order, move: str, n: int, side: int, m: float) -> Order:
    of_rho, of_theta = (move == name for name in MOVES[:2])
    rho = order.rho + of_rho * side * sqrt(order.of_rho / n)
    theta = order.theta + of_theta * side * sqrt(order.of_theta / n)
    rho = min(max(rho, -1.0), 1.0)
    r = min(max(theta + order.k * rho, -1.0), 1.0)
    # A judge that looks better has the smaller error too.
    plain, moved = (
        retention_variance(*pair, m, order.k) for pair in ((order.rho, order.r), (rho, r))
    )
    return replace(order, rho=rho, r=r, of_theta=order.of_theta * _ratio(moved, plain))


def _ratio(then: Floats, now: Floats) -> float:
    return float(then / now) if now > 0 and then >= 0 else 1.0
