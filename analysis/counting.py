"""Which sessions and answers of people count, and why others do not."""

from django.db.models import BigIntegerField, CharField, Value

from annotate.models import Rating, Session


def human_answers(study):
    """Every answer with a number that a person gave, counted or not."""
    return Rating.objects.filter(session__study=study, value__isnull=False)


SESSION = ["pk", "rater__key", "rater__role", "rater__excluded_because", "state", "version"]


def who_counts(study):
    """({session id: (rater, role, why excluded, version)} of all sessions, surplus), in one query.

    why: "" where it counts; surplus: {(session id, item id)} of answers that have no place, in
    sessions that count. Rating.objects.for_analysis() decides who counts; here that gets its
    words, and a test holds them to it.
    """
    none = Value(0, output_field=BigIntegerField())
    sessions = Session.objects.filter(study=study).order_by().values_list(*SESSION, none)
    blank, version = (Value("", output_field=CharField()),) * 4, Value(0)
    answers = Rating.objects.filter(session__study=study).surplus().order_by()
    surplus = answers.values_list("session_id", *blank, version, "item_id").distinct()
    rows = sorted(sessions.union(surplus, all=True))
    return {
        pk: (rater, role, because or _unfinished(state), version)
        for pk, rater, role, because, state, version, item in rows
        if not item
    }, {(pk, item) for pk, *_, item in rows if item}


def _unfinished(state):
    return "" if state == Session.State.COMPLETED else f"session not completed: {state}"
