"""Say at a look whether collecting may stop, without spending certainty by looking.

StoppingRule(alpha, planned, floor)                        what is fixed before collecting
look(rule, agreement, retention, others, clusters)         state and bounds of all checks
complete_clusters(ranks, ratings, m)                       the clusters that a look may use
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Flags, Floats
from analysis.stats.planning.checks import Check
from analysis.stats.planning.confidence_sequence import (
    FIRST_LOOK,
    PLANNED,
    mixing_variance,
    sequence_bounds,
)
from analysis.stats.planning.design import FLOOR
from analysis.stats.planning.grids import check_share
from analysis.stats.planning.power import ALPHA


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
