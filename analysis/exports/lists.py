"""The export of recommenders under test: what their lists name, entry by entry."""

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


def lists(study, clean, cells):
    """One row an entry in the order of the reply's list, then those left out of it; one without an
    entry where a reply was no list, or where nothing was asked. Of a locked test part none.
    """
    hidden = withheld_recipients(study)
    asked = RecommendedList.objects.filter(run__judge__study=study).order_by("run", "unit")
    judgments = _judgments(study)
    for run, unit, recipient, judge, user, *what, entries, left in asked.values_list(
        *ABOUT
    ).iterator(CHUNK):
        state, reason, model, fingerprint, call, at = _of(judgments, run, unit)
        if recipient in hidden:
            continue
        plan, relation, cell, *size = what
        of = clean.key(cell.removeprefix(relation).removeprefix(":"))
        about = run, clean.key(judge), clean.key(user), plan, clean.key(relation), of, *size
        asked_so = cells(*about, state, clean.key(reason))
        end = cells(clean.key(model), clean.key(fingerprint), call, at)
        for row in _rows(entries, left):
            yield asked_so, cells(*_said(row, clean)), end


def _judgments(study):
    """(run, unit, …) of every list's judgment, in the order of the lists."""
    runs = RecommendedList.objects.filter(run__judge__study=study).order_by().values("run")
    rows = Judgment.objects.filter(run__in=runs).order_by("run", "unit")
    return rows.values_list(*ASKED).iterator(CHUNK)


def _of(judgments, run, unit):
    """What a list's judgment says: the two streams are in one order, so no row is looked up."""
    for at_run, at_unit, *said in judgments:
        if (at_run, at_unit) == (run, unit):
            return said
    raise LookupError(f"the list of unit {unit} of run {run} has no judgment")


def _rows(entries, left):
    """(position, said, content, how, why it does not count) of each entry; one row at least."""
    counted = (
        (at, each["said"], each["content"], each["how"], "" if each["content"] else UNMATCHED)
        for at, each in enumerate(entries, start=1)
    )
    others = ((None, each["said"], each["content"], each["how"], each["why"]) for each in left)
    if entries or left:
        return chain(counted, others)
    return [(None, "", None, "", "")]


def _said(row, clean):
    position, said, content, how, why = row
    return position, clean(said), clean.key(content), how, why
