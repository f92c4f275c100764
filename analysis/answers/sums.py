"""What tells whether any answer of a study has changed, without reading them one by one."""

from django.db.models import BigIntegerField, Count, ExpressionWrapper, FloatField, Max, Sum

from analysis.answers.counting import statements_summed
from annotate.models import ExitAnswer, ExtraAnswer, Rating
from judges.models import Judgment


class ValuesSummed(Sum):
    """A number that changes with the values, and not with the order in which they are read.

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
    """(id, how many, last id, their values summed up, latest time) of all ratings, of each of these
    runs, and of what reports read beside them: extra screens, exit answers, statements.
    """
    found = {"n": Count("pk"), "last": Max("pk"), "total": ValuesSummed("value")}
    answered = found | {"at": Max("answered_at")}
    ratings = Rating.objects.filter(session__study=study).order_by().values_list("session__study")
    extras = ExtraAnswer.objects.filter(extra__session__study=study).order_by()
    extras = extras.values_list("extra__session__study")
    said = ExitAnswer.objects.filter(session__study=study).order_by().values_list("session__study")
    judged = Judgment.objects.filter(run__in=runs).order_by().values_list("run")
    # One that failed and is asked again loses its time, which need not have been the latest.
    last = ExpressionWrapper(Max("pk") + Count("settled_at"), BigIntegerField())
    judged = judged.annotate(**found | {"n": Count("value"), "last": last, "at": Max("settled_at")})
    others = extras.annotate(**answered), said.annotate(**found, latest=Max("at"))
    others += tuple(statements_summed(study))
    return sorted(ratings.annotate(**answered).union(judged, *others, all=True), key=repr)
