"""Lay out a plan as the tables of its page."""

from math import isfinite

from analysis.figures.layout import Table, Words
from analysis.planner.words import CHECK_NAMES, NEVER
from annotate.templatetags.concord import leading_point

CORNER = "Ratings an item"


def design_table(plan):
    """Tabulate what each number of ratings an item takes; None where no number of items decides."""
    if plan.cheapest is None:
        return None
    together = "Passes, at least" if plan.assumed.is_comparison else "All checks pass, at least"
    headings = ["Items", "Ratings", "Sessions", "Cost", together, Words("What decides")]
    lines = [(_name(plan, design), _cells(design)) for design in plan.designs]
    return Table("What to collect.", headings, lines, [], CORNER)


def _name(plan, design):
    return f"{design.raters_per_item}{' (cheapest)' if design is plan.cheapest else ''}"


def _cells(design):
    return [
        *map(_count, (design.items, design.ratings, design.sessions)),
        f"{design.cost:,.2f}",
        leading_point(design.power),
        Words(CHECK_NAMES[design.deciding]),
    ]


def needs_table(plan):
    """Tabulate the items that each check needs by itself."""
    checks = list(plan.designs[0].needs)
    lines = [
        (str(design.raters_per_item), [_count(design.needs[check]) for check in checks])
        for design in plan.designs
    ]
    headings = [CHECK_NAMES[check] for check in checks]
    return Table("Items that each check needs.", _capitals(headings), lines, [], CORNER)


def _capitals(texts):
    return [text[0].upper() + text[1:] for text in texts]


def power_table(figure):
    """Tabulate the lines of the figure of power: the items down, ratings an item across."""
    lines = [line for line in figure.plot["data"] if len(line["x"]) > 2]
    names = [line["name"] for line in lines]
    rows = [
        (f"{items:,}", [leading_point(line["y"][place]) for line in lines])
        for place, items in enumerate(lines[0]["x"])
    ]
    return Table("Power, as in the figure.", names, rows, [], "Items")


def _count(number):
    return f"{number:,.0f}" if isfinite(number) else Words(NEVER)
