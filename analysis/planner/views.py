"""Show the page that plans a study before there is one."""

from django.contrib.auth.decorators import login_required
from django.shortcuts import render

from analysis.planner import words
from analysis.planner.figure import power_figure
from analysis.planner.options import PlanForm, PlanOptions
from analysis.planner.plan import make_plan
from analysis.planner.tables import design_table, needs_table, power_table


@login_required
def plan(request):
    """Page: what is asked, the answer in a sentence, designs to choose from, a figure, notes."""
    form = PlanForm(request.GET)
    context = {"form": form}
    if form.is_valid():
        context |= _context(make_plan(form.options(PlanOptions)))
    status = 200 if form.is_valid() else 400
    return render(request, "analysis/plan.html", context, status=status)


def _context(plan):
    figure = power_figure(plan)
    return {
        "plan": plan,
        "sentences": words.sentences(plan),
        "designs": design_table(plan),
        "figure": figure,
        "further": [needs_table(plan), power_table(figure)],
        "notes": words.notes(plan),
    }
