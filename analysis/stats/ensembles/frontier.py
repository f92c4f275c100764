"""Find which of several choices are worth their price.

non_dominated(costs, values)    True where nothing else is as cheap and as good, and better in one
"""

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Flags, as_floats


def non_dominated(costs: ArrayLike, values: ArrayLike) -> Flags:
    """Flag each point (N,) to which no other point is equal or better in both and better in one.

    costs, values: (N,), any units; NaN on either side: not compared, and False. A point is
    dominated by one that is at least as good in both and better in one; equal points stand
    together. Raises ValueError for unequal lengths.
    Source: Pareto efficiency; Kung, Luccio & Preparata (1975), Journal of the ACM 22.
    """
    cost, value = as_floats(costs, "costs"), as_floats(values, "values")
    if cost.shape != value.shape:
        raise ValueError(f"costs and values differ in length: {len(cost)} and {len(value)}")
    complete = ~(np.isnan(cost) | np.isnan(value))
    as_good = (cost[None, :] <= cost[:, None]) & (value[None, :] >= value[:, None])
    better = (cost[None, :] < cost[:, None]) | (value[None, :] > value[:, None])
    return np.asarray(
        complete & ~(as_good & better & complete[None, :]).any(axis=1), dtype=np.bool_
    )
