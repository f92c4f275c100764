"""Show the page that plans a study before there is one."""

from math import isfinite, nan

import numpy as np
from django.contrib.auth.decorators import login_required
from django.shortcuts import render

from analysis.figures.frame import SOFT
from analysis.figures.layout import Figure, Table, Words
from analysis.figures.lines import series
from analysis.figures.looks import JUDGE_COLOURS
from analysis.planner import words
from analysis.planner.options import PlanForm, PlanOptions
from analysis.planner.plan import make_plan
from annotate.templatetags.concord import leading_point

DRAWN = (2, 3, 5)  # ratings an item
POINTS = 16
WITHOUT_END = 1000  # items that are drawn where none suffice


@login_required
def plan(request):
    """Page: the answer in a sentence, what is asked, designs to choose from, a figure, notes."""
    form = PlanForm(request.GET)
    context = {"form": form}
    if form.is_valid():
        made = make_plan(form.options(PlanOptions))
        figure = power_figure(made)
        context |= {
            "plan": made,
            "sentences": words.sentences(made),
            "designs": design_table(made),
            "figure": figure,
            "powers": power_table(figure),
            "notes": words.notes(made),
        }
    status = 200 if form.is_valid() else 400
    return render(request, "analysis/plan.html", context, status=status)


def design_table(plan):
    """Tabulate what each number of ratings an item takes; None where no number of items decides."""
    if plan.cheapest is None:
        return None
    headings = ["Items", "Ratings", "Sessions", "Cost", "Passes", Words("What decides most")]
    lines = [
        (
            f"{design.raters_per_item}{' (cheapest)' if design is plan.cheapest else ''}",
            [
                *map(_count, (design.items, design.ratings, design.sessions)),
                f"{design.cost:,.2f}" if design.is_possible else Words(words.NEVER),
                leading_point(design.power),
                Words(words.CHECKS.get(design.hardest, words.NEVER)),
            ],
        )
        for design in plan.designs
    ]
    return Table("What to collect.", headings, lines, [], "Ratings an item")


def _count(number):
    return f"{number:,.0f}" if isfinite(number) else Words(words.NEVER)


def power_figure(plan):
    """Draw the power of all checks together over items, for 2, 3 and 5 ratings an item."""
    assumed, power = plan.assumed, plan.assumed.options.power
    needed = [design.items for design in plan.designs if design.is_possible]
    last = max(1.4 * max(needed, default=WITHOUT_END), 2 * assumed.fewest)
    items = np.unique(np.linspace(assumed.fewest, last, POINTS).round())
    lines = [
        (f"{m} ratings an item", colour, _points(items, assumed.power(m, items)))
        for m, colour in zip(DRAWN, JUDGE_COLOURS, strict=False)
    ]
    asked_for = (f"asked for: {leading_point(power)}", SOFT, _points(items[[0, -1]], [power] * 2))
    axis = "Items of both systems" if assumed.is_comparison else "Items"
    plot = series([*lines, asked_for], axis, "Probability of a yes", [-0.02, 1.02])
    reached = [
        f"{design.items:,.0f} items with {design.raters_per_item} ratings each"
        for design in plan.designs
        if design.raters_per_item in DRAWN and design.is_possible
    ]
    said = f"The line of power {leading_point(power)} is reached at {'; '.join(reached)}."
    if not reached:
        said = (
            f"No line reaches the power {leading_point(power)}, with {last:,.0f} items or with "
            "more."
        )
    what = "a judge without a bias passes" if assumed.is_comparison else "all checks are passed"
    caption = f"Probability that {what}, over the number of items. {said}"
    return Figure("plan-power", caption, plot)


def _points(items, powers):
    return [(int(x), float(y), nan, nan) for x, y in zip(items, powers, strict=True)]


def power_table(figure):
    """Tabulate the lines of the figure of power: the items down, ratings an item across."""
    lines = [line for line in figure.plot["data"] if len(line["x"]) > 2]
    rows = [
        (f"{items:,}", [leading_point(line["y"][place]) for line in lines])
        for place, items in enumerate(lines[0]["x"])
    ]
    names = [line["name"] for line in lines]
    return Table("Probability of a yes, as in the figure.", names, rows, [], "Items")
