"""Show the page that plans a study before there is one."""

from math import isfinite, nan

import numpy as np
from django.contrib.auth.decorators import login_required
from django.shortcuts import render

from analysis.figures.layout import Table, Words
from analysis.figures.looks import JUDGE_COLOURS
from analysis.reports.how_many import planner
from analysis.reports.how_many.options import PlanForm, PlanOptions
from analysis.reports.how_many.tables import PER_ITEM, TO_COLLECT, chance_figure, collect_cells
from analysis.reports.how_many.words import say
from annotate.templatetags.concord import leading_point

DRAWN = (2, 3, 5)  # ratings per item
POINTS = 16
WITHOUT_END = 1000  # items that are drawn where none suffice


@login_required
def plan(request):
    """Page: the answer in a sentence, what is asked, studies to choose from, a figure, notes."""
    form = PlanForm(request.GET)
    context = {"form": form}
    if form.is_valid():
        made = planner.Plan(form.options(PlanOptions))
        items = drawn_items(made)
        lines = {m: made.power(m, items) for m in DRAWN}
        context |= {
            "plan": made,
            "sentences": planner.sentences(made),
            "designs": design_table(made),
            "figure": power_figure(made, items, lines),
            "powers": power_table(items, lines),
            "notes": planner.notes(made),
        }
    return render(request, "analysis/plan.html", context, status=200 if form.is_valid() else 400)


def design_table(plan):
    """Tabulate what each number of ratings per item takes; None where none decides."""
    if plan.cheapest is None:
        return None
    lines = [
        (
            f"{row['raters_per_item']}{' (cheapest)' if row is plan.cheapest else ''}",
            [*collect_cells(row), Words(plan.hardest(row))],
        )
        for row in plan.rows
    ]
    headings = [*TO_COLLECT, Words("What decides most")]
    return Table("What to collect.", headings, lines, [], PER_ITEM)


def drawn_items(plan):
    """Return the numbers of items over which the chance is drawn."""
    needed = [row["items"] for row in plan.rows if isfinite(row["items"])]
    last = max(1.4 * max(needed, default=WITHOUT_END), 2 * plan.fewest)
    return np.unique(np.linspace(plan.fewest, last, POINTS).round()).astype(int)


def power_figure(plan, items, lines):
    """Draw the chance of a yes over items, for 2, 3 and 5 ratings per item."""
    named = [
        (f"{m} ratings per item", colour, _points(items, lines[m]))
        for m, colour in zip(DRAWN, JUDGE_COLOURS, strict=False)
    ]
    cases = ["figure_systems" if plan.is_comparison else "figure"]
    cases += [] if plan.cheapest else ["unreached"]
    caption = say("planner", *cases, plan=plan, last=items[-1])
    axis = "Items of both systems" if plan.is_comparison else "Items"
    return chance_figure("plan-power", named, plan.options.power, caption, axis)


def _points(items, chances):
    return [(int(x), float(y), nan, nan) for x, y in zip(items, chances, strict=True)]


def power_table(items, lines):
    """Tabulate the figure: the items down, ratings per item across."""
    cells = zip(*lines.values(), strict=True)
    rows = [
        (f"{x:,}", [leading_point(y) for y in chances])
        for x, chances in zip(items, cells, strict=True)
    ]
    names = [f"{m} ratings per item" for m in lines]
    return Table("Chance of a yes, as in the figure.", names, rows, [], "Items")
