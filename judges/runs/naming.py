"""Name the judge of a study that the verdict tests alone, before results can have shaped it.

name_beforehand(judge)      keeps the time, or raises Refused
why_not_named(judge)        the words of the refusal; blank where it may be named
with_rivals(judges)         adds whose results may have shaped each judge, for why_seen(judge)
"""

import re

from django.db import transaction
from django.db.models import Case, Exists, OuterRef, Q, Subquery, When
from django.utils import timezone

from annotate.models import Study
from judges.models import Judge, Judgment
from judges.runs.promised import Refused, freeze_own_prompts
from judges.scorers import SCORERS

HIDDEN = re.compile(r"\(deleted \d+\)$")  # what frees the name of a deleted judge
COMPUTING = tuple(SCORERS)  # judges without a prompt to tune


def name_beforehand(judge):
    """Name the judge for its study's verdict, in the place of another that was never run.

    Its own prompt is frozen, so that its settings stay. Two requests that name a judge at the same
    time wait for each other at the study's row. Raises Refused.
    """
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=judge.study_id)
        if why := why_not_named(judge):
            raise Refused(why)
        _named(judge.study_id).update(named_at=None)
        Judge.objects.filter(pk=judge.pk).update(named_at=timezone.now())
        freeze_own_prompts([judge])


def why_not_named(judge):
    """Return why the judge may not be named; blank where no results can have shaped it."""
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
        return why_seen(rows[judge.pk])
    if named.pk == judge.pk:
        return f"{judge} was named on {words_of(named.named_at)}."
    return (
        f"{named} was named on {words_of(named.named_at)} and has judgments by now. A study names "
        "one judge."
    )


def why_seen(judge):
    """Return why results may have shaped the judge, from its `rival`; blank where none could."""
    if not judge.rival:
        return ""
    computes = judge.kind in COMPUTING
    rival = HIDDEN.sub("(deleted)", judge.rival)
    what = "settings" if computes else "prompt or settings"
    return (
        f"{rival}{', of the same kind,' if computes else ''} has judged already, so that "
        f"{judge} may have got its {what} after results were seen. It can still be run, and the "
        "verdict counts the whole family of judges. To test one judge alone, name it in a new "
        "study, with new ratings, before any judge runs."
    )


def with_rivals(judges):
    """Add to each judge as `rival` the name of another whose results may have shaped it, or None.

    A judge that computes has no prompt, so only results of its own kind can have shaped it. Any
    other judge can be tuned on results of every judge that has judged and does not compute; an
    ensemble also on results of its members' kinds, as its members are chosen.
    """
    judged = _judgments() | Q(gone_pairs__isnull=False) & ~Q(gone_pairs=[]) | ~Q(undone_pairs=[])
    others = Judge.with_deleted.filter(judged, study=OuterRef("study"))
    others = others.exclude(pk=OuterRef("pk")).exclude(method__in=Judge.JUDGING_NOTHING)
    of_members = Judge.members.through.objects.filter(from_judge=OuterRef(OuterRef("pk")))
    tuned = ~Q(kind__in=COMPUTING) | Q(kind__in=of_members.values("to_judge__kind"))
    return judges.annotate(
        rival=Case(
            When(kind__in=COMPUTING, then=_first_name(others.filter(kind=OuterRef("kind")))),
            default=_first_name(others.filter(tuned)),
        )
    )


def _first_name(judges):
    return Subquery(judges.order_by("pk").values("key")[:1])


def words_of(time):
    """Write a time as the notes of reports do."""
    return f"{time:%Y-%m-%d %H:%M} UTC"


def _named(study_id):
    return Judge.objects.filter(study=study_id, named_at__isnull=False)


def _concerned(judge):
    """Return the judge and the one that is named now, each with whether it has judged anything.

    An ensemble has judged where a member has: it has no judgments of its own.
    """
    of_members = Judge.members.through.objects.filter(
        from_judge=OuterRef("pk"), to_judge__runs__judgments__state__in=Judgment.ASKED
    )
    rows = Judge.objects.filter(Q(pk=judge.pk) | Q(study=judge.study_id, named_at__isnull=False))
    return with_rivals(rows).annotate(has_judged=_judgments() | Exists(of_members))


def _judgments():
    """Return the condition that a judge has judged anything."""
    return Exists(Judgment.objects.filter(run__judge=OuterRef("pk"), state__in=Judgment.ASKED))
