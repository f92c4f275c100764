"""Compute and draw the fan: how the bounds of a judge's retention close in over clusters."""

from dataclasses import dataclass
from math import isfinite, isnan, nan, sqrt

import numpy as np

from analysis.figures.frame import SOFT
from analysis.figures.lines import series
from analysis.figures.looks import JUDGE_COLOURS
from analysis.reports.how_many.words import say
from analysis.stats.planning.checks import RETENTION
from analysis.stats.planning.confidence_sequence import FIRST_LOOK, sequence_bounds

POINTS = 16
RETENTION_PLACE = 1  # of a Look's checks
BEYOND = 1.25  # of the clusters that are planned, here, or advised
WIDEST = 20  # times the planned clusters


@dataclass(frozen=True)
class Fan:
    """The bounds (low, high) over clusters if today's estimate and its spread stay as they are.

    now: (clusters, estimate, low, high) of this look.
    """

    clusters: list
    low: list
    high: list
    now: tuple


def fan_of(seen, advice, rule):
    """Return the Fan of a look's retention; None where it is undefined."""
    check = seen.checks[RETENTION_PLACE]
    if isnan(check.value) or isnan(check.error) or not seen.clusters:
        return None
    needed = advice.cheapest.clusters if advice and advice.cheapest else 0
    last = max(seen.clusters, rule.planned, needed if isfinite(needed) else 0, 2 * FIRST_LOOK)
    last = min(BEYOND * last, WIDEST * rule.planned + seen.clusters)
    clusters = np.unique(np.geomspace(FIRST_LOOK, last, POINTS).round())
    errors = check.error * sqrt(seen.clusters) / np.sqrt(clusters)
    low, high = sequence_bounds(check.value, errors, clusters, rule.alpha, rule.planned)
    ends = float(seen.low[RETENTION_PLACE]), float(seen.high[RETENTION_PLACE])
    return Fan(clusters.tolist(), low.tolist(), high.tolist(), (seen.clusters, check.value, *ends))


def draw_fan(fan):
    """Draw a fan with its decision line, and the present look."""
    points = zip(fan.clusters, fan.low, fan.high, strict=True)
    low, high = zip(*(((x, a, nan, nan), (x, b, nan, nan)) for x, a, b in points), strict=True)
    ends = fan.clusters[0], fan.clusters[-1]
    lines = [
        ("upper bound", JUDGE_COLOURS[0], list(high)),
        ("lower bound", JUDGE_COLOURS[1], list(low)),
        ("this look", "var(--ink)", [fan.now]),
        ("decision line", SOFT, [(x, 0.0, nan, nan) for x in ends]),
    ]
    return series(lines, "Complete clusters", "Retention, with its bounds")


def describe_fan(judge, question, fan, still_open=""):
    """Write what the figure shows, also for readers who do not see it.

    still_open: the names of the checks that are not settled, which the figure may not show.
    """
    clusters, value, low, high = fan.now
    cases = ["fan" if isnan(low) else "fan_bounds"]
    if still_open and RETENTION not in still_open.split(", "):
        cases.append("fan_settled")
    about = {"judge": judge, "question": question, "still_open": still_open}
    bounds = {"clusters": clusters, "value": value, "low": low, "high": high}
    return say("stop", *cases, **about, **bounds)
