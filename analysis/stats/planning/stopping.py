"""Say at a look whether collecting may stop, and if not, what it would take.

margin(t), sequence_bounds(value, error, t)     bounds that hold at every look
checks_of(evidence, criteria)                   the checks of a verdict as they stand
look(rule, *checks, clusters)                   state and bounds of all checks
advise(rule, look, items, m, rating_cost)       more items, or more raters per item
complete_clusters(ranks, ratings, m)            the clusters that a look may use
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import ceil, inf, isfinite, isinf, isnan, log, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Flags, Floats
from analysis.stats.planning.planning import (
    ALPHA,
    FLOOR,
    agreement_variance,
    as_grid,
    check_share,
    fewest,
    level_variance,
    retention_effect,
    retention_variance,
)
from analysis.stats.planning.planning import RETENTION as KEPT
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.evidence import Evidence

PLANNED = 200  # clusters at which the bounds are about narrowest
FIRST_LOOK = 50  # clusters


def mixing_variance(alpha: float = ALPHA, planned: float = PLANNED) -> float:
    """Return rho², which makes the bounds about narrowest after the planned number of clusters.

    alpha: of a one-sided bound, below .5; planned: clusters, above 0. Both are fixed before
    anything is collected. Raises ValueError for other values.
    Source: Waudby-Smith et al. (2024), Annals of Statistics 52.
    """
    length = -2 * log(2 * check_share(alpha, "alpha", 0, 0.5))
    return (length + log(length + 1)) / check_share(planned, "planned", 0, inf)


def margin(t: ArrayLike, alpha: float = ALPHA, planned: float = PLANNED) -> Floats:
    """Return the half width of the bounds after t clusters, in SDs of what a cluster adds.

    t: numbers of clusters, at least 1, of any shape; it falls with t. All bounds of a collection
    together miss the true value with probability alpha on either side, if t >= 50 at every look.
    Raises ValueError as mixing_variance does, and for t below 1.
    Source: Robbins (1970), Annals of Mathematical Statistics 41; Waudby-Smith et al. (2024).
    """
    clusters, variance = as_grid(t, "t", 1), mixing_variance(alpha, planned)
    growth = clusters * variance + 1
    squares = 2 * growth / (clusters**2 * variance) * np.log1p(np.sqrt(growth) / (2 * alpha))
    return np.sqrt(squares)


def sequence_bounds(
    value: ArrayLike,
    error: ArrayLike,
    t: ArrayLike,
    alpha: float = ALPHA,
    planned: float = PLANNED,
) -> tuple[Floats, Floats]:
    """Return the lower and the upper bound of estimates after t clusters.

    value, error: estimates and their standard errors, from these t clusters; the shapes
    broadcast. Both bounds are NaN where value or error is. Raises ValueError as margin does.
    """
    clusters = as_grid(t, "t", 1)
    reach = as_grid(error, "error", 0) * np.sqrt(clusters) * margin(clusters, alpha, planned)
    estimate = as_grid(value, "value")
    return estimate - reach, estimate + reach


def needed_clusters(
    effect: float, sd: float, alpha: float = ALPHA, planned: float = PLANNED
) -> float:
    """Return the first number of clusters, 50 or more, after which the bound excludes 0.

    effect: distance of the estimate from what it has to exclude; sd: of what a cluster adds,
    standard error times sqrt(t). inf where the effect is not above 0, and beyond a billion; NaN in,
    NaN out.
    Raises ValueError as margin does, and for a negative sd.
    """
    if isnan(effect) or isnan(as_grid(sd, "sd", 0)):
        return nan
    if effect <= 0 or isinf(sd):
        return inf
    return fewest(lambda t: sd * margin(t, alpha, planned) <= effect, more_than=FIRST_LOOK - 1)


def share_alpha(alpha: float, pairs: int) -> float:
    """Return the level of each pair of judge and question that are decided on together.

    Raises ValueError below one pair, and for a level outside 0..1/2.
    """
    if pairs < 1:
        raise ValueError(f"pairs: expected at least 1, got {pairs}")
    return check_share(alpha, "alpha", 0, 0.5) / pairs


AGREEMENT, RETENTION, LEVEL = "agreement", "retention", "level"
HOLDS = "the judge's ratings, which it may have seen"
EXTREMES = "the items beside the plainest"
ONE_POINT = "the judge's scale, as rounded it gives one answer"


@dataclass(frozen=True)
class Check:
    """An estimate of which a verdict asks that it is shown to lie within low..high.

    value, error: the estimate and its standard error, NaN where undefined; variance: predicts
    from the ratings per item what an item adds to the squared error, in any unit; None where more
    ratings per item are not known to help.
    """

    name: str
    value: float
    error: float
    low: float = 0.0
    high: float = inf
    variance: Callable[[ArrayLike], Floats] | None = None

    @property
    def effect(self) -> float:
        """Return the distance of the estimate from the nearer end; negative outside of them."""
        return min(self.value - self.low, self.high - self.value)


def agreement_check(rho: float, error: float, name: str = AGREEMENT) -> Check:
    """Describe the check that the agreement rho of two raters is above 0."""
    return Check(name, rho, error, variance=partial(agreement_variance, rho))


def retention_check(
    rho: float, r: float, error: float, k: float = KEPT, name: str = RETENTION
) -> Check:
    """Describe the check that the judge keeps the share k of what raters agree: r - k rho > 0.

    rho: agreement of two raters; r: of judge and rater; error: the standard error of r - k rho.
    """
    effect = float(retention_effect(rho, r, k))
    return Check(name, effect, error, variance=lambda m: retention_variance(rho, r, m, k))


def level_check(bias: float, error: float, level_margin: float, rho: float, r: float) -> Check:
    """Describe the check that judge less people's mean lies within -level_margin..level_margin.

    bias, error, level_margin: in points; rho, r: as in retention_check.
    """
    variance = partial(level_variance, rho, r)
    return Check(LEVEL, bias, error, -level_margin, level_margin, variance)


def checks_of(evidence: Evidence, criteria: Criteria) -> tuple[Check, Check, list[Check]]:
    """Return agreement, retention and the other checks of a verdict, as the evidence shows them.

    What keeps the verdict from a yes without any estimate, is a check that stays open.
    """
    whole, margin = evidence.agreement, evidence.level_margin
    parts = [("", whole, criteria.retention)]
    parts += [
        (f" beyond {name}", p, criteria.beyond_retention) for name, p in evidence.beyond.parts
    ]
    checks = []
    for where, part, k in parts:
        rho, r, theta = part.rho, part.r, part.retention(k)
        checks.append(agreement_check(rho.value, rho.error, f"{AGREEMENT}{where}"))
        checks.append(retention_check(rho.value, r.value, theta.error, k, f"{RETENTION}{where}"))
    if evidence.level is None:
        checks.append(Check(LEVEL, nan, nan, -margin, margin))
    else:  # of a choice, one for each label
        checks += [
            level_check(offset.value, offset.error, margin, whole.rho.value, whole.r.value)
            for offset in evidence.level.offsets
        ]
    rest = evidence.rest
    stops = {
        HOLDS: evidence.held,
        EXTREMES: rest and not rest.p < criteria.alpha,
        ONE_POINT: evidence.has_one_point,
    }
    checks += [Check(name, nan, nan) for name, holds in stops.items() if holds]
    return checks[0], checks[1], checks[2:]


class State(StrEnum):
    """What the rule says at a look."""

    MAY = "may"  # stop: the judge may rate items
    MAY_NOT = "may_not"  # stop: it tells less than the share to be kept
    RATERS_DISAGREE = "raters_disagree"  # stop: no judge can be validated
    CONTINUE = "continue"
    LIMIT = "limit"  # stop: undecided, and the budget is spent


def complete_clusters(ranks: ArrayLike, ratings: ArrayLike, m: int) -> int:
    """Return how many clusters from the start of the order are complete, which a look uses.

    ranks: (N,) place of each item's cluster in the random order stored before collecting, from 0;
    ratings: (N,) finished ratings of each item. A cluster is complete when every item has at least
    m ratings. Later complete clusters wait.
    """
    places = np.asarray(ranks, dtype=np.int64)
    # NaN is no rating, so an item with it is not complete.
    unfinished = places[~(np.asarray(ratings, dtype=np.float64) >= m)]
    return int(min(unfinished, default=places.max(initial=-1) + 1))


@dataclass(frozen=True)
class StoppingRule:
    """What is fixed before anything is collected.

    alpha: of each bound, one-sided, below .5 (share_alpha divides it among many decisions);
    planned: clusters at which the bounds are about narrowest; floor: least agreement of raters,
    0..1. Raises ValueError for other values.
    """

    alpha: float = ALPHA
    planned: float = PLANNED
    floor: float = FLOOR

    def __post_init__(self) -> None:
        """Refuse a rule whose bounds are undefined."""
        mixing_variance(self.alpha, self.planned)
        if self.floor != 0:
            check_share(self.floor, "floor", 0, 1)


@dataclass(frozen=True)
class Look:
    """The state at a look, with the bounds that results after a stop report.

    low, high (C,): bounds of the checks in their order, NaN where an estimate is undefined or
    before 50 clusters; is_open (C,): whether a check is not shown yet.
    """

    state: State
    checks: tuple[Check, ...]
    clusters: int
    low: Floats
    high: Floats
    is_open: Flags


def look(
    rule: StoppingRule,
    agreement: Check,
    retention: Check,
    others: Sequence[Check] = (),
    *,
    clusters: int,
    is_budget_spent: bool = False,
) -> Look:
    """Bound all checks after a number of complete clusters, and say whether to stop.

    others: level, and agreement and retention beyond what is known of items. MAY: all
    checks are shown at this look, and the estimated agreement reaches the floor. RATERS_DISAGREE:
    the upper bound of agreement is below the floor. MAY_NOT: the upper bound of retention is below
    0; raters who disagree come first, as in the verdict. Below 50 clusters nothing is decided.
    Raises ValueError for a negative number of clusters.
    Source: Waudby-Smith et al. (2024), Annals of Statistics 52.
    """
    if clusters < 0:
        raise ValueError(f"clusters: expected at least 0, got {clusters}")
    checks = (agreement, retention, *others)
    low, high = _bounds(rule, checks, clusters)
    ends = np.array([(check.low, check.high) for check in checks])
    # NaN is neither above nor below an end: an undefined check stays open.
    is_open = ~((low > ends[:, 0]) & (high < ends[:, 1]))
    is_open[0] |= not agreement.value >= rule.floor
    if high[0] < rule.floor:
        state = State.RATERS_DISAGREE
    elif high[1] < retention.low:
        state = State.MAY_NOT
    elif not is_open.any():
        state = State.MAY
    else:
        state = State.LIMIT if is_budget_spent else State.CONTINUE
    return Look(state, checks, clusters, low, high, is_open)


def _bounds(rule: StoppingRule, checks: tuple[Check, ...], clusters: int) -> tuple[Floats, Floats]:
    if clusters < FIRST_LOOK:
        return np.full(len(checks), np.nan), np.full(len(checks), np.nan)
    values = np.array([check.value for check in checks])
    errors = np.array([check.error for check in checks])
    return sequence_bounds(values, errors, clusters, rule.alpha, rule.planned)


MOST_MORE_RATERS = 5


@dataclass(frozen=True)
class Option:
    """A way on: more raters for every item, and then more items, all with that many raters.

    clusters: in all, when the bounds of today's estimates would be narrow enough; more_items,
    ratings, cost: what is to be collected. inf: no number would do; NaN: cannot be computed.
    """

    more_raters: int
    clusters: float
    more_items: float
    ratings: float
    cost: float


@dataclass(frozen=True)
class Advice:
    """What it would take at today's estimates; never a promise.

    options: with 0 to 5 more raters per item; cheapest: of them, None where none will do;
    raters_alone: the fewest more raters per item that need no more items, None: more raters alone
    cannot. fewest_items, most_items: more items of the cheapest option if the true values of the
    open checks lie a standard error farther or nearer; NaN without it. course: what the rule
    would say in the end where an estimate itself is not good enough; else None.
    """

    options: tuple[Option, ...]
    cheapest: Option | None
    raters_alone: int | None
    fewest_items: float
    most_items: float
    course: State | None


def advise(rule: StoppingRule, look: Look, *, items: int, m: float, rating_cost: float) -> Advice:
    """Compare more items with more raters per item, by what their ratings cost.

    look: of today; items: in its complete clusters, of m ratings each; rating_cost: of one rating.
    Of the open checks the one that needs most decides. Standard errors are taken to fall with the
    clusters as 1/sqrt(t), and with the ratings per item as the planner's variances do.
    Raises ValueError without items or clusters, and for m below 1 or a negative cost.
    """
    if items < 1 or look.clusters < 1:
        raise ValueError(f"expected items and clusters, got {items} and {look.clusters}")
    if m < 1 or rating_cost < 0:
        raise ValueError(f"expected m >= 1 and rating_cost >= 0, got {m} and {rating_cost}")
    checks = [check for check, is_open in zip(look.checks, look.is_open, strict=True) if is_open]
    course = _course(rule, look)

    def option(more_raters: int, shift: float = 0.0) -> Option:
        needed = max(
            (_needed(rule, check, look.clusters, m, more_raters, shift) for check in checks),
            key=lambda needed: (isnan(needed), needed),
            default=float(look.clusters),
        )
        needed = inf if course else max(needed, look.clusters)
        if not isfinite(needed):
            return Option(more_raters, needed, needed, needed, needed)
        # As many items a cluster as today.
        more_items = float(ceil((needed - look.clusters) * items / look.clusters))
        ratings = items * more_raters + more_items * (m + more_raters)
        return Option(more_raters, needed, more_items, ratings, ratings * rating_cost)

    options = tuple(option(more) for more in range(MOST_MORE_RATERS + 1))
    possible = [choice for choice in options if isfinite(choice.cost)]
    cheapest = min(possible, key=lambda choice: choice.cost, default=None)
    alone = [choice.more_raters for choice in possible if choice.more_items == 0]
    fewest, most = nan, nan
    if cheapest:
        fewest, most = (option(cheapest.more_raters, shift).more_items for shift in (1, -1))
    return Advice(options, cheapest, min(alone, default=None), fewest, most, course)


def _course(rule: StoppingRule, look: Look) -> State | None:
    """Return the state that today's estimates lead to, where they do not lead to "may"."""
    agreement, retention, *others = look.checks
    if agreement.value < rule.floor or agreement.effect <= 0:
        return State.RATERS_DISAGREE
    if retention.effect <= 0:
        return State.MAY_NOT
    return State.LIMIT if any(check.effect <= 0 for check in others) else None


def _needed(
    rule: StoppingRule, check: Check, clusters: int, m: float, more_raters: int, shift: float
) -> float:
    """Return the clusters in all that show a check; shift: of its effect, in standard errors."""
    sd = check.error * sqrt(clusters)
    if check.variance and more_raters:
        sd *= _sd_ratio(check.variance, m, more_raters)
    return needed_clusters(check.effect + shift * check.error, sd, rule.alpha, rule.planned)


def _sd_ratio(variance: Callable[[ArrayLike], Floats], m: float, more_raters: int) -> float:
    """Return by what more raters per item multiply the SD; NaN where today's is not finite."""
    now, then = (float(variance(ratings)) for ratings in (m, m + more_raters))
    if now == 0:
        return 1.0
    return sqrt(then / now) if isfinite(now) else nan
