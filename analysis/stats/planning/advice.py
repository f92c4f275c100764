"""Advise how many more items, or more raters per item, would let the stopping rule say "may".

advise(rule, look, items, m, rating_cost)
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf, isfinite, isnan, nan, sqrt

from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats
from analysis.stats.planning.checks import Check
from analysis.stats.planning.confidence_sequence import needed_clusters
from analysis.stats.planning.stopping import Look, State, StoppingRule

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
        clusters = max(
            (_needed(rule, check, look.clusters, m, more_raters, shift) for check in checks),
            key=lambda needed: (isnan(needed), needed),
            default=float(look.clusters),
        )
        clusters = inf if course else max(clusters, look.clusters)
        return _priced(more_raters, clusters, look.clusters, items, m, rating_cost)

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


def _priced(
    more_raters: int, needed: float, clusters: int, items: int, m: float, rating_cost: float
) -> Option:
    """Return an option with its items, which are as many a cluster as today."""
    if not isfinite(needed):
        return Option(more_raters, needed, needed, needed, needed)
    more_items = float(ceil((needed - clusters) * items / clusters))
    ratings = items * more_raters + more_items * (m + more_raters)
    return Option(more_raters, needed, more_items, ratings, ratings * rating_cost)
