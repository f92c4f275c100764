"""Delete a study: mark it at once, let a worker take its rows away, a few at a time.

The worker's part stands in judges/studies/delete.py, since the study's runs have to stop first.
"""

import logging
import shutil
from collections.abc import Iterator
from contextlib import suppress
from graphlib import TopologicalSorter

from django.apps import apps
from django.db import IntegrityError, models, transaction
from django.db.models import Exists, F, OuterRef

from annotate.models import Deletion, Membership, Session, Study
from annotate.raters import preview, uploads

log = logging.getLogger(__name__)
BATCH = 1000  # rows of a transaction: short, as others may wait for their locks
LAST = (Membership, Deletion, Study)
REQUIRED = (models.CASCADE, models.RESTRICT)


def begin(study):
    """Mark the study: its pages and its raters' links are gone from now on.

    Marking it twice changes nothing, nor does marking it when it is gone.
    """
    with suppress(IntegrityError), transaction.atomic():
        Deletion.objects.get_or_create(study_id=study.pk)


def why_taken(slug):
    """Say why no new study can have this address, to somebody who tried to make one."""
    if Deletion.objects.filter(study__slug=slug).exists():
        return f"“{slug}” is being deleted; its address can be used again once it is gone."
    return f"“{slug}” is taken; choose another address."


# The worker's part


def end_sessions(study_id):
    """End every session, so that no save, claim or step of a rater writes anything any more.

    Previews go at once: their items name the study's contents.
    """
    preview.remove(Study.objects.filter(preview_of=study_id))
    rows = Session.objects.filter(study=study_id).exclude(state__in=Session.OVER)
    while True:
        with transaction.atomic():
            # In the order in which everybody locks sessions; who holds one is waited for.
            some = rows.order_by("pk").select_for_update(of=("self",))
            pks = list(some.values_list("pk", flat=True)[:BATCH])
            Session.objects.filter(pk__in=pks).update(state=Session.State.RETURNED)
        if not pks:
            return


def tables():
    """List (model, lookup of its study) of all that belongs to a study; children come first.

    Found by the required foreign keys that lead to a study, in every app: whoever adds a model
    need not add it here.
    """
    below = tables_below(Study, "pk", is_required)
    # Members go last: they may see how far the deletion is.
    lookups = dict(below)
    return [table for table in below if table[0] not in LAST] + [(Membership, lookups[Membership])]


def tables_below(root, lookup, is_followed):
    """List (model, lookup) of a model and of all that belongs to its rows; children come first.

    is_followed: whether a row goes with the row that a field refers to.
    """
    lookups = {root: lookup}
    while new := dict(_next_models(lookups, is_followed)):
        lookups |= new
    graph = {model: _children(model, lookups) for model in lookups}
    return [(model, lookups[model]) for model in TopologicalSorter(graph).static_order()]


def _next_models(lookups, is_followed) -> Iterator[tuple[type[models.Model], str]]:
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            is_new = model not in lookups and is_followed(field)
            if is_new and field.related_model in lookups:
                above = lookups[field.related_model]
                yield model, field.name if above == "pk" else f"{field.name}__{above}"
                break


def is_required(field):
    """Whether no row can be without what this field refers to."""
    return field.is_relation and not field.null and is_owned(field)


def is_owned(field):
    """Whether a row goes with the row that this field refers to, if it refers to any."""
    return field.is_relation and field.remote_field.on_delete in REQUIRED


def _children(model, lookups):
    """List the models whose rows may refer to rows of the model, itself left out."""
    return [
        other
        for other in lookups
        if other is not model and model in {f.related_model for f in other._meta.concrete_fields}
    ]


def rows_of(model, lookup, study_id):
    """Return the study's rows of one table."""
    return model._base_manager.filter(**{lookup: study_id})


def count_rows(study_id):
    """Count the study's rows in all tables."""
    return sum(rows_of(model, lookup, study_id).count() for model, lookup in tables())


def delete_some(model, lookup, study_id, after):
    """Delete a batch of rows that no row of their own table refers to.

    after: the primary key where the last batch ended; beginning anew would walk over what is gone.
    Returns (how many, where this batch ended); call it in a transaction.
    """
    rows = rows_of(model, lookup, study_id).filter(pk__gt=after)
    for field in model._meta.concrete_fields:
        if field.is_relation and field.related_model is model:
            rows = rows.exclude(Exists(model._base_manager.filter(**{field.name: OuterRef("pk")})))
    pks = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
    if not pks:
        return 0, after
    gone = model._base_manager.filter(pk__in=pks)
    return gone._raw_delete(gone.db), pks[-1]


def note(study_id, deleted, until):
    """Keep how many more rows are gone, and that the worker lives."""
    Deletion.objects.filter(study=study_id).update(
        deleted=F("deleted") + deleted, due_at=until, waits_for=""
    )


def finish(study_id):
    """Delete the study's own row and its files; False while it has other rows."""
    folder = uploads.folder_of(study_id)
    shutil.rmtree(folder, ignore_errors=True)
    with transaction.atomic():
        # Who is about to insert a row that refers to the study is waited for, and seen.
        study = Study.objects.select_for_update().filter(pk=study_id).first()
        if study and any(rows_of(*table, study_id).exists() for table in tables()):
            return False
        for gone in (Deletion.objects.filter(study=study_id), Study.objects.filter(pk=study_id)):
            gone._raw_delete(gone.db)
    shutil.rmtree(folder, ignore_errors=True)  # of an upload that began before the study was marked
    log.info("study %s: deleted", study_id)
    return True
