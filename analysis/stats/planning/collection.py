"""Count ratings, sessions, hours and money of a planned study.

plan_collection(items, m, session_items=10, ...)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats
from analysis.stats.planning.grids import as_grid

FEWEST_RATERS = 10  # below, a verdict is about these raters only


@dataclass(frozen=True)
class Collection:
    """What collecting the ratings takes, each of the shape of the arguments together.

    ratings; sessions, each of another rater; seconds: of work; cost: in the unit of the pay.
    All are inf for infinitely many items.
    """

    ratings: Floats
    sessions: Floats
    seconds: Floats
    cost: Floats


def plan_collection(
    items: ArrayLike,
    m: ArrayLike,
    *,
    session_items: ArrayLike,
    item_seconds: ArrayLike,
    hourly_pay: ArrayLike,
    fee: ArrayLike = 0.0,
) -> Collection:
    """Count what m ratings of every item take, where a session is a rater's whole work.

    session_items: items of a session, at least 1; item_seconds: of one rating; hourly_pay: of a
    rater; fee: share of the pay that comes on top, as .25. A session is paid whole, and an item
    needs m different raters. The shapes broadcast; NaN in, NaN out.
    Raises ValueError for negative values, and for m or session_items below 1.
    """
    counts, raters = as_grid(items, "items", 0), as_grid(m, "m", 1)
    length = as_grid(session_items, "session_items", 1)
    ratings = counts * raters
    sessions = np.maximum(np.ceil(ratings / length), np.ceil(raters))
    seconds = sessions * length * as_grid(item_seconds, "item_seconds", 0)
    pay = as_grid(hourly_pay, "hourly_pay", 0) * (1 + as_grid(fee, "fee", 0))
    arrays = (ratings, sessions, seconds, seconds / 3600 * pay)
    ratings, sessions, seconds, cost = np.broadcast_arrays(*arrays)
    return Collection(ratings, sessions, seconds, cost)
