"""Withdraw: delete all that a rater gave. What stays is that somebody withdrew, and their pay.

They are paid by the minutes that they took part, or by how many items they had answered.
"""

from django.db import models, transaction
from django.db.models import Case, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.design.platform import ids_to_pay
from annotate.models import Erasure, Session
from annotate.sessions import exclude, kept_places, places
from annotate.taste import lists as taste

# What a session says of its rater, as it is where nothing is known.
NOTHING = {
    "stopped_in": "",
    "current": 1,
    "order_row": None,
    "hurried_at": None,
    "items_done_at": None,
    "layout": "",
    "arm": "",
    "browser": "",
    "device": "",
    "screen_width": None,
}


@transaction.atomic
def withdraw(session):
    """Delete what the session's rater gave, and open their places; a second time does nothing.

    An answer on its way comes before, and is deleted, or after, and is refused: both lock the
    session. With it go other sessions of the rater, such as a file's copy of the same answers.
    """
    sessions = Session.objects.filter(rater=session.rater_id)
    held = list(sessions.select_for_update(of=("self",)).order_by("pk"))
    if not any(row.can_withdraw for row in held if row.pk == session.pk):
        return
    now = timezone.now()
    # By which the minutes are paid: who had left long ago was not here until now.
    left = When(state=Session.State.ABANDONED, then="last_seen_at")
    ended_at = Coalesce("ended_at", Case(left, default=models.Value(now)))
    _count_items(held)
    sessions.update(state=Session.State.WITHDRAWN, last_seen_at=now, ended_at=ended_at, **NOTHING)
    places.release([row.pk for row in held])
    kept_places.let_go([session.rater_id])
    taste.remove_brought(held)
    for model, field in given():
        model.objects.filter(**{f"{field}__in": held}).delete()
    _forget(session.rater)


def _count_items(sessions):
    """Keep of each visit on how many items something was answered: a bare number to pay by."""
    counted = Session.objects.visits().filter(pk__in=[row.pk for row in sessions]).with_answers()
    for pk, count in counted.values_list("pk", "items"):
        Session.objects.filter(pk=pk).update(withdrawn_items=count)


def given():
    """List (model, its field) of all that belongs to a session, in every app.

    Found by the foreign keys: whoever adds a model need not add it here.
    """
    relations = Session._meta.get_fields(include_hidden=True)
    return [
        (relation.related_model, relation.field.name)
        for relation in relations
        if relation.one_to_many and relation.on_delete is models.CASCADE
    ]


def _forget(rater):
    """Leave of a rater the name and the ids by which they are paid; judges' quotes go later."""
    exclude.forget_words(rater)
    rater.exclusions.all().delete()
    rater.repeat_visits.all().delete()
    rater.excluded_because, rater.platform_ids = "", ids_to_pay(rater.platform_ids)
    rater.save(update_fields=["excluded_because", "platform_ids"])
    Erasure.objects.create(study=rater.study, rater=rater)
