"""Detect whether any answer of a study has changed, without reading the answers one by one."""

from django.db.models import BigIntegerField, Count, ExpressionWrapper, FloatField, Max, Sum

from analysis.answers.counting import statements_summed
from annotate.models import Answer, Rating, Screen
from judges.models import Judgment


class ValuesSummed(Sum):
    """A sum that changes with the values, and not with the order in which they are read.

    PostgreSQL's parallel workers change it; whole numbers, of hashes, are faster than exact sums.
    """

    output_field = FloatField()

    def as_sqlite(self, compiler, connection, **context):
        return self.as_sql(
            compiler, connection, template="ROUND(SUM(%(expressions)s), 9)", **context
        )

    def as_postgresql(self, compiler, connection, **context):
        return self.as_sql(
            compiler, connection, template="SUM(hashfloat8(%(expressions)s))::float8", **context
        )


def sums(study, runs):
    """Return (id, how many, last id, sum, latest time) of ratings, runs and other answers.

    A row for all ratings, for each of these runs, and for what reports read as well: extra screens,
    exit answers, statements.
    """
    totals = {"n": Count("pk"), "last": Max("pk"), "total": ValuesSummed("value")}
    answered = totals | {"at": Max("answered_at")}
    ratings = Rating.objects.filter(session__study=study).order_by().values_list("session__study")
    kinds = (*Screen.AMONG_ITEMS, *Screen.ABOUT_RATER)
    answers = Answer.objects.filter(screen__session__study=study, screen__kind__in=kinds)
    answers = answers.order_by().values_list("screen__session__study")
    judged = Judgment.objects.filter(run__in=runs).order_by().values_list("run")
    # One that failed and is asked again loses its time, which need not have been the latest.
    last = ExpressionWrapper(Max("pk") + Count("settled_at"), BigIntegerField())
    judged = judged.annotate(
        **totals | {"n": Count("value"), "last": last, "at": Max("settled_at")}
    )
    others = answers.annotate(**answered), *statements_summed(study)
    return sorted(ratings.annotate(**answered).union(judged, *others, all=True), key=repr)
