"""Show what is to be collected and the chance of a yes over items, in the same words everywhere."""

from math import inf, isfinite, isnan, nan

from analysis.figures.frame import SOFT
from analysis.figures.layout import Figure
from analysis.figures.lines import series
from annotate.templatetags.concord import interval, leading_point

RATINGS_PER_ITEM = (2, 3, 4, 5)  # that are planned
PER_ITEM, CHANCE = "Ratings per item", "Chance of a yes"
TO_COLLECT = ["Items", "Ratings", "Sessions", "Cost", CHANCE]


def collect_cells(row):
    """Return the cells under TO_COLLECT; dashes where no number of items is enough."""
    chance = leading_point(row["power"])
    if "low" in row:
        chance = f"{chance} {interval(row['low'], row['high'])}".strip()
    cost = f"{row['cost']:,.2f}" if isfinite(row["cost"]) else "–"
    return [*(count(row[name]) for name in ("items", "ratings", "sessions")), cost, chance]


def count(number, endless="–"):
    """Write a whole number; a dash where it is undefined."""
    if isnan(number):
        return "–"
    return endless if number == inf else f"{number:,.0f}"


def chance_figure(key, lines, target, caption, axis="Items"):
    """Draw the chance of a yes over items with the chance that is aimed at.

    lines: (name, colour, [(items, chance, low, high)]).
    """
    ends = [lines[0][2][place][0] for place in (0, -1)]
    aim = f"aimed at: {leading_point(target)}", SOFT, [(x, target, nan, nan) for x in ends]
    return Figure(key, caption, series([*lines, aim], axis, CHANCE, [-0.02, 1.02]))
