"""What the exclusion rules measure on extra screens, and against the study's minimum time."""

from collections import defaultdict

import numpy as np

from annotate.models import Extra, ExtraAnswer
from annotate.quality import measures

KIND = Extra.Kind


def _shares(rows, least):
    """{rater: percent of what is true} of (rater, truth); who has too few is missing."""
    found = defaultdict(list)
    for rater, truth in rows:
        found[rater].append(truth)
    return {
        rater: 100 * sum(truths) / len(truths)
        for rater, truths in found.items()
        if len(truths) >= least
    }


def failed_checks(evidence, failures):
    """How many attention checks a rater failed; who answered none is missing."""
    found: dict = {}
    for kind, rater, passed in evidence.passed:
        if kind == KIND.ATTENTION:
            found[rater] = found.get(rater, 0) + (passed is False)
    return found


def gold_agreement(evidence, percent, answers):
    """Percent of the answers with a known right one that are right, or near enough."""
    gold = [row[1:] for row in evidence.passed if row[0] == KIND.GOLD and row[2] is not None]
    return _shares(gold, answers)


def repeat_disagreement(evidence, points, share, answers):
    """Percent of repeated answers that differ by more than so many points; words by any."""
    ordered = {
        question.pk
        for question in evidence.questions
        if question.scale.kind in ("likert", "number")
    }
    twice = ExtraAnswer.objects.filter(extra__session__study=evidence.study)
    twice = twice.filter(extra__session__rater__excluded_because="")
    rows = (
        (rater, abs(first - second) > (points if question in ordered else 0))
        for rater, _, question, first, second in twice.test_retest()
    )
    return _shares(rows, answers)


def share_of_hurried_items(evidence, share, items):
    """Percent of the items whose last answer came before the study's minimum time."""
    minimum = evidence.study.extra.get("minimum_seconds") or 0
    visits = measures.seconds_by_item(evidence)
    parts = measures.by_rater(*visits, items)
    return {rater: 100 * float(np.mean(part < minimum)) for rater, part in parts}


def kinds_of(study):
    """The kinds of extra screens that the study sets, or has answers to from when it did."""
    names = {KIND.ATTENTION: "attention", KIND.GOLD: "gold", KIND.REPEAT: "repeats"}
    found = {str(kind) for kind, name in names.items() if study.extra.get(name)}
    if any(name in study.extra and str(kind) not in found for kind, name in names.items()):
        extras = Extra.objects.filter(session__study=study, answers__isnull=False)
        found |= set(extras.order_by().values_list("kind", flat=True).distinct())
    return found


def has_minimum(study):
    """Whether the study sets a minimum time."""
    return bool(study.extra.get("minimum_seconds"))
