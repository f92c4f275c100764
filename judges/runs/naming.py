"""Name the judge of a study that the verdict tests alone, before anybody can see its judgments.

name_beforehand(judge)      keeps the time, or raises Refused
why_not_named(judge)        the words of the refusal; blank where it may be named
"""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from annotate.models import Study
from judges.models import Judge, Judgment, Run
from judges.runs import plan
from judges.runs.promised import Refused, freeze_own_prompts, with_members

PROMPT = ("frozen__prompt", "frozen__prompt_sha256")


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
        return _why_seen(judge)
    if named.pk == judge.pk:
        return f"{judge} was named on {words_of(named.named_at)}."
    return (
        f"{named} was named on {words_of(named.named_at)} and has judgments by now. A study names "
        "one judge."
    )


def _why_seen(judge):
    """Return why a judge's answers can have been seen: another with its settings has judged."""
    for asked in with_members([judge]):
        if twin := _find_twin(asked):
            whose = "" if asked.pk == judge.pk else f" of its member {asked}"
            return (
                f"{twin} has the same settings{whose} and has judgments already, so that what "
                f"{judge} answers can have been seen."
            )
    return ""


def _find_twin(judge):
    """Return the name of another judge of the study that ran with the same settings; or None.

    Neither the name of a prompt with the same text nor the format of replies makes another judge.
    """
    has_judged = Exists(Judgment.objects.filter(run=OuterRef("pk"), state__in=Judgment.ASKED))
    runs = Run.objects.filter(has_judged, judge__study=judge.study_id, judge__kind=judge.kind)
    runs = runs.exclude(judge=judge.pk).order_by("pk")
    ran = list(runs.values_list("judge__key", "settings_hash", *PROMPT))
    try:
        own = plan.settings_of(judge) if ran and judge.runs_here else None
    except plan.PlanError:
        own = None  # it cannot be run
    for name, kept, prompt, digest in ran if own else ():
        alike = prompt if digest == own.get("prompt_sha256") else None
        if kept in _hashes_of(own, alike):
            return name
    return None


def _hashes_of(own, prompt):
    """Return the hashes of these settings with each format of replies.

    prompt: the name of a prompt with the same text, None without one.
    """
    if prompt is None:
        return {plan.hash_of(own)}
    bare = {key: value for key, value in own.items() if key not in plan.REPLY_FORMATS}
    return {
        plan.hash_of(bare | {"prompt": prompt} | asked)
        for asked in (
            {"json_schema": True},
            {"json_schema": False},
            {"json_schema": False, "json_mode": True},
        )
    }


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
