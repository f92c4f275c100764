"""Combine several judges' values into one value by mean, median or majority.

combined(values, "mean")    or "median" or "majority"
"""

import numpy as np

from analysis.stats.inputs import without_rounding

RULES = ("mean", "median", "majority")


def combined(values: np.ndarray, rule: str) -> np.ndarray:
    """Return the mean, median or most frequent value of an ensemble's members, place by place.

    values: array (members, ...), floats, NaN where a member has no value. Returns an array (...)
    in the members' unit; NaN where any member has none, and where the most frequent value is not
    one alone. Raises ValueError for another rule or without members.
    Source: the unweighted mean of several LLMs' ratings is the ensemble of "Large Language Models
    as Evaluators for Recommendation Explanations" (Zhang et al., RecSys 2024), RQ3 and figure 4.
    """
    if rule not in RULES:
        raise ValueError(f"combined: found rule {rule!r}, expected {', '.join(RULES)}")
    if len(values) == 0:
        raise ValueError("combined: expected at least one member, found none")
    if rule == "majority":
        return _majority(values)
    if rule == "mean":
        return without_rounding(np.mean(values, axis=0), values, len(values))
    return without_rounding(np.median(values, axis=0), values, 2)


def _majority(values: np.ndarray) -> np.ndarray:
    """Return the most frequent value; NaN at a tie or where a member has no value."""
    votes = np.stack([(values == value).sum(axis=0) for value in values])
    winning = np.where(votes == votes.max(axis=0), values, np.nan)
    low, high = np.fmin.reduce(winning), np.fmax.reduce(winning)
    alone = (low == high) & ~np.isnan(values).any(axis=0)
    return np.where(alone, low, np.nan)
