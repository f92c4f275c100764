"""Compare how two metrics rank the same systems, by Kendall's tau-b of the systems' means.

rank_agreement(means, draws)    an Estimate for each pair of metrics
"""

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, as_floats
from analysis.stats.intervals.bootstrap import percentile_interval, why_no_interval


def rank_agreement(
    means: ArrayLike, draws: NDArray[np.float64] | None = None
) -> dict[tuple[int, int], Estimate]:
    """Return {(i, j): Kendall's tau-b between metrics i < j over common systems}, in -1..1.

    means: (M, S), the mean of each system by each metric, the higher the better, NaN where a metric
    has none. draws: (M, D, S), the same in each bootstrap draw, of one resample for all metrics.
    Estimate.n: systems that both have. NaN below two such systems, or where a metric has them all
    alike. Raises ValueError for draws of another shape.
    Source: Kendall (1945), tau-b; intervals as in `bootstrap`.
    """
    values = as_floats(means, "means", 2)
    if draws is not None and (draws.ndim != 3 or draws[:, 0, :].shape != values.shape):
        raise ValueError(f"draws: expected (metrics, draws, systems), found {draws.shape}")
    taus = {}
    for i, j in combinations(range(len(values)), 2):
        both = np.flatnonzero(~np.isnan(values[i]) & ~np.isnan(values[j]))
        if len(both) < 2:
            taus[i, j] = Estimate(np.nan, n=len(both), reason="fewer than two systems")
            continue
        tau = float(_tau(values[i, both][None], values[j, both][None])[0])
        if np.isnan(tau):
            reason = "a metric has the same mean for all systems"
            taus[i, j] = Estimate(np.nan, n=len(both), reason=reason)
        elif draws is None:
            taus[i, j] = Estimate(tau, n=len(both))
        else:
            drawn = _tau(draws[i][:, both], draws[j][:, both])
            low, high, lost = percentile_interval(drawn)
            taus[i, j] = Estimate(
                tau,
                low,
                high,
                len(both),
                undefined_draws=lost,
                draws=drawn,
                reason=why_no_interval(drawn) if np.isnan(low) else "",
            )
    return taus


def _tau(x: Floats, y: Floats) -> Floats:
    """Compute tau-b of each row (D, S); NaN where a row is constant or has a gap."""
    first, second = np.triu_indices(x.shape[1], 1)
    first_signs, second_signs = (np.sign(values[:, first] - values[:, second]) for values in (x, y))
    norms = np.sqrt((first_signs**2).sum(axis=1) * (second_signs**2).sum(axis=1))
    sums = (first_signs * second_signs).sum(axis=1)
    return np.asarray(sums / np.where(norms > 0, norms, np.nan), dtype=np.float64)
