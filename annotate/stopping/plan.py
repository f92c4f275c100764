"""Fix a study's stopping plan, which is possible only before the first rating."""

from secrets import randbelow

from django.db import transaction

from analysis.stats.planning.stopping import FIRST_LOOK
from annotate.models import Rating, StoppingPlan, Study
from annotate.stopping.claim_order import put_places_in_order
from annotate.stopping.clusters import cluster_by_item, draw_order, items_in_order
from annotate.stopping.exclusions import standing, with_deleted_raters

SEEDS = 2**32


class Refused(ValueError):
    """The study's present state forbids a plan; the message says why."""


def plan_of(study):
    """Return the study's StoppingPlan, or None."""
    return with_deleted_raters(StoppingPlan.objects.filter(study=study)).first()


def why_not(study):
    """Say why no plan can be fixed now for a study that has none; blank where it can."""
    if Rating.objects.filter(session__study=study).exists():
        return (
            "Ratings are stored already, so that a rule could be fitted to them. Results of this "
            "study are chosen after looking: the verdict gives them as usual."
        )
    if study.raters_per_item < 2:
        return "Items get one rating only, and nothing can be decided without a second one."
    clusters = len(set(cluster_by_item(study).values()))
    if not clusters:
        return "No items are loaded yet."
    if clusters < FIRST_LOOK:
        return (
            f"This study has {_count(clusters)}; a look counts from {FIRST_LOOK}. A cluster is a "
            "recipient with all items, else a content, else a single item. Load more first."
        )
    return ""


def _count(clusters):
    return "1 cluster" if clusters == 1 else f"{clusters} clusters"


@transaction.atomic
def fix_plan(study, user, *, planned, alpha, decisions, exclusions, role):
    """Store the plan with an order of clusters drawn now; Refused where it comes too late.

    role: of the raters whose ratings count at a look.
    exclusions: [{rule, parameters}]; those that stand already are frozen with them.
    """
    now = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if plan_of(now):
        raise Refused("The study has a stopping plan already; nobody can change it.")
    if reason := why_not(now):
        raise Refused(reason)
    seed = randbelow(SEEDS)
    order = draw_order(now, seed)
    frozen = [*exclusions, *(entry for entry in standing(now) if entry not in exclusions)]
    plan = StoppingPlan.objects.create(
        study=now,
        planned=planned,
        alpha=alpha,
        decisions=decisions,
        raters_per_item=now.raters_per_item,
        role=role,
        seed=seed,
        order=order,
        items=items_in_order(order, cluster_by_item(now)),
        exclusions=frozen,
        by=user,
        by_name=user.username,
    )
    put_places_in_order(plan.items)
    return plan
