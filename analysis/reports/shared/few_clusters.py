"""Withhold intervals from a handful of clusters, where a bootstrap draws the same few again.

A percentile bootstrap of few clusters is far too narrow, and of two it is often one of three
numbers. Below FEWEST a report has the value alone, and says why.
Source: Cameron, Gelbach & Miller (2008), Bootstrap-Based Improvements for Inference with Clustered
Errors, who begin at five clusters.
"""

from dataclasses import replace
from math import nan

import numpy as np

FEWEST = 5
FEW_CLUSTERS = 30  # below, intervals hold the truth less often than in 95 %: docs/CALIBRATION.md
OF_FEW = f", fewer than {FEWEST}"


def or_no_interval(estimate, scores, rows):
    """Return the Estimate of these items, without its interval if they are of too few clusters.

    An undefined value keeps its own reason, and without draws nothing changes.
    """
    if scores.counts is None or np.isnan(estimate.value):
        return estimate
    n = len(np.unique(scores.clusters[rows]))
    if n >= FEWEST:
        return estimate
    return replace(estimate, low=nan, high=nan, undefined_draws=0, draws=None, reason=_why(n))


def is_why(reason):
    """Return whether a row's reason is the one that this module gives."""
    return reason.endswith(OF_FEW)


def _why(n):
    return f"no interval: {n} {'cluster' if n == 1 else 'clusters'} to draw{OF_FEW}"
