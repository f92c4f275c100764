"""Count which system verdicts on pairs of lists prefer, and how often they do not decide.

system_preference(verdicts, systems, system, sides)     shares of one system, with intervals
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Ints, as_floats
from analysis.stats.replacement.selection import share

NO_PAIR = "no pair of lists with a verdict has this system on one side"


@dataclass(frozen=True)
class Preference:
    """Shares of a system's pairs with other systems: won outright, tied, won + half the ties."""

    preferred: Estimate
    won: Estimate
    tied: Estimate


def system_preference(
    verdicts: ArrayLike,
    systems: Ints,
    system: int,
    sides: tuple[float, float],
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Preference:
    """Count how verdicts on pairs of lists fall for one system.

    verdicts: (N,), one of the values `sides` of the first and second list, or another for a tie;
    NaN drops the pair. systems: (N, 2), codes of the systems of the two lists, -1 unknown; a pair
    of a system with itself does not count. Estimate.n: pairs; NaN where there is none.
    Raises ValueError for shapes that do not fit.
    """
    values = as_floats(verdicts, "verdicts")
    if systems.shape != (len(values), 2):
        raise ValueError(f"systems: expected {(len(values), 2)}, found {systems.shape}")
    own = systems == system
    among = ~np.isnan(values) & own.any(axis=1) & ~own.all(axis=1) & (systems >= 0).all(axis=1)
    tied = among & ~np.isin(values, sides)
    won = among & np.where(own[:, 0], values == sides[0], values == sides[1])

    def estimate_share(part: NDArray[Any]) -> Estimate:
        return share(part, among, NO_PAIR, clusters, counts)

    return Preference(estimate_share(won + tied / 2), estimate_share(won), estimate_share(tied))
