"""Draw the power of a plan over its items."""

from math import nan

import numpy as np

from analysis.figures.frame import SOFT
from analysis.figures.layout import Figure
from analysis.figures.lines import series
from analysis.figures.looks import JUDGE_COLOURS
from analysis.planner.plan import curve, fewest_items
from annotate.templatetags.concord import leading_point

DRAWN = (2, 3, 5)  # ratings an item
POINTS = 16
RATED = ("Items", "Power of the hardest check")  # titles of the axes where items are rated
WITHOUT_END = 1000  # items that are drawn where none suffice


def power_figure(plan):
    """Draw the power of the hardest check over items, for 2, 3 and 5 ratings an item."""
    assumed = plan.assumed
    needed = [design.items for design in plan.designs if design.is_possible]
    first = fewest_items(assumed)
    last = max(1.4 * max(needed, default=WITHOUT_END), 2 * first)
    items = np.unique(np.linspace(first, last, POINTS).round())
    lines = [
        (f"{m} ratings an item", colour, _points(items, curve(assumed, m, items)))
        for m, colour in zip(DRAWN, JUDGE_COLOURS, strict=False)
    ]
    power = assumed.options.power
    asked_for = (f"asked for: {leading_point(power)}", SOFT, _points(items[[0, -1]], [power] * 2))
    titles = ("Items of both systems", "Power") if assumed.is_comparison else RATED
    plot = series([*lines, asked_for], *titles, [-0.02, 1.02])
    return Figure("plan-power", _caption(plan, last), plot)


def _points(items, powers):
    return [(int(x), float(y), nan, nan) for x, y in zip(items, powers, strict=True)]


def _caption(plan, last):
    """Write what the figure shows, also for readers who do not see it."""
    power = leading_point(plan.assumed.options.power)
    reached = [
        f"{design.items:,.0f} items with {design.raters_per_item} ratings each"
        for design in plan.designs
        if design.raters_per_item in DRAWN and design.is_possible
    ]
    words = f"The line of power {power} is reached at {'; '.join(reached)}."
    if not reached:
        words = f"No line reaches the power {power}, with {last:,.0f} items or with more."
    what = "a judge without a bias passes"
    if not plan.assumed.is_comparison:
        what = "the hardest check is passed"
    return f"Probability that {what}, over the number of items. {words}"
