"""Fix a stopping plan with the judges that it decides on."""

from django.db import transaction

from annotate.stopping.plan import fix_plan
from judges.models import StoppingPair
from judges.runs.promised import freeze_own_prompts


@transaction.atomic
def fix(study, user, form):
    """Store the plan that a valid form describes; annotate.stopping.plan.Refused if too late."""
    pairs = form.pairs
    plan = fix_plan(
        study,
        user,
        planned=form.cleaned_data["planned"],
        alpha=form.cleaned_data["alpha"],
        decisions=len(pairs),
        exclusions=form.exclusions,
        role=form.cleaned_data["role"],
    )
    StoppingPair.objects.bulk_create(
        StoppingPair(plan=plan, judge=judge, question=question) for judge, question in pairs
    )
    freeze_own_prompts(list({judge.pk: judge for judge, _ in pairs}.values()))
    return plan


def pairs_of(plan):
    """Return the plan's StoppingPairs with their judges and questions."""
    return list(StoppingPair.objects.filter(plan=plan).select_related("judge", "question"))
