"""Compare the exclusions that stand now with the rules that were frozen before collecting."""

from annotate.models import QualityStep
from annotate.quality.rules import TITLES


def applied_steps(study):
    """Return the applications of rules, or exclusions by hand, that stand now."""
    steps = study.quality_steps.filter(kind=QualityStep.Kind.APPLIED, excluded__ended_by=None)
    return list(steps.filter(excluded__isnull=False).distinct().order_by("pk"))


def standing(study):
    """Return the rules that exclude raters now, as plans store them: [{rule, parameters}]."""
    return [{"rule": step.rule, "parameters": step.parameters} for step in applied_steps(study)]


def later_exclusions(plan):
    """Return the titles of the exclusions that stand now and that the plan did not freeze."""
    later = [entry for entry in standing(plan.study) if entry not in plan.exclusions]
    return list(dict.fromkeys(TITLES.get(entry["rule"], entry["rule"]) for entry in later))
