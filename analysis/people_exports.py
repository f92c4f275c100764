"""Exports about people: who rated, and every change of an answer.

What a platform calls somebody is personal. It leaves as a pseudonym, the same in every export of
a study, so that a participant who came twice can be seen; as it is only where an owner asks.
"""

from itertools import groupby
from operator import itemgetter

from django.db.models import Count, IntegerField, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils.crypto import salted_hmac

from annotate.measuring import APPROVAL_RATE, TASK_COUNT, participant_of
from annotate.models import Rater, Rating, RatingRevision, Session

CHUNK = 5000
VISIT = ("SESSION_ID", "assignmentId")


def pseudonym(study, platform_id):
    """12 letters and digits for a platform's id; without the SECRET_KEY nobody can undo it."""
    if not platform_id:
        return ""
    keyed = salted_hmac(f"platform id in {study.pk}", platform_id, algorithm="sha256")
    return keyed.hexdigest()[:12]


def raters(study, clean, cells, platform_ids=False):
    """One row a rater; platform_ids=True gives the platform's own names of people and visits."""

    def named(text):
        return clean(text if platform_ids else pseudonym(study, text))

    rows = _counted_raters(study).order_by("pk")
    names = [
        "key", "role", "recipient__key", "platform_ids", "excluded_because", "sessions_all",
        "sessions_completed", "items_rated", "answers", "answers_counted", "changes", "created_at",
    ]  # fmt: skip
    for key, role, recipient, ids, why, *counts in rows.values_list(*names).iterator(CHUNK):
        visit = next((str(ids[name]) for name in VISIT if ids.get(name)), "")
        numbers = (_plain(ids.get(name), clean) for name in (APPROVAL_RATE, TASK_COUNT))
        who = clean(key), role, clean(recipient), named(participant_of(ids)), named(visit)
        yield (cells(*who, *numbers, bool(why), clean(why), *counts),)


def _plain(value, clean):
    """A platform's number as it is, whatever it put there as a text."""
    return value if value is None or isinstance(value, int | float) else clean(str(value))


def _counted_raters(study):
    """Raters with their sessions, answers and changes, each counted for itself."""
    ratings = Rating.objects.filter(session__rater=OuterRef("pk")).order_by()
    revisions = RatingRevision.objects.filter(rating__session__rater=OuterRef("pk")).order_by()
    done = Q(sessions__state=Session.State.COMPLETED)
    return Rater.objects.filter(study=study).annotate(
        sessions_all=Count("sessions"),
        sessions_completed=Count("sessions", filter=done),
        items_rated=_number(ratings, "session__rater", Count("item", distinct=True)),
        answers=_number(ratings, "session__rater", Count("pk")),
        answers_counted=_number(ratings.for_analysis(), "session__rater", Count("pk")),
        changes=_number(
            revisions, "rating__session__rater", Count("pk") - Count("rating", distinct=True)
        ),
    )


def _number(rows, by, expression):
    counted = rows.values(by).annotate(n=expression).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def revisions(study, clean, cells):
    """One row for every answer that was given or changed here, the first answers too."""
    rows = RatingRevision.objects.filter(rating__session__study=study).order_by("rating_id", "pk")
    names = [
        "rating_id", "rating__session_id", "rating__session__rater__key", "rating__item__key",
        "rating__question__key", "value", "text", "at",
    ]  # fmt: skip
    for _, group in groupby(rows.values_list(*names).iterator(CHUNK), key=itemgetter(0)):
        old = None
        for change, (_, session, rater, item, question, value, text, at) in enumerate(group):
            new = clean(text) if value is None else _whole(value)
            keys = clean.key(rater), clean.key(item), question
            yield (cells(session, *keys, change, old, new, at),)
            old = new


def _whole(value):
    return int(value) if value == int(value) else value
