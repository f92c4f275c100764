"""Compare the exclusions that stand now with those that were frozen before collecting."""

from django.db.models import Count, OuterRef, Subquery

from annotate.models import QualityStep, Tombstone
from annotate.quality.rules import TITLES


def applied_steps(study):
    """Return the applications of rules, or exclusions by hand, that stand now."""
    steps = study.quality_steps.filter(kind=QualityStep.Kind.APPLIED, excluded__ended_by=None)
    return list(steps.filter(excluded__isnull=False).distinct().order_by("pk"))


def standing(study):
    """Return the rules that exclude raters now, as plans store them: [{rule, parameters}]."""
    return [_entry_of(step) for step in applied_steps(study)]


def with_deleted_raters(plans):
    """Add to each plan, as `deleted_raters`, how many raters with answers were deleted after it.

    None where nobody was. Only an owner of the study can delete a rater's data.
    """
    later = Tombstone.objects.filter(
        study=OuterRef("study"), at__gt=OuterRef("fixed_at"), rating_count__gt=0
    )
    counted = later.order_by().values("study").annotate(raters=Count("pk"))
    return plans.annotate(deleted_raters=Subquery(counted.values("raters")))


def later_exclusions(plan):
    """Return in words the exclusions that stand now and that a plan (of plan_of) did not freeze."""
    later = [step for step in applied_steps(plan.study) if not _is_frozen(step, plan)]
    words = [TITLES.get(step.rule, step.rule) for step in later]
    if plan.deleted_raters:
        raters = "1 rater" if plan.deleted_raters == 1 else f"{plan.deleted_raters} raters"
        words.append(
            f"the data of {raters} deleted, which raters may have asked for or researchers chosen"
        )
    return list(dict.fromkeys(words))


def _is_frozen(step, plan):
    """Whether a plan froze an exclusion: by hand with its rater, else by its rule and numbers."""
    if step.rule == QualityStep.BY_HAND:
        return step.at <= plan.fixed_at
    return _entry_of(step) in plan.exclusions


def _entry_of(step):
    return {"rule": step.rule, "parameters": step.parameters}
