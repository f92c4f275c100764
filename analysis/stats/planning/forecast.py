"""Plan from a pilot: the planner's formula with the errors that the pilot itself measured.

pilot = expect_as_in(evidence, criteria, m)     an Expected, as the planner's
forecast(pilot, evidence.n, items)              the chance of a yes with so many items
"""

from dataclasses import dataclass, replace
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.stats.inputs import Floats
from analysis.stats.planning.design import Expected, Order, Power
from analysis.stats.planning.variances import (
    agreement_variance,
    level_variance,
    retention_variance,
)
from analysis.stats.validation.agreement import Agreement
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.evidence import Evidence

FEWEST, ROUGH_BELOW = 50, 100  # items with two ratings
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
