"""Show a study's stopping plan, or the form that fixes it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotate.design import access
from annotate.models import Membership
from annotate.quality.rules import RULES
from annotate.stopping.exclusions import later_exclusions
from annotate.stopping.plan import Refused, plan_of, why_not
from judges.stopping.forms import PlanForm
from judges.stopping.plan import fix, pairs_of


@login_required
def stopping(request, slug):
    """Show the plan, the form that fixes it, or why it is too late."""
    study = access.study_or_404(request.user, slug)
    return _page(request, study)


def _page(request, study, form=None):
    plan = plan_of(study)
    is_owner = study.role == Membership.Role.OWNER
    reason = "" if plan else why_not(study)
    context = {"study": study, "section": "analysis", "plan": plan, "why_not": reason}
    if plan:
        context |= {"pairs": pairs_of(plan), "frozen": _words(plan)}
        context["later"] = later_exclusions(plan)
    elif is_owner and not reason:
        context["form"] = form or PlanForm(study)
    status = 422 if form and form.errors else 200
    return render(request, "judges/stopping.html", context, status=status)


def _words(plan):
    """Return the frozen exclusion rules in words."""
    return [
        RULES[entry["rule"]].reason(entry["parameters"]) if entry["rule"] in RULES else "by hand"
        for entry in plan.exclusions
    ]


@login_required
@require_POST
def fix_stopping(request, slug):
    """Fix the plan for an owner, once and for all."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    form = PlanForm(study, request.POST)
    if not form.is_valid():
        return _page(request, study, form)
    try:
        fix(study, request.user, form)
        messages.success(request, "The stopping plan is fixed.")
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("stopping", slug)
