"""Decide which sessions and answers of people count, and say why others do not."""

from django.db.models import (
    BigIntegerField,
    CharField,
    Count,
    DateTimeField,
    FloatField,
    Max,
    Q,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Cast, Coalesce

from annotate.models import Rating, Session
from judges.models import Extraction, Statement
from judges.models.statement import ended_runs


def number_of(rows, count=None):
    """Return an expression that counts the rows, for use inside another query."""
    counted = rows.order_by().values(every=Value(1)).annotate(found=count or Count("pk"))
    return Coalesce(Subquery(counted.values("found")), 0)


def human_answers(study):
    """Return every answer with a number that a person gave, counted or not."""
    return Rating.objects.filter(session__study=study, value__isnull=False)


SESSION = ["pk", "rater__key", "rater__role", "rater__excluded_because", "state", "version"]


def who_counts(study):
    """Return ({session id: (rater, role, why excluded, version)}, surplus), in one query.

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


def statements_summed(study):
    """Return rows of `Reader.sums` for the sides that were read and for the statements.

    A row is (study, how many, last id, which were changed, latest change): both change what the
    report on factuality counts.

    Only runs that have ended are summed, as no other speaks. A change that is undone leaves no
    time, so it shows in the sum of ids alone.
    """
    ended = Q(run__in=ended_runs(study).values("pk"))
    readings, statements = (
        model.objects.filter(which, item__study=study).order_by().values_list("item__study")
        for model, which in ((Extraction, ended), (Statement, ended | Q(run=None)))
    )
    none, never = Value(None, FloatField()), Value(None, DateTimeField())
    changed = Q(is_removed=True) | Q(corrected_at__isnull=False)
    totals = {"n": Count("pk"), "last": Max("pk")}
    totals["total"] = Cast(Sum("pk", filter=changed), FloatField())
    return (
        readings.annotate(n=Count("kept"), last=Max("pk"), total=none, latest=never),
        statements.annotate(**totals, latest=Max("corrected_at")),
    )
