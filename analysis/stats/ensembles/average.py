"""Average several estimates on the same data, for example those of several questions.

average([estimate, ...])    with an interval where all estimates share one matrix of draws
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from analysis.stats.estimate import Estimate
from analysis.stats.intervals.bootstrap import percentile_interval, why_no_interval


def average(estimates: Sequence[Estimate]) -> Estimate:
    """Average the unrounded values, with the interval of the draws' means.

    The estimates must come from the same `counts`, so that draw d means the same resample in all.
    n, groups and skipped are sums. NaN when one value is undefined. No interval, and the reason
    of those that have none, unless every estimate has draws. Raises ValueError without estimates.
    """
    if not estimates:
        raise ValueError("average: expected at least one estimate, found none")
    undefined = [estimate for estimate in estimates if np.isnan(estimate.value)]
    mean = Estimate(
        float(np.mean([estimate.value for estimate in estimates])),
        n=sum(estimate.n for estimate in estimates),
        groups=_sum([estimate.groups for estimate in estimates]),
        skipped=_sum([estimate.skipped for estimate in estimates]),
        reason=_why_undefined(undefined, len(estimates)),
    )
    draws = [estimate.draws for estimate in estimates if estimate.draws is not None]
    if undefined:
        return mean
    if len(draws) < len(estimates):
        reasons = {estimate.reason for estimate in estimates if estimate.draws is None}
        return replace(mean, reason="; ".join(sorted(reasons)))
    means = np.mean(draws, axis=0)
    low, high, lost = percentile_interval(means)
    return replace(
        mean,
        low=low,
        high=high,
        undefined_draws=lost,
        reason=why_no_interval(means) if np.isnan(low) else "",
        draws=means,
    )


def _why_undefined(undefined: list[Estimate], size: int) -> str:
    if not undefined:
        return ""
    reasons = {estimate.reason for estimate in undefined}
    if len(undefined) == size and len(reasons) == 1:
        return reasons.pop()
    return f"undefined in {len(undefined)} of {size}"


def _sum(counts: list[int | None]) -> int | None:
    defined = [count for count in counts if count is not None]
    return sum(defined) if defined else None
