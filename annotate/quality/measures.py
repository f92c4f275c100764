"""Measure each rater for the exclusion rules: times, variance, agreement, platform data."""

from functools import cached_property
from math import isnan

import numpy as np
from django.db.models import Exists, OuterRef

from analysis.stats.agreement.leave_one_out import correlation_with_others
from annotate.models import Answer, Listening, Question, Rating, Screen, Session

# Names in Rater.platform_ids: who somebody is there, and what the platform tells about them.
PARTICIPANT = ("PROLIFIC_PID", "workerId")
APPROVAL_RATE, TASK_COUNT = "approval_rate", "task_count"
HALF = 32
TYPES = [
    ("rater", "i8"),
    ("shown", "i8"),
    ("item", "i8"),
    ("question", "i8"),
    ("value", "f8"),
    ("seconds", "f8"),
]


class Evidence:
    """A study's raters who are not excluded, and all their answers; each table is read once."""

    def __init__(self, study):
        self.study = study

    @cached_property
    def everybody(self):
        """List the raters; has_recordings: whether their pages reported what was played of any."""
        offered = Listening.objects.filter(
            session__rater=OuterRef("pk"), played_seconds__isnull=False
        )
        return list(self.study.raters.annotate(has_recordings=Exists(offered)))

    @cached_property
    def raters(self):
        """Return {id: rater} of the raters who are not excluded."""
        return {rater.pk: rater for rater in self.everybody if not rater.excluded_because}

    @cached_property
    def told(self):
        """List what a platform told, of each rater about whom it told anything."""
        return [rater.platform_ids for rater in self.everybody if rater.platform_ids]

    @cached_property
    def questions(self):
        return list(Question.objects.filter(study=self.study))

    @cached_property
    def said_at_exit(self):
        """List (key, rater id, value, text) of all answers to exit questions, in their order."""
        rows = Answer.objects.about_raters().filter(screen__session__study=self.study)
        rows = rows.order_by("screen__session_id", "pk")
        return list(rows.values_list("key", "screen__session__rater_id", "value", "text"))

    @cached_property
    def passed(self):
        """List (kind, rater id, passed) of the answers to attention checks and gold items."""
        kinds = [Screen.Kind.ATTENTION, Screen.Kind.GOLD]
        rows = Answer.objects.filter(screen__session__study=self.study, screen__kind__in=kinds)
        rows = rows.filter(screen__session__rater__excluded_because="")
        return list(
            rows.order_by("pk").values_list("screen__kind", "screen__session__rater", "passed")
        )

    @cached_property
    def answers(self):
        """Return all their answers as a structured array, whatever the state of the session."""
        answers = Rating.objects.filter(session__study=self.study).with_shown_item()
        rows = answers.filter(session__rater__excluded_because="").values_list(
            "session__rater", "shown_item", "item", "question", "value", "seconds"
        )
        return np.fromiter(rows.iterator(chunk_size=20_000), dtype=TYPES)

    @property
    def on_ordered_points(self):
        """Return answers to questions whose points have an order, their values from 0 to 1."""
        scales = {q.pk: q.scale for q in self.questions}
        ends = {pk: (s.low, s.high) for pk, s in scales.items() if s.has_ordered_points}
        rows = self.answers[np.isin(self.answers["question"], list(ends))].copy()
        for pk, (low, high) in ends.items():
            of_question = rows["question"] == pk
            rows["value"][of_question] = (rows["value"][of_question] - low) / (high - low)
        return rows


def _pairs(rows, first, second):
    """Pack two keys of 32 bits in a whole number, which sorts ten times as fast as a pair."""
    return rows[first] << HALF | rows[second]


def by_rater(raters, values, least):
    """Yield (rater, values) of every rater with at least that many values."""
    order = np.argsort(raters, kind="stable")
    sorted_raters, starts = np.unique(raters[order], return_index=True)
    # np.split makes one empty part of nothing.
    for rater, part in zip(
        sorted_raters.tolist(), np.split(values[order], starts[1:]), strict=False
    ):
        if len(part) >= least:
            yield rater, part


def median_seconds(evidence, seconds, items):
    """Measure the median over items of the seconds to the last answer.

    Raters with too few items are missing.
    """
    parts = by_rater(*seconds_by_item(evidence), items)
    return {rater: float(np.median(part)) for rater, part in parts}


def seconds_by_item(evidence):
    """Return (raters, seconds): for each item of a rater the time to its last answer."""
    rows = evidence.answers[~np.isnan(evidence.answers["seconds"])]
    visits, place = np.unique(_pairs(rows, "rater", "shown"), return_inverse=True)
    longest = np.zeros(len(visits))
    np.maximum.at(longest, place, rows["seconds"])
    return visits >> HALF, longest


def share_of_quick_answers(evidence, seconds, share, answers):
    """Measure the percentage of answers that came in under the given seconds."""
    rows = evidence.answers[~np.isnan(evidence.answers["seconds"])]
    parts = by_rater(rows["rater"], rows["seconds"] < seconds, answers)
    return {rater: 100 * float(np.mean(part)) for rater, part in parts}


def different_answers(evidence, answers):
    """Count the different points of the scale that a rater used on Likert questions."""
    graded = [q.pk for q in evidence.questions if q.scale.has_graded_points]
    rows = evidence.answers[np.isin(evidence.answers["question"], graded)]
    parts = by_rater(rows["rater"], rows["value"], answers)
    return {rater: len(np.unique(part)) for rater, part in parts}


def agreement_with_others(evidence, correlation, items):
    """Correlate (Pearson's r) a rater's answers with the others' means on the same questions."""
    rows = _shared(evidence.on_ordered_points)
    if not len(rows):
        return {}
    pks, raters = np.unique(rows["rater"], return_inverse=True)
    _, units = np.unique(_pairs(rows, "item", "question"), return_inverse=True)
    r, _ = correlation_with_others(units, raters, rows["value"])
    visits = np.unique(_pairs(rows, "rater", "shown"))
    enough = {rater for rater, _ in by_rater(visits >> HALF, visits, items)}
    correlations = zip(pks.tolist(), r.tolist(), strict=True)
    return {rater: value for rater, value in correlations if rater in enough and not isnan(value)}


def _shared(rows):
    """Return the answers to questions that more than one rater answered."""
    units = _pairs(rows, "item", "question")
    _, place, count = np.unique(units, return_inverse=True, return_counts=True)
    return rows[count[place] > 1]


def participant_of(ids):
    """Return the participant's id on their platform; empty without it."""
    return next((str(ids[name]) for name in PARTICIPANT if ids.get(name)), "")


def has_participants(told):
    """Return whether any rater has a participant id."""
    return any(map(participant_of, told))


def visit_of_participant(evidence):
    """Number the visits of a participant: 1 for the first completed visit, then 2, 3, …."""
    done = evidence.study.sessions.filter(state=Session.State.COMPLETED)
    completed = set(done.values_list("rater", flat=True))
    counts: dict = {}
    visits = {}
    for pk in sorted(evidence.raters, key=lambda pk: (pk not in completed, pk)):
        participant = participant_of(evidence.raters[pk].platform_ids)
        if participant:
            visits[pk] = counts[participant] = counts.get(participant, 0) + 1
    return visits


def platform_number(name):
    """Return a measure: a number that the platform gave about the rater."""

    def measure(evidence, **parameters):
        numbers = {pk: _number(rater.platform_ids, name) for pk, rater in evidence.raters.items()}
        return {pk: value for pk, value in numbers.items() if value is not None}

    return measure


def has_platform_number(name):
    """Return a check whether the platform gave that number about any rater."""
    return lambda told: any(_number(ids, name) is not None for ids in told)


def _number(ids, name):
    try:
        value = float(ids[name])
    except (KeyError, TypeError, ValueError):
        return None
    return value if np.isfinite(value) else None
