"""Plan a study whose verdict is whether a judge may rate items.

predict_power(rho, r, m, items)     power of every check, and of all together
plan_items(rho, r, m)               the items with which all together have a power
expect(rho, r, m)                   what both rest on: an Expected
"""

from dataclasses import dataclass
from functools import cache
from math import isnan, nan, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.stats.inputs import Floats
from analysis.stats.planning.grids import as_grid, check_share
from analysis.stats.planning.power import ALPHA, POWER, fewest_that_reach, pass_together
from analysis.stats.planning.skew import skewed_variances
from analysis.stats.planning.variances import (
    RETENTION,
    agreement_variance,
    design_factor,
    level_variance,
    mean_variance,
    retention_effect,
    retention_variance,
)
from analysis.stats.validation.criteria import (
    FEWEST_RATERS,
    LEVEL_MARGIN_OF_FIVE,
    LEVEL_SDS,
    USUAL,
    Scale,
)

FLOOR = USUAL.floor  # agreement of raters below which no judge is validated
FEWEST_ITEMS, FEWEST_CLUSTERS = USUAL.fewest_items, USUAL.fewest_clusters  # of a verdict
KNOWN_SHARE = 0.2  # of what raters agree on, as is usual: length and system
SAME, SIMILAR = 0.9, 0.5  # what a check beyond what is known, and the rest check, share with it
TINY = 1e-12
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
