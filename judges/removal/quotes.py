"""Remove what judges keep of raters who withdrew or were deleted: examples, prompts and replies.

A rater's answers may stand as an example in the prompts of judges. What was sent and what came back
is blanked, and a judgment that has no value yet is not asked any more; values stay. Reports that
were computed of the rater's answers are deleted too. So is what was made for raters who brought
their own taste: their items, with all that judges made of these.
"""

import logging
from datetime import timedelta
from functools import reduce
from operator import or_

from django.core.cache import caches
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotate.models import Erasure, Item, Rater
from annotate.taste import lists as taste
from judges.models import Call, Judgment, Material, RecommendedList, Run, Writing

log = logging.getLogger(__name__)
BATCH = 500
# A run or a report that read the answers before the rater withdrew may be stored after it.
LATEST = timedelta(hours=1)
NO_UNIT = Q(pk__in=[])
WITHDRAWN = "the rater of its example withdrew"


def remove_due():
    """Remove the quotes of all raters who withdrew or were deleted lately."""
    over = timezone.now() - LATEST
    due = Erasure.objects.filter(Q(removed_at=None) | Q(asked_at__lt=over)).order_by("study")
    for study_id in due.values_list("study", flat=True).distinct():
        remove_of_study(study_id)


def remove_of_study(study_id):
    """Remove what a study quotes; what waits for a call under way is left to the next time."""
    now = timezone.now()
    erasures = Erasure.objects.filter(study=study_id)
    due = list(erasures.values_list("pk", flat=True))
    quoting = _quoting(study_id)
    runs = quoting.order_by("run").values_list("run", flat=True).distinct()
    waiting = [run_id for run_id in runs if not _remove_of_run(run_id, quoting)]
    if not waiting:  # what they rated may stand in a prompt that is on its way
        waiting = [gone for gone in taste.gone_recipients(study_id) if not _forget(gone)]
    caches["reports"].forget(study_id)
    if not waiting:
        gone = erasures.filter(pk__in=due)
        gone.filter(removed_at=None).update(removed_at=now)
        count, _ = gone.filter(asked_at__lt=now - LATEST).delete()
        log.info("study %s: quotes of %s raters removed, %s for good", study_id, len(due), count)


def _quoting(study_id):
    """Return the materials that show an example by a rater who withdrew, or is no more."""
    gone = Erasure.objects.filter(study=study_id, rater__isnull=False).values("rater")
    shown = Material.objects.filter(run__judge__study=study_id, example__isnull=False)
    return shown.filter(Q(rater=None) | Q(rater__in=gone))


def _remove_of_run(run_id, quoting):
    """Blank what a run keeps of these examples; return whether all is done."""
    after = 0
    is_whole = True
    while True:
        with transaction.atomic():
            # Held: no unit is leased meanwhile, and every reply that is stored later is of one
            # that is leased now.
            list(Run.objects.select_for_update(no_key=True).filter(pk=run_id).values_list("pk"))
            rows = quoting.filter(run=run_id, pk__gt=after).order_by("pk")
            items = dict(rows.values_list("item", "pk")[:BATCH])
            if not items:
                return is_whole
            of_items = Judgment.objects.filter(run=run_id, item__in=items)
            busy = set(of_items.filter(state=Judgment.State.LEASED).values_list("item", flat=True))
            _blank(run_id, items.keys() - busy)
        after, is_whole = max(items.values()), is_whole and not busy


@transaction.atomic
def _forget(recipient):
    """Delete a recipient with the items made for them, unless a judge waits for a reply about one.

    Returns whether they are gone.
    """
    items = list(Item.objects.filter(recipient=recipient).values_list("pk", flat=True))
    judgments = Judgment.objects.filter(item__in=items)
    runs = set(judgments.order_by().values_list("run", flat=True).distinct())
    about = [
        pair
        for model in (Writing, RecommendedList)
        for pair in model.objects.filter(recipient=recipient).values_list("run", "unit")
    ]
    locked = runs | {run_id for run_id, _ in about}
    list(Run.objects.select_for_update(no_key=True).filter(pk__in=locked).order_by("pk"))
    leased = Judgment.objects.filter(state=Judgment.State.LEASED)
    of_recipient = reduce(or_, (Q(run=run_id, unit=unit) for run_id, unit in about), NO_UNIT)
    if leased.filter(Q(item__in=items) | of_recipient).exists():
        return False
    for run_id in runs:
        _blank(run_id, items)
    if about:
        _blank_units(Judgment.objects.filter(of_recipient), Call.objects.filter(of_recipient))
    Material.objects.filter(example__in=items).update(example=None, rater=None, ratings={})
    Rater.objects.filter(recipient=recipient).update(recipient=None)
    recipient.delete()
    return True


def _blank_units(judgments, calls):
    """Blank what was sent for these judgments and what came back; who has no value is not asked."""
    nothing = {"messages": [], "reply": "", "logprobs": None, "failure_detail": ""}
    calls.update(**nothing, request_hash="")
    judgments.update(rationale="")
    without = judgments.filter(state__in=[Judgment.State.PENDING, *Judgment.NO_VALUE])
    without.update(**Judgment.beginning(WITHDRAWN))


def _blank(run_id, items):
    judgments = Judgment.objects.filter(run=run_id, item__in=items)
    units = list(judgments.order_by().values_list("unit", flat=True).distinct())
    _blank_units(judgments, Call.objects.filter(run=run_id, unit__in=units))
    Material.objects.filter(run=run_id, item__in=items).update(example=None, rater=None, ratings={})
