"""Export the lists of recommenders under test, entry by entry."""

from itertools import chain

from annotate.design.splits import withheld_recipients
from judges.models import Judgment, RecommendedList

CHUNK = 500  # lists; one may name 200 contents
ABOUT = [
    "run",
    "unit",
    "recipient",
    "run__judge__key",
    "recipient__key",
    "plan",
    "relation",
    "cell",
    "iteration",
    "k",
    "l",
    "entries",
    "left_out",
]
ASKED = [
    "run",
    "unit",
    "state",
    "reason",
    "call__model_returned",
    "call__fingerprint",
    "call",
    "settled_at",
]
UNMATCHED = "unmatched"


def lists(study):
    """Yield one row per entry in the order of the reply's list, then the entries left out of it.

    A reply that was no list, or a list that was not asked for, has one row without an entry. Lists
    of a locked test part are left out.
    """
    hidden = withheld_recipients(study)
    asked = RecommendedList.objects.kept().filter(run__judge__study=study).order_by("run", "unit")
    judgments = _judgments(study)
    for run, unit, recipient, judge, user, *what, entries, left in asked.values_list(
        *ABOUT
    ).iterator(CHUNK):
        state, reason, model, fingerprint, call, settled_at = _judgment_of(judgments, run, unit)
        if recipient in hidden:
            continue
        plan, relation, cell, *size = what
        setting = cell.removeprefix(relation).removeprefix(":")
        about = run, judge, user or "", plan, relation, setting, *size, state, reason
        for row in _rows(entries, left):
            yield *about, *row, model or "", fingerprint or "", call, settled_at


def _judgments(study):
    """Return (run, unit, …) of every list's judgment, in the order of the lists."""
    runs = RecommendedList.objects.kept().filter(run__judge__study=study).order_by().values("run")
    rows = Judgment.objects.filter(run__in=runs).order_by("run", "unit")
    return rows.values_list(*ASKED).iterator(CHUNK)


def _judgment_of(judgments, run, unit):
    """Return what the judgment of one list says.

    Both streams are in one order, so no row is looked up.
    """
    for judged_run, judged_unit, *answer in judgments:
        if (judged_run, judged_unit) == (run, unit):
            return answer
    raise LookupError(f"the list of unit {unit} of run {run} has no judgment")


def _rows(entries, left):
    """Return (position, title, content, how, why it does not count) per entry; at least a row."""
    counted = (
        (
            position,
            entry["said"],
            entry["content"] or "",
            entry["how"],
            "" if entry["content"] else UNMATCHED,
        )
        for position, entry in enumerate(entries, start=1)
    )
    others = (
        (None, entry["said"], entry["content"] or "", entry["how"], entry["why"]) for entry in left
    )
    if entries or left:
        return chain(counted, others)
    return [(None, "", "", "", "")]
