"""Decide whether the result of a check still holds when it is written.

A check reads for seconds and takes no lock. The write that follows locks the study and asks here:
the stamp says that nothing changed but answers and raters, the rest looks at those that matter.
"""

from django.db.models import Count, Max, Q

from annotate.files.loading.common import batches
from annotate.files.loading.ratings import raters_of
from annotate.models import Content, Interaction, Item, Question, Recipient, System

COUNTED = (Recipient, Content, System, Interaction, Item)


def stamp(study):
    """Return a value that differs after any change of what checks compare with.

    A load, a page or a program may make the change. Changed rows of the catalogue and the items
    show in the study's number of loads: nothing else changes them. Take it before the check reads
    anything.
    """
    fields = [getattr(study, field.attname) for field in study._meta.concrete_fields]
    if study.pk is None:
        return []
    questions = Question.objects.filter(study=study).order_by("pk")
    counted = [
        model._default_manager.filter(study=study).aggregate(Count("pk"), Max("pk"))
        for model in COUNTED
    ]
    return [fields, list(questions.values_list()), counted]


def still_hold(loading, study):
    """Return whether no answer or rater that came since the check is a problem.

    study: as it is now, locked. What changes is locked here too, so that no more answers come.
    """
    _lock(loading, study)
    return not (
        _asks_otherwise(loading)
        and not loading.new_version
        and loading.answers.freeze(study)
        or any(loading.answers.items(pks) for pks in batches(loading.changed_items))
        or "ratings" in loading.files
        and _differ(loading.raters, raters_of(study))
    )


def _lock(loading, study):
    """Lock the questions and items that the load changes, with the parts of a pair.

    On PostgreSQL saves do not wait for a study. An answer refers to both, so its save waits for a
    row that is locked FOR UPDATE.
    """
    if _asks_otherwise(loading):
        list(study.questions.select_for_update().order_by("pk").values_list("pk"))
    for pks in batches(loading.changed_items):
        changed = Item.objects.filter(Q(pk__in=pks) | Q(parent__in=pks))
        list(changed.select_for_update().order_by("pk").values_list("pk"))


def _asks_otherwise(loading):
    """Return whether the load changes the questions of a stored study."""
    counts = loading.counts.get("questions")
    return not loading.is_new and counts is not None and (counts.new or counts.changed)


def _differ(raters, now):
    """Return whether raters of the file differ now from what the check saw."""
    return any(
        rater.seen and (key in now if rater.new else not rater.is_same(now.get(key)))
        for key, rater in raters.items()
    )
