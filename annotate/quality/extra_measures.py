"""Measure raters by their extra screens, and against the study's minimum time."""

from collections import defaultdict

import numpy as np
from django.db.models import Max

from annotate.models import Answer, Listening, Screen
from annotate.quality import measures

KIND = Screen.Kind
NEAR_END = 1.0  # seconds: a browser need not report the very end of a recording


def _shares(rows, least):
    """Return {rater: percent true} of rows (rater, truth), without raters of too few rows."""
    truths_by_rater = defaultdict(list)
    for rater, truth in rows:
        truths_by_rater[rater].append(truth)
    return {
        rater: 100 * sum(truths) / len(truths)
        for rater, truths in truths_by_rater.items()
        if len(truths) >= least
    }


def failed_checks(evidence, failures):
    """Count the attention checks that each rater failed; raters without any are missing."""
    failed_by_rater: dict = {}
    for kind, rater, passed in evidence.passed:
        if kind == KIND.ATTENTION:
            failed_by_rater[rater] = failed_by_rater.get(rater, 0) + (passed is False)
    return failed_by_rater


def gold_agreement(evidence, percent, answers):
    """Measure the percentage of a rater's answers to gold items that are right, or near enough."""
    gold = [row[1:] for row in evidence.passed if row[0] == KIND.GOLD and row[2] is not None]
    return _shares(gold, answers)


def repeat_disagreement(evidence, points, share, answers):
    """Measure the percentage of repeated answers that differ by more than the given points.

    Of words and yes or no every difference counts.
    """
    graded = {question.pk for question in evidence.questions if question.scale.is_graded}
    twice = Answer.objects.filter(screen__session__study=evidence.study)
    twice = twice.filter(screen__session__rater__excluded_because="")
    rows = (
        (rater, abs(first - second) > (points if question in graded else 0))
        for rater, _, question, first, second in twice.test_retest()
    )
    return _shares(rows, answers)


def share_of_hurried_items(evidence, share, items):
    """Measure the percentage of items whose last answer came before the minimum time."""
    minimum = evidence.study.extra.get("minimum_seconds") or 0
    visits = measures.seconds_by_item(evidence)
    parts = measures.by_rater(*visits, items)
    return {rater: 100 * float(np.mean(part < minimum)) for rater, part in parts}


def kinds_of(study):
    """Return the kinds of extra screens that the study sets, or set earlier and has answers to."""
    names = {KIND.ATTENTION: "attention", KIND.GOLD: "gold", KIND.REPEAT: "repeats"}
    kinds = {str(kind) for kind, name in names.items() if study.extra.get(name)}
    if any(name in study.extra and str(kind) not in kinds for kind, name in names.items()):
        given = Answer.objects.among_items().filter(screen__session__study=study)
        kinds |= set(given.order_by().values_list("screen__kind", flat=True).distinct())
    return kinds


def has_minimum(evidence):
    """Return whether the study sets a minimum time."""
    return bool(evidence.study.extra.get("minimum_seconds"))


def share_of_unheard_recordings(evidence, seconds, share, recordings):
    """Measure the percentage of recordings of which less than the given seconds was played.

    A recording that was played to its end counts as heard, however short it is; one that came
    again on another page counts once, as it was heard most.
    """
    rows = Listening.objects.filter(session__study=evidence.study, played_seconds__isnull=False)
    rows = rows.filter(session__rater__excluded_because="").order_by("session__rater", "content")
    longest = rows.values_list("session__rater", "content").annotate(
        played=Max("played_seconds"), length=Max("duration_seconds")
    )
    unheard = (
        (
            rater,
            played < seconds and (length is None or played < max(length - NEAR_END, length / 2)),
        )
        for rater, _, played, length in longest
    )
    return _shares(unheard, recordings)


def has_recordings(evidence):
    """Return whether any page reported what was played of a recording."""
    return any(rater.has_recordings for rater in evidence.everybody)
