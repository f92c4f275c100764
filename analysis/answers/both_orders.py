"""Combine the two verdicts on a pair of lists, asked in both orders, into a single verdict."""

from itertools import groupby
from operator import itemgetter

import numpy as np

from judges.methods.verdicts.position import TIE, sides_of
from judges.models import Judge, Run
from judges.models.run import FROM_FILE

ONE_ORDER = "one of the two orders has no verdict"
NO_TIE = "the two orders disagree, and the question offers no tie"


def runs_with_both(study):
    """Return {run id: name of its judge} for the runs whose judge is asked in both orders."""
    runs = Run.objects.filter(judge__study=study, judge__method=Judge.Method.PAIRWISE, checked=None)
    runs = runs.exclude(frozen__kind=FROM_FILE)  # a file holds the one verdict
    runs = runs.filter(judge__settings__order=Judge.Order.BOTH)
    return dict(runs.values_list("pk", "judge__key"))


def ties_of(questions):
    """Return {question id: value of a tie} for the questions that choose between two lists."""
    choices = [question for question in questions if question.scale.is_about_sides]
    return {question.pk: sides_of(question.scale).get(TIE) for question in choices}


def combined(rows, runs, ties):
    """Merge each pair's two rows; also return {judge: (pairs with both verdicts, differing)}."""
    chosen = np.isin(rows["run"], list(runs))
    if not chosen.any():
        return rows, {}
    both = np.sort(rows[chosen], order=["run", "item", "question"])
    verdict_rows, counts = [], dict.fromkeys(runs.values(), (0, 0))
    for (run, *_), group in groupby(both.tolist(), key=itemgetter(0, 1, 2)):
        verdicts = list(group)
        verdict_rows.append(one_verdict(verdicts, ties))
        if is_complete(verdicts):
            pairs, differing = counts[runs[run]]
            counts[runs[run]] = pairs + 1, differing + (verdicts[0][3] != verdicts[1][3])
    return np.concatenate([rows[~chosen], np.array(verdict_rows, dtype=rows.dtype)]), counts


def is_complete(verdicts):
    """Return whether both orders have a verdict; None and NaN are missing verdicts."""
    return len(verdicts) == 2 and all(v[3] is not None and v[3] == v[3] for v in verdicts)


def one_verdict(verdicts, ties):
    """Return a pair's row (run, item, question, value, why, …): the verdict if both orders agree.

    Else a tie: a verdict that depends on the order says nothing about the lists.
    """
    first = verdicts[0]
    if not is_complete(verdicts):
        return (*first[:3], None, first[4] or ONE_ORDER, *first[5:])
    if first[3] == verdicts[1][3]:
        return first
    tie = ties.get(first[2])
    return (*first[:3], tie, "" if tie is not None else NO_TIE, *first[5:])
