"""Compute intervals by leaving out clusters, for statistics that a cluster bootstrap biases.

jackknife(statistic, clusters)      statistic(rows) -> values (S,); half-widths of the intervals
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import stats

from analysis.stats.inputs import Flags, Floats, Ints

MOST_BLOCKS = 50
LEVEL = 0.95


class Reach(NamedTuple):
    """Half the width of each interval (S,), and how many blocks were left out in turn."""

    half: Floats
    blocks: int


def jackknife(statistic: Callable[[Flags], Floats], clusters: Ints) -> Reach:
    """Return the half-widths of S 95 % intervals: t times the jackknife's standard error.

    statistic(rows) gives the values (S,) on the flagged rows (N,); clusters: (N,) codes. Each
    cluster is left out once; above 50 they are left out in 50 blocks, by their order modulo 50.
    se² = (B-1)/B · Σ_b (θ_b - θ̄)², B - 1 degrees of freedom. NaN below two blocks, and where a
    value is undefined without some block.
    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 11; delete-a-group,
    Kott (2001), Journal of Official Statistics 17.
    """
    present, codes = np.unique(clusters, return_inverse=True)
    blocks = min(len(present), MOST_BLOCKS)
    if blocks < 2:
        return Reach(np.full(len(statistic(np.ones(len(clusters), dtype=bool))), np.nan), blocks)
    codes = codes % blocks
    values = np.stack([statistic(codes != block) for block in range(blocks)])
    error = np.sqrt((blocks - 1) / blocks * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
    return Reach(float(stats.t.ppf((1 + LEVEL) / 2, blocks - 1)) * error, blocks)
