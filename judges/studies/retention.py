"""Delete studies whose retention date has come, as an owner's own deletion does."""

import logging

from django.db import transaction

from annotate.design.retention import today
from annotate.models import Study
from annotate.studies import delete

log = logging.getLogger(__name__)


def begin_due():
    """Mark the studies whose date has come, and return their ids; a worker deletes them then.

    Their pages and links are gone from that moment. Who is changing the date now is waited for.
    """
    due = Study.objects.kept().to_be_deleted_by(today())
    return [pk for pk in due.order_by("pk").values_list("pk", flat=True) if _begin(pk)]


@transaction.atomic
def _begin(pk):
    studies = Study.objects.select_for_update(no_key=True, of=("self",))
    study = studies.to_be_deleted_by(today()).filter(pk=pk).first()
    if study is None:  # the date was changed meanwhile, or somebody else deleted it
        return False
    delete.begin(study)
    log.info("study %s: its retention date has come, so it is deleted", pk)
    return True
