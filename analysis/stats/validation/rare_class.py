"""Measure how many of a rare class a judge finds: recall and precision against shares of raters.

rare = measure_rare_class(shares, marks)     rare.recall, rare.precision with Wilson intervals
"""

from dataclasses import dataclass
from math import nan

import numpy as np

from analysis.stats.inputs import Floats
from analysis.stats.intervals.wilson_interval import wilson_interval

MAJORITY = 0.5


@dataclass(frozen=True)
class RareClass:
    """Recall and precision for one label, with 95 % Wilson intervals over items.

    label: its column. n_majority: items that more than half of their raters give the label;
    n_marked: items to which the judge gives it; n_hits: items of both, on which both intervals
    rest. NaN: nobody gives the label, or the judge never.
    """

    label: int
    recall: float
    recall_interval: tuple[float, float]
    precision: float
    precision_interval: tuple[float, float]
    n_majority: int
    n_marked: int
    n_hits: int


def choose_rare_label(means: Floats, rare_share: float) -> int | None:
    """Return the column of a question's rarest label that people use, or None.

    means: (n, K) shares of each label by item. Of two labels the rarer counts however frequent it
    is, of more only one with at most `rare_share`.
    """
    shares = means.mean(axis=0)
    used = np.flatnonzero(shares > 0)
    if len(shares) < 2 or not len(used):
        return None
    rarest = int(used[np.argmin(shares[used])])
    return rarest if len(shares) == 2 or shares[rarest] <= rare_share else None


def measure_rare_class(shares: Floats, marks: Floats, label: int = 1) -> RareClass:
    """Compare a judge's marks of one label with the share of raters who gave it.

    shares: (n,) in 0..1; marks: (n,) of the judge. Recall = sum marks x shares / sum shares;
    precision = the same sum / sum marks. The interval of recall is of the items with a majority
    for the label, that of precision of the items marked.
    """
    both = float(marks @ shares)
    is_majority, is_marked = shares > MAJORITY, marks > MAJORITY
    hits = int((is_majority & is_marked).sum())
    n_majority, n_marked = int(is_majority.sum()), int(is_marked.sum())
    return RareClass(
        label,
        both / shares.sum() if shares.sum() > 0 else nan,
        wilson_interval(hits, n_majority) if n_majority else (nan, nan),
        both / marks.sum() if marks.sum() > 0 else nan,
        wilson_interval(hits, n_marked) if n_marked else (nan, nan),
        n_majority,
        n_marked,
        hits,
    )
