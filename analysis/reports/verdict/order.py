"""Define once which judge is best: every page names the same one."""

from math import isnan

from analysis.stats.validation.decision import Answer


def judges_by_rank(rows):
    """Return the judges' names, the best first.

    First most questions with a yes, then with a not yet; then the largest mean of what a judge is
    worth at least, where people agree; then the largest mean agreement. rows: of the verdict on
    rating items, whole studies' (not of groups or pairs of systems).
    """
    own: dict = {}
    for row in rows:
        own.setdefault(row["evaluator"], []).append(row)
    return sorted(own, key=lambda name: _rank(own[name]))


def _rank(rows):
    tested = [row for row in rows if row["answer"] != Answer.NOT_TESTABLE]
    agreed = [row for row in tested if row["answer"] != Answer.PEOPLE_DISAGREE]
    return (
        -count_yes(rows),
        -sum(row["answer"] == Answer.NOT_YET for row in rows),
        -mean_of(agreed, "worth_low"),
        -mean_of(tested, "agreement"),
    )


def count_yes(rows):
    """Return on how many questions the answer is yes."""
    return sum(row["answer"] == Answer.YES for row in rows)


def mean_of(rows, key):
    """Return the mean of a number over the questions that have it; −∞ where none has."""
    values = [row[key] for row in rows if not isnan(row[key])]
    return sum(values) / len(values) if values else float("-inf")
