"""List what was archived and deleted in a study, for the end of its page of judges."""

from dataclasses import dataclass
from datetime import datetime

from judges.models import JudgeStep
from judges.removal.archive import Kind
from judges.removal.delete import undone_until

MOST_LINES = 100


@dataclass(frozen=True)
class Line:
    """A step of the log; until: when its undo ends, None where there is nothing to undo."""

    step: JudgeStep
    until: datetime | None = None


def lines_of(study):
    """Return the newest lines of the study's log of judges, in one query."""
    steps = list(JudgeStep.objects.filter(study=study).select_related("judge")[:MOST_LINES])
    undone = set()  # judges whose newest deletion was listed
    lines = []
    for step in steps:
        judge, until = step.judge, None
        if step.kind == Kind.DELETED and judge.pk not in undone:
            undone.add(judge.pk)
            if judge.deleted_at and judge.gone_pairs is None:
                until = undone_until(judge)
        lines.append(Line(step, until))
    return lines
