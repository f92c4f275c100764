"""Choose which judgments count and why some have no value, for the frame and the exports."""

from collections import Counter

from django.db.models import Case, Exists, F, OuterRef, Q, Value, When

from judges.models import Judge, Judgment, Run
from judges.models.run import FROM_FILE


def judge_of_runs(study):
    """Return {run id: name of its judge} for all runs that speak for their judge.

    What a run settled stays, however it ended. Checks do not speak; nor do files, once their judge
    was asked here.
    """
    return {run: judge for run, (judge, *_) in about_runs(study).items()}


def about_runs(study):
    """Return {run id: (judge, version, from_file)} for all runs that speak for their judge.

    judge: its name; version: of the questionnaire that it asks; from_file: whether its judgments
    come from a file.
    """
    runs = Run.objects.speaking().filter(judge__study=study).order_by("pk")
    runs = runs.exclude(judge__method__in=Judge.JUDGING_NOTHING)
    from_file = Q(frozen__kind=FROM_FILE) | Q(judge__kind=Judge.Kind.IMPORTED)
    rows = runs.annotate(from_file=from_file).values_list(
        "pk", "judge__key", "version", "from_file"
    )
    return {pk: (judge, version, bool(loaded)) for pk, judge, version, loaded in rows}


def judge_answers(runs):
    """Return the settled judgments of every judge's latest run with a value, per item and question.

    runs: {run id: judge}, of those that speak for their judges (`Run.objects.speaking`): a judge's
    settings never change between them, so that they complete one another. A later version of the
    questionnaire is newer, then a later run: a file of an earlier one may be loaded afterwards.
    Only judges with several runs are searched for newer answers.
    """
    judgments = Judgment.objects.settled().filter(run__in=list(runs))
    n_runs = Counter(runs.values())
    several = [pk for pk, judge in runs.items() if n_runs[judge] > 1]
    if not several:
        return judgments
    same = Judgment.objects.settled().filter(
        run__in=several,
        run__judge=OuterRef("run__judge"),
        item=OuterRef("item"),
        question=OuterRef("question"),
    )
    done, version = Q(state=Judgment.State.DONE), OuterRef("run__version")
    newer = Q(run__version__gt=version) | Q(run__version=version, run__gt=OuterRef("run"))
    return judgments.exclude(
        Exists(same.filter(done & newer)) | (~done & Exists(same.filter(done | newer)))
    )


def why_missing(weighted=False):
    """Return an expression for why a judgment has no value: its reason or its state in words.

    Blank where there is a value. weighted: of a judgment without a weighted value.
    """
    done = F("weighted_reason") if weighted else Value("")
    states = [
        When(state=state, reason="", then=Value(state.label))
        for state in Judgment.State
        if state != Judgment.State.DONE
    ]
    return Case(When(state=Judgment.State.DONE, then=done), *states, default=F("reason"))
