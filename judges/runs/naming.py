"""Name the judge of a study that the verdict tests alone, before anybody can see its judgments.

name_beforehand(judge)      keeps the time, or raises Refused
why_not_named(judge)        the words of the refusal; blank where it may be named
"""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from annotate.models import Study
from judges.models import Judge, Judgment


class Refused(ValueError):
    """The judge may not be named beforehand; the message says why."""


def name_beforehand(judge):
    """Name the judge for its study's verdict, in the place of another that was never run.

    Whoever names at the same time waits at the study's row. Raises Refused.
    """
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=judge.study_id)
        if why := why_not_named(judge):
            raise Refused(why)
        _named(judge.study_id).update(named_at=None)
        Judge.objects.filter(pk=judge.pk).update(named_at=timezone.now())


def why_not_named(judge):
    """Return why the judge may not be named; blank where nobody can have seen what it answers."""
    if judge.judges_nothing:
        return f"{judge} answers no question, so that there is no verdict on it."
    rows = {row.pk: row for row in _concerned(judge)}
    if rows[judge.pk].has_judged:
        return (
            f"{judge} has judgments already. A judge is named before anybody can have seen what it "
            "answers."
        )
    named = next((row for row in rows.values() if row.named_at), None)
    if named is None or named.pk != judge.pk and not named.has_judged:
        return ""
    if named.pk == judge.pk:
        return f"{judge} was named on {words_of(named.named_at)}."
    return (
        f"{named} was named on {words_of(named.named_at)} and has judgments by now. A study names "
        "one judge."
    )


def words_of(time):
    """Write a time as the notes of reports do."""
    return f"{time:%Y-%m-%d %H:%M} UTC"


def _named(study_id):
    return Judge.objects.filter(study=study_id, named_at__isnull=False)


def _concerned(judge):
    """Return the judge and the one that is named now, each with whether it has judged anything.

    An ensemble has judged where a member has: it has no judgments of its own.
    """
    own = Judgment.objects.filter(run__judge=OuterRef("pk"), state__in=Judgment.ASKED)
    of_members = Judge.members.through.objects.filter(
        from_judge=OuterRef("pk"), to_judge__runs__judgments__state__in=Judgment.ASKED
    )
    rows = Judge.objects.filter(Q(pk=judge.pk) | Q(study=judge.study_id, named_at__isnull=False))
    return rows.annotate(has_judged=Exists(own) | Exists(of_members))
